import type { Cart } from './cart.js';

export class CartError extends Error {}

const mostPieces = 99;

/**
 * Throws when a cart cannot be ordered. Prices were looked up by the catalogue and are not checked again.
 */
export function validateCart(cart: Cart): void {
  // An order without items cannot be shipped, charged or refunded.
  if (cart.items.length === 0) throw new CartError('the cart is empty');
  for (const item of cart.items) {
    if (item.quantity < 1 || item.quantity > mostPieces) {
      throw new CartError(`${item.sku}: ${item.quantity} pieces cannot be ordered`);
    }
  }
}
