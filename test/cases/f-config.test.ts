/**
 * Failures of review bots that were reported in public, kind f: settings and deployment. docs/cases.md says in our words
 * what each was. The program is started from its environment, as on a host, and works against the local GitHub.
 */
import { createHmac, createPrivateKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { health } from '../../api/health.js';
import { runServe, startServer } from '../../cli/commands/serve.js';
import { createApp, startApp, type App } from '../../lib/app.js';
import { compose, type ComposeOptions } from '../../lib/compose.js';
import { readEnv } from '../../lib/config/env.js';
import { createAppAuth } from '../../lib/forges/github/index.js';
import type { Delivery } from '../../lib/forges/github/receive-delivery.js';
import { silentLog, type Log } from '../../lib/ports/log.js';
import {
  bug,
  files,
  reviews,
  startWorld,
  threadOfBug,
  type Place,
  type PlaceOrder,
  type World,
} from '../world.js';

let world: World;
let place: Place | undefined;
const endings: (() => unknown)[] = [];

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  await place?.close();
  place = undefined;
  world.github.faults.clear();
});
afterAll(() => world.close());

const open = async (order: Partial<PlaceOrder> = {}): Promise<Place> =>
  (place = await world.open({ gate: 'blocking', model: reviews([bug]), ...order }));

async function played(order: Partial<PlaceOrder> = {}): Promise<Place> {
  const there = await open(order);
  await there.settled();
  return there;
}

const failing = 'head 1: failure, 1 important to fix';

/** What an operator sets. */
const settings = (): Record<string, string> => ({
  EVIDENT_GATE: 'blocking',
  EVIDENT_START: 'automatic',
  EVIDENT_MODEL: 'rules',
  LOG_LEVEL: 'silent',
  APP_ID: String(world.github.app.id),
  PRIVATE_KEY: world.github.app.privateKey,
  WEBHOOK_SECRET: world.github.app.webhookSecret,
  GITHUB_API_URL: world.github.apiUrl,
});

/** The program with these settings, and what it logs as warnings and errors, with their fields. */
async function started(
  change: Readonly<Record<string, string | undefined>> = {},
  options: ComposeOptions = {},
): Promise<{ readonly app: App; readonly logged: readonly string[] }> {
  const logged: string[] = [];
  const tell = (fields: object, message: string): void => {
    const { err } = fields as { readonly err?: Error };
    logged.push(`${message}: ${JSON.stringify(fields)} ${err?.message ?? ''}`);
  };
  const log: Log = { info: () => {}, warn: tell, error: tell };
  const env = readEnv({ ...settings(), ...change });
  const deps = await compose(env, {
    log,
    model: reviews([bug]),
    redeliver: false,
    sleep: () => new Promise((resolve) => setTimeout(resolve, 5)),
    ...options,
  });
  endings.push(() => deps.runner.stop('the test is over'));
  return { app: await createApp(env.github!, deps), logged };
}

/** The newest delivery about the open place, as the program receives it. */
function delivered(action: string): Delivery {
  const last = world.github
    .deliveries()
    .findLast((one) => one.action === action && one.repository === place?.repository.fullName);
  if (last === undefined) throw new Error(`Nothing was ${action}.`);
  return { id: randomUUID(), name: last.event, payload: last.payload };
}

const refusal = (change: Readonly<Record<string, string | undefined>>): string => {
  const shown = health({ ...settings(), ...change }) as {
    readonly configured: boolean;
    readonly missing?: { readonly setting: string; readonly mend: string };
  };
  expect(shown.configured).toBe(false);
  return `${shown.missing?.setting}: ${shown.missing?.mend}`;
};

const lines = (key: string): readonly string[] => key.trim().split('\n');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const pkcs8 = (key: string): string =>
  createPrivateKey(key).export({ type: 'pkcs8', format: 'pem' }) as string;

