import examples from '@octokit/webhooks-examples' with { type: 'json' };
import fc from 'fast-check';
import fork from '../../fixtures/cases/op08-rerequested-fork.json' with { type: 'json' };
import { toTrigger } from '../../../lib/forges/github/to-trigger.js';

type Payload = {
  action: string;
  number: unknown;
  before?: string;
  changes?: object;
  pull_request: {
    state: string;
    draft: boolean;
    head: { sha: string; repo: object | null };
    base: { ref: string };
    updated_at?: string;
  };
  repository: { name: string; owner: { login: string } };
  installation?: { id: number };
  sender: { login: string; type: string } | null;
};

type Example = { readonly name: string; readonly examples: readonly Record<string, unknown>[] };

const all = examples as unknown as readonly Example[];
/** The first example of each event is an old payload that fails today's schema. */
const pullRequests = (all.find((event) => event.name === 'pull_request')?.examples ?? []).slice(
  1,
) as unknown as readonly Payload[];
const withAction = (action: string): Payload[] =>
  pullRequests.filter((payload) => payload.action === action && payload.installation !== undefined);

const example = (action: string): Payload => {
  const found = withAction(action)[0] ?? withAction('opened')[0];
  if (found === undefined) throw new Error('no example');
  return { ...structuredClone(found), action };
};

test.each([
  ['opened', 'opened'],
  ['synchronize', 'pushed'],
  ['reopened', 'reopened'],
  ['ready_for_review', 'ready_for_review'],
  ['converted_to_draft', 'drafted'],
  ['closed', 'closed'],
])('pull_request %s becomes a trigger: %s', (action, reason) => {
  const payload = example(action);
  if (action !== 'closed') payload.pull_request.state = 'open';
  expect(toTrigger('pull_request', payload)).toEqual({
    kind: 'pull_request',
    reason,
    owner: payload.repository.owner.login,
    repo: payload.repository.name,
    number: payload.number,
    head: payload.pull_request.head.sha,
    base: payload.pull_request.base.ref,
    draft: payload.pull_request.draft,
    installation: payload.installation?.id,
    sender: payload.sender?.login,
    at: Date.parse(payload.pull_request.updated_at ?? ''),
    ...(payload.before !== undefined && { before: payload.before }),
  });
});

test('edited is a trigger only when the base branch changed', () => {
  const payload = example('edited');
  payload.changes = { base: { ref: { from: 'main' }, sha: { from: 'b'.repeat(40) } } };
  expect(toTrigger('pull_request', payload)).toMatchObject({ reason: 'base_changed' });
  payload.changes = { title: { from: 'old' } };
  expect(toTrigger('pull_request', payload)).toEqual({
    kind: 'ignored',
    reason: 'pull_request edited: the base branch did not change',
  });
});

test('a draft is a trigger that says so', () => {
  const payload = example('opened');
  payload.pull_request.draft = true;
  expect(toTrigger('pull_request', payload)).toMatchObject({ draft: true });
});

test('a pull request of a deleted fork is a trigger', () => {
  const payload = example('opened');
  payload.pull_request.head.repo = null;
  payload.sender = null;
  expect(toTrigger('pull_request', payload)).toMatchObject({ reason: 'opened', sender: 'ghost' });
});

test('pushes by other bots are triggers, our own doing is not', () => {
  const payload = example('synchronize');
  payload.pull_request.state = 'open';
  payload.sender = { login: 'agent[bot]', type: 'Bot' };
  expect(toTrigger('pull_request', payload, { login: 'evident[bot]' })).toMatchObject({ reason: 'pushed' });
  expect(toTrigger('pull_request', payload, { login: 'agent[bot]' })).toEqual({
    kind: 'ignored',
    reason: 'it is our own doing',
  });
});

