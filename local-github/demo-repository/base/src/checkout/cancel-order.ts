import { refund } from '../billing/refund.js';
import type { Refund } from '../billing/refund.js';
import type { Order } from './orders.js';

/** A customer cancels before we ship: everything goes back. */
export function cancelOrder(order: Order): Promise<Refund> {
  return refund(order, order.paid);
}
