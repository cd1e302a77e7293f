import { escape, type Markup } from './frame.js';

type Parser = { readonly render: (text: string) => string };

let parser: Promise<Parser> | null = null;

/** What people and the app wrote. Folds stay, comments vanish, every other tag is shown as text. */
export const markdown = async (text: string): Promise<Markup> => {
  parser ??= load();
  return { safe: (await parser).render(text) };
};

const load = async (): Promise<Parser> => {
  const { default: create } = await import('markdown-it');
  const made = create({ html: true, linkify: false });
  made.renderer.rules.html_block = (tokens, at) => allowed(tokens[at]?.content ?? '');
  made.renderer.rules.html_inline = (tokens, at) => allowed(tokens[at]?.content ?? '');
  // Pictures would have to be fetched from elsewhere.
  made.renderer.rules.image = (tokens, at) => escape(`[image: ${tokens[at]?.content ?? ''}]`);
  return made;
};

const FOLDS = /^<\/?(details|summary)>$/;

const allowed = (content: string): string =>
  content
    .replace(/<!--[\s\S]*?-->/g, '')
    .split(/(<[^<>]*>)/)
    .map((part) => (FOLDS.test(part) ? part : escape(part)))
    .join('');
