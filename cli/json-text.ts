/**
 * A value as JSON that no terminal obeys: what steers one, turns the reading direction or cannot be seen is written as an
 * escape, which every reader of JSON turns back into the same text. `JSON.stringify` does so for the first 32 characters only.
 */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
