import type { Reply } from '../http.js';

export const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Markup that is known to be safe: `markup` escapes every value that is not markup itself. */
export type Markup = { readonly safe: string };

export const markup = (parts: TemplateStringsArray, ...values: readonly Piece[]): Markup => ({
  safe: parts.map((part, at) => part + (at < values.length ? show(values[at]) : '')).join(''),
});

type Piece = Markup | readonly Markup[] | string | number | null | undefined;

const isMarkup = (value: Exclude<Piece, null | undefined>): value is Markup =>
  typeof value === 'object' && 'safe' in value;

const show = (value: Piece): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return escape(String(value));
  return isMarkup(value) ? value.safe : value.map((entry) => entry.safe).join('');
};

export const page = (title: string, body: Markup): Reply => ({
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    // What stands here was written by strangers: nothing of it may run or call out.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  },
  body: Buffer.from(
    markup`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title}</title>
          <style>
            ${{ safe: STYLE }}
          </style>
        </head>
        <body>
          <main>${body}</main>
        </body>
      </html> `.safe,
  ),
});

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --add: #2da44e26; --del: #cf222e26; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
a { color: #0969da; } @media (prefers-color-scheme: dark) { a { color: #58a6ff; } }
article, .file { border: 1px solid var(--line); border-radius: 6px; margin: 1rem 0; overflow: hidden; }
article > header, .file > header { background: var(--soft); padding: .4rem .8rem; font-size: .9rem; }
article > div { padding: .2rem .8rem; overflow-wrap: anywhere; }
article article { margin: .6rem .8rem; }
pre, code, table.code { font: 13px/1.45 ui-monospace, monospace; }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; border-radius: 4px; }
table.code { border-collapse: collapse; width: 100%; }
table.code td { padding: 0 .6rem; white-space: pre-wrap; overflow-wrap: anywhere; }
table.code td.n { width: 3rem; text-align: right; opacity: .6; user-select: none; }
tr:target { background: #d4a72c66; }
tr.add { background: var(--add); } tr.del { background: var(--del); } tr.hunk { background: var(--soft); opacity: .8; }
.state { border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .6rem; font-size: .85rem; }
.muted { opacity: .7; } ul.plain { list-style: none; padding: 0; }
`;