describe('C123 a private key as dashboards, shells and files leave it', () => {
  const shapes: readonly (readonly [string, (key: string) => string])[] = [
    ['\\n written out', (key) => lines(key).join('\\n')],
    ['\\n written out twice', (key) => lines(key).join('\\\\n')],
    ['CRLF', (key) => lines(key).join('\r\n')],
    ['in quotes, with \\n', (key) => `"${lines(key).join('\\n')}"`],
    ['on one line with spaces', (key) => lines(key).join(' ')],
    ['with spaces around each line', (key) => lines(key).join('  \n   ')],
    ['base64', base64],
    ['base64 in quotes', (key) => `'${base64(key)}'`],
  ];
  test.each(shapes)('C123 %s: GitHub takes what is signed with it', async (_shape, shaped) => {
    const { privateKey, id, slug } = world.github.app;
    const { github } = readEnv({ ...settings(), PRIVATE_KEY: shaped(privateKey) });
    const auth = createAppAuth({
      appId: id,
      privateKey: github!.privateKey,
      apiUrl: world.github.apiUrl,
      log: silentLog,
    });
    expect(await auth.identity()).toMatchObject({ id, slug });
  });

  test('C123 a whole review with one that came through all of them', async () => {
    const there = await open({ started: false });
    const { privateKey } = world.github.app;
    const { app } = await started({ PRIVATE_KEY: ` "${base64(lines(privateKey).join('\r\n'))}" ` });
    await app.receive(delivered('opened'));
    expect(there.stands()).toMatchObject({ threads: [threadOfBug], checks: [failing] });
  });

  test('C123 one that cannot be read stops the start, names its variable and is not repeated', async () => {
    const mark = lines(world.github.app.privateKey)[3] ?? '';
    const cut = world.github.app.privateKey.slice(0, 700);
    const environment = { ...settings(), PRIVATE_KEY: cut };
    const sentence = expect.stringMatching(/^PRIVATE_KEY holds a key that is cut/);
    await expect(startApp(environment)).rejects.toMatchObject({ where: 'PRIVATE_KEY', message: sentence });
    const said: string[] = [];
    const io = {
      stdout: (text: string) => void said.push(text),
      stderr: (text: string) => void said.push(text),
      readStdin: async () => new Uint8Array(),
      isTerminal: false,
      env: environment,
      cwd: process.cwd(),
    };
    await expect(runServe(['--port', '0', '--host', '127.0.0.1'], io)).rejects.toMatchObject({
      message: sentence,
    });
    // It does not begin to listen.
    expect(said).toEqual([]);
    expect(refusal({ PRIVATE_KEY: cut })).not.toContain(mark);
  });
});

describe('C124 other things than the key of a GitHub App', () => {
  test('C124 PKCS#1 and PKCS#8 are the same key', async () => {
    const { privateKey } = world.github.app;
    const read = (key: string) => readEnv({ ...settings(), PRIVATE_KEY: key }).github?.privateKey;
    expect(read(pkcs8(privateKey))).toBe(read(privateKey));
    expect(read(base64(lines(pkcs8(privateKey)).join('\r\n')))).toBe(read(privateKey));
  });

  const openssh = `-----BEGIN OPENSSH PRIVATE KEY-----\n${base64('openssh-key-v1\0'.padEnd(300, 'x'))}\n-----END OPENSSH PRIVATE KEY-----\n`;
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'sec1',
    format: 'pem',
  }) as string;
  test.each([
    ['a key of OpenSSH', openssh, /SSH key, which is not the key of a GitHub App/],
    ['the same in base64, with CRLF', base64(openssh.replaceAll('\n', '\r\n')), /SSH key/],
    ['the client secret', '6f0e2c9a4b7d8135e6f0e2c9a4b7d8135e6f0e2c', /does not begin with "-----BEGIN"/],
    ['a key that is not RSA', elliptic, /not an RSA key/],
  ])('C124 %s is called what it is, and nothing is said of the installation', (_what, value, why) => {
    const sentence = refusal({ PRIVATE_KEY: value });
    expect(sentence).toMatch(/^PRIVATE_KEY: PRIVATE_KEY /);
    expect(sentence).toMatch(why);
    expect(sentence).not.toMatch(/install|DECODER/i);
    for (const line of lines(value)) if (!line.startsWith('-')) expect(sentence).not.toContain(line);
  });

  test('C124 the key of another app: GitHub does not know it, and the log says which two belong together', async () => {
    const there = await open({ started: false });
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const { app, logged } = await started({
      PRIVATE_KEY: other.export({ type: 'pkcs1', format: 'pem' }) as string,
    });
    await app.receive(delivered('opened'));
    expect(logged.join('\n')).toMatch(/check that the app id and the private key belong together/);
    expect(there.stands()).toMatchObject({ checks: [], mergeable: false });
  });
});

