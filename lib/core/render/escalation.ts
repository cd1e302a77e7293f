import type { Decider } from '../deciders.js';
import { blocks } from '../finding.js';
import type { Verdict } from '../gate.js';
import type { Ledger } from '../ledger.js';
import type { Question } from '../question.js';
import type { PullRequest } from '../pull-request.js';
import { shortSha } from '../pull-request.js';
import { codeSpan, inline } from './markdown.js';
import { listed, lowerQuestion, placeLink } from './words.js';

type Escalated = Extract<Verdict, { kind: 'escalated' }>;

export type EscalationInput = {
  readonly verdict: Escalated;
  readonly ledger: Ledger;
  readonly pullRequest: PullRequest;
  readonly deciders: readonly Decider[];
};

/** The comment that asks people to decide: once a diff, with a mention, because they are being asked. */
export function escalationComment(input: EscalationInput): string {
  const { verdict, ledger, pullRequest, deciders } = input;
  const asked = verdict.to.filter((who) => /^[\w.-]+(\/[\w.-]+)?$/.test(who)).map((who) => `@${who}`);
  const rows = ledger.findings
    .filter(blocks)
    .map((finding) => `- **${finding.id}** ${placeLink(pullRequest, finding)}: ${inline(finding.title)}`);
  const why = deciders
    .filter(({ who }) => verdict.to.includes(who))
    .map(({ who, because }) => `${codeSpan(who)}: ${because}`);
  const asksAbout = passedOn(ledger);
  return [
    // Mentions: these people are being asked.
    `**${asked.length === 0 ? 'Somebody with write access' : listed(asked)}, please decide${asksAbout === undefined ? '' : ` (${asksAbout.id})`}: ${questionOf(input)}**`,
    inline(verdict.why),
    rows.join('\n'),
    ...(why.length === 0 ? [] : [`You are asked because ${why.join('; ')}.`]),
    exits(input),
    'Until then the check says that a person decides. Silence changes nothing.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The question that waits for a person, where no finding does. */
export const passedOn = ({
  findings,
  questions,
}: Pick<Ledger, 'findings' | 'questions'>): Question | undefined =>
  findings.some(blocks)
    ? undefined
    : questions.find(({ standing }) => standing.kind === 'answered' && standing.effect === 'escalate');

/** What is asked, as a question that yes and no answer. */
export function questionOf({ ledger, pullRequest }: Pick<EscalationInput, 'ledger' | 'pullRequest'>): string {
  const ids = ledger.findings.filter(blocks).map(({ id }) => id);
  const question = passedOn(ledger);
  if (question !== undefined) return inline(lowerQuestion(question.question));
  return `may ${codeSpan(shortSha(pullRequest.head.sha))} merge ${ids.length === 0 ? 'as it is' : `with ${listed(ids)} as ${ids.length === 1 ? 'it is' : 'they are'}`}?`;
}

/** How it ends, and what each way does. */
export function exits({ ledger }: Pick<EscalationInput, 'ledger'>): string {
  const [first] = ledger.findings.filter(blocks);
  const question = passedOn(ledger);
  const where = first === undefined ? question?.id : (first.from ?? first.id);
  return [
    ...(where === undefined
      ? []
      : first === undefined
        ? [`- **yes** or **no** in ${where}'s thread: answers it, under your name`]
        : [
            `- **yes** in ${where}'s thread: it passes, under your name`,
            `- **no** in ${where}'s thread: the author gets one more fix round`,
          ]),
    `- an approving review of ${question === undefined ? 'this' : 'the newest'} commit: it passes, under your name`,
    '- `/evident override why`, by a maintainer: the same, with the reason shown',
  ].join('\n');
}
