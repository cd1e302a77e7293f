import { roleOf, type ActContext, type Role } from '../core/authority.js';
import { isAgentAccount } from '../core/author.js';
import type { Statement } from '../core/statement.js';
import type { CommandContext } from './command.js';

type PersonContext = Pick<CommandContext, 'pullRequest' | 'policy' | 'permissions' | 'ledger'>;

/** Who gave a command, to this pull request, by their live rights. */
export function personOf(
  { by, writer }: Pick<Statement, 'by' | 'writer'>,
  { pullRequest: { author }, policy, permissions, ledger }: PersonContext,
): { readonly role: Role; readonly about: ActContext } {
  const isAuthor = by.toLowerCase() === author.login.toLowerCase();
  const role = roleOf({
    login: by,
    writer,
    permission: permissions[by.toLowerCase()],
    isAuthor,
    author,
    isAgentAccount: isAgentAccount(by, policy.review.agents),
  });
  return {
    role,
    about: {
      isAuthor,
      agentsPull: author.kind !== 'person',
      settings: policy.authority,
      started: ledger.passes.length > 0,
      author: author.login,
    },
  };
}
