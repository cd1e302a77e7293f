import type { Cart } from '../cart/cart.js';

export type Order = {
  readonly id: string;
  readonly cart: Cart;
  /** Cents that were charged. */
  readonly paid: number;
  readonly refunded: boolean;
};

const orders = new Map<string, Order>();
let last = 1000;

export function createOrder(cart: Cart, paid: number): Order {
  last += 1;
  const order: Order = { id: `S-${last}`, cart, paid, refunded: false };
  orders.set(order.id, order);
  return order;
}

export function markRefunded(order: Order): void {
  orders.set(order.id, { ...order, refunded: true });
}

export function allOrders(): readonly Order[] {
  return [...orders.values()];
}
