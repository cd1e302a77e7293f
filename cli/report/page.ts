import { createHash } from 'node:crypto';
import type { Figure, Part, Weight } from '../../lib/core/report/figure.js';
import type { Measure } from '../../lib/core/report/measure.js';
import type { Report } from '../../lib/core/report/report.js';
import { measureWords, valueWords } from '../../lib/core/report/sentences.js';
import { plural } from '../../lib/core/render/words.js';
import { safe } from '../safe-html.js';
import { barChart } from './chart.js';
import { headLines, weightWords } from './words.js';

const style = `
:root { color-scheme: light dark; --text: #1d2430; --back: #fff; --dim: #59636e; --line: #d0d5db; --bar1: #1f6f43; --bar2: #b35900; --act: #b42318; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ee; --back: #14181d; --dim: #9aa5b1; --line: #3a424c; --bar1: #57b983; --bar2: #e0954a; --act: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; } h3 { font-size: 1.05rem; margin: 0; }
a { color: inherit; }
.dim { color: var(--dim); } p.dim { margin: .2rem 0; } .act { color: var(--act); font-weight: 600; }
.figure { border-top: 1px solid var(--line); padding: 1rem 0; }
.value { font-size: 1.6rem; line-height: 1.3; font-weight: 600; margin: .2rem 0; } .value small { font-size: .9rem; font-weight: 400; }
.part { display: grid; gap: .5rem 2rem; align-items: start; margin: 1rem 0 0; }
@media (min-width: 42rem) { .part { grid-template-columns: 1fr 1fr; } }
.part > h4 { grid-column: 1 / -1; margin: 0; font-size: 1rem; }
svg { width: 100%; max-width: 28rem; height: auto; font: 12px system-ui, sans-serif; color: var(--text); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--dim); } caption { text-align: left; color: var(--dim); }
.key1::before, .key2::before { content: ''; display: inline-block; width: .7em; height: .7em; margin-right: .3em; background: var(--bar1); } .key2::before { background: var(--bar2); }
pre { white-space: pre-wrap; padding: .6rem; border: 1px solid var(--line); border-radius: 6px; font-size: .85rem; }
bdi, code { unicode-bidi: isolate; }
`;

/** A digest lets this one style in and nothing else: no script, no image, no request leaves the page. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** The report as one page that needs nothing beside itself. Names of people, rules and models are somebody else's words. */
export const reportPage = (report: Report): string => {
  const title = `Reviews of ${report.repos.join(', ') || 'no repository'}`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">',
    `<title>${safe(title)}</title><style>${style}</style></head><body><main>`,
    `<h1>${bdi(title)}</h1>`,
    ...headLines(report).map((line) => `<p class="dim">${bdi(line)}</p>`),
    toDo(report),
    overview(report),
    '<h2>Each figure</h2>',
    ...report.figures.map(figurePart),
    settingsPart(report),
    '<h2>What it rests on</h2>',
    `<ul>${report.notes.map((note) => `<li>${bdi(note)}</li>`).join('')}</ul>`,
    '</main></body></html>',
    '',
  ].join('\n');
};

const bdi = (text: string): string => `<bdi>${safe(text)}</bdi>`;

