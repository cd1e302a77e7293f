import type { Act } from '../core/authority.js';
import type { Conversation } from '../core/conversation.js';
import type { Verdict } from '../core/gate.js';
import type { Ledger } from '../core/ledger.js';
import type { Snapshot } from '../core/snapshot.js';
import type { ItemId, Statement } from '../core/statement.js';

/** What follows from a command, as data. */
export type CommandEffect =
  /** A new pass of the present head. `paths`: what it was asked to look at, parted by spaces. */
  | { readonly kind: 'review'; readonly paths?: string }
  /** The ledger folds it: nothing more to do here. */
  | { readonly kind: 'said' }
  | { readonly kind: 'reply'; readonly body: string }
  /** One line: what is missing, or who may. */
  | { readonly kind: 'wrong'; readonly body: string }
  /** Nothing is done and nothing is said. */
  | { readonly kind: 'ignored'; readonly why: string };

/** What a command knows: the state after everything that was said is folded. */
export type CommandContext = Pick<Snapshot, 'pullRequest' | 'policy' | 'diff' | 'diffHash' | 'policyHash'> &
  Pick<Conversation, 'permissions'> & {
    readonly ledger: Ledger;
    readonly verdict: Verdict;
  };

/** The words of a command; `item` is that of the thread it stands in. */
export type CommandWords = { readonly words: string; readonly item?: ItemId; readonly by: Statement };

export type Command = {
  readonly name: string;
  /** As it is typed: `/evident dismiss F1 why`. */
  readonly usage: string;
  /** What it does, as the end of a line of the help. */
  readonly help: string;
  /** What the table of rights is asked for. */
  readonly act: Act;
  readonly run: (said: CommandWords, context: CommandContext) => CommandEffect;
};

export const wrong = (body: string): CommandEffect => ({ kind: 'wrong', body });
