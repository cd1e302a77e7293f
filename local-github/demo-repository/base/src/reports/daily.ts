import { allOrders } from '../checkout/orders.js';

/** The mail that goes to the team each morning. */
export function dailyReport(): string {
  const orders = allOrders();
  if (orders.length === 0) return 'No orders yesterday.';
  const open = orders.filter((order) => !order.refunded);
  return `${orders.length} orders, ${orders.length - open.length} of them refunded.`;
}
