import type { Decider } from '../deciders.js';
import { blocks } from '../finding.js';
import type { Verdict } from '../gate.js';
import type { Ledger } from '../ledger.js';
import type { Policy } from '../policy.js';
import type { AnswerEffect, Question } from '../question.js';
import type { PullRequest } from '../pull-request.js';
import { shortSha } from '../pull-request.js';
import { effectWords } from './effect-words.js';
import { codeSpan, inline } from './markdown.js';
import { listed, lowerQuestion, placeLink, plural } from './words.js';

type Escalated = Extract<Verdict, { kind: 'escalated' }>;

export type EscalationInput = {
  readonly verdict: Escalated;
  readonly ledger: Ledger;
  readonly pullRequest: PullRequest;
  readonly deciders: readonly Decider[];
  readonly policy: Pick<Policy, 'gate'>;
};

/** The comment that asks people to decide: once a diff, with a mention, because they are being asked. */
export function escalationComment(input: EscalationInput): string {
  const { verdict, ledger, pullRequest } = input;
  const asked = verdict.to.filter((who) => /^[\w.-]+(\/[\w.-]+)?$/.test(who)).map((who) => `@${who}`);
  const rows = ledger.findings
    .filter(blocks)
    .map((finding) => `- **${finding.id}** ${placeLink(pullRequest, finding)}: ${inline(finding.title)}`);
  const asksAbout = passedOn(ledger);
  return [
    // Mentions: these people are being asked.
    `**${asked.length === 0 ? 'Somebody with write access' : listed(asked)}, please decide${asksAbout === undefined ? '' : ` (${asksAbout.id})`}: ${questionOf(input)}**`,
    inline(verdict.why),
    rows.join('\n'),
    whyYou(input),
    exits(input),
    `Until then the check says that a person decides. ${silence(input)}`,
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

function whyYou({ verdict, deciders }: EscalationInput): string {
  const asked = deciders.filter(({ who }) => verdict.to.includes(who));
  const reason = ({ namedBy, path }: Decider): string =>
    `${inline(namedBy)} names you${path === undefined ? '' : ` for ${codeSpan(path)}`}`;
  const reasons = new Set(asked.map(reason));
  if (reasons.size === 0) return '';
  return reasons.size === 1
    ? `You are asked because ${[...reasons].join('')}.`
    : `You are asked because ${asked.map((one) => `${codeSpan(one.who)}: ${reason(one)}`).join('; ')}.`;
}

/** Who is asked and what names them, for readers who are not: `octo-org/payments (CODEOWNERS line 14 for src/a.ts)`. */
export function askedOf({ verdict, deciders }: Pick<EscalationInput, 'verdict' | 'deciders'>): string {
  const names = verdict.to.map((who) => {
    const decider = deciders.find((one) => one.who === who);
    return { who, because: decider === undefined ? '' : ` (${namedFor(decider)})` };
  });
  const isAlike = new Set(names.map(({ because }) => because)).size === 1;
  return isAlike
    ? `${listed(names.map(({ who }) => inline(who)))}${names[0]?.because ?? ''}`
    : listed(names.map(({ who, because }) => `${inline(who)}${because}`));
}

const namedFor = ({ namedBy, path }: Decider): string =>
  `${inline(namedBy)}${path === undefined ? '' : ` for ${codeSpan(path)}`}`;

/** How it ends, and what each way does. */
export function exits({ ledger, policy }: Pick<EscalationInput, 'ledger' | 'policy'>): string {
  const [first] = ledger.findings.filter(blocks);
  const question = passedOn(ledger);
  return [
    ...(question === undefined ? [] : answers(question, policy)),
    ...(first === undefined
      ? []
      : [
          `- **yes** in ${first.from ?? first.id}'s thread: it passes, under your name`,
          `- **no** in ${first.from ?? first.id}'s thread: the author gets one more fix round`,
        ]),
    `- an approving review of ${question === undefined ? 'this' : 'the newest'} commit: it passes, under your name`,
    '- `/evident override why`, by a maintainer: the same, with the reason shown',
  ].join('\n');
}

/** As they were stated when it was asked. */
function answers(question: Question, { gate }: EscalationInput['policy']): readonly string[] {
  const { yes, no } = question.answerEffects;
  const words = (effect: AnswerEffect, under = ''): string => {
    const { does, there } = effectWords(effect, question, gate.mode);
    return `${does}${under}${there}`;
  };
  return [
    `- **yes** in ${question.id}'s thread: ${words(yes, ', under your name')}`,
    `- **no** in ${question.id}'s thread: ${words(no)}`,
  ];
}

/** What happens when nobody decides. Nothing runs by the clock, so a reminder waits for an event. */
export function silence({ policy: { gate } }: Pick<EscalationInput, 'policy'>): string {
  const hours = gate.remindAfterHours;
  if (hours === 0) return 'Silence changes nothing, and nobody is reminded.';
  const span = hours % 24 === 0 ? plural(hours / 24, 'day') : plural(hours, 'hour');
  return `Silence changes nothing; after ${span} the next event here brings one reminder.`;
}
