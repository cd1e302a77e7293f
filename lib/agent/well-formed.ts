/** With the u flag a whole pair is one character, so that this finds halves alone. */
const lone = /\p{Cs}/gu;

/** Without half surrogate pairs, which JSON carries and the Messages API refuses; in strings at any depth. */
export function wellFormed(text: string): string;
export function wellFormed(value: unknown): unknown;
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(lone, '\uFFFD');
  if (Array.isArray(value)) return value.map((item: unknown) => wellFormed(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormed(item)]));
}
