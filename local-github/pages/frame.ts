import type { Reply } from '../http.js';

export const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Markup that is known to be safe: `markup` escapes every value that is not markup itself. */
export type Markup = { readonly safe: string };

export const markup = (parts: TemplateStringsArray, ...values: readonly Piece[]): Markup => {
  const tight = tightened(parts);
  return { safe: tight.map((part, at) => part + (at < values.length ? show(values[at]) : '')).join('') };
};

type Piece = Markup | readonly Markup[] | string | number | null | undefined;

/** What these files indent is no part of the page: a long pull request would carry it a thousand times. */
const tightened = (parts: TemplateStringsArray): readonly string[] => {
  const known = tight.get(parts);
  if (known !== undefined) return known;
  const made = parts.map((part) => part.replace(/\n\s*/g, '\n'));
  tight.set(parts, made);
  return made;
};

const tight = new WeakMap<TemplateStringsArray, readonly string[]>();

const isMarkup = (value: Exclude<Piece, null | undefined>): value is Markup =>
  typeof value === 'object' && 'safe' in value;

const show = (value: Piece): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return escape(String(value));
  return isMarkup(value) ? value.safe : value.map((entry) => entry.safe).join('');
};

/** Where a page stands: the way to it and who reads it. */
export type Frame = {
  readonly title: string;
  readonly status?: number;
  /** From the top down; the last one may be the page itself. */
  readonly crumbs?: readonly { readonly name: string; readonly url: string }[];
  /** The switch of who reads. */
  readonly viewer?: Markup | null;
  /** Address of the events that say when the page has changed, and what a screen reader is told then. */
  readonly live?: {
    readonly events: string;
    readonly version: string;
    readonly says: string;
    /** Login of who reads: a page that was shown to somebody else stands still. */
    readonly viewer: string;
  };
  readonly body: Markup;
};

export const page = (frame: Frame): Reply => html(frame.status ?? 200, whole(frame));

export const html = (status: number, content: Markup): Reply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', ...GUARDS },
  body: Buffer.from(content.safe),
});

/** What stands on a page was written by strangers: nothing of it may run, call out or be framed. */
const GUARDS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  // Not `no-referrer`: with that a browser sends `Origin: null` with our own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-cache',
  vary: 'cookie',
};

const whole = ({ title, crumbs = [], viewer = null, live, body }: Frame): Markup =>
  markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="/_pages/icon.svg" />
        <link rel="stylesheet" href="/_pages/page.css" />
        <script src="/_pages/page.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header class="top">
          <nav aria-label="Where you are">
            <ol>
              <li><a href="/">Local GitHub</a></li>
              ${crumbs.map(({ name, url }) => markup`<li><a href="${url}">${name}</a></li>`)}
            </ol>
          </nav>
          ${viewer}
        </header>
        <main id="content" tabindex="-1" ${live === undefined ? null : liveMarks(live)}>
          ${live === undefined ? null : noScript}${body}
          <p id="announce" role="status" class="unseen"></p>
        </main>
      </body>
    </html> `;

const noScript = markup`<noscript><p class="muted">Without scripts this page stands still: reload it to see what has changed.</p></noscript>`;

const liveMarks = (live: NonNullable<Frame['live']>): Markup =>
  markup`data-events="${live.events}" data-version="${live.version}" data-says="${live.says}" data-viewer="${live.viewer}"`;

/** An address below a repository, whatever its parts hold. */
export const address = (...parts: readonly (string | number)[]): string =>
  `/${parts
    .flatMap((part) => String(part).split('/'))
    .map((part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd')))
    .join('/')}`;
