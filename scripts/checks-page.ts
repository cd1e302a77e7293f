import { checkState, satisfiesRequiredCheck, type CheckState } from '../lib/core/check.js';
import type { Finding, FindingKey } from '../lib/core/finding.js';
import type { Verdict } from '../lib/core/gate.js';
import { draftEnding, type Ending } from '../lib/core/publication.js';
import { Sha } from '../lib/core/pull-request.js';
import { table } from './table.js';

const intro = `# What the check says

Written by \`scripts/write-checks.ts\` from \`checkState\` in \`lib/core/check.ts\`; edit that. One check run an attempt, named \`Evident\`, always completed. Its title stands
in the merge box and says the result and the next step.

GitHub lets \`success\`, \`neutral\` and \`skipped\` pass a required check. So in \`blocking\` mode nothing that should have been reviewed and was not ends with one of them;
the mode \`advisory\` is for a check that is not required. Cells in bold let a required check pass.

_failure_: change the code. _action_required_: a person or time is needed, and a push does not help. _cancelled_: another run says it.`;

const head = Sha.parse('d4e5f6a'.padEnd(40, '0'));
const by = { by: 'monalisa', at: '', why: 'hotfix, see INC-12' };
const notReviewed = (title: string, meant: boolean): Verdict => ({
  kind: 'incomplete',
  reason: { kind: 'not_reviewed', title: `Not reviewed: ${title}`, sentence: '', meant },
});

const example: Finding = {
  id: 'F1',
  key: '' as FindingKey,
  anchor: { kind: 'line', path: 'src/billing/refund.ts', side: 'RIGHT', line: 44 },
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: '',
  body: '',
  evidence: [],
  standing: { kind: 'open' },
};

type Row = {
  readonly result: string;
  readonly verdict: Verdict;
  readonly options?: Parameters<typeof checkState>[2];
  readonly asks: string;
};

/** The word of the machine-readable last line, and one example each. */
export const results: readonly Row[] = [
  { result: 'pass', verdict: { kind: 'passed', streak: 2 }, asks: 'nothing' },
  {
    result: 'pass, a question is open',
    verdict: { kind: 'passed', streak: 1 },
    options: { openQuestions: ['Q1'] },
    asks: 'nothing; an answer is welcome',
  },
  {
    result: 'pass, by the fixed rules',
    verdict: { kind: 'passed', streak: 1 },
    options: { rules: true },
    asks: 'nothing; they pass no blocking check on a real GitHub',
  },
  {
    result: 'pass, decided by a person',
    verdict: { kind: 'passed', streak: 0, by: { ...by, how: 'override' } },
    asks: 'nothing; shown with the name, for this change as it is',
  },
  {
    result: 'review, running',
    verdict: { kind: 'review_again', done: 1, required: 2 },
    options: { goesOn: true },
    asks: 'nothing; it goes on by itself',
  },
  {
    result: 'review, not running',
    verdict: { kind: 'review_again', done: 1, required: 2 },
    asks: 'one more review; the check says whether it comes by itself',
  },
  {
    result: 'fix',
    verdict: { kind: 'fix', blocking: [example, example], round: 1, rounds: 3 },
    asks: 'a change of the code, or a dismissal with a reason',
  },
  { result: 'waiting', verdict: { kind: 'waiting', questions: ['Q1'] }, asks: 'an answer' },
  {
    result: 'escalate',
    verdict: { kind: 'escalated', to: ['octo-org/payments'], why: '' },
    asks: 'a decision of a person',
  },
  {
    result: 'incomplete, partial',
    verdict: {
      kind: 'incomplete',
      reason: { kind: 'partial', seen: 9, of: 14, limit: 'the limit of 12 minutes' },
    },
    asks: 'one more review; the check says whether it goes on by itself, and when',
  },
  {
    result: 'incomplete, not reviewed though it should be',
    verdict: notReviewed('provider busy', false),
    asks: 'what its sentence says',
  },
  {
    result: 'incomplete, not reviewed by a setting',
    verdict: notReviewed('only generated files', true),
    asks: 'nothing',
  },
  {
    result: 'incomplete, fixed rules only',
    verdict: { kind: 'incomplete', reason: { kind: 'rules_only' } },
    asks: 'a model',
  },
  {
    result: 'incomplete, overtaken by a push',
    verdict: { kind: 'incomplete', reason: { kind: 'superseded', by: head } },
    asks: 'nothing; the newer commit has its own check',
  },
];

