import type { Figure, Part } from '../../lib/core/report/figure.js';
import type { Report } from '../../lib/core/report/report.js';
import { measureWords } from '../../lib/core/report/sentences.js';
import { plain } from '../../lib/core/render/terminal.js';
import { wrapped } from '../wrapped.js';
import { headLines, weightWords } from './words.js';

const NAME = 44;

/** The report in 80 columns. */
export const reportText = (report: Report): string =>
  [
    `Reviews of ${plain(report.repos.join(', ') || 'no repository')}`,
    ...headLines(report).flatMap((line) => wrapped(plain(line), 0)),
    ...report.figures.flatMap((figure) => ['', ...figureLines(figure)]),
    ...settingLines(report),
    '',
    'What it rests on',
    ...report.notes.flatMap((note) => wrapped(`- ${plain(note)}`, 2)),
    '',
  ].join('\n');

const figureLines = ({ title, unit, of, all, weight, sentence, parts }: Figure): readonly string[] => [
  `${title.padEnd(NAME)}${all.value === null ? '-' : measureWords(all, unit)}`,
  ...(all.value === null ? [] : wrapped(`  of ${of}`, 2)),
  ...wrapped(`  ${weightWords[weight]}: ${sentence.replaceAll('`', '')}`, 2),
  ...parts.flatMap((part) => partLines(part)),
];

const partLines = ({ title, unit, rows }: Part): readonly string[] => [
  ...wrapped(`  ${title}`, 2),
  ...rows.map(
    ({ name, measure }) =>
      `    ${fitted(plain(name), NAME - 6).padEnd(NAME - 4)}${measureWords(measure, unit)}`,
  ),
];

const fitted = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 3).replace(/[\uD800-\uDBFF]$/, '')}...`;

const settingLines = ({ proposals, settings }: Report): readonly string[] =>
  proposals.length === 0
    ? []
    : [
        '',
        'Rules that do too little; lines for .github/evident.yml that turn them down:',
        ...settings.split('\n').map((line) => `  ${line}`),
      ];
