import { changedLines, type FileDiff } from './diff.js';
import { foldSpace } from './evidence.js';
import type { NotRaised } from './not-raised.js';
import type { KeptAnswer, Policy } from './policy.js';
import { nameOfRule } from './rule-setting.js';
import { globMatches } from './search.js';

/** What is accused at head: 1-based and inclusive lines of a file. */
export type Accused = {
  readonly rule: string;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly file: readonly string[];
};

/**
 * The kept answer to a claim, if one has not run out. It is about one line of code: of all accused lines no other may
 * be touched by the change, because nobody has answered for those.
 */
export function keptAnswerTo(
  { rule, path, start, end, file }: Accused,
  { review }: Pick<Policy, 'review'>,
  diff: readonly FileDiff[],
  now: number,
): NotRaised | null {
  const name = nameOfRule(rule, review.rules);
  const changed = diff.find((one) => one.path === path);
  const touched = new Set(changed === undefined ? [] : changedLines(changed).RIGHT);
  const lines = file
    .slice(start - 1, end)
    .map((text, offset) => ({ at: start + offset, text: foldSpace(text) }));
  const holds = (answer: KeptAnswer): boolean => {
    if (nameOfRule(answer.rule, review.rules) !== name || hasRunOut(answer, now) || !isAbout(answer, path))
      return false;
    const code = foldSpace(answer.code);
    return (
      lines.some(({ text }) => text === code) &&
      lines.every(({ at, text }) => text === code || !/[\p{L}\p{N}]/u.test(text) || !touched.has(at))
    );
  };
  const answer = review.answers.findLast(holds);
  if (answer === undefined) return null;
  const { because, until } = answer;
  return { rule: name, path, line: end, because, until, file: answer.file, fileLine: answer.line };
}

/** Whether it is about something in this file. */
export const isAbout = (answer: Pick<KeptAnswer, 'path'>, path: string): boolean =>
  globMatches(answer.path, path);

/** A day that cannot be read has come. */
export const hasRunOut = ({ until }: Pick<KeptAnswer, 'until'>, now: number): boolean =>
  !(now < Date.parse(`${until}T00:00:00Z`));
