import fc from 'fast-check';
import { checkState, satisfiesRequiredCheck } from '../../lib/core/check.js';
import type { FileDiff } from '../../lib/core/diff.js';
import { isDependencyFile } from '../../lib/core/dependency-files.js';
import { defaultPolicy, type GateMode, type Policy, type ReviewSettings } from '../../lib/core/policy.js';
import type { PullRequest, Sha } from '../../lib/core/pull-request.js';
import { shouldReview, type Trigger, type Wanting } from '../../lib/core/trigger.js';
import { pullRequest, sha } from './shop.js';

const file = (path: string, oldPath = path): FileDiff => ({
  path,
  oldPath,
  status: 'modified',
  symlink: false,
  additions: 1,
  deletions: 0,
  content: { kind: 'text', hunks: [] },
});

type Case = {
  readonly reason?: Trigger['reason'];
  readonly pull?: Partial<PullRequest>;
  readonly author?: Partial<PullRequest['author']>;
  readonly review?: Partial<ReviewSettings>;
  readonly mode?: GateMode;
  readonly paths?: readonly string[];
  readonly generated?: readonly string[];
  readonly wanting?: Wanting;
  readonly places?: Policy['places'];
  readonly head?: Sha;
};

const decide = (given: Case) => {
  const paths = given.paths ?? ['src/a.ts'];
  const pull: PullRequest = {
    ...pullRequest,
    state: 'open',
    draft: false,
    base: { ...pullRequest.base, ref: 'main' },
    changedFiles: paths.length,
    ...given.pull,
    author: { login: 'octocat', kind: 'person', ...given.author },
  };
  const policy: Policy = {
    ...defaultPolicy,
    gate: { ...defaultPolicy.gate, mode: given.mode ?? 'advisory' },
    review: { ...defaultPolicy.review, start: 'automatic', ...given.review },
    places: given.places ?? {},
  };
  return shouldReview(
    { reason: given.reason ?? 'opened', head: given.head ?? pull.head.sha },
    {
      pullRequest: pull,
      policy,
      diff: paths.map((path) => ({
        ...file(path),
        ...(given.generated?.includes(path) === true && { generated: 'a mark' }),
      })),
    },
    given.wanting,
  );
};

const said = (given: Case): string => {
  const decision = decide(given);
  return decision.kind === 'not_reviewed' ? `${decision.title} | ${decision.sentence}` : decision.kind;
};

const draft = { pull: { draft: true } };
const fresh = { author: { isNew: true } };
const bot = { author: { login: 'renovate[bot]', kind: 'dependency_bot' } } as const;
const followed = { followed: true };
const first =
  'Not reviewed: first contribution | Someone with write access starts it with `/evident review` (setting `outside_authors`).';
const isDraft = 'Not reviewed: draft | Reviewed when it is marked ready. `/evident review` does it now.';
const update =
  'Not reviewed: dependency update | Updates by dependabot and renovate are left alone here. `/evident review` does it now.';
const notAsked =
  'Not reviewed: not asked for yet | `/evident review` starts it, and later pushes are followed.';
const generated = (where: string, files: string): string =>
  `Not reviewed: only generated files | \`paths.skip\`${where} covers ${files}.`;
const skip = ['dist/**', '*.snap'];
const otherBase =
  'Not reviewed: base branch | Only pull requests into `main` and `release/*` are reviewed here.';
const branches = { baseBranches: ['main', 'release/*'] };

