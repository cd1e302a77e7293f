import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describeEnv, readEnv } from '../../lib/config/env.js';
import { ConfigError } from '../../lib/core/errors.js';

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs1',
  format: 'pem',
}) as string;
const good: Record<string, string> & { WEBHOOK_SECRET: string } = {
  APP_ID: '17',
  PRIVATE_KEY: pem,
  WEBHOOK_SECRET: 'it is long enough',
  EVIDENT_MODEL: 'rules',
};

function refusal(change: Record<string, string | undefined>): ConfigError {
  try {
    readEnv({ ...good, ...change });
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

test('docs/CONFIGURATION.md names every variable of ours', () => {
  const text = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const known = new Set(text('lib/config/env.ts').match(/\bEVIDENT_[A-Z]+(?:_[A-Z]+)*\b/g));
  expect(known.size).toBeGreaterThan(8);
  const page = text('docs/CONFIGURATION.md');
  expect([...known].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('the smallest environment gives the defaults', () => {
  const env = readEnv(good);
  expect(env.github).toMatchObject({ appId: 17, apiUrl: 'https://api.github.com' });
  expect(env).toMatchObject({
    gate: 'advisory',
    maxDollars: 0.6,
    maxMinutes: 12,
    port: 3000,
    neverSend: [],
    warnings: [],
  });
});

test.each([
  ['as GitHub gives it', pem],
  ['with \\n written out', pem.replaceAll('\n', '\\n')],
  ['with \\r\\n written out', pem.replaceAll('\n', '\\r\\n')],
  ['with CRLF', pem.replaceAll('\n', '\r\n')],
  ['on one line with spaces', pem.replaceAll('\n', ' ')],
  ['as base64', Buffer.from(pem).toString('base64')],
  ['as broken base64', Buffer.from(pem).toString('base64').replace(/.{76}/g, '$&\n')],
  ['in double quotes', `"${pem.replaceAll('\n', '\\n')}"`],
  ['in single quotes', `'${pem}'`],
])('a private key %s is read', (_name, value) => {
  const key = readEnv({ ...good, PRIVATE_KEY: value }).github?.privateKey ?? '';
  expect(key.trim()).toBe(pem.trim());
});

test.each<[string, Record<string, string | undefined>, string, RegExp]>([
  ['no secret', { WEBHOOK_SECRET: undefined }, 'WEBHOOK_SECRET', /webhook secret of your GitHub App/],
  ['a blank secret', { WEBHOOK_SECRET: '  ' }, 'WEBHOOK_SECRET', /is not set/],
  ["Probot's fallback secret", { WEBHOOK_SECRET: 'development' }, 'WEBHOOK_SECRET', /everybody knows/],
  ['no app id', { APP_ID: undefined }, 'APP_ID', /App ID/],
  ['a client id', { APP_ID: 'Iv1.abc' }, 'APP_ID', /digits only/],
  ['a bad alias', { APP_ID: undefined, EVIDENT_APP_ID: 'x' }, 'EVIDENT_APP_ID', /digits only/],
  ['no key', { PRIVATE_KEY: undefined }, 'PRIVATE_KEY', /\.pem/],
  ['half a key', { PRIVATE_KEY: pem.slice(0, 700) }, 'PRIVATE_KEY', /is cut/],
  ['both places', { PRIVATE_KEY_PATH: 'key.pem' }, 'PRIVATE_KEY_PATH', /both/],
  ['no file', { PRIVATE_KEY: undefined, PRIVATE_KEY_PATH: '/none.pem' }, 'PRIVATE_KEY_PATH', /not there/],
  ['another text', { PRIVATE_KEY: 'hunter2!' }, 'PRIVATE_KEY', /does not begin/],
  ['a gate of its own', { EVIDENT_GATE: 'strict' }, 'EVIDENT_GATE', /advisory.*blocking/],
  ['negative dollars', { EVIDENT_MAX_DOLLARS: '-1' }, 'EVIDENT_MAX_DOLLARS', /number/],
  ['too many dollars', { EVIDENT_MAX_DOLLARS: '99999' }, 'EVIDENT_MAX_DOLLARS', /1000/],
  ['no minutes', { EVIDENT_MAX_MINUTES: 'soon' }, 'EVIDENT_MAX_MINUTES', /number/],
  ['a strange port', { PORT: '70000' }, 'PORT', /65535/],
  ['a strange level', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL', /debug/],
  ['a host with a path', { GHE_HOST: 'ghe.example.com/api' }, 'GHE_HOST', /name alone/],
  ['two servers', { GHE_HOST: 'a.example', GITHUB_API_URL: 'https://b.example' }, 'GITHUB_API_URL', /two/],
  ['a user in an address', { GITHUB_API_URL: 'https://me:pw@x.example' }, 'GITHUB_API_URL', /password/],
  ['a short own key', { EVIDENT_SECRET: 'short' }, 'EVIDENT_SECRET', /16/],
])('%s is refused with the name and how to mend it', (_name, change, where, sentence) => {
  const error = refusal(change);
  expect(error.where).toBe(where);
  expect(error.message).toMatch(sentence);
});

test('no sentence repeats a value', () => {
  const secret = 'S3CR3T-value-that-must-not-show';
  for (const name of ['PRIVATE_KEY', 'APP_ID', 'EVIDENT_GATE', 'GITHUB_API_URL', 'PORT', 'LOG_LEVEL']) {
    expect(refusal({ [name]: secret }).message).not.toContain(secret);
  }
  const shown = JSON.stringify(describeEnv(readEnv({ ...good, ANTHROPIC_API_KEY: secret })));
  for (const value of [secret, good.WEBHOOK_SECRET, pem.slice(40, 80)]) expect(shown).not.toContain(value);
});

test.each([
  [{}, 'https://api.github.com'],
  [{ GITHUB_API_URL: 'https://ghe.example.com/api/v3/' }, 'https://ghe.example.com/api/v3'],
  [{ GHE_HOST: 'ghe.example.com' }, 'https://ghe.example.com/api/v3'],
  [{ GHE_HOST: '127.0.0.1:4815', GHE_PROTOCOL: 'http' }, 'http://127.0.0.1:4815/api/v3'],
])('%j is the API at %s', (change, url) => {
  expect(readEnv({ ...good, ...change }).github?.apiUrl).toBe(url);
});

test('an unknown EVIDENT_ name is warned about with the nearest one', () => {
  expect(readEnv({ ...good, EVIDENT_MODELS: 'x', EVIDENT_ZZZ: 'x' }).warnings).toEqual([
    'EVIDENT_MODELS is not a setting of Evident and was not read. Did you mean EVIDENT_MODEL?',
    'EVIDENT_ZZZ is not a setting of Evident and was not read.',
  ]);
});

test('http to another machine is warned about, loopback is not', () => {
  expect(readEnv({ ...good, GITHUB_API_URL: 'http://ghe.example.com/api/v3' }).warnings).toHaveLength(1);
  expect(readEnv({ ...good, GITHUB_API_URL: 'http://127.0.0.1:1' }).warnings).toEqual([]);
});

test('lists are split and signing keys come from EVIDENT_SECRET or else from the private key', () => {
  const env = readEnv({
    ...good,
    EVIDENT_NEVER_SEND: 'secrets/**, *.pem',
    EVIDENT_SECRET: 'a'.repeat(16) + ',' + 'b'.repeat(16),
  });
  expect(env.neverSend).toEqual(['secrets/**', '*.pem']);
  const [fromKey] = readEnv(good).signingKeys;
  expect(env.signingKeys).toEqual(['a'.repeat(16), 'b'.repeat(16), fromKey]);
  const [derived, ...rest] = readEnv(good).signingKeys;
  expect(rest).toEqual([]);
  expect(derived).toMatch(/^[\w-]{43}$/);
});

test('on Vercel the default time stays below its limit of five minutes', () => {
  expect(readEnv({ ...good, VERCEL: '1' }).maxMinutes).toBeLessThan(5);
});

test('the terminal leaves the variables of the app alone', () => {
  const env = readEnv({ APP_ID: 'of another program', PRIVATE_KEY: 'too' }, 'terminal');
  expect(env.github).toBeNull();
  expect(env.signingKeys).toEqual([]);
});

test('the variables of the model are handed on under their names, blank ones as unset', () => {
  expect(readEnv({ ...good, EVIDENT_MODEL: ' rules ', EVIDENT_EFFORT: '' }).model.variables).toEqual({
    EVIDENT_MODEL: 'rules',
  });
});
