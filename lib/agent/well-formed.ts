const lone = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Without half surrogate pairs, which JSON carries and the Messages API refuses; in strings at any depth. */
export function wellFormed(text: string): string;
export function wellFormed(value: unknown): unknown;
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(lone, '\uFFFD');
  if (Array.isArray(value)) return value.map((item: unknown) => wellFormed(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormed(item)]));
}
