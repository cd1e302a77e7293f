import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type LocalGitHub, startLocalGitHub, validateManifest } from '../../local-github/index.js';
import { apiOfApp, createApi, type Json, signJwt } from './api.js';

const good = {
  name: 'Reader',
  url: 'https://example.com/reader',
  hook_attributes: { url: 'https://example.com/hook' },
  redirect_url: 'https://example.com/done',
  default_events: ['pull_request', 'check_run'],
  default_permissions: { pull_requests: 'write', checks: 'write', metadata: 'read' },
} as const;

describe('an app’s manifest', () => {
  test('the app’s own is what GitHub takes', () => {
    const own: unknown = parse(readFileSync(new URL('../../app.yml', import.meta.url), 'utf8'));
    expect(validateManifest(own)).toEqual([]);
    expect(validateManifest(good)).toEqual([]);
  });

  test.each<[string, unknown, RegExp]>([
    ['no object', 'a text', /must be an object/],
    ['no address', { ...good, url: undefined }, /"url" wasn't supplied/],
    ['an address without a scheme', { ...good, url: 'example.com' }, /url must be an http/],
    ['a webhook without an address', { ...good, hook_attributes: {} }, /hook_attributes.url/],
    ['a name above 34 characters', { ...good, name: 'x'.repeat(35) }, /maximum is 34/],
    ['an unknown permission', { ...good, default_permissions: { pulls: 'read' } }, /no permission pulls/],
    ['metadata to write', { ...good, default_permissions: { metadata: 'write' } }, /metadata can be read/],
    ['an unknown event', { ...good, default_events: ['pull_requests'] }, /no event pull_requests/],
    ['an event that comes unasked', { ...good, default_events: ['installation'] }, /sent to every app/],
    [
      'an event without its permission',
      { ...good, default_events: ['push'] },
      /push needs the permission contents/,
    ],
    [
      'an event whose permission is none',
      { ...good, default_permissions: { pull_requests: 'none' } },
      /pull_request needs the permission pull_requests/,
    ],
  ])('%s is told', (_, manifest, sentence) => {
    expect(validateManifest(manifest).join('\n')).toMatch(sentence);
  });

  test('either of two permissions opens an event', () => {
    const manifest = (permission: string) => ({
      ...good,
      default_events: ['label'],
      default_permissions: { [permission]: 'read' },
    });
    expect(validateManifest(manifest('issues'))).toEqual([]);
    expect(validateManifest(manifest('pull_requests'))).toEqual([]);
    expect(validateManifest(manifest('checks'))).toHaveLength(1);
  });
});

describe('registering an app from its manifest', () => {
  let github: LocalGitHub;
  let time = Date.now();
  beforeAll(async () => {
    github = await startLocalGitHub({ clock: () => time });
    await github.createRepository({ owner: 'octo-org', name: 'shop', files: { 'a.ts': 'a\n' } });
  });
  afterAll(() => github.close());

  const send = (manifest: unknown, query = '') =>
    fetch(`${github.url}/organizations/octo-org/settings/apps/new${query}`, {
      method: 'POST',
      body: new URLSearchParams({ manifest: JSON.stringify(manifest) }),
      redirect: 'manual',
    });
  const convert = (code: string) => createApi(github, null)('POST', `/app-manifests/${code}/conversions`);

  test('the browser is led back with a code, the code becomes the app once, and the app can be installed', async () => {
    const answer = await send(good, '?state=abc');
    const back = new URL(answer.headers.get('location') ?? '');
    expect([answer.status, back.origin, back.searchParams.get('state')]).toEqual([
      302,
      'https://example.com',
      'abc',
    ]);
    const code = back.searchParams.get('code') ?? '';
    const made = await convert(code);
    expect(made.status).toBe(201);
    expect(made.data).toMatchObject({
      slug: 'reader',
      events: good.default_events,
      permissions: good.default_permissions,
      owner: { login: 'octo-org' },
    });
    expect([made.data.pem, made.data.webhook_secret, made.data.client_id]).toEqual([
      expect.stringContaining('PRIVATE KEY'),
      expect.stringMatching(/^\w{20,}$/),
      expect.stringMatching(/^Iv/),
    ]);
    expect((await convert(code)).status).toBe(404);
    const app = { ...github.app, id: made.data.id, privateKey: made.data.pem };
    const asApp = createApi(github, signJwt(app), 'Bearer');
    expect((await asApp('GET', '/app')).data.installations_count).toBe(0);
    expect((await asApp('GET', '/repos/octo-org/shop/installation')).status).toBe(404);
    github.install('reader');
    // Not held to the description: the list's wants accounts to be people and enterprises at once.
    const listed = await fetch(`${github.apiUrl}/app/installations`, {
      headers: { authorization: `Bearer ${signJwt(app)}` },
    });
    const [installation] = (await listed.json()) as Json[];
    expect(installation.permissions).toEqual(good.default_permissions);
    const api = await apiOfApp(github, { ...app, installationId: installation.id as number });
    expect((await api('GET', '/repos/octo-org/shop/pulls')).status).toBe(200);
    expect((await api('GET', '/repos/octo-org/shop/git/trees/main')).status).toBe(403);
  });

  test('what GitHub does not take is told in sentences', async () => {
    const answer = await send({ ...good, name: 'Other', default_events: ['push'] });
    const body = (await answer.json()) as Json;
    expect([answer.status, body.errors]).toEqual([
      422,
      ['default_events: push needs the permission contents: read.'],
    ]);
    const again = await send(good);
    expect([again.status, ((await again.json()) as Json).errors]).toEqual([422, ['name is already taken.']]);
    const form = await fetch(`${github.url}/settings/apps/new`, { method: 'POST', body: 'manifest' });
    expect(form.status).toBe(422);
  });

  test('a code is good for an hour', async () => {
    const code = github.submitManifest({ ...good, name: 'Late' });
    time += 3_600_000;
    expect((await convert(code)).status).toBe(404);
    expect((await convert('madeup')).status).toBe(404);
  });
});

describe('code owners', () => {
  test('errors with their place, and 404 without a file', async () => {
    const github = await startLocalGitHub();
    const repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: {
        '.github/CODEOWNERS':
          '# who owns what\n*.ts @writer @stranger\n!docs/ @writer\n/src/ writer owner@example.com\n',
        CODEOWNERS: '!ignored @nobody\n',
      },
    });
    repository.addCollaborator('writer', 'write');
    await github.createRepository({ owner: 'octo-org', name: 'bare', files: { 'a.ts': 'a\n' } });
    const api = await apiOfApp(github);
    const answer = await api('GET', '/repos/octo-org/shop/codeowners/errors?ref=main');
    expect(
      answer.data.errors.map((each: Json) => [each.line, each.column, each.kind, each.path] as unknown),
    ).toEqual([
      [2, 14, 'Unknown owner', '.github/CODEOWNERS'],
      [3, 1, 'Invalid pattern', '.github/CODEOWNERS'],
      [4, 7, 'Invalid owner', '.github/CODEOWNERS'],
    ]);
    expect((await api('GET', '/repos/octo-org/bare/codeowners/errors')).status).toBe(404);
    await github.close();
  });
});
