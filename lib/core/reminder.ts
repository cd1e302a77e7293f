import type { HeadSeen } from './conversation.js';
import type { Verdict } from './gate.js';
import { shortDiff, type Ledger } from './ledger.js';
import type { Policy } from './policy.js';
import { passedOn } from './render/escalation.js';
import { isOpenQuestion } from './render/words.js';

/** Something that people were asked, that holds the merge, and that nobody answered in time. Told once. */
export type Reminder = {
  readonly kind: 'decision' | 'answer';
  /** The diff or question that was asked about; questions by their ids. */
  readonly about: readonly string[];
  /** Epoch milliseconds. */
  readonly asked: number;
};

export type ReminderInput = {
  readonly ledger: Ledger;
  readonly policy: Policy;
  /** Epoch milliseconds; absent: nobody is reminded. */
  readonly now?: number;
};

/** What is due, by the verdict that holds now. */
export function reminderOf({
  verdict,
  diffHash,
  ...input
}: ReminderInput & { readonly verdict: Verdict; readonly diffHash: string }): Reminder | null {
  switch (verdict.kind) {
    case 'escalated': {
      const { escalations } = input.ledger;
      const asked =
        escalations.findLast(({ diff }) => diff === shortDiff(diffHash)) ??
        escalations.findLast(({ diff }) => diff === passedOn(input.ledger)?.id);
      return asked === undefined || asked.at === 0 || !isDue(asked.diff, asked.at, input)
        ? null
        : { kind: 'decision', about: [asked.diff], asked: asked.at };
    }
    case 'waiting':
      return dueAnswers(input);
    case 'passed':
    case 'review_again':
    case 'fix':
    case 'incomplete':
      return null;
  }
}

/** Whether a look finds that somebody may have to be reminded: by what the check of the head says. */
export function mayRemind({ waitsFor }: Pick<HeadSeen, 'waitsFor'>, input: ReminderInput): boolean {
  if (waitsFor === undefined) return false;
  if (waitsFor === 'answer') return dueAnswers(input) !== null;
  const asked = input.ledger.escalations.at(-1);
  return asked !== undefined && asked.at !== 0 && isDue(asked.diff, asked.at, input);
}

function dueAnswers(input: ReminderInput): Reminder | null {
  const { ledger } = input;
  const due = ledger.questions
    .filter(isOpenQuestion)
    .flatMap(({ id }) => {
      const asked = ledger.threads.find((thread) => thread.id === id)?.asked;
      return asked !== undefined && isDue(id, asked, input) ? [{ id, asked }] : [];
    })
    .slice(0, MAX_AT_ONCE);
  return due.length === 0
    ? null
    : {
        kind: 'answer',
        about: due.map(({ id }) => id),
        asked: Math.min(...due.map(({ asked }) => asked)),
      };
}

/** Their ids are the key of the comment, which has 600 characters at most; those that are left have a comment of their own. */
const MAX_AT_ONCE = 50;

function isDue(about: string, asked: number, { ledger, policy, now }: ReminderInput): boolean {
  const hours = policy.gate.remindAfterHours;
  return (
    hours > 0 &&
    now !== undefined &&
    now - asked >= hours * 3_600_000 &&
    ledger.reminded?.includes(about) !== true
  );
}

/** Names what was reminded of, in the key of the comment that does it. */
export const reminderKey = ({ about }: Pick<Reminder, 'about'>): string => `reminded:${about.join(',')}`;

/** What a comment of ours with this key reminded of. */
export const remindedBy = (key: string | null): readonly string[] =>
  /^reminded:(.+)$/.exec(key ?? '')?.[1]?.split(',') ?? [];
