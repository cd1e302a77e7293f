import type { Reminder } from '../reminder.js';
import { passedOn, questionOf, type EscalationInput } from './escalation.js';
import { inline } from './markdown.js';
import { listed } from './words.js';

export type ReminderText = Pick<EscalationInput, 'ledger' | 'pullRequest'> & {
  readonly reminder: Reminder;
  /** Who is asked to decide: logins and teams. */
  readonly to: readonly string[];
};

/** The one reminder of what people were asked. Who decides is mentioned; a question is for everybody who may answer it. */
export function reminderComment({ reminder, to, ledger, pullRequest }: ReminderText): string {
  const day = dayOf(reminder.asked);
  if (reminder.kind === 'answer') {
    const [first = '', ...more] = reminder.about;
    const { author } = pullRequest;
    return [
      `**${author.kind === 'person' ? `@${author.login}, a reminder` : 'A reminder'}: ${listed(reminder.about)} ${more.length === 0 ? 'waits' : 'wait'} for an answer since ${day}.**`,
      `The check waits with ${more.length === 0 ? 'it' : 'them'}. Reply yes, no or not sure in ${more.length === 0 ? `${first}'s thread` : 'their threads'}. There is no further reminder.`,
    ].join('\n\n');
  }
  const asked = to.filter((who) => /^[\w.-]+(\/[\w.-]+)?$/.test(who)).map((who) => `@${who}`);
  const about = passedOn(ledger);
  return [
    `**${asked.length === 0 ? 'Somebody with write access' : listed(asked)}, a reminder${about === undefined ? '' : ` (${about.id})`}: ${questionOf({ ledger, pullRequest })}**`,
    `Asked on ${inline(day)}, and not decided yet. How to decide stands in the comment of that day. There is no further reminder, and silence changes nothing.`,
  ].join('\n\n');
}

const dayOf = (at: number): string =>
  new Date(at).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