describe('C125 the three shapes of GitHub', () => {
  /** The local GitHub behind the addresses of another host; what was asked of which address. */
  function behind(rest: string, graphql: string) {
    const asked: string[] = [];
    const { apiUrl, url } = world.github;
    const send = ((input: string | URL, init?: RequestInit) => {
      const address = String(input);
      asked.push(address);
      if (address === graphql) return fetch(`${url}/api/graphql`, init);
      if (address.startsWith(`${rest}/`)) return fetch(`${apiUrl}${address.slice(rest.length)}`, init);
      if (address.startsWith(`${url}/`)) return fetch(address, init);
      throw new Error(`Nothing is at ${address}.`);
    }) as typeof fetch;
    return { asked, send };
  }

  test.each([
    ['github.com', 'https://api.github.com', 'https://api.github.com/graphql'],
    ['octo.ghe.com', 'https://api.octo.ghe.com', 'https://api.octo.ghe.com/graphql'],
    ['git.example.com', 'https://git.example.com/api/v3', 'https://git.example.com/api/graphql'],
  ])('C125 GHE_HOST=%s: REST, GraphQL, and links as GitHub gives them', async (host, rest, graphql) => {
    const there = await open({ started: false });
    const { asked, send } = behind(rest, graphql);
    const { app, logged } = await started({ GHE_HOST: host, GITHUB_API_URL: undefined }, { fetch: send });
    await app.receive(delivered('opened'));
    expect(logged).toEqual([]);
    expect(there.stands()).toMatchObject({ threads: [threadOfBug], checks: [failing] });
    const elsewhere = asked.filter((address) => address !== graphql && !address.startsWith(`${rest}/`));
    // The archive is where GitHub sends us for it.
    expect(elsewhere.filter((address) => !address.includes('/_codeload/'))).toEqual([]);
    expect(asked).toContain(graphql);

    const pull = there.repository.pull(there.number);
    const texts = [
      ...pull.reviews.map(({ body }) => body),
      ...pull.threads.flatMap(({ comments }) => comments.map(({ body }) => body)),
      there.checkText(),
    ].join('\n');
    const links = [...texts.matchAll(/\]\((https?:[^)]+)\)/g)].map(([, link]) => link ?? '');
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !link.startsWith(`${there.repository.url}/`))).toEqual([]);
  });
});

