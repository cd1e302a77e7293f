import type { Token } from 'markdown-it';
import { escape } from './frame.js';

type RawHtml = 'html_block' | 'html_inline';

/** Of the tags that GitHub lets through, those that change no more than how words look, or fold them. */
const NAMES = 'details|summary|sub|sup|kbd|ins|del|b|i|em|strong|code|s|br|hr';
const TAG = new RegExp(`^<(/?)(${NAMES})(?:\\s+open(?:="")?)?\\s*/?>$`, 'i');
const VOID: ReadonlySet<string> = new Set(['br', 'hr']);
/** Tags that stand open at once: twenty thousand of them take seconds here, and a browser longer. */
const DEEPEST = 100;

/** Raw HTML of a text: comments vanish, plain tags stay, everything else is shown as it was written. */
export const plainTag = (content: string): string =>
  partsOf(content)
    .map((part) => (TAG.test(part) ? part.toLowerCase() : escapeText(part)))
    .join('');

const partsOf = (content: string): string[] =>
  content.replace(/<!--[\s\S]*?(?:-->|$)/g, '').split(/(<[^<>]*>)/);

/** `&lt;` in raw HTML is a sign already. */
const escapeText = (text: string): string => text.replace(/&(?!#?\w{1,10};)|[<>"']/g, escape);

/**
 * Sees to it that a text closes what it opens and nothing else: a `</details>` without its beginning would close a fold
 * of the page, and what follows would stand outside of its comment. `create` makes a token of raw HTML.
 */
export const closeTags = (tokens: readonly Token[], create: (type: RawHtml) => Token): Token[] => {
  for (const token of tokens)
    if (token.children !== null) token.children = balance(token.children, 'html_inline', create);
  return balance(tokens, 'html_block', create);
};

const balance = (tokens: readonly Token[], type: RawHtml, create: (type: RawHtml) => Token): Token[] => {
  const open: { readonly name: string; readonly level: number }[] = [];
  const closing = (from: number): string =>
    open
      .splice(from)
      .reverse()
      .map(({ name }) => `</${name}>`)
      .join('');
  const raw = (content: string): Token => Object.assign(create(type), { content });
  const balanced: Token[] = [];
  for (const token of tokens) {
    // Whatever was opened inside of a list or a quote ends with it.
    const inside = open.findIndex((entry) => entry.level > token.level);
    if (inside >= 0) balanced.push(raw(closing(inside)));
    balanced.push(token);
    if (token.type !== type) continue;
    token.content = partsOf(token.content)
      .map((part) => {
        const [, slash, given] = TAG.exec(part) ?? [];
        const name = given?.toLowerCase();
        if (name === undefined || VOID.has(name)) return part;
        if (slash === '') {
          if (open.length >= DEEPEST) return '';
          open.push({ name, level: token.level });
          return part;
        }
        const at = open.findLastIndex((entry) => entry.name === name && entry.level === token.level);
        return at < 0 ? '' : closing(at);
      })
      .join('');
  }
  if (open.length > 0) balanced.push(raw(closing(0)));
  return balanced;
};
