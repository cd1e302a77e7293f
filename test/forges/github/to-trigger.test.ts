import examples from '@octokit/webhooks-examples' with { type: 'json' };
import fc from 'fast-check';
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
  expect(toTrigger('pull_request', payload, 'evident[bot]')).toMatchObject({ reason: 'pushed' });
  expect(toTrigger('pull_request', payload, 'agent[bot]')).toEqual({
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

test('every example of every event is a trigger or ignored with a reason', () => {
  let seen = 0;
  for (const event of all) {
    for (const payload of event.examples) {
      const result = toTrigger(event.name, payload);
      if (event.name !== 'pull_request') expect(result.kind).toBe('ignored');
      if (result.kind === 'ignored') expect(result.reason).not.toBe('');
      seen += 1;
    }
  }
  expect(seen).toBeGreaterThan(100);
});

test('nothing that a payload can hold makes it throw', () => {
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
