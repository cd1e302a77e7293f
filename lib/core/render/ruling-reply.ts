import type { PullRequest } from '../pull-request.js';
import type { Ruling } from '../ruling.js';
import { inline } from './markdown.js';

/** The one line that somebody gets whose words had no effect, or another one than they may think; null: silence. */
export function rulingReply(
  { statement, outcome, item }: Ruling,
  { pullRequest }: { readonly pullRequest: Pick<PullRequest, 'author'> },
): string | null {
  const author = inline(pullRequest.author.login);
  switch (outcome.kind) {
    case 'applied':
    case 'pending':
    case 'replaced':
    case 'left':
      return null;
    case 'refused':
      // Bots are not spoken to: two of them would never end.
      if (statement.writer !== 'person' || statement.says.kind === 'approval') return null;
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
    case 'overtaken':
      if (statement.says.kind === 'approval' || statement.says.kind === 'confirm') return null;
      return statement.says.kind === 'answer'
        ? 'The lines have changed since this was asked, so the answer was not applied.'
        : 'The commit has changed since this was said, so it was not applied. Say it again for the present one.';
  }
}

const example = (name: string, item: string | undefined): string =>
  `\`/evident ${name}${item === undefined ? '' : ` ${item}`} because ...\``;
