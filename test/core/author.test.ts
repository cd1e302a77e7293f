import { classifyAuthor } from '../../lib/core/author.js';
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
