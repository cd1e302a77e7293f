import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { toTrigger } from '../lib/forges/github/to-trigger.js';

const text = readFileSync('app.yml', 'utf8');
const manifest = parse(text) as {
  default_events: string[];
  default_permissions: Record<string, string>;
  hook_attributes: { active: boolean };
};
const comments = text
  .split('\n')
  .filter((line) => line.startsWith('#'))
  .join('\n');

/** GitHub refuses a manifest that subscribes to an event without the permission it belongs to. */
const permissionOfEvent: Record<string, string> = {
  pull_request: 'pull_requests',
  pull_request_review: 'pull_requests',
  pull_request_review_comment: 'pull_requests',
  pull_request_review_thread: 'pull_requests',
  issue_comment: 'issues',
  check_run: 'checks',
  check_suite: 'checks',
  merge_group: 'merge_queues',
};

test.each(manifest.default_events)('the manifest may subscribe to %s', (event) => {
  const permission = permissionOfEvent[event];
  expect(permission).toBeDefined();
  expect(manifest.default_permissions).toHaveProperty(permission ?? '');
});

test.each(manifest.default_events)('%s is an event that starts something here', (event) => {
  const trigger = toTrigger(event, {
    action: 'opened',
    number: 7,
    pull_request: {
      number: 7,
      state: 'open',
      draft: false,
      head: { sha: 'a'.repeat(40) },
      base: { ref: 'main' },
    },
    repository: { name: 'shop', owner: { login: 'octo-org' } },
    installation: { id: 3 },
    sender: { login: 'octocat', type: 'User' },
  });
  expect(trigger).toMatchObject({ kind: 'pull_request', number: 7 });
});

test.each(Object.entries(manifest.default_permissions))(
  'the table says why %s: %s is asked for',
  (permission, access) => {
    expect(comments).toContain(`${permission}: ${access}`);
  },
);

test('it never asks for the right to write code', () => {
  expect(manifest.default_permissions['contents']).toBe('read');
  expect(manifest.default_permissions).not.toHaveProperty('administration');
  expect(manifest.default_permissions).not.toHaveProperty('workflows');
});
