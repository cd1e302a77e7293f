import { published, type Figures, type GateSimulation } from '../../evals/gate-simulation.js';
import { table, withTable } from '../table.js';

/** What docs/GATE.md shows. */
export const shown = { prs: 200_000, seed: 1 } as const;

type Row = { readonly name: string; readonly figures: Figures };

const rowsOf = ({ equal, blindSpot, ...simulation }: GateSimulation): readonly Row[] => [
  { name: 'fix all until nothing is said', figures: simulation.noisy },
  { name: 'one clean pass', figures: simulation.oneClean },
  { name: 'two clean passes (the default)', figures: simulation.twoClean },
  { name: 'pass what is open after three rounds', figures: simulation.capRounds },
  { name: 'read only new lines after a fix', figures: simulation.newLinesOnly },
  { name: 'the default with one clean pass', figures: simulation.twoCleanLowered },
  { name: 'three side by side, two must agree', figures: simulation.twoOfThree },
  { name: 'two side by side, each may block', figures: simulation.anyOfTwo },
  { name: 'three side by side, each may block', figures: simulation.anyOfThree },
  { name: 'equal passes: one clean', figures: equal.oneClean },
  { name: 'equal passes: two clean', figures: equal.twoClean },
  { name: 'blind spot: one clean', figures: blindSpot.oneClean },
  { name: 'blind spot: two clean', figures: blindSpot.twoClean },
];

/** The page with its tables written anew, each between the two comments that hold it. */
export const withFigures = (page: string, simulation: GateSimulation): string =>
  withTable(withTable(page, 'figures', figuresTable(simulation)), 'published', publishedTable(simulation));

const figuresTable = (simulation: GateSimulation): string =>
  table(
    [
      'gate',
      'passed with a bug',
      'escapes',
      'fix rounds',
      'five rounds or more',
      'a person is asked',
      'passes',
    ],
    rowsOf(simulation).map(({ name, figures: of }) => [
      name,
      percent(of.passedWithBug),
      percent(of.escapes),
      of.fixRounds.toFixed(2),
      percent(of.fivePlus),
      percent(of.escalated),
      of.passes.toFixed(2),
    ]),
  );

const publishedTable = ({ noisy, oneClean, twoClean }: GateSimulation): string =>
  table(
    ['figure', 'published', 'here', 'here, in pull requests'],
    [
      [
        'escapes, fix all',
        percent(published.noisy.escapes),
        percent(noisy.escapes),
        percent(noisy.passedWithBug),
      ],
      [
        'escapes, one clean pass',
        percent(published.oneClean.escapes),
        percent(oneClean.escapes),
        percent(oneClean.passedWithBug),
      ],
      [
        'escapes, two clean passes',
        percent(published.twoClean.escapes),
        percent(twoClean.escapes),
        percent(twoClean.passedWithBug),
      ],
      ['fix rounds, fix all', published.noisy.fixRounds.toFixed(2), noisy.fixRounds.toFixed(2), ''],
      [
        'fix rounds, two clean passes',
        published.twoClean.fixRounds.toFixed(2),
        twoClean.fixRounds.toFixed(2),
        '',
      ],
      [
        'a person is asked, two clean passes',
        percent(published.twoClean.escalated),
        percent(twoClean.escalated),
        '',
      ],
      [
        'five rounds or more, two clean passes',
        percent(published.twoClean.fivePlus),
        percent(twoClean.fivePlus),
        '',
      ],
    ],
  );

const percent = (value: number): string => `${value.toFixed(1)} %`;

const LEFT = 290;
const SCALE = 7.5;
const STEP = 30;
const TOP = 74;

/** Passed pull requests with a bug, a bar for each gate; the rounds and questions that it costs beside it. */
export function chart(simulation: GateSimulation): string {
  const rows = rowsOf(simulation);
  const says = ({ passedWithBug, fixRounds, escalated }: Figures): string =>
    `${passedWithBug.toFixed(1)} %, ${fixRounds.toFixed(2)} rounds${escalated > 0 ? `, person asked ${escalated.toFixed(1)} %` : ''}`;
  const height = TOP + rows.length * STEP + 16;
  const bars = rows.map(({ name, figures }, index) => {
    const y = TOP + index * STEP;
    const width = (figures.passedWithBug * SCALE).toFixed(1);
    const fill = figures === simulation.twoClean ? '#1f6f43' : '#6b7280';
    return [
      `  <text x="${LEFT - 10}" y="${y + 15}" text-anchor="end">${name}</text>`,
      `  <rect x="${LEFT}" y="${y}" width="${width}" height="20" fill="${fill}"/>`,
      `  <text x="${(LEFT + 8 + figures.passedWithBug * SCALE).toFixed(1)}" y="${y + 15}">${says(figures)}</text>`,
    ].join('\n');
  });
  const description = rows.map(({ name, figures }) => `${name}: ${says(figures)}.`).join(' ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 ${height}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="13" fill="#111827">`,
    '  <title id="title">Passed pull requests that still have a bug, by gate</title>',
    `  <desc id="desc">${description}</desc>`,
    `  <rect width="900" height="${height}" fill="#ffffff"/>`,
    '  <text x="20" y="30" font-size="17" font-weight="600">Passed pull requests that still have a bug</text>',
    `  <text x="20" y="52">${simulation.prs.toLocaleString('en-US')} simulated pull requests of agents for each gate; fix rounds are means</text>`,
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}
