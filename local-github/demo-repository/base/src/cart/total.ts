import { lineTotal } from './cart.js';
import type { Cart } from './cart.js';

/** What a cart costs, in cents. */
export function total(cart: Cart): number {
  return cart.items.map(lineTotal).reduce((sum, line) => sum + line, 0);
}