/** How a run ends that has no review to show. */
export const endings: readonly (readonly [words: string, ending: Ending])[] = [
  ['the model submitted nothing', { kind: 'no_submission', detail: '' }],
  ['the model refused', { kind: 'refused', detail: '' }],
  ['the provider was busy, after all tries', { kind: 'failed', detail: '', retryable: true }],
  ['the provider refused', { kind: 'failed', detail: '', retryable: false }],
  ['GitHub failed', { kind: 'failed', detail: '', retryable: true, by: 'forge' }],
  ['GitHub did not answer', { kind: 'forge_failed', detail: '', retryable: true }],
  ['GitHub refused', { kind: 'forge_failed', detail: '', retryable: false }],
  ['the result could not be written', { kind: 'not_written', detail: '' }],
  ['a limit was met before anything was submitted', { kind: 'out_of_budget', limit: '$0.60' }],
  ['a permission is missing', { kind: 'permission_missing', permission: '' }],
  ['an error of ours', { kind: 'crashed', detail: '' }],
  ['a newer commit', { kind: 'superseded', by: head }],
  ['closed meanwhile', { kind: 'closed' }],
  ['something changed under the same commit', { kind: 'started_again' }],
  ['another run has this commit', { kind: 'taken_over' }],
];

export function checksPage(): string {
  const ended = (ending: Ending, mode: 'advisory' | 'blocking'): CheckState =>
    draftEnding(ending, { key: '', head, mode }).check;
  const parts = [
    intro,
    table(
      ['result', 'title, for example', 'advisory', 'blocking', 'what it asks for'],
      results.map(({ result, verdict, options, asks }) => {
        const [advisory, blocking] = (['advisory', 'blocking'] as const).map((mode) =>
          checkState(verdict, mode, options),
        );
        return [result, advisory?.title ?? '', cell(advisory), cell(blocking), asks];
      }),
    ),
    'A run that ends without a review says why, and what starts it again. Where not even the mode could be read, it is taken for `blocking`:',
    table(
      ['how it ended', 'title', 'advisory', 'blocking'],
      endings.map(([words, ending]) => {
        const advisory = ended(ending, 'advisory');
        return [words, advisory.title, cell(advisory), cell(ended(ending, 'blocking'))];
      }),
    ),
    goesOn,
    lastLine,
  ];
  return `${parts.join('\n\n')}\n`;
}

const goesOn = `A run that was cut off by the time, or met a provider or a GitHub that was busy, goes on by itself a few times ([OPERATING.md](OPERATING.md#a-review-that-did-not-finish)); the text says
when, and on a server the title of one that met somebody busy ends with it, as in \`Not reviewed: provider busy, again at 14:20 UTC\`. A run that died three times on one commit ends as \`Not reviewed: the run stopped three times\`.`;

const lastLine = `The text of a check of a review ends with one line for programs:

\`\`\`text
<!-- evident:result {"v":1,"verdict":"fix","head":"3f9c2d1","complete":true,"important":2,"nit":3,"pre_existing":1,"questions_open":1,"fix_round":1,"blocking":["F1","F2"],"questions":["Q1"]} -->
\`\`\`

\`verdict\` is \`pass\`, \`review\`, \`fix\`, \`waiting\`, \`escalate\` or \`incomplete\`; with \`"goes_on":true\` the next review comes without a commit, not before \`"goes_on_at"\` (ISO 8601, UTC) where that stands there; a run without a result has the line only then. The line is a statement, not a state: no verdict is read back from it. The line above it, \`evident:state\`, is
what is known about the pull request, packed and signed; it is read back, and whoever changes it only makes it unreadable.`;

function cell(state: CheckState | undefined): string {
  if (state === undefined) return '';
  const word = state.status === 'in_progress' ? 'in progress' : state.conclusion;
  return satisfiesRequiredCheck(state) ? `**${word}**` : word;
}