test.each<[string, (payload: Payload) => void, RegExp]>([
  ['a push to a closed pull request', (p) => (p.pull_request.state = 'closed'), /it is closed/],
  ['a repository webhook', (p) => delete p.installation, /not from the GitHub App/],
  [
    'a head that is no commit id',
    (p) => (p.pull_request.head.sha = 'HEAD'),
    /malformed at pull_request.head.sha/,
  ],
  [
    'an owner with a slash',
    (p) => (p.repository.owner.login = '../x'),
    /malformed at repository.owner.login/,
  ],
  ['a number that is none', (p) => (p.number = '1'), /malformed at number/],
])('%s is ignored with a reason', (_name, change, reason) => {
  const payload = example('synchronize');
  payload.pull_request.state = 'open';
  change(payload);
  const result = toTrigger('pull_request', payload);
  expect(result).toMatchObject({ kind: 'ignored' });
  expect((result as { reason: string }).reason).toMatch(reason);
});

const kinds: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['pull_request', 'conversation'],
  issue_comment: ['conversation'],
  pull_request_review: ['conversation'],
  pull_request_review_comment: ['conversation'],
  pull_request_review_thread: ['conversation'],
  check_run: ['check'],
  check_suite: ['check'],
  merge_group: ['queue'],
};

test('every example of every event starts what its name says, or is ignored with a reason', () => {
  let seen = 0;
  for (const event of all) {
    for (const payload of event.examples) {
      const result = toTrigger(event.name, payload);
      expect([...(kinds[event.name] ?? []), 'ignored']).toContain(result.kind);
      if (result.kind === 'ignored') expect(result.reason).not.toBe('');
      seen += 1;
    }
  }
  expect(seen).toBeGreaterThan(100);
});

const person = { login: 'octocat', type: 'User' };
const bot = { login: 'hubot[bot]', type: 'Bot' };
const place = {
  repository: { name: 'shop', owner: { login: 'octo-org' } },
  installation: { id: 3 },
  sender: person,
};
const head = 'c'.repeat(40);
const pull = { number: 7, state: 'open', updated_at: '2026-12-01T10:00:00Z' };
const comment = {
  id: 31,
  user: person,
  body: '/evident review',
  created_at: '2026-12-01T10:00:00Z',
  updated_at: '2026-12-01T11:00:00Z',
};
const issue = { number: 7, state: 'open', pull_request: { url: 'https://api.example.com/pulls/7' } };
const review = {
  id: 41,
  user: person,
  body: 'Looks good',
  state: 'approved',
  submitted_at: comment.created_at,
};
const checkRun = { head_sha: head, external_id: `octo-org/shop#7:${head}:main`, app: { id: 17 } };
const said = (subjects: readonly object[], at = '2026-12-01T10:00:00Z') => ({
  kind: 'conversation',
  owner: 'octo-org',
  repo: 'shop',
  number: 7,
  installation: 3,
  sender: 'octocat',
  at: Date.parse(at),
  subjects,
});
const check = { kind: 'check', owner: 'octo-org', repo: 'shop', head, installation: 3, sender: 'octocat' };

