import { acceptSentence, capabilitiesOf } from '../../../lib/forges/github/capabilities.js';

const all = { metadata: 'read', contents: 'read', pull_requests: 'write', checks: 'write' };

test.each<[string, Record<string, string>, Record<string, boolean>, readonly string[]]>([
  ['everything', all, {}, []],
  ['contents', { ...all, contents: 'none' }, { readCode: false }, ['contents=read']],
  [
    'pull_requests: read',
    { ...all, pull_requests: 'read' },
    { writeReviews: false, react: false },
    ['pull_requests=write'],
  ],
  [
    'pull_requests: read, issues: write',
    { ...all, pull_requests: 'read', issues: 'write' },
    { writeReviews: false },
    ['pull_requests=write'],
  ],
  [
    'pull_requests',
    { metadata: 'read', contents: 'read', checks: 'write' },
    { readPulls: false, writeReviews: false, react: false },
    ['pull_requests=read'],
  ],
  ['checks: read', { ...all, checks: 'read' }, { writeChecks: false }, ['checks=write']],
  ['checks', { ...all, checks: 'none' }, { readChecks: false, writeChecks: false }, ['checks=write']],
  [
    'all but metadata',
    { metadata: 'read' },
    {
      readCode: false,
      readPulls: false,
      writeReviews: false,
      readChecks: false,
      writeChecks: false,
      react: false,
    },
    ['contents=read', 'pull_requests=read', 'checks=write'],
  ],
  ['an answer that says nothing', {}, {}, []],
])('%s missing', (_name, permissions, off, missing) => {
  const { missing: named, ...features } = capabilitiesOf(permissions);
  const on = {
    readCode: true,
    readPulls: true,
    writeReviews: true,
    readChecks: true,
    writeChecks: true,
    react: true,
  };
  expect(features).toEqual({ ...on, ...off });
  expect(named.map(({ permission }) => permission)).toEqual(missing);
  for (const { costs } of named) expect(costs).toMatch(/^[a-z].*[^.]$/);
});

test('who mends it, and where', () => {
  expect(acceptSentence('checks=write', 'https://github.com/settings/installations/7')).toBe(
    'An owner accepts "checks=write" at https://github.com/settings/installations/7.',
  );
  expect(acceptSentence('checks=write', undefined)).toBe(
    'An owner accepts "checks=write" in the settings of the installation.',
  );
});
