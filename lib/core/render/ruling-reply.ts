import type { PullRequest } from '../pull-request.js';
import type { Ruling } from '../ruling.js';
import type { Statement } from '../statement.js';
import { inline } from './markdown.js';

/** The one reply to words that had no effect, another one than somebody may think, or news; null: silence. */
export function rulingReply(
  { statement, outcome, item }: Ruling,
  {
    pullRequest,
    replaced,
    made,
  }: {
    readonly pullRequest: Pick<PullRequest, 'author'>;
    /** What counted until this was said. */
    readonly replaced?: Statement;
    /** The text of the finding that this answer made. */
    readonly made?: string;
  },
): string | null {
  const author = inline(pullRequest.author.login);
  switch (outcome.kind) {
    case 'applied': {
      const parts = [otherAnswer(statement, replaced), made ?? ''].filter((part) => part !== '');
      return parts.length === 0 ? null : parts.join('\n\n');
    }
    case 'pending':
    case 'replaced':
    case 'left':
      return null;
    case 'refused':
      // Bots are not spoken to: two of them would never end.
      if (outcome.isMachine === true || statement.writer !== 'person') return null;
      if (statement.says.kind === 'approval') return null;
      return outcome.why === ''
        ? `Noted, thanks. ${author} or someone with write access decides this one.`
        : `Noted, thanks. ${inline(outcome.why)}`;
    case 'needs_reason':
      return statement.says.kind === 'answer'
        ? 'Thanks. This rule is about security, so a yes also needs why, in a few words: `yes, because ...`.'
        : `This also needs why, in a few words: ${example(statement.says.kind === 'command' ? statement.says.name : 'dismiss', item)}.`;
    case 'unnamed':
      return statement.says.kind === 'bare' && statement.writer === 'person'
        ? `If this answers ${item ?? 'Q1'}, write \`${item ?? 'Q1'} ${statement.says.answer === 'unsure' ? 'not sure' : statement.says.answer}\`.`
        : null;
    case 'unknown_item':
      return `There is no ${item ?? 'such item'} on this pull request. The summary lists what there is.`;
    case 'nothing_kept':
      return statement.writer === 'person'
        ? `Nothing is kept for ${item ?? 'it'}, so there is nothing to forget. \`/evident memory\` lists what is.`
        : null;
    case 'overtaken':
      if (statement.says.kind === 'approval' || statement.says.kind === 'confirm') return null;
      return statement.says.kind === 'answer'
        ? 'The lines have changed since this was asked, so the answer was not applied.'
        : 'Could not tell that this is about the present commit, so it was not applied. Say it again for that one.';
  }
}

/** Two people, or one at two times, said different things. */
function otherAnswer(now: Statement, before: Statement | undefined): string {
  if (now.says.kind !== 'answer' || before?.says.kind !== 'answer') return '';
  if (now.says.answer === before.says.answer || now.by === before.by) return '';
  const { answer } = now.says;
  return `Now read as ${plain(answer)} (${inline(now.by)}, ${timeOf(now)}). ${inline(before.by)} said ${plain(before.says.answer)} at ${timeOf(before)}. The last answer counts.`;
}

const plain = (answer: 'yes' | 'no' | 'unsure'): string => (answer === 'unsure' ? 'not sure' : answer);

const timeOf = ({ at }: Statement): string => `${new Date(at).toISOString().slice(11, 16)} UTC`;

const example = (name: string, item: string | undefined): string =>
  `\`/evident ${name}${item === undefined ? '' : ` ${item}`} because ...\``;
