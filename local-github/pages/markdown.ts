import { createHash } from 'node:crypto';
import { escape, markup, type Markup } from './frame.js';
import { closeTags, plainTag } from './plain-tags.js';
import { showSuggestion } from './suggestion.js';

export type MarkdownOptions = {
  /** The level of the heading it stands under: a `#` of its own becomes the next one. */
  readonly under: number;
  /** The lines that a suggestion would replace; null where none can stand. */
  readonly replaces?: readonly string[] | null;
};

/**
 * What people and the app wrote, as GitHub would show it: folds and a few plain tags stay, comments vanish, every other
 * tag is shown as text, pictures are named. Without the parser (an install without development packages) it is text.
 */
export const markdown = async (text: string, options: MarkdownOptions): Promise<Markup> => {
  const key = createHash('sha256')
    .update(JSON.stringify([text, options]))
    .digest('base64');
  const known = rendered.get(key);
  if (known !== undefined) return known;
  parser ??= load();
  const made = await parser;
  const shown = made === null ? asText(text) : { safe: made.render(text, options) };
  remember(key, shown);
  return shown;
};

/** A page is read again after each change, and nearly all of it is as it was. */
const rendered = new Map<string, Markup>();
const KEPT_CHARACTERS = 16_000_000;
let kept = 0;

const remember = (key: string, shown: Markup): void => {
  if (rendered.has(key)) return;
  kept += shown.safe.length;
  rendered.set(key, shown);
  for (const [oldest, { safe }] of rendered) {
    if (kept <= KEPT_CHARACTERS) break;
    rendered.delete(oldest);
    kept -= safe.length;
  }
};

type Parser = { readonly render: (text: string, env: MarkdownOptions) => string };

let parser: Promise<Parser | null> | null = null;

const asText = (text: string): Markup => markup`<pre>${text.replace(/<!--[\s\S]*?(-->|$)/g, '')}</pre>`;

const load = async (): Promise<Parser | null> => {
  const create = await import('markdown-it').then(
    (module) => module.default,
    () => null,
  );
  if (create === null) return null;
  const made = create({ html: true, linkify: false, maxNesting: 40 });
  made.validateLink = (url) => LINK.test(url.trim());
  made.core.ruler.push('plain_tags', (state) => {
    state.tokens = closeTags(state.tokens, (type) => new state.Token(type, '', 0));
    // A heading without words is none.
    for (const [at, token] of state.tokens.entries())
      if (token.type === 'th_open' && state.tokens[at + 1]?.content === '')
        for (const one of [token, state.tokens[at + 2]]) if (one !== undefined) one.tag = 'td';
  });
  const { rules } = made.renderer;
  rules.html_block = rules.html_inline = (tokens, at) => plainTag(tokens[at]?.content ?? '');
  // Pictures would have to be fetched from elsewhere.
  rules.image = (tokens, at) => escape(`[image: ${tokens[at]?.content ?? ''}]`);
  rules.heading_open = (tokens, at, _options, env) => `<h${level(tokens[at]?.tag, env as MarkdownOptions)}>`;
  rules.heading_close = (tokens, at, _options, env) =>
    `</h${level(tokens[at]?.tag, env as MarkdownOptions)}>\n`;
  rules.link_open = (tokens, at, options, _env, self) => {
    tokens[at]?.attrSet('rel', 'nofollow noopener');
    return self.renderToken(tokens, at, options);
  };
  // A style attribute would be refused by the page's policy.
  rules.td_open = rules.th_open = (tokens, at) => {
    const token = tokens[at];
    const side = /text-align:(left|center|right)/.exec(String(token?.attrGet('style') ?? ''))?.[1];
    return `<${token?.tag === 'th' ? 'th' : 'td'}${side === undefined ? '' : ` class="to-${side}"`}>`;
  };
  const fence = rules.fence;
  rules.fence = (tokens, at, options, env, self) => {
    const token = tokens[at];
    const { replaces = null } = env as MarkdownOptions;
    if (token?.info.trim() === 'suggestion' && replaces !== null)
      return showSuggestion(replaces, token.content).safe;
    return fence?.(tokens, at, options, env, self) ?? escape(token?.content ?? '');
  };
  return made;
};

/** Web, mail, and what stands on the same site. */
const LINK = /^(https?:|mailto:|[^:]*$|[^:]*[/?#])/i;

const level = (tag: string | undefined, { under }: MarkdownOptions): number =>
  Math.min(6, under + Number(tag?.slice(1) ?? 1));
