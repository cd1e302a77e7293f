import { refund } from '../../billing/refund.js';
import type { Order } from '../../checkout/orders.js';

export type Case = {
  readonly order: Order;
  /** Cents that the support desk grants. */
  readonly granted: number;
};

/** Closes a complaint: what was granted goes back to the customer. */
export async function closeCase(complaint: Case): Promise<string> {
  if (complaint.granted > 0) {
    await refund(complaint.order, complaint.granted);
  }
  return `closed, ${complaint.granted} cents granted`;
}