test.each<[string, string, object, object]>([
  [
    'a comment on a pull request',
    'issue_comment',
    { action: 'created', issue, comment },
    said([{ kind: 'comment', databaseId: 31 }], comment.updated_at),
  ],
  [
    'a comment that was edited until it named nothing',
    'issue_comment',
    {
      action: 'edited',
      issue,
      comment: { ...comment, body: 'I have thought about this once more, and it will do as it is.' },
      changes: { body: { from: 'F1 dismiss: by design' } },
    },
    said([{ kind: 'comment', databaseId: 31 }], comment.updated_at),
  ],
  [
    'a text of ours that a person deletes',
    'issue_comment',
    { action: 'deleted', issue, comment: { ...comment, user: bot, body: 'x\n\n<!-- evident:reply {} -->' } },
    said([{ kind: 'comment', databaseId: 31 }], comment.updated_at),
  ],
  [
    'a reply in a thread',
    'pull_request_review_comment',
    {
      action: 'created',
      pull_request: pull,
      comment: { ...comment, body: 'It is a long story, see the design.' },
    },
    said([{ kind: 'reply', databaseId: 31 }], comment.updated_at),
  ],
  [
    'a review with words',
    'pull_request_review',
    { action: 'submitted', pull_request: pull, review },
    said([{ kind: 'review', databaseId: 41 }]),
  ],
  [
    'an approval without words',
    'pull_request_review',
    { action: 'submitted', pull_request: pull, review: { ...review, body: null } },
    said([]),
  ],
  [
    'a dismissed approval',
    'pull_request_review',
    { action: 'dismissed', pull_request: pull, review: { ...review, state: 'dismissed' } },
    said([]),
  ],
  [
    'a resolved thread',
    'pull_request_review_thread',
    { action: 'resolved', pull_request: pull, thread: { comments: [] } },
    said([]),
  ],
  [
    'a label',
    'pull_request',
    {
      action: 'labeled',
      number: 7,
      label: { name: 'agent' },
      pull_request: { ...pull, head: { sha: head }, base: { ref: 'main' } },
    },
    said([]),
  ],
  [
    'a re-run of our check',
    'check_run',
    { action: 'rerequested', check_run: checkRun },
    { ...check, wish: 'rerun', number: 7 },
  ],
  [
    'a re-run of our check by ourselves',
    'check_run',
    {
      action: 'rerequested',
      check_run: { ...checkRun, app: { id: 17, slug: 'evident' } },
      sender: { login: 'evident[bot]', type: 'Bot' },
    },
    { ...check, wish: 'next_pass', number: 7, sender: 'evident[bot]' },
  ],
  [
    'a re-run of our check by another app',
    'check_run',
    {
      action: 'rerequested',
      check_run: { ...checkRun, app: { id: 17, slug: 'evident' } },
      sender: { login: 'other[bot]', type: 'Bot' },
    },
    { ...check, wish: 'rerun', number: 7, sender: 'other[bot]' },
  ],
  [
    'a re-run of our check by a person of such a name',
    'check_run',
    {
      action: 'rerequested',
      check_run: { ...checkRun, app: { id: 17, slug: 'evident' } },
      sender: { login: 'evident[bot]', type: 'User' },
    },
    { ...check, wish: 'rerun', number: 7, sender: 'evident[bot]' },
  ],
  [
    'a re-run of a check whose key is not ours',
    'check_run',
    { action: 'rerequested', check_run: { ...checkRun, external_id: 'pr:17' } },
    { ...check, wish: 'rerun' },
  ],
  [
    'the button Review again',
    'check_run',
    { action: 'requested_action', requested_action: { identifier: 'review_again' }, check_run: checkRun },
    { ...check, wish: 'rerun', number: 7 },
  ],
  [
    'the button Ask a person',
    'check_run',
    { action: 'requested_action', requested_action: { identifier: 'ask_person' }, check_run: checkRun },
    { ...check, wish: 'ask_person', number: 7 },
  ],
  [
    'a re-run of all checks',
    'check_suite',
    {
      action: 'rerequested',
      check_suite: { head_sha: head, head_branch: null, app: { id: 17 }, pull_requests: [] },
    },
    { ...check, wish: 'rerun' },
  ],
  [
    'a group of the merge queue',
    'merge_group',
    { action: 'checks_requested', merge_group: { head_sha: head, base_ref: 'refs/heads/release/1' } },
    { ...check, kind: 'queue', base: 'release/1' },
  ],
])('%s starts something', (_name, event, payload, wanted) => {
  expect(toTrigger(event, { ...place, ...payload }, { appId: 17 })).toEqual(wanted);
});

