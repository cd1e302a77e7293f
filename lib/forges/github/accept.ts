/** What the webhook function does with a delivery: decided from the payload alone, without network or schemas. */
export type Acceptance =
  { readonly kind: 'accepted' } | { readonly kind: 'ignored'; readonly reason: string };

/** Who this app is, as far as the caller knows it. */
export type Own = { readonly appId?: number; readonly login?: string };

/** The buttons on our check run. */
export const actionIdentifiers = { review_again: 'rerun', ask_person: 'ask_person' } as const;

/**
 * The cheap look before the answer. It only leaves out what certainly starts nothing; `toTrigger` checks the rest.
 * Pushes by bots are kept: agents and dependency bots open pull requests, and whether those are reviewed is policy.
 * What bots write is not: two of them would answer each other for ever.
 */
export function accept(name: string, payload: unknown, own: Own = {}): Acceptance {
  if (name === 'ping') return ignored('ping: the webhook is set up');
  const events: Partial<Record<string, Readonly<Record<string, Look>>>> = looks;
  const actions = Object.hasOwn(looks, name) ? events[name] : undefined;
  if (actions === undefined) return ignored(`nothing is done for the event ${shown(name)}`);
  const action = text(field(payload, 'action'));
  const look = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (look === undefined) return ignored(`nothing is done for ${name} ${shown(action)}`);
  const sender = text(field(field(payload, 'sender'), 'login'));
  if (own.login !== undefined && sender === own.login) return ignored('it is our own doing');
  const why = look(payload, own);
  return why === null
    ? { kind: 'accepted' }
    : ignored(why.startsWith('it ') ? `${name} ${action}: ${why}` : why);
}

/** Why a payload starts nothing; null when it may start something. */
type Look = (payload: unknown, own: Own) => string | null;

const closed = 'it is closed';
const byBot = 'it was written by a bot';

/** Of a pull request that is open. */
const open: Look = (payload) =>
  text(field(field(payload, 'pull_request'), 'state')) === 'closed' ? closed : null;

const anything: Look = () => null;

const all =
  (...looks: readonly Look[]): Look =>
  (payload, own) => {
    for (const look of looks) {
      const why = look(payload, own);
      if (why !== null) return why;
    }
    return null;
  };

const newBase: Look = (payload) =>
  field(field(payload, 'changes'), 'base') === undefined
    ? 'pull_request edited: the base branch did not change'
    : null;

/** What a bot does to its own text. A person who edits or deletes it, and a bot that deletes a person's, changes something. */
const notByBot =
  (kind: 'comment' | 'review'): Look =>
  (payload) =>
    isBot(field(payload, 'sender')) && isBot(field(field(payload, kind), 'user')) ? byBot : null;

const senderIsNoBot: Look = (payload) => (isBot(field(payload, 'sender')) ? 'it was done by a bot' : null);

const onPullRequest: Look = (payload) => {
  const issue = field(payload, 'issue');
  if (typeof field(issue, 'pull_request') !== 'object') return 'it stands on an issue, not on a pull request';
  return text(field(issue, 'state')) === 'closed' ? closed : null;
};

/** Of talk beside us: neither now nor before the edit is there anything for us in it. */
const forUs: Look = (payload) => {
  const now = field(field(payload, 'comment'), 'body');
  const before = field(field(field(payload, 'changes'), 'body'), 'from');
  return [now, before].some((body) => typeof body === 'string' && mayConcernUs(body))
    ? null
    : 'it names no command, no finding and no question';
};

/**
 * A command, an id, a quotation, a text of ours, or a word or two, which may be an answer that was sent to the wrong
 * place by e-mail.
 */
export function mayConcernUs(body: string): boolean {
  const said = body.trim();
  return (
    (said.length <= mostOfAnAnswer && !said.includes('\n')) ||
    /\bevident\b|\b[FQ]\d{1,6}\b|^ {0,3}>/im.test(said)
  );
}

const mostOfAnAnswer = 40;

/** Our own words under a person's name: somebody's token posted or copied them. A quotation of them is no such thing. */
const notOurWords =
  (kind: 'comment' | 'review'): Look =>
  (payload) =>
    /^<!-- evident:/m.test(text(field(field(payload, kind), 'body'))) ? 'it carries a mark of ours' : null;

/** GitHub wraps each reply in a review of its own without a body: the reply is told as well. */
const saysSomething: Look = (payload) => {
  const review = field(payload, 'review');
  const isEmpty = text(field(review, 'body')).trim() === '';
  return isEmpty && text(field(review, 'state')).toLowerCase() === 'commented'
    ? 'it has no text of its own, its comments are told one by one'
    : null;
};

/** GitHub tells a re-run to the app that made the run; a payload that names another one is not for us. */
const ours =
  (kind: 'check_run' | 'check_suite'): Look =>
  (payload, { appId }) => {
    const app = field(field(field(payload, kind), 'app'), 'id');
    return appId !== undefined && typeof app === 'number' && app !== appId
      ? 'it belongs to another app'
      : null;
  };

const knownAction: Look = (payload) =>
  Object.hasOwn(actionIdentifiers, text(field(field(payload, 'requested_action'), 'identifier')))
    ? null
    : 'it is no action of ours';

const written = (kind: 'comment' | 'review'): Look => all(notByBot(kind), open);
const onIssue: Look = all(onPullRequest, notByBot('comment'), forUs);

const looks = {
  pull_request: {
    opened: open,
    synchronize: open,
    reopened: open,
    ready_for_review: open,
    edited: all(newBase, open),
    converted_to_draft: open,
    // A label may say that an agent wrote it.
    labeled: open,
    unlabeled: open,
    closed: anything,
  },
  issue_comment: { created: all(onIssue, notOurWords('comment')), edited: onIssue, deleted: onIssue },
  pull_request_review_comment: {
    created: all(written('comment'), notOurWords('comment')),
    edited: written('comment'),
    deleted: written('comment'),
  },
  pull_request_review: {
    submitted: all(written('review'), saysSomething, notOurWords('review')),
    edited: written('review'),
    dismissed: open,
  },
  pull_request_review_thread: { resolved: all(senderIsNoBot, open), unresolved: all(senderIsNoBot, open) },
  check_run: { rerequested: ours('check_run'), requested_action: all(ours('check_run'), knownAction) },
  check_suite: { rerequested: ours('check_suite') },
  merge_group: { checks_requested: anything },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Look>>>>;

/** The events that start something: what `app.yml` subscribes to. */
export const eventNames = Object.keys(looks) as readonly (keyof typeof looks)[];

const ignored = (reason: string): Acceptance => ({ kind: 'ignored', reason });

const isBot = (account: unknown): boolean => text(field(account, 'type')) === 'Bot';

const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Names come from the request: only harmless characters of them are repeated. */
const shown = (name: string): string => name.replace(/[^A-Za-z0-9_.-]/g, '?').slice(0, 60) || '(none)';
