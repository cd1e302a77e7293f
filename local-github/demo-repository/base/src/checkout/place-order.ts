import { charge } from '../billing/charge.js';
import type { Cart } from '../cart/cart.js';
import { total } from '../cart/total.js';
import { validateCart } from '../cart/validate.js';
import { createOrder } from './orders.js';
import type { Order } from './orders.js';

/** Charges the customer and keeps the order. Throws when the cart cannot be ordered or the charge is refused. */
export async function placeOrder(cart: Cart): Promise<Order> {
  validateCart(cart);
  const amount = total(cart);
  await charge(cart.customer, amount);
  return createOrder(cart, amount);
}
