import { createHash } from 'node:crypto';
import { totalsOf, type SaidThen, type TriedPull, type TriedRemark } from '../../lib/core/report/tried.js';
import { safe } from '../safe-html.js';
import { endWords, kindWords, laterWords, totalLines } from './words.js';

const style = `
:root { color-scheme: light dark; --text: #1d2430; --back: #fff; --dim: #59636e; --line: #d0d5db; --soft: #f3f5f7; --important: #b42318; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ee; --back: #14181d; --dim: #9aa5b1; --line: #3a424c; --soft: #1c2229; --important: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 72rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.1rem; margin: 0 0 .3rem; } h3 { font-size: .9rem; margin: 0 0 .3rem; color: var(--dim); font-weight: 600; }
a { color: inherit; }
article { border-top: 1px solid var(--line); padding: 1rem 0; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem 2rem; }
ul { margin: 0; padding-left: 1.1rem; } li { margin: 0 0 .4rem; }
.dim { color: var(--dim); } .important { color: var(--important); font-weight: 600; }
code { font: .85em ui-monospace, monospace; background: var(--soft); padding: .05em .3em; border-radius: 3px; unicode-bidi: isolate; }
bdi { unicode-bidi: isolate; }
`;

/** A digest lets this one style in and nothing else: no script, no image, no request leaves the page. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** The results as one page that needs nothing beside itself. Titles, names and comments are somebody else's words. */
export const triedPage = (repo: string, model: string, all: readonly TriedPull[]): string => {
  const title = `What Evident would have said: ${repo}`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">',
    `<title>${safe(title)}</title><style>${style}</style></head><body><main>`,
    `<h1>${bdi(title)}</h1>`,
    `<p class="dim">Reviewed by ${bdi(model)}. Nothing was posted.</p>`,
    ...totalLines(totalsOf(all)).map((line) => `<p>${safe(line)}</p>`),
    ...all.map(pullPart),
    '</main></body></html>',
    '',
  ].join('\n');
};

const bdi = (text: string): string => `<bdi>${safe(text)}</bdi>`;

function pullPart(tried: TriedPull): string {
  const ended = endWords(tried);
  const { author, mergedAt } = tried;
  return [
    `<article aria-labelledby="p${tried.number}"><h2 id="p${tried.number}">${link(tried)} ${bdi(tried.title)}</h2>`,
    `<p class="dim">by ${bdi(author ?? 'ghost')}${mergedAt === null ? '' : `, merged ${safe(mergedAt.slice(0, 10))}`}</p>`,
    ended === null ? '' : `<p class="important">${safe(ended)}</p>`,
    '<div class="beside">',
    section('Evident says now', tried.remarks.map(remarkItem), 'nothing to remark'),
    section('Reviewers said then', tried.said.map(saidItem), 'nothing in a thread'),
    section(
      'What came later',
      tried.later.map((one) => bdi(laterWords(one))),
      'no revert and no fix among these pull requests',
    ),
    '</div></article>',
  ].join('\n');
}

/** An address is somebody else's word too: only one of the web is made a link. */
const link = ({ url, number }: TriedPull): string =>
  /^https?:\/\/[^\s"'<>]+$/.test(url) ? `<a href="${safe(url)}">#${number}</a>` : `#${number}`;

const section = (heading: string, items: readonly string[], none: string): string =>
  `<section><h3>${safe(heading)}</h3>${items.length === 0 ? `<p class="dim">${safe(none)}</p>` : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`}</section>`;

const remarkItem = ({ id, kind, path, line, title, saidBy, later }: TriedRemark): string =>
  [
    `<span class="${kind === 'important' ? 'important' : 'dim'}">${safe(id)} ${kindWords[kind]}</span>`,
    `<code>${safe(`${path}:${line}`)}</code>`,
    bdi(title),
    ...(saidBy.length > 0 ? [`<span class="dim">said by ${bdi(saidBy.join(', '))}, too</span>`] : []),
    ...(later.length > 0
      ? [`<span class="dim">changed again by ${later.map((one) => `#${one}`).join(', ')}</span>`]
      : []),
  ].join(' ');

const saidItem = ({ by, path, line, words, done, near }: SaidThen): string =>
  [
    `${bdi(by)}`,
    `<code>${safe(line === null ? path : `${path}:${line}`)}</code>`,
    bdi(words),
    ...(near.length > 0 ? [`<span class="dim">same place as ${safe(near.join(', '))}</span>`] : []),
    ...(done ? [] : ['<span class="dim">left open</span>']),
  ].join(' ');
