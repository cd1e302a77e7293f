import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { eventNames } from '../lib/forges/github/accept.js';
import { validateManifest } from '../local-github/manifest.js';

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

test('it subscribes to the events that start something here, and to no other', () => {
  expect([...manifest.default_events].sort()).toEqual([...eventNames].sort());
});

test('GitHub takes it as it stands', () => {
  expect(validateManifest(manifest)).toEqual([]);
});

test.each(manifest.default_events)('the table says why %s is listened to', (event) => {
  expect(comments).toMatch(new RegExp(`^# ${event} +${permissionOfEvent[event] ?? ''}: (read|write)  `, 'm'));
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
  expect(manifest.default_permissions['issues']).toBe('read');
});
