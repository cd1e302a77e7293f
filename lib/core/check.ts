import type { Verdict } from './gate.js';
import type { GateMode } from './policy.js';

/** GitHub's conclusions that we use. */
export type CheckConclusion = 'success' | 'failure' | 'neutral' | 'skipped' | 'cancelled' | 'action_required';

/** GitHub shows about this many characters of a title in the merge box. */
export const MAX_TITLE = 60;

export type CheckState = { readonly title: string } & (
  { readonly status: 'in_progress' } | { readonly status: 'completed'; readonly conclusion: CheckConclusion }
);

/**
 * Title and conclusion of a verdict. In `blocking` nothing that should have been reviewed ends success, neutral or
 * skipped, because GitHub lets those three pass a required check. `goesOn`: another pass runs now, in this run.
 */
export function checkState(
  verdict: Verdict,
  mode: GateMode,
  {
    goesOn = false,
    openQuestions = [],
    rules = false,
  }: {
    readonly goesOn?: boolean;
    readonly openQuestions?: readonly string[];
    /** The reviewer was the fixed rules: a pass of theirs is not called a clean review. */
    readonly rules?: boolean;
  } = {},
): CheckState {
  const completed = (title: string, advisory: CheckConclusion, blocking: CheckConclusion): CheckState => ({
    title: cutTitle(title),
    status: 'completed',
    conclusion: mode === 'blocking' ? blocking : advisory,
  });
  switch (verdict.kind) {
    case 'passed':
      if (verdict.by !== undefined)
        return completed(
          `Passed by ${verdict.by.by}${verdict.by.why === undefined ? '' : `: "${verdict.by.why}"`}`,
          'success',
          'success',
        );
      return completed(passedTitle(verdict.streak, openQuestions, rules), 'success', 'success');
    case 'review_again': {
      const times =
        ['Not clean yet', 'Clean once', 'Clean twice'][verdict.done] ?? `Clean ${verdict.done} times`;
      const next = ordinal(verdict.done + 1);
      if (goesOn) return { title: cutTitle(`${times}, ${next} review running`), status: 'in_progress' };
      return completed(`${times}, a ${next} review is needed`, 'neutral', 'action_required');
    }
    case 'fix':
      return completed(`${verdict.blocking.length} important to fix`, 'neutral', 'failure');
    case 'waiting':
      return completed(
        `${verdict.questions.length} ${verdict.questions.length === 1 ? 'answer' : 'answers'} awaited: ${verdict.questions.join(', ')}`,
        'neutral',
        'action_required',
      );
    case 'escalated':
      return completed(
        verdict.to.length === 0 ? 'A person decides' : `A person decides: ${verdict.to.join(', ')}`,
        'neutral',
        'action_required',
      );
    case 'incomplete':
      switch (verdict.reason.kind) {
        case 'partial':
          return completed(
            verdict.reason.seen === verdict.reason.of
              ? 'Not finished'
              : `Not finished: ${verdict.reason.seen} of ${verdict.reason.of} files read`,
            'neutral',
            'action_required',
          );
        case 'not_reviewed':
          return verdict.reason.meant
            ? completed(verdict.reason.title, 'skipped', 'skipped')
            : completed(verdict.reason.title, 'neutral', 'action_required');
        case 'superseded':
          return completed(`Overtaken by ${verdict.reason.by.slice(0, 7)}`, 'cancelled', 'cancelled');
        case 'rules_only':
          return completed('Not reviewed by a model: fixed rules only', 'neutral', 'action_required');
      }
  }
}

/** Whether GitHub lets a required check with this state pass. */
export const satisfiesRequiredCheck = (check: CheckState): boolean =>
  check.status === 'completed' && ['success', 'neutral', 'skipped'].includes(check.conclusion);

function passedTitle(streak: number, openQuestions: readonly string[], rules: boolean): string {
  const reviews = rules
    ? 'fixed rules only'
    : streak === 1
      ? 'one clean review'
      : `${['no', 'one', 'two', 'three'][streak] ?? streak} clean reviews`;
  return openQuestions.length === 0
    ? `Nothing open, ${reviews}`
    : `Nothing to fix, ${reviews}; open: ${openQuestions.join(', ')}`;
}

const ordinal = (n: number): string => ['', 'first', 'second', 'third'][n] ?? `${n}th`;

const cutTitle = (title: string): string =>
  title.length <= MAX_TITLE ? title : `${title.slice(0, MAX_TITLE - 3).replace(/[\uD800-\uDBFF]$/, '')}...`;