test.each<[string, string, object, RegExp]>([
  [
    'a comment on an issue',
    'issue_comment',
    { action: 'created', issue: { ...issue, pull_request: undefined }, comment },
    /not on a pull request/,
  ],
  [
    'a comment on a closed pull request',
    'issue_comment',
    { action: 'created', issue: { ...issue, state: 'closed' }, comment },
    /closed/,
  ],
  [
    'a comment by a bot',
    'issue_comment',
    { action: 'created', issue, comment: { ...comment, user: bot }, sender: bot },
    /written by a bot/,
  ],
  [
    'an edit by a bot of its own text',
    'issue_comment',
    { action: 'edited', issue, comment: { ...comment, user: bot }, sender: bot },
    /written by a bot/,
  ],
  [
    'talk between people',
    'issue_comment',
    {
      action: 'created',
      issue,
      comment: { ...comment, body: 'Could you rebase this onto the branch of last week?' },
    },
    /names no command/,
  ],
  [
    'our own words under the name of a person',
    'issue_comment',
    { action: 'created', issue, comment: { ...comment, body: 'Noted.\n\n<!-- evident:reply {} -->' } },
    /a mark of ours/,
  ],
  [
    'a reply by a bot',
    'pull_request_review_comment',
    { action: 'created', pull_request: pull, comment: { ...comment, user: bot }, sender: bot },
    /written by a bot/,
  ],
  [
    'a reply on a closed pull request',
    'pull_request_review_comment',
    { action: 'created', pull_request: { ...pull, state: 'closed' }, comment },
    /closed/,
  ],
  [
    'the review that GitHub wraps around a reply',
    'pull_request_review',
    { action: 'submitted', pull_request: pull, review: { ...review, state: 'commented', body: null } },
    /one by one/,
  ],
  [
    'a thread that a bot resolved',
    'pull_request_review_thread',
    { action: 'resolved', pull_request: pull, sender: bot },
    /done by a bot/,
  ],
  [
    'a re-run of the check of another app',
    'check_run',
    { action: 'rerequested', check_run: { ...checkRun, app: { id: 18 } } },
    /another app/,
  ],
  [
    'a button that is not ours',
    'check_run',
    { action: 'requested_action', requested_action: { identifier: 'deploy' }, check_run: checkRun },
    /no action of ours/,
  ],
  ['a check that was created', 'check_run', { action: 'created', check_run: checkRun }, /nothing is done/],
  ['a suite that ended', 'check_suite', { action: 'completed' }, /nothing is done/],
  ['a group that is gone', 'merge_group', { action: 'destroyed' }, /nothing is done/],
  [
    'a comment without an id',
    'issue_comment',
    { action: 'created', issue, comment: { ...comment, id: 'x' } },
    /malformed at comment.id/,
  ],
])('%s is ignored', (_name, event, payload, reason) => {
  const result = toTrigger(event, { ...place, ...payload }, { appId: 17 });
  expect(result).toMatchObject({ kind: 'ignored', reason: expect.stringMatching(reason) });
});

test.each([
  ['yes', true],
  ['não tenho certeza', true],
  ['Please look at f12 once more, it seems to me that the reason given there is wrong.', true],
  [
    '> is this jQuery change required by a third-party widget?\n\nIt is, for as long as the partner wants it.',
    true,
  ],
  ['@evident could you have a look at this one more time, please? Thanks in advance.', true],
  ['Could somebody from the payments team have a look at this before Monday?', false],
  ['See PDF1 and the FAQ2 page for how this was measured, then decide about merging it.', false],
])('whether a plain comment may be for us: %s', (body, may) => {
  expect(
    toTrigger('issue_comment', { ...place, action: 'created', issue, comment: { ...comment, body } }).kind,
  ).toBe(may ? 'conversation' : 'ignored');
});

test('C114, C115: a re-run on a fork names no pull request, and still starts something', () => {
  for (const event of fork.input.events) {
    const { sender: by, ...rest } = { sender: person, ...event.payload };
    const incoming = toTrigger(event.name, { ...place, ...rest, sender: by }, { appId: 17 });
    expect(incoming).toMatchObject({ kind: 'check', wish: 'rerun', head: 'a'.repeat(40) });
    // `pr:17` is the key of another reviewer's check: the head is looked up.
    expect(incoming).not.toHaveProperty('number');
  }
});

test('nothing that a payload can hold makes it throw', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(kinds), 'constructor', '__proto__', 'toString'),
      fc.constantFrom(
        'created',
        'rerequested',
        'submitted',
        'resolved',
        'checks_requested',
        'labeled',
        'constructor',
      ),
      fc.dictionary(
        fc.constantFrom('comment', 'issue', 'review', 'check_run', 'pull_request', 'sender', 'changes'),
        fc.anything(),
      ),
      (name, action, payload) => {
        expect(toTrigger(name, { ...payload, action }).kind).toBe('ignored');
      },
    ),
  );
  fc.assert(
    fc.property(fc.string(), fc.anything(), (name, payload) => {
      expect(toTrigger(name, payload).kind).toBe('ignored');
    }),
  );
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (pull, changes) => {
      const payload = { action: 'edited', changes: { base: changes }, pull_request: pull };
      expect(toTrigger('pull_request', payload).kind).toBe('ignored');
    }),
  );
});