test.each<readonly [what: string, given: Case, says: string]>([
  ['a pull request that starts by itself', {}, 'review'],
  ['a closed one', { pull: { state: 'closed' } }, 'closed'],
  ['a merged one', { pull: { state: 'merged' }, reason: 'asked' }, 'closed'],
  ['an older head', { head: sha('9') }, 'overtaken'],

  ['a draft', draft, isDraft],
  ['a draft that was asked for', { ...draft, reason: 'asked' }, 'review'],
  ['a push to a draft that was asked for once', { ...draft, reason: 'pushed', wanting: followed }, isDraft],
  ['a draft where drafts are reviewed', { ...draft, review: { drafts: true } }, 'review'],

  ['a dependency update', { ...bot, paths: ['package.json', 'web/package-lock.json'] }, update],
  ['a dependency update that touches code', { ...bot, paths: ['package.json', 'src/a.ts'] }, 'review'],
  ['one that renames code to a manifest', { ...bot, paths: ['go.mod'], pull: { changedFiles: 2 } }, 'review'],
  ['a dependency update that was asked for', { ...bot, paths: ['go.sum'], reason: 'asked' }, 'review'],
  [
    'a dependency update where they are reviewed',
    { ...bot, paths: ['go.sum'], review: { dependencyBots: true } },
    'review',
  ],
  [
    'a dependency update from a fork',
    { ...bot, paths: ['go.sum'], pull: { head: { ...pullRequest.head, repo: 'renovate/shop' } } },
    'review',
  ],
  ['a manifest by a person', { paths: ['package.json'] }, 'review'],

  ['a first contribution', fresh, first],
  ['a first contribution, followed', { ...fresh, reason: 'pushed', wanting: followed }, 'review'],
  ['a first contribution that was asked for', { ...fresh, reason: 'asked' }, 'review'],
  [
    'a first contribution where they start by themselves',
    { ...fresh, review: { outsideAuthors: 'automatic' } },
    'review',
  ],

  ['what nobody asked for', { review: { start: 'on_request' } }, notAsked],
  ['what was asked for', { review: { start: 'on_request' }, reason: 'asked' }, 'review'],
  [
    'a push to what was asked for',
    { review: { start: 'on_request' }, reason: 'pushed', wanting: followed },
    'review',
  ],
  [
    'a push where only opening starts',
    { review: { when: ['opened', 'ready'] }, reason: 'pushed', wanting: followed },
    'Not reviewed: not asked for yet | Only `opened` and `ready` start a review here (setting `when`). `/evident review` does it now.',
  ],
  [
    'opening where only ready starts',
    { review: { when: ['ready'] } },
    'Not reviewed: not asked for yet | Only `ready` starts a review here (setting `when`). `/evident review` does it now.',
  ],
  [
    'where nothing starts',
    { review: { when: [] }, reason: 'ready_for_review' },
    'Not reviewed: not asked for yet | No event starts a review here (setting `when`). `/evident review` does it now.',
  ],
  ['another base is as a push', { review: { when: ['pushed'] }, reason: 'base_changed' }, 'review'],
  ['reopening is as opening', { review: { when: ['opened'] }, reason: 'reopened' }, 'review'],

  [
    'one that is paused',
    { wanting: { followed: true, paused: { by: 'monalisa' } } },
    'Not reviewed: paused by monalisa | `/evident resume` starts it again.',
  ],
  [
    'one that is paused and asked for',
    { reason: 'asked', wanting: { followed: true, paused: { by: 'monalisa' } } },
    'review',
  ],

  ['another base branch', { review: branches, pull: { base: { ref: 'next', sha: sha('1') } } }, otherBase],
  [
    'another base branch, asked for',
    { review: branches, reason: 'asked', pull: { base: { ref: 'release/1/2', sha: sha('1') } } },
    otherBase,
  ],
  [
    'a base branch of the list',
    { review: branches, pull: { base: { ref: 'release/1.2', sha: sha('1') } } },
    'review',
  ],

  [
    'no changes',
    { paths: [] },
    'Not reviewed: no changes | This pull request changes no file against `main`.',
  ],
  ['changes that nobody lists', { paths: [], pull: { changedFiles: 3 } }, 'review'],
  [
    'only skipped files',
    {
      review: { skip },
      paths: ['dist/a.js', 'dist/b.js', 'dist/c/d.js'],
      places: { 'paths.skip[0]': { file: '.github/evident.yml', line: 6 } },
    },
    generated(' in `.github/evident.yml`, line 6,', 'all 3 files'),
  ],
  [
    'only skipped files, by two globs',
    {
      review: { skip },
      paths: ['dist/a.js', 'a.snap'],
      places: { 'paths.skip': { file: '.github/evident.yml', line: 5 } },
    },
    generated(' in `.github/evident.yml`, line 5,', 'both files'),
  ],
  [
    'one skipped file, by the operator',
    { review: { skip }, paths: ['a.snap'] },
    generated('', 'the only file'),
  ],
  [
    'skipped files, asked for',
    { review: { skip }, paths: ['a.snap'], reason: 'asked' },
    generated('', 'the only file'),
  ],
  [
    'only files that are marked as generated',
    { generated: ['a.ts', 'b.ts'], paths: ['a.ts', 'b.ts', 'dist/x'], review: { skip } },
    'Not reviewed: only generated files | `paths.generated` covers all 3 files.',
  ],
  [
    'marked files where they are reviewed',
    { generated: ['a.ts'], paths: ['a.ts'], review: { generated: 'review' } },
    'review',
  ],
  ['skipped files and another', { review: { skip }, paths: ['a.snap', 'a.ts'] }, 'review'],
  [
    'skipped files and some that nobody lists',
    { review: { skip }, paths: ['a.snap'], pull: { changedFiles: 2 } },
    'review',
  ],
])('%s', (_what, given, says) => expect(said(given)).toBe(says));

