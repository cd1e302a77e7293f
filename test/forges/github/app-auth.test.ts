import { createVerify, generateKeyPairSync } from 'node:crypto';
import nock from 'nock';
import { createAppAuth } from '../../../lib/forges/github/app-auth.js';
import type { AppAuth } from '../../../lib/forges/github/app-auth.js';
import { silentLog } from '../../../lib/ports/log.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const target = { installation: 7, owner: 'octo-org', repo: 'shop' };
const tokens = '/app/installations/7/access_tokens';
const api = (): nock.Scope => nock('https://api.github.com');

function auth(clock: () => number = Date.now): AppAuth {
  return createAppAuth({ appId: 12, privateKey, apiUrl: 'https://api.github.com', log: silentLog, clock });
}

const answer = (token: string, expires = Date.now() + 3_600_000): object => ({
  token,
  expires_at: new Date(expires).toISOString(),
  permissions: { checks: 'write' },
});

beforeAll(() => nock.disableNetConnect());
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
});
afterAll(() => nock.restore());

test('a token is asked for with a signed JWT, for the one repository, and is kept', async () => {
  let authorization = '';
  api()
    .post(tokens, { repositories: ['shop'] })
    .matchHeader('authorization', (value) => {
      authorization = String(value);
      return true;
    })
    .reply(201, answer('t1'));
  const app = auth();
  const first = await app.installationToken(target);
  expect(first).toMatchObject({ token: 't1', permissions: { checks: 'write' } });
  expect(first.requests).toEqual([{ method: 'POST', path: tokens, reason: 'token for octo-org/shop' }]);
  await expect(app.installationToken(target)).resolves.toMatchObject({ token: 't1', requests: [] });

  const [head, body, signature] = authorization.replace('Bearer ', '').split('.');
  const verify = createVerify('RSA-SHA256').update(`${head}.${body}`);
  expect(verify.verify(publicKey, signature ?? '', 'base64url')).toBe(true);
  expect(JSON.parse(Buffer.from(body ?? '', 'base64url').toString())).toMatchObject({ iss: 12 });
});

test('a token is renewed before it expires, and never given to another repository', async () => {
  let now = Date.now();
  api()
    .post(tokens)
    .reply(201, answer('t1', now + 3_600_000));
  api()
    .post(tokens, { repositories: ['other'] })
    .reply(201, answer('t2', now + 3_600_000));
  api()
    .post(tokens)
    .reply(201, answer('t3', now + 7_200_000));
  const app = auth(() => now);
  await app.installationToken(target);
  expect((await app.installationToken({ ...target, repo: 'other' })).token).toBe('t2');
  now += 3_400_000;
  expect((await app.installationToken(target)).token).toBe('t3');
});

test('a token request that ends in a 502 is tried again', async () => {
  api().post(tokens).reply(502);
  api().post(tokens).reply(201, answer('t1'));
  const token = await auth().installationToken(target);
  expect(token.token).toBe('t1');
  expect(token.requests).toHaveLength(2);
});

test.each([
  [401, 'A JSON web token could not be decoded', /check that the app id and the private key belong together/],
  [404, 'Not Found', /not installed on octo-org\/shop/],
  [422, 'There is at least one repository that does not exist', /add the repository/],
  [403, 'This installation has been suspended', /installation is suspended/],
])('a refusal with %i says how to mend it', async (status, message, expected) => {
  api().post(tokens).reply(status, { message });
  await expect(auth().installationToken(target)).rejects.toThrow(expected);
});

test('the identity is asked once', async () => {
  api()
    .get('/app')
    .reply(200, { id: 12, slug: 'evident', name: 'Evident', html_url: 'https://github.com/apps/evident' });
  const app = auth();
  await app.identity();
  await expect(app.identity()).resolves.toMatchObject({ slug: 'evident', botLogin: 'evident[bot]' });
});