/** Sentences of ours: what stands in backticks is code. */
const said = (sentence: string): string => safe(sentence).replace(/`([^`]*)`/g, '<code>$1</code>');

function toDo({ figures }: Report): string {
  const due = (['act', 'watch'] as const).flatMap((weight) => figures.filter((one) => one.weight === weight));
  return [
    '<h2>What to do</h2>',
    due.length === 0
      ? '<p>No figure asks for anything.</p>'
      : `<ul>${due.map((one) => `<li>${weightPart(one.weight)} <a href="#${one.id}">${safe(one.title)}</a>, ${safe(measureWords(one.all, one.unit))}. ${said(one.sentence)}</li>`).join('')}</ul>`,
  ].join('\n');
}

const weightPart = (weight: Weight): string =>
  `<span class="${weight === 'act' ? 'act' : 'dim'}">${weightWords[weight]}:</span>`;

function overview({ figures, split }: Report): string {
  const heads = ['Figure', ...(split === null ? ['Value'] : ['All', 'Before', 'After'])];
  const row = ({ id, title, unit, all, before, after }: Figure): string =>
    `<tr><th scope="row"><a href="#${id}">${safe(title)}</a></th>${[
      all,
      ...(split === null ? [] : [before, after]),
    ]
      .map((measure) => cell(measure, unit))
      .join('')}</tr>`;
  return [
    '<h2>All figures</h2>',
    ...sharesChart(figures, split !== null),
    table({ caption: 'Each with what it was counted from' }, heads, figures.map(row)),
  ].join('\n');
}

const cell = (measure: Measure | null, unit: Figure['unit']): string =>
  `<td>${measure === null ? '-' : safe(measureWords(measure, unit))}</td>`;

type TableName = { readonly caption: string } | { readonly labelledBy: string };

const table = (name: TableName, heads: readonly string[], rows: readonly string[]): string =>
  [
    'caption' in name
      ? `<table><caption>${safe(name.caption)}</caption>`
      : `<table aria-labelledby="${name.labelledBy}">`,
    `<thead><tr>${heads.map((head) => `<th scope="col">${safe(head)}</th>`).join('')}</tr></thead>`,
    `<tbody>${rows.join('')}</tbody></table>`,
  ].join('');

/** Shares have one axis, so that they can stand side by side. */
function sharesChart(figures: readonly Figure[], isSplit: boolean): readonly string[] {
  const shares = figures.filter(({ unit, all }) => unit === 'share' && all.value !== null);
  if (shares.length === 0) return [];
  const measures = ({ all, before, after }: Figure) => (isSplit ? [before, after] : [all]);
  const rows = shares.map((one) => ({
    name: short[one.id] ?? one.title,
    bars: measures(one).map((measure) => ({
      value: measure?.value ?? null,
      label: measure?.value == null ? 'not known' : valueWords(measure.value, 'share'),
    })),
  }));
  return [
    isSplit ? '<p><span class="key1">before</span> <span class="key2">after</span></p>' : '',
    barChart({
      id: 'chart-shares',
      title: isSplit ? 'Shares before and after' : 'Shares',
      description: described(rows, isSplit ? ['before', 'after'] : ['']),
      rows,
      most: 1,
    }),
  ];
}

/** Names that fit beside a bar. */
const short: Readonly<Partial<Record<Figure['id'], string>>> = {
  five_rounds: 'Five rounds or more',
  minor_rounds: 'Rounds for nits',
  late: 'Late findings',
  reverts: 'Reverted in a week',
  wrong: 'Dismissed as wrong',
  resolved: 'Resolved by merge',
  answered: 'Answered',
};

type Rows = readonly { readonly name: string; readonly bars: readonly { readonly label: string }[] }[];

const described = (rows: Rows, series: readonly string[]): string =>
  rows
    .map(
      ({ name, bars }) =>
        `${name}: ${bars.map(({ label }, nth) => `${label} ${series[nth] ?? ''}`.trim()).join(', ')}.`,
    )
    .join(' ');

const figurePart = (figure: Figure): string =>
  [
    `<section class="figure" id="${figure.id}" aria-labelledby="${figure.id}-name"><h3 id="${figure.id}-name">${safe(figure.title)}</h3>`,
    figure.all.value === null
      ? ''
      : `<p class="value">${safe(valueWords(figure.all.value, figure.unit))} <small>${safe(restsOn(figure))}</small></p>`,
    `<p>${weightPart(figure.weight)} ${said(figure.sentence)}</p>`,
    ...figure.parts.map((part, nth) => partPart(part, `${figure.id}-${nth + 1}`)),
    '</section>',
  ].join('\n');

/** `5 of 16 fix rounds, likely between 14% and 56%`. */
export function restsOn({ all, of, unit }: Figure): string {
  const counted = all.hits === null ? `${all.n} ${of}` : `${all.hits} of ${all.n} ${of}`;
  return all.low === null || all.high === null
    ? counted
    : `${counted}; likely between ${valueWords(all.low, unit)} and ${valueWords(all.high, unit)}`;
}

function partPart({ title, unit, rows }: Part, id: string): string {
  const bars = rows.map(({ name, measure }) => ({
    name,
    bars: [
      {
        value: measure.value,
        label:
          measure.value === null
            ? 'not known'
            : `${valueWords(measure.value, unit)} (${measure.hits ?? measure.n})`,
      },
    ],
  }));
  return [
    `<div class="part"><h4 id="${id}-name">${safe(title)}</h4>`,
    barChart({
      id: `chart-${id}`,
      title,
      description: described(bars, ['']),
      rows: bars,
      most: unit === 'share' ? 1 : null,
    }),
    table(
      { labelledBy: `${id}-name` },
      ['Which', 'Value'],
      rows.map(({ name, measure }) => `<tr><th scope="row">${bdi(name)}</th>${cell(measure, unit)}</tr>`),
    ),
    '</div>',
  ].join('\n');
}

const settingsPart = ({ proposals, settings }: Report): string =>
  proposals.length === 0
    ? ''
    : [
        '<h2>Rules that do too little</h2>',
        `<p>${plural(proposals.length, 'rule')} of Evident led to few changes. These lines in <code>.github/evident.yml</code> turn ${proposals.length === 1 ? 'it' : 'them'} down:</p>`,
        `<pre>${safe(settings)}</pre>`,
      ].join('\n');