describe('C126 the secret of the webhook', () => {
  async function serving(environment: Readonly<Record<string, string | undefined>>) {
    const received: unknown[] = [];
    const server = await startServer({
      environment,
      port: 0,
      host: '127.0.0.1',
      load: async () => ({ receive: async (delivery) => void received.push(delivery) }),
      log: silentLog,
    });
    endings.push(() => server.stop());
    return { url: `${server.url}/api/github/webhooks`, received, idle: () => server.idle() };
  }

  const body = JSON.stringify({ action: 'opened', pull_request: { state: 'open' } });
  const sign = (secret: string, algorithm = 'sha256'): string =>
    `${algorithm}=${createHmac(algorithm, secret).update(body).digest('hex')}`;
  const send = async (url: string, signature: Readonly<Record<string, string>>): Promise<number> => {
    const headers = {
      // A kept one may be closed by the server in the very moment of use.
      connection: 'close',
      'content-type': 'application/json',
      'x-github-event': 'pull_request',
      'x-github-delivery': randomUUID(),
      ...signature,
    };
    return (await fetch(url, { method: 'POST', body, headers })).status;
  };

  test.each([
    ['unset', undefined],
    ['empty', ''],
    ['blank', '  '],
    ['the one that everybody knows', 'development'],
  ])(
    'C126 %s: nothing is taken, whoever signed it, and the program does not start',
    async (_what, secret) => {
      const environment = { ...settings(), WEBHOOK_SECRET: secret };
      const { url, received } = await serving(environment);
      for (const with_ of ['', 'development', 'undefined', secret ?? ''])
        expect(await send(url, { 'x-hub-signature-256': sign(with_) })).toBe(500);
      expect(await send(url, {})).toBe(500);
      expect(received).toEqual([]);
      await expect(startApp(environment)).rejects.toMatchObject({ where: 'WEBHOOK_SECRET' });
    },
  );

  test('C126 set: only its sha256 over the bytes counts', async () => {
    const secret = world.github.app.webhookSecret;
    const { url, received, idle } = await serving(settings());
    const right = sign(secret);
    const wrong: readonly Readonly<Record<string, string>>[] = [
      {},
      { 'x-hub-signature': sign(secret, 'sha1') },
      { 'x-hub-signature-256': sign(secret, 'sha1') },
      { 'x-hub-signature-256': sign(secret, 'sha1').replace('sha1', 'sha256') },
      { 'x-hub-signature-256': right.slice(0, -1) },
      { 'x-hub-signature-256': `${right}0` },
      { 'x-hub-signature-256': right.replace('sha256=', '') },
      { 'x-hub-signature-256': 'sha256=' },
      { 'x-hub-signature-256': sign('another secret') },
    ];
    for (const headers of wrong) expect([headers, await send(url, headers)]).toEqual([headers, 401]);
    await idle();
    expect(received).toEqual([]);
    expect(await send(url, { 'x-hub-signature-256': right })).toBe(202);
    await idle();
    expect(received).toHaveLength(1);
  });
});

describe('C127 an installation that is suspended or gone', () => {
  const answers = (event: string): readonly unknown[] =>
    world.github
      .deliveries()
      .filter((one) => one.event === event)
      .map(({ outcome }) => outcome);
  const tokens = (): number =>
    world.github.requests().filter(({ path }) => path.endsWith('/access_tokens')).length;

  test('C127 suspended: said once, answered 202, asked once; and it goes on afterwards', async () => {
    const there = await open({ started: false });
    const { app, logged } = await started();
    world.github.suspend(true);
    endings.push(() => world.github.suspend(false));
    world.github.clearRequests();
    await app.receive(delivered('opened'));
    expect(tokens()).toBe(1);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/suspended/i);
    expect(there.stands().checks).toEqual([]);
    world.github.suspend(false);
    await app.receive(delivered('opened'));
    expect(there.stands().checks).toEqual([failing]);
  });

  test('C127 uninstalled while a delivery is under way: said once; installed again it works', async () => {
    const there = await open({ started: false });
    const { app, logged } = await started();
    world.github.uninstall();
    world.github.clearRequests();
    await app.receive(delivered('opened'));
    world.github.install();
    expect(tokens()).toBe(1);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/is not installed on octo-org\/shop-\d+ any more/);
    await there.push({ 'README.md': '# shop, again\n' });
    await world.github.settled();
    await app.receive(delivered('synchronize'));
    expect(there.stands().checks).toEqual(['head 2: failure, 1 important to fix']);
  });

  test('C127 events about the installation itself are answered, and nothing is done', async () => {
    const there = await played();
    const before = there.stands();
    world.github.clearRequests();
    world.github.suspend(true);
    world.github.suspend(false);
    world.github.acceptPermissions(there.repository.permissions);
    world.github.selectRepository(there.repository.fullName, false);
    world.github.selectRepository(there.repository.fullName, true);
    await there.settled();
    expect(answers('installation').length).toBeGreaterThanOrEqual(3);
    for (const event of ['installation', 'installation_repositories'])
      for (const outcome of answers(event).slice(-2))
        expect(outcome).toEqual({ kind: 'answered', status: 202 });
    expect(world.github.requests()).toEqual([]);
    expect(there.warned).toEqual([]);
    expect(there.stands()).toEqual(before);
  });
});

