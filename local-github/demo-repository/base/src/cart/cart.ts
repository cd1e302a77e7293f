export type Item = {
  readonly sku: string;
  readonly quantity: number;
  /** Cents for one piece. */
  readonly price: number;
};

export type Cart = {
  readonly customer: string;
  readonly items: readonly Item[];
};

export const lineTotal = (item: Item): number => item.price * item.quantity;
