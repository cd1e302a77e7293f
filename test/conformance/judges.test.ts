import { faultsOfGraphql } from './graphql.js';
import { faultsOfAnswer, faultsOfRequest, operationName } from './openapi.js';
import { faultsOfPayload } from './webhooks.js';

/* A judge that never finds anything would make every test of conformance pass. */

const reviews = '/repos/octo-org/shop/pulls/1/reviews';
const checks = '/repos/octo-org/shop/check-runs';
const sha = 'a'.repeat(40);

test.each<[string, Parameters<typeof faultsOfRequest>[0], RegExp]>([
  ['an unknown path', { method: 'GET', path: '/repos/octo-org/shop/pull/1' }, /is not described/],
  ['an unknown method', { method: 'PUT', path: reviews, body: {} }, /is not described/],
  ['a path that is no number', { method: 'GET', path: '/repos/o/r/pulls/one' }, /pull_number.*integer/],
  [
    'an unknown parameter',
    { method: 'GET', path: reviews, query: new URLSearchParams('perpage=100') },
    /\?perpage is not described/,
  ],
  [
    'a parameter of a wrong type',
    { method: 'GET', path: reviews, query: new URLSearchParams('per_page=all') },
    /per_page.*integer/,
  ],
  ['no body', { method: 'POST', path: checks }, /a body is missing/],
  ['a field that is missing', { method: 'POST', path: checks, body: { name: 'x' } }, /head_sha/],
  [
    'a wrong word',
    { method: 'POST', path: reviews, body: { event: 'comment' } },
    /APPROVE, REQUEST_CHANGES, COMMENT/,
  ],
  ['a slip of the pen', { method: 'POST', path: reviews, body: { bodie: 'x' } }, /\/bodie is not described/],
  [
    'a slip of the pen further in',
    { method: 'POST', path: reviews, body: { comments: [{ path: 'a', body: 'b', lines: 3 }] } },
    /\/comments\/0\/lines is not described/,
  ],
  [
    'a text that is too long',
    {
      method: 'POST',
      path: checks,
      body: { name: 'x', head_sha: sha, output: { title: 't', summary: 'x'.repeat(65_536) } },
    },
    /65535/,
  ],
  ['a body where none is', { method: 'GET', path: reviews, body: { a: 1 } }, /a body is not described/],
])('a request with %s is found', (_name, request, fault) => {
  expect(faultsOfRequest(request).join('\n')).toMatch(fault);
});

test('a good request has no faults', () => {
  const comment = { path: 'a b/ü.ts', body: 'x', side: 'RIGHT', line: 2, start_line: 1, start_side: 'RIGHT' };
  const body = { commit_id: sha, event: 'COMMENT', body: 'x', comments: [comment] };
  expect(faultsOfRequest({ method: 'POST', path: reviews, body })).toEqual([]);
  expect(operationName('GET', '/repos/o/r/compare/a/b...c')).toBe(
    'GET /repos/{owner}/{repo}/compare/{basehead}',
  );
});

test.each<[string, Parameters<typeof faultsOfAnswer>, RegExp]>([
  ['a status that no refusal has', ['GET', reviews, 418, {}], /status is not described/],
  ['a list that is none', ['GET', reviews, 200, {}], /array/],
  ['a refusal without a message', ['GET', reviews, 403, 'no'], /object/],
  ['an item without its fields', ['GET', reviews, 200, [{}]], /required property 'id'/],
])('an answer with %s is found', (_name, answer, fault) => {
  expect(faultsOfAnswer(...answer).join('\n')).toMatch(fault);
});

const query = `query Read($number: Int!) {
  repository(owner: "o", name: "r") {
    pullRequest(number: $number) { number title state headRefOid createdAt author { login } }
  }
}`;
const pullRequest = {
  number: 1,
  title: 'x',
  state: 'OPEN',
  headRefOid: sha,
  createdAt: '2026-01-01T00:00:00Z',
  author: null,
};
const answer = (change: object) => ({ data: { repository: { pullRequest: { ...pullRequest, ...change } } } });

test('a good answer over GraphQL has no faults, also where GitHub may leave something out', () => {
  expect(faultsOfGraphql({ query, variables: { number: 1 } }, 200, answer({}))).toEqual([]);
  const partly = {
    data: { repository: null },
    errors: [{ message: 'no', path: ['repository'], type: 'NOT_FOUND' }],
  };
  expect(faultsOfGraphql({ query, variables: { number: 1 } }, 200, partly)).toEqual([]);
  const byId = `query { node(id: "x") { ... on PullRequestReviewThread { isResolved } } }`;
  expect(faultsOfGraphql({ query: byId }, 200, { data: { node: { isResolved: true } } })).toEqual([]);
});

test.each<[string, unknown, unknown, RegExp]>([
  ['a field that there is not', { query: '{ viewer { name2 } }' }, { data: {} }, /name2/],
  ['a variable of a wrong type', { query, variables: { number: 'one' } }, answer({}), /\$number/],
  ['a missing variable', { query }, answer({}), /\$number/],
  ['null where none may be', { query, variables: { number: 1 } }, answer({ title: null }), /non-nullable/],
  [
    'a field that is missing',
    { query, variables: { number: 1 } },
    answer({ title: undefined }),
    /non-nullable/,
  ],
  [
    'a field nobody asked for',
    { query, variables: { number: 1 } },
    answer({ body: 'x' }),
    /other fields.*body/,
  ],
  ['a word that is none', { query, variables: { number: 1 } }, answer({ state: 'open' }), /state/],
  ['a number too large', { query, variables: { number: 1 } }, answer({ number: 2 ** 40 }), /32-bit/],
  ['a time that is none', { query, variables: { number: 1 } }, answer({ createdAt: 'now' }), /DateTime/],
  ['neither data nor errors', { query, variables: { number: 1 } }, {}, /neither/],
  ['no query', { variables: {} }, {}, /no query/],
])('GraphQL with %s is found', (_name, body, data, fault) => {
  expect(faultsOfGraphql(body, 200, data).join('\n')).toMatch(fault);
});

test.each([
  ['an event that there is not', 'pull_request', 'painted', /no schema/],
  ['a payload without its fields', 'pull_request', 'opened', /required property/],
])('a webhook with %s is found', (_name, event, action, fault) => {
  expect(faultsOfPayload(event, action, { action }).join('\n')).toMatch(fault);
});
