import { readFileSync } from 'node:fs';
import { checkState, MAX_TITLE, satisfiesRequiredCheck, type CheckState } from '../../lib/core/check.js';
import { draftEnding } from '../../lib/core/publication.js';
import { checksPage, endings, results } from '../../scripts/checks-page.js';
import { sha } from './shop.js';

const conclusionOf = (state: CheckState): string =>
  state.status === 'in_progress' ? 'in progress' : state.conclusion;

/** Written out a second time, by hand: advisory, blocking. */
const expected: Readonly<Record<string, string>> = {
  pass: 'success success',
  'pass, a question is open': 'success success',
  'pass, by the fixed rules': 'success success',
  'pass, decided by a person': 'success success',
  'review, running': 'in progress in progress',
  'review, not running': 'neutral action_required',
  fix: 'neutral failure',
  waiting: 'neutral action_required',
  escalate: 'neutral action_required',
  'incomplete, partial': 'neutral action_required',
  'incomplete, not reviewed though it should be': 'neutral action_required',
  'incomplete, not reviewed by a setting': 'skipped skipped',
  'incomplete, fixed rules only': 'neutral action_required',
  'incomplete, overtaken by a push': 'cancelled cancelled',
};

test.each(results.map(({ result, verdict, options }) => [result, verdict, options] as const))(
  'how a check ends: %s',
  (result, verdict, options) => {
    const states = (['advisory', 'blocking'] as const).map((mode) => checkState(verdict, mode, options));
    expect(states.map(conclusionOf).join(' ')).toBe(expected[result]);
    for (const { title } of states) {
      expect(title).not.toBe('');
      expect(title.length).toBeLessThanOrEqual(MAX_TITLE);
    }
    const [, blocking] = states;
    const isFree = verdict.kind === 'passed' || result === 'incomplete, not reviewed by a setting';
    expect(blocking !== undefined && satisfiesRequiredCheck(blocking)).toBe(isFree);
  },
);

test('every result of the table is one of those above', () => {
  expect(results.map(({ result }) => result)).toEqual(Object.keys(expected));
});

test.each(endings)('a run without a review never lets a blocking check pass: %s', (_words, ending) => {
  const { check } = draftEnding(ending, { key: 'k', head: sha('3') });
  expect(check.status).toBe('completed');
  expect(['action_required', 'cancelled']).toContain(conclusionOf(check));
  expect(check.title.length).toBeLessThanOrEqual(MAX_TITLE);
});

test('docs/CHECKS.md is up to date: node --import tsx scripts/write-checks.ts', () => {
  expect(readFileSync(new URL('../../docs/CHECKS.md', import.meta.url), 'utf8')).toBe(checksPage());
});
