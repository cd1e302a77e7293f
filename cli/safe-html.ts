/** As text of a page; what turns the reading direction or cannot be seen is written as its number. */
export const safe = (text: string): string =>
  visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** The same for what puts text into a page itself. */
export const visible = (text: string): string =>
  text
    .replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu,
      (char) => `\u27e8U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`,
    )
    .replace(/\p{Surrogate}/gu, '\u{fffd}');