describe('C128 a permission that an owner has not accepted', () => {
  test('C128 what needs it is left out and named with the page to accept it on; once accepted it works', async () => {
    const there = await played({ permissions: { contents: 'read', checks: 'write', pull_requests: 'read' } });
    expect(there.stands()).toMatchObject({
      reviews: [],
      threads: [],
      checks: [expect.stringMatching(/^head 1: failure, 1 important to fix/)],
      mergeable: false,
    });
    expect(there.checkText()).toMatch(
      /An owner accepts "pull_requests=write" at http\S+\/organizations\/octo-org\/settings\/installations\/\d+/,
    );
    const refused = world.github
      .requests()
      .filter(({ path, status }) => path.includes(there.repository.fullName) && status === 403);
    expect(refused).toEqual([]);

    // At once, not when the token that is kept has run out.
    world.github.acceptPermissions({ contents: 'read', checks: 'write', pull_requests: 'write' });
    await there.push({ 'README.md': '# shop, again\n' });
    await there.settled();
    expect(there.stands()).toMatchObject({ threads: [threadOfBug], mergeable: false });
    expect(there.checkText()).not.toMatch(/An owner accepts/);
  });

  test('C128 without the one that everything hangs on: a check that says so, and nothing passes', async () => {
    const there = await played({ permissions: { checks: 'write', pull_requests: 'write' } });
    expect(there.stands()).toMatchObject({
      checks: ['head 1: action_required, Not reviewed: permission missing'],
      mergeable: false,
    });
    expect(there.checkText()).toMatch(/"contents=read" at http/);
    world.github.acceptPermissions({ contents: 'read', checks: 'write', pull_requests: 'write' });
    await there.push({ 'README.md': '# shop, again\n' });
    await there.settled();
    expect(there.stands().checks.at(-1)).toBe('head 2: failure, 1 important to fix');
  });
});

describe('C129 settings that cannot be used', () => {
  const { input } = JSON.parse(
    readFileSync(new URL('../fixtures/cases/op09-configs.json', import.meta.url), 'utf8'),
  ) as { readonly input: { readonly files: readonly string[] } };
  const [tab = '', twice = '', unknown = '', quoted = '', block = '', bracket = ''] = input.files;

  const rows: readonly (readonly [what: string, text: string, says: RegExp])[] = [
    ['a tab (op09)', tab, /line 2\D.*replace the tab/],
    ['a key twice (op09)', twice, /line 1\D.*`?language`?.*twice, on lines 1 and 2/],
    ['an unknown key (op09)', unknown, /line 1\D.*`lang`.*Did you mean `language`/],
    ['a number in quotes (op09)', quoted, /line 1\D.*`max_comments`.*Did you mean `max_threads`/],
    ['an unknown key in the gate (op09)', block, /line 1\D.*`block_on`/],
    ['an open bracket (op09)', bracket, /line 2\D.*not valid YAML/],
    ['a value with a capital letter', 'gate:\n  mode: Advisory\n', /line 2\D.*`advisory` or `blocking`/],
    [
      'rights that there are not',
      'authority: { dismiss: anyone, override: everybody }\n',
      /line 1\D.*authority\.dismiss/,
    ],
  ];
  test.each(rows)(
    'C129 %s: reviewed by the defaults, and told with line and reason',
    async (_what, text, says) => {
      const there = await played({ files: { ...files, '.github/evident.yml': text } });
      // The gate is as the operator set it, never more open.
      expect(there.stands()).toMatchObject({ threads: [threadOfBug], checks: [failing], mergeable: false });
      expect(there.checkText()).toMatch(/Not usable in the settings/);
      expect(there.checkText()).toMatch(new RegExp(`\\.github/evident\\.yml.*${says.source}`));
      // Nobody gained the right to clear a finding.
      there.repository
        .as('defunkt')
        .reply(there.repository.pull(there.number).threads[0]?.id ?? '', 'dismiss: trust me');
      await there.settled();
      expect(there.stands().mergeable).toBe(false);
    },
  );

  test('C129 it is told as well where nothing is reviewed', async () => {
    const there = await played({
      files: { ...files, '.github/evident.yml': 'start: automatik\n' },
      environment: { EVIDENT_START: undefined },
    });
    expect(there.stands()).toMatchObject({
      checks: ['head 1: action_required, Not reviewed: not asked for yet'],
      mergeable: false,
    });
    expect(there.checkText()).toMatch(/\.github\/evident\.yml.*line 1\D.*`on_request` or `automatic`/);
  });
});
