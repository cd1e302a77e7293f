import type { Figure, FigureId, Unit, Weight } from './figure.js';
import { differ, FEW, isFew, type Measure } from './measure.js';

type Bare = Omit<Figure, 'weight' | 'sentence'>;

/**
 * What a figure means here: how things are since the split, where enough was counted since. Few cases make a hint of it,
 * whatever it is.
 */
export function sentenceOf(figure: Bare): Pick<Figure, 'weight' | 'sentence'> {
  const { all, after, id } = figure;
  if (all.value === null) return { weight: 'unknown', sentence: nothing[id] };
  const since = after === null || isFew(after) ? null : after.value;
  const { weight, text } = says[id](since ?? all.value, figure);
  const told = since === null ? text : `Since then: ${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
  const few = isFew(all) ? ` Counted from ${all.n} only: a hint, no more.` : '';
  return {
    weight: isFew(all) && weight === 'act' ? 'watch' : weight,
    sentence: `${told}${compared(figure)}${few}`,
  };
}

type Says = { readonly weight: Weight; readonly text: string };

const says: Readonly<Record<FigureId, (value: number, figure: Bare) => Says>> = {
  rounds: (value) =>
    value > 2
      ? {
          weight: 'act',
          text: 'Reviews and fixes go in circles: see late findings and rounds for nits, and let fewer things count as important.',
        }
      : { weight: 'fine', text: 'A change settles in about two rounds or fewer.' },
  five_rounds: (value) =>
    value > 0.05
      ? {
          weight: 'act',
          text: 'More than one in twenty went round that often: let a person decide earlier (`gate.fix_rounds`).',
        }
      : value > 0
        ? {
            weight: 'watch',
            text: 'Some went round that often: after the third round a person had better decided.',
          }
        : { weight: 'fine', text: 'No change went round that often.' },
  minor_rounds: (value) =>
    value > 0.25
      ? {
          weight: 'act',
          text: 'Nits and old code make rounds of their own: say in REVIEW.md what is important, and have agents fix only that.',
        }
      : value > 0
        ? {
            weight: 'watch',
            text: 'Some pushes were made for nits or old code alone; those could wait for the next real one.',
          }
        : { weight: 'fine', text: 'No round was made for nits or old code alone.' },
  late: (value) =>
    value > 0.2
      ? {
          weight: 'act',
          text: 'More than one in five stood on lines that an earlier review had read and let be: one review misses much. Ask for more clean passes (`gate.passes`).',
        }
      : value > 0
        ? {
            weight: 'watch',
            text: 'Some stood on lines that an earlier review had read; at least so many, because only what commits prove is counted.',
          }
        : {
            weight: 'fine',
            text: 'None is proved by commits. Where lines moved between two reviews nobody knows, and none is counted.',
          },
  ci_runs: (value) =>
    value > 2
      ? {
          weight: 'act',
          text: 'More than two runs a round: push once when a round is done, or let CI wait for the review.',
        }
      : { weight: 'fine', text: 'About as many runs as there are versions to look at.' },
  escalations: (value) =>
    value > 0.2
      ? {
          weight: 'act',
          text: 'Far above one in ten: important is too loose. Say in REVIEW.md what is important, or turn rules down.',
        }
      : value > 0.1
        ? { weight: 'watch', text: 'Above one in ten: if it stays there, important is too loose.' }
        : {
            weight: 'fine',
            text: 'One in ten or fewer is what to expect: people decide what a gate cannot.',
          },
  reverts: (value, { before, after }) =>
    before?.value != null && after?.value != null && after.value > before.value
      ? {
          weight: isFew(before) || isFew(after) ? 'watch' : 'act',
          text: 'Reverts are up: raise the clean passes before anything else (`gate.passes`).',
        }
      : value > 0
        ? {
            weight: 'watch',
            text: 'Some were taken back. If it becomes more, raise the clean passes before anything else (`gate.passes`).',
          }
        : { weight: 'fine', text: 'None was taken back within a week, as far as pull requests show.' },
  wrong: (value) =>
    value > 0.2
      ? {
          weight: 'act',
          text: 'More than one in five was said to be no problem: people stop reading such reviews. Turn down what is wrong most.',
        }
      : value > 0.1
        ? { weight: 'watch', text: 'More than one in ten was said to be no problem.' }
        : { weight: 'fine', text: 'One in ten or fewer was said to be no problem.' },
  resolved: (value) =>
    value < 0.5
      ? {
          weight: 'act',
          text: 'Fewer than half led to a change: the rest costs time and teaches to skip. The rules that do least are below.',
        }
      : {
          weight: 'fine',
          text: 'At least half of what was said led to a change or was closed by somebody who may.',
        },
  answered: (value) =>
    value < 0.5
      ? { weight: 'act', text: 'Fewer than half: ask less (`max_questions`), or say who answers.' }
      : { weight: 'fine', text: 'Questions are answered.' },
  first_review: (value) =>
    value > 24
      ? { weight: 'watch', text: 'Half of them wait longer than a day: the author is elsewhere by then.' }
      : { weight: 'fine', text: 'Half of them were looked at within this time.' },
  cost: () => ({
    weight: 'fine',
    text: 'All passes that the state still holds, at the price of their models; where one of them is unknown the pull request is left out.',
  }),
};

const nothing: Readonly<Record<FigureId, string>> = {
  rounds: 'Nobody but its author looked at any of these pull requests.',
  five_rounds: 'Nobody but its author looked at any of these pull requests.',
  minor_rounds: 'There was no fix round.',
  late: 'There is no review thread.',
  ci_runs: 'No check of a CI was seen.',
  escalations: 'Not known: no check of Evident was seen, and other reviewers leave no trace of it.',
  reverts: 'No pull request was merged a week ago or longer.',
  wrong: 'There is no review thread.',
  resolved: 'No merged pull request has a review thread.',
  answered: 'Evident asked nothing, or was not there.',
  first_review: 'Nobody but its author looked at any of these pull requests.',
  cost: 'No pass of Evident at a known price was seen.',
};

function compared({ before, after, unit }: Bare): string {
  if (before === null || after === null || before.value === null || after.value === null) return '';
  const change = `${valueWords(before.value, unit)} before, ${valueWords(after.value, unit)} after`;
  if (before.n < FEW || after.n < FEW)
    return ` ${change}, of ${before.n} and ${after.n}: too few to compare.`;
  if (before.low === null || after.low === null) return ` ${change}.`;
  return differ(before, after) ? ` ${change}.` : ` ${change}: that may be chance.`;
}

/** `2.4`, `31%`, `5.2 h`, `$0.61`. */
export function valueWords(value: number, unit: Unit): string {
  switch (unit) {
    case 'count':
      return value.toFixed(value < 10 ? 2 : 1);
    case 'share':
      return `${Math.round(value * 100)}%`;
    case 'hours':
      return value < 1
        ? `${Math.round(value * 60)} min`
        : value < 48
          ? `${value.toFixed(1)} h`
          : `${(value / 24).toFixed(1)} d`;
    case 'dollars':
      return `$${value.toFixed(2)}`;
  }
}

/** `31%`; with what it rests on, `31% (5 of 16)`. A dash where nothing was counted. */
export const measureWords = ({ value, n, hits }: Measure, unit: Unit): string =>
  value === null
    ? '-'
    : hits === null
      ? `${valueWords(value, unit)} (n ${n})`
      : `${valueWords(value, unit)} (${hits} of ${n})`;