test('the defaults: on request', () => {
  expect(defaultPolicy.review.start).toBe('on_request');
  expect(said({ review: defaultPolicy.review })).toBe(notAsked);
});

const mergeable = (given: Case): boolean => {
  const decision = decide({ ...given, mode: 'blocking' });
  if (decision.kind !== 'not_reviewed') throw new Error('It is reviewed.');
  const { title, sentence, meant } = decision;
  return satisfiesRequiredCheck(
    checkState({ kind: 'incomplete', reason: { kind: 'not_reviewed', title, sentence, meant } }, 'blocking'),
  );
};

test.each<readonly [what: string, given: Case, mergeable: boolean]>([
  ['a draft', draft, false],
  ['a first contribution', fresh, false],
  ['not asked for', { review: { start: 'on_request' } }, false],
  ['an event that does not start one', { review: { when: [] } }, false],
  ['paused', { wanting: { followed: true, paused: { by: 'monalisa' } } }, false],
  ['a dependency update', { ...bot, paths: ['go.sum'] }, true],
  ['only skipped files', { review: { skip }, paths: ['a.snap'] }, true],
  ['another base branch', { review: branches, pull: { base: { ref: 'next', sha: sha('1') } } }, true],
  ['no changes', { paths: [] }, true],
])('where the gate blocks, %s can be merged: %#', (_what, given, is) => expect(mergeable(given)).toBe(is));

test('every title fits the merge box, except for long names', () => {
  fc.assert(
    fc.property(
      fc.record({
        reason: fc.constantFrom<Trigger['reason']>('opened', 'pushed', 'ready_for_review', 'asked', 'said'),
        draft: fc.boolean(),
        isNew: fc.boolean(),
        start: fc.constantFrom<ReviewSettings['start']>('on_request', 'automatic'),
        paths: fc.array(fc.constantFrom('a.ts', 'go.mod', 'a.snap'), { maxLength: 3 }),
        followed: fc.boolean(),
      }),
      ({ reason, draft, isNew, start, paths, followed }) => {
        const decision = decide({
          reason,
          pull: { draft },
          author: { isNew },
          review: { start, skip },
          paths,
          wanting: { followed },
        });
        return (
          decision.kind !== 'not_reviewed' ||
          (decision.title.length <= 60 && /^[^\n]+\.$/.test(decision.sentence))
        );
      },
    ),
  );
});

test.each([
  ['package.json', true],
  ['web/package-lock.json', true],
  ['requirements-dev.txt', true],
  ['Cargo.lock', true],
  ['src/package.json.ts', false],
  ['setup.py', false],
  ['.github/workflows/ci.yml', false],
  ['Dockerfile', false],
])('%s is a manifest or a lock file: %s', (path, is) => expect(isDependencyFile(path)).toBe(is));
