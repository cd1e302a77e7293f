import { graphqlUrlOf, installationUrlOf, webUrlOf } from '../../../lib/forges/github/addresses.js';
import { readEnv } from '../../../lib/config/env.js';
import { generateKeyPairSync } from 'node:crypto';

test.each([
  ['https://api.github.com', 'https://api.github.com/graphql', 'https://github.com'],
  ['https://api.github.com/', 'https://api.github.com/graphql', 'https://github.com'],
  ['https://api.octo.ghe.com', 'https://api.octo.ghe.com/graphql', 'https://octo.ghe.com'],
  ['https://git.example.com/api/v3', 'https://git.example.com/api/graphql', 'https://git.example.com'],
  ['https://git.example.com/api/v3/', 'https://git.example.com/api/graphql', 'https://git.example.com'],
  ['http://127.0.0.1:3001/api/v3', 'http://127.0.0.1:3001/api/graphql', 'http://127.0.0.1:3001'],
])('%s: GraphQL at %s, pages at %s', (api, graphql, web) => {
  expect(graphqlUrlOf(api)).toBe(graphql);
  expect(webUrlOf(api)).toBe(web);
});

test.each([
  ['https://api.github.com', true, 'https://github.com/organizations/octo-org/settings/installations/7'],
  ['https://api.octo.ghe.com', true, 'https://octo.ghe.com/organizations/octo-org/settings/installations/7'],
  ['https://git.example.com/api/v3', false, 'https://git.example.com/settings/installations/7'],
])('where an owner accepts permissions at %s (organization: %s)', (api, ownerIsOrganization, page) => {
  expect(installationUrlOf(api, { id: 7, owner: 'octo-org', ownerIsOrganization })).toBe(page);
});

test.each([
  ['github.com', 'https://api.github.com'],
  ['octo.ghe.com', 'https://api.octo.ghe.com'],
  ['api.octo.ghe.com', 'https://api.octo.ghe.com'],
  ['git.example.com', 'https://git.example.com/api/v3'],
  ['git.example.com:8443', 'https://git.example.com:8443/api/v3'],
])('GHE_HOST=%s is reached at %s', (host, api) => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const env = readEnv({ APP_ID: '1', PRIVATE_KEY: privateKey, WEBHOOK_SECRET: 'a secret', GHE_HOST: host });
  expect(env.github?.apiUrl).toBe(api);
});
