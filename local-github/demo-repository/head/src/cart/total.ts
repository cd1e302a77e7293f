import { lineTotal } from './cart.js';
import type { Cart } from './cart.js';

/** What a cart costs, in cents. Promo codes take whole percents off. */
export function total(cart: Cart, percentOff = 0): number {
  const full = cart.items.map(lineTotal).reduce((sum, line) => sum + line);
  return full - Math.floor((full * percentOff) / 100);
}
