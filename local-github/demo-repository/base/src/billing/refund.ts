import { markRefunded } from '../checkout/orders.js';
import type { Order } from '../checkout/orders.js';
import { send } from './provider.js';

export class RefundError extends Error {}

export type Refund = {
  readonly order: string;
  /** Cents that went back. */
  readonly amount: number;
};

/**
 * Gives money back for an order, once. Throws when that cannot be done; the order is marked only after the
 * provider has taken the refund.
 */
export async function refund(order: Order, amount: number): Promise<Refund> {
  if (order.refunded) {
    throw new RefundError(`${order.id} was already refunded`);
  }
  if (amount > order.paid) {
    throw new RefundError(`${order.id}: ${amount} is more than was paid`);
  }
  const given: Refund = { order: order.id, amount };
  await send('refund', given);
  markRefunded(order);
  return given;
}
