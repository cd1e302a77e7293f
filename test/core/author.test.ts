import { classifyAuthor, isAgentAccount } from '../../lib/core/author.js';
import type { AuthorFacts } from '../../lib/core/author.js';

const facts: AuthorFacts = { login: 'octocat', isBot: false, branch: 'fix/refunds', labels: [] };

test.each<[string, Partial<AuthorFacts>, object]>([
  ['a person', {}, { login: 'octocat', kind: 'person' }],
  ['a deleted account', { login: null }, { login: 'ghost', kind: 'unknown' }],
  ['the ghost itself', { login: 'ghost' }, { login: 'ghost', kind: 'unknown' }],
  ['dependabot', { login: 'dependabot[bot]', isBot: true }, { kind: 'dependency_bot' }],
  ['renovate as a user', { login: 'renovate-bot' }, { kind: 'dependency_bot' }],
  [
    'another bot',
    { login: 'helper[bot]', isBot: true },
    { kind: 'agent', because: '`helper[bot]` is a bot' },
  ],
  ['an agent branch', { branch: 'agent/refunds' }, { kind: 'agent', because: 'branch `agent/refunds`' }],
  ['codex', { branch: 'codex/x' }, { kind: 'agent' }],
  ['a branch that only begins alike', { branch: 'agents-page/x' }, { kind: 'person' }],
  ['a label', { labels: ['bug', 'AI-generated'] }, { kind: 'agent', because: 'label `AI-generated`' }],
  ['a label that only contains it', { labels: ['ai-platform'] }, { kind: 'person' }],
  [
    'a dependency bot on an agent branch',
    { login: 'dependabot[bot]', isBot: true, branch: 'agent/x' },
    { kind: 'dependency_bot' },
  ],
])('%s', (_name, given, expected) => {
  expect(classifyAuthor({ ...facts, ...given })).toMatchObject(expected);
});

test('a person needs no reason', () => {
  expect(classifyAuthor(facts)).not.toHaveProperty('because');
});

const settings = { logins: ['release-robot', 'octo-agent'], branches: ['auto/**'], labels: ['machine made'] };

test.each<[string, Partial<AuthorFacts>, object]>([
  [
    'a listed login',
    { login: 'Octo-Agent' },
    { kind: 'agent', because: '`Octo-Agent` is listed in the settings' },
  ],
  ['a listed bot', { login: 'release-robot[bot]', isBot: true }, { kind: 'agent' }],
  [
    'a branch by a glob',
    { branch: 'auto/fix/refunds' },
    { kind: 'agent', because: 'branch `auto/fix/refunds`, by `auto/**` in the settings' },
  ],
  ['another branch', { branch: 'automatic' }, { kind: 'person' }],
  [
    'a label of the settings',
    { labels: ['Machine made'] },
    { kind: 'agent', because: 'label `Machine made`' },
  ],
  ['a branch that always counts', { branch: 'agent/x' }, { kind: 'agent', because: 'branch `agent/x`' }],
  ['a dependency bot', { login: 'dependabot[bot]', isBot: true }, { kind: 'dependency_bot' }],
])('settings add to the rules: %s', (_name, given, expected) => {
  expect(classifyAuthor({ ...facts, ...given }, settings)).toMatchObject(expected);
});

test("an agent's account of the type that persons have is an agent", () => {
  expect(classifyAuthor({ ...facts, login: 'Copilot' })).toEqual({
    login: 'Copilot',
    kind: 'agent',
    because: "`Copilot` is an agent's account",
  });
  expect(isAgentAccount('Copilot')).toBe(true);
  expect(isAgentAccount('octo-agent', settings)).toBe(true);
  expect(isAgentAccount('octocat', settings)).toBe(false);
});

test.each([
  ['Fix it\n\nCo-authored-by: Copilot <1@users.noreply.example>', 'a commit says `Co-authored-by: Copilot`'],
  [
    'Fix it\n\nCo-Authored-By: Claude Model 9 <a@b.example>',
    'a commit says `Co-Authored-By: Claude Model 9`',
  ],
  ['Fix it\n\nAssisted-by: a tool', 'a commit says `Assisted-by: a tool`'],
])('a trailer is a hint that decides nothing: %j', (message, hint) => {
  expect(classifyAuthor({ ...facts, commitMessages: [message] })).toEqual({
    login: 'octocat',
    kind: 'person',
    hint,
  });
});

test.each([
  'Co-authored-by: monalisa <m@b.example>',
  'Move the cursor\n\nSigned-off-by: Copilot',
  'Co-authored-by: Codexia',
])('no hint: %j', (message) => {
  expect(classifyAuthor({ ...facts, commitMessages: [message] })).not.toHaveProperty('hint');
});
