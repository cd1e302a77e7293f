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

/** A kept answer that does not hold any more, though it was about what is accused. */
export type OutlivedAnswer = {
  /** Its line of code has changed, or its day has come. */
  readonly is: 'changed' | 'ran_out';
  readonly answer: KeptAnswer;
};

/**
 * What the settings said about it before this change: an entry for this rule and file whose line stands among the accused
 * and that has run out, or whose line this change replaced just there and that stands nowhere in the file any more.
 */
export function outlivedAnswerTo(
  { rule, path, start, end, file }: Accused,
  { review }: Pick<Policy, 'review'>,
  diff: readonly FileDiff[],
  now: number,
): OutlivedAnswer | null {
  const name = nameOfRule(rule, review.rules);
  const changed = diff.find((one) => one.path === path);
  const folded = file.map(foldSpace);
  const replaced = new Set(changed === undefined ? [] : replacedBy(changed, start, end).map(foldSpace));
  const about = review.answers.filter(
    (answer) =>
      nameOfRule(answer.rule, review.rules) === name &&
      (isAbout(answer, path) || (changed !== undefined && isAbout(answer, changed.oldPath))),
  );
  const outlived = about.flatMap((answer): readonly OutlivedAnswer[] => {
    const code = foldSpace(answer.code);
    if (hasRunOut(answer, now))
      return folded.slice(start - 1, end).includes(code) ? [{ is: 'ran_out', answer }] : [];
    return replaced.has(code) && !folded.includes(code) ? [{ is: 'changed', answer }] : [];
  });
  return outlived.at(-1) ?? null;
}

/** Lines that the change took away where it put lines of this range, or next to it. */
function replacedBy({ content }: FileDiff, start: number, end: number): readonly string[] {
  if (content.kind !== 'text') return [];
  return content.hunks.flatMap((hunk) => {
    const found: string[] = [];
    let removed: string[] = [];
    /** Lines at head that stand in the place of the removed ones; the next line there. */
    let [from, next] = [hunk.newStart, hunk.newStart];
    const close = (): void => {
      if (from <= end + 1 && next >= start) found.push(...removed);
      removed = [];
    };
    for (const line of hunk.lines) {
      if (line.kind === 'context') {
        close();
        next = line.new + 1;
        from = next;
      } else if (line.kind === 'removed') removed.push(line.text);
      else next = line.new + 1;
    }
    close();
    return found;
  });
}

/** Whether it is about something in this file. */
export const isAbout = (answer: Pick<KeptAnswer, 'path'>, path: string): boolean =>
  globMatches(answer.path, path);

/** A day that cannot be read has come. */
export const hasRunOut = ({ until }: Pick<KeptAnswer, 'until'>, now: number): boolean =>
  !(now < Date.parse(`${until}T00:00:00Z`));
