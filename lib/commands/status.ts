import { checkState } from '../core/check.js';
import { blocks } from '../core/finding.js';
import { fixRound, streakOf } from '../core/gate.js';
import { tierOf } from '../core/tier.js';
import { shortSha } from '../core/pull-request.js';
import { codeSpan, inline } from '../core/render/markdown.js';
import { isOpenQuestion, listed, lowerQuestion, placeLink, plural } from '../core/render/words.js';
import type { Command, CommandContext } from './command.js';

export const status: Command = {
  name: 'status',
  usage: '/evident status',
  help: 'says what the check says, what is open and what comes next',
  act: 'command',
  run: (_said, context) => ({ kind: 'reply', body: statusText(context) }),
};

function statusText(context: CommandContext): string {
  const { ledger, pullRequest, policy, verdict } = context;
  const questions = ledger.questions.filter(isOpenQuestion);
  const check = checkState(verdict, policy.gate.mode, { openQuestions: questions.map(({ id }) => id) });
  const open = ledger.findings.filter(({ standing }) => standing.kind === 'open');
  const rows = [
    ...open
      .filter(blocks)
      .map((one) => `- **${one.id}** important, ${placeLink(pullRequest, one)}: ${inline(one.title)}`),
    ...questions.map(
      ({ id, finding, question }) =>
        `- **${id}** question, ${placeLink(pullRequest, finding)}: ${inline(lowerQuestion(question))}`,
    ),
    ...open
      .filter((one) => !blocks(one))
      .map(
        (one) =>
          `- **${one.id}** ${one.origin === 'pre_existing' ? 'already there' : 'nit'}, ${placeLink(pullRequest, one)}: ${inline(one.title)}`,
      ),
  ];
  const more = rows.length - MAX_ROWS;
  return [
    `**${inline(check.title)}**, at ${codeSpan(shortSha(pullRequest.head.sha))}.`,
    [...rows.slice(0, MAX_ROWS), ...(more > 0 ? [`- and ${more} more in the check`] : [])].join('\n'),
    counts(context),
    ...(ledger.paused === undefined
      ? []
      : [
          `Paused by ${inline(ledger.paused.by)}${ledger.paused.why === undefined ? '' : `: "${inline(ledger.paused.why)}"`}. \`/evident resume\` goes on.`,
        ]),
    next(context),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const MAX_ROWS = 20;

function counts({ ledger, pullRequest, policy, diff, diffHash, policyHash }: CommandContext): string {
  const { passes: required, because } = tierOf({ pullRequest, policy, diff });
  const streak = streakOf(ledger, { diffHash, policyHash, withRules: true });
  const rounds = fixRound(ledger.passes);
  return [
    `${plural(ledger.passes.length, 'review')} so far; clean in a row: ${streak} of ${required}${because === undefined ? '' : ` (${inline(because)})`}.`,
    ...(rounds === 0 ? [] : [`Fix rounds: ${rounds} of ${policy.gate.fixRounds}.`]),
  ].join(' ');
}

/** What would change it, and by whom. */
function next({ verdict, ledger }: CommandContext): string {
  const questions = ledger.questions.filter(isOpenQuestion).map(({ id }) => id);
  const answer = questions.length === 0 ? '' : ` Open and not holding it: ${listed(questions)}.`;
  switch (verdict.kind) {
    case 'passed':
      return `Next: nothing, this check lets it merge.${answer}`;
    case 'review_again':
      return `Next: ${plural(verdict.required - verdict.done, 'more clean review')}. \`/evident review\` starts one.${answer}`;
    case 'fix':
      return `Next: fix ${listed(verdict.blocking.map(({ id }) => id))} and push, or dismiss with a reason.${answer}`;
    case 'waiting':
      return `Next: an answer to ${listed(verdict.questions)}, in its thread or as \`${verdict.questions[0] ?? 'Q1'} yes\` here.`;
    case 'escalated':
      return `Next: ${inline(verdict.why)}`;
    case 'incomplete':
      switch (verdict.reason.kind) {
        case 'partial':
          return 'Next: `/evident review` reads what is missing.';
        case 'not_reviewed':
          return `Next: ${inline(verdict.reason.sentence)}`;
        case 'superseded':
          return `Next: ${codeSpan(verdict.reason.by.slice(0, 7))} is reviewed.`;
        case 'rules_only':
          return 'Next: a review by a model. The operator sets one up; the fixed rules alone pass no blocking check.';
      }
  }
}
