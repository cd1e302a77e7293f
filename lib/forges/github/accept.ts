/** What the webhook function does with a delivery: decided from the payload alone, without network or schemas. */
export type Acceptance =
  { readonly kind: 'accepted' } | { readonly kind: 'ignored'; readonly reason: string };

/** Actions of `pull_request` that start or end a run. */
const actions = ['opened', 'synchronize', 'reopened', 'ready_for_review', 'edited', 'closed'];

/**
 * The cheap look before the answer. It only leaves out what certainly starts nothing; `toTrigger` checks the rest.
 * Pushes by bots are kept: agents and dependency bots open pull requests, and whether those are reviewed is policy.
 */
export function accept(name: string, payload: unknown, ownLogin?: string): Acceptance {
  if (name === 'ping') return ignored('ping: the webhook is set up');
  if (name !== 'pull_request') return ignored(`nothing is done for the event ${shown(name)}`);
  const action = text(field(payload, 'action'));
  if (!actions.includes(action)) return ignored(`nothing is done for pull_request ${shown(action)}`);
  if (action === 'edited' && field(field(payload, 'changes'), 'base') === undefined) {
    return ignored('pull_request edited: the base branch did not change');
  }
  if (action !== 'closed' && text(field(field(payload, 'pull_request'), 'state')) === 'closed') {
    return ignored(`pull_request ${action}: it is closed`);
  }
  const sender = text(field(field(payload, 'sender'), 'login'));
  if (ownLogin !== undefined && sender === ownLogin) return ignored('it is our own doing');
  return { kind: 'accepted' };
}

const ignored = (reason: string): Acceptance => ({ kind: 'ignored', reason });

const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Names come from the request: only harmless characters of them are repeated. */
const shown = (name: string): string => name.replace(/[^A-Za-z0-9_.-]/g, '?').slice(0, 60) || '(none)';
