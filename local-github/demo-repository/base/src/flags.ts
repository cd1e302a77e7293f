const flags = {
  promo: true,
  'gift-cards': false,
} as const;

/** Whether a part of the shop is switched on. */
export function isOn(flag: keyof typeof flags): boolean {
  return flags[flag];
}
