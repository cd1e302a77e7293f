import fc from 'fast-check';
import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { type Api, apiOfApp, createApi, type Json } from './api.js';

describe('check runs', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let api: Api;
  let number: number;
  let sha: string;
  const path = '/repos/octo-org/shop/check-runs';
  let count = 0;

  beforeAll(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: { 'a.ts': 'one\n' },
    });
    api = await apiOfApp(github);
  });
  afterAll(() => github.close());
  beforeEach(async () => {
    count += 1;
    sha = await repository.commit({
      branch: `c-${count}`,
      from: 'main',
      files: { [`f-${count}`]: 'x\n' },
      message: 'c',
    });
    number = await repository.openPullRequest({ head: `c-${count}`, title: 'Change' });
  });

  test('made, moved on, completed, read back', async () => {
    const made = await api('POST', path, {
      name: 'Evident',
      head_sha: sha,
      status: 'in_progress',
      external_id: 'job-1',
      output: { title: 'Reading', summary: 'reads' },
    });
    expect(made.data).toMatchObject({
      status: 'in_progress',
      conclusion: null,
      external_id: 'job-1',
      app: { slug: 'evident' },
    });
    expect(made.data.pull_requests[0].number).toBe(number);
    const done = await api('PATCH', `${path}/${made.data.id}`, {
      conclusion: 'failure',
      output: { title: 'fix', summary: 's', text: 'pass record' },
    });
    expect(done.data).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      output: { text: 'pass record' },
    });
    expect(done.data.completed_at).not.toBeNull();
    expect((await api('GET', `${path}/${made.data.id}`)).data.external_id).toBe('job-1');
    expect(repository.pull(number).checks).toMatchObject([
      { name: 'Evident', conclusion: 'failure', text: 'pass record' },
    ]);
  });

  test('only the app that made a run may change it, and people make none', async () => {
    const made = await api('POST', path, { name: 'Evident', head_sha: sha });
    const stranger = github.registerApp({ slug: 'stranger', permissions: { checks: 'write' } });
    const other = await apiOfApp(github, stranger);
    expect((await other('PATCH', `${path}/${made.data.id}`, { conclusion: 'success' })).status).toBe(403);
    expect((await other('POST', `${path}/${made.data.id}/rerequest`)).status).toBe(403);
    repository.addCollaborator('admin', 'admin');
    const person = createApi(github, github.tokenOf('admin'));
    expect(
      (await person('POST', path, { name: 'Evident', head_sha: sha, conclusion: 'success' })).status,
    ).toBe(403);
    expect(repository.pull(number).checks[0]?.conclusion).toBeNull();
  });

  test.each([
    ['no name', {}],
    ['an unknown status', { name: 'x', status: 'done' }],
    ['an unknown conclusion', { name: 'x', conclusion: 'passed' }],
    ['completed without a conclusion', { name: 'x', status: 'completed' }],
    ['output without a summary', { name: 'x', output: { title: 't' } }],
    [
      'a text above 65,535 characters',
      { name: 'x', output: { title: 't', summary: 's', text: 'x'.repeat(65_536) } },
    ],
    [
      '51 annotations',
      {
        name: 'x',
        output: {
          title: 't',
          summary: 's',
          annotations: Array.from({ length: 51 }, () => ({
            path: 'a',
            start_line: 1,
            end_line: 1,
            annotation_level: 'notice',
            message: 'm',
          })),
        },
      },
    ],
    ['a commit that is not there', { name: 'x', head_sha: 'a'.repeat(40) }],
  ])('%s is refused', async (_, body) => {
    expect((await api('POST', path, { head_sha: sha, ...body })).status).toBe(422);
    expect(repository.pull(number).checks).toEqual([]);
  });

  test('a refused change changes nothing', async () => {
    const made = await api('POST', path, { name: 'Evident', head_sha: sha, status: 'in_progress' });
    await api('PATCH', `${path}/${made.data.id}`, {
      conclusion: 'success',
      output: { title: 't', summary: 'x'.repeat(65_536) },
    });
    expect(repository.pull(number).checks[0]).toMatchObject({ status: 'in_progress', conclusion: null });
  });

  test('annotations add up and are listed', async () => {
    const annotation = { path: 'a', start_line: 1, end_line: 1, annotation_level: 'notice', message: 'm' };
    const output = { title: 't', summary: 's', annotations: [annotation] };
    const made = await api('POST', path, { name: 'x', head_sha: sha, output });
    await api('PATCH', `${path}/${made.data.id}`, { output });
    expect((await api('GET', `${path}/${made.data.id}/annotations`)).data).toHaveLength(2);
  });

  test('runs of a commit: the newest of a name, or all, by name, by branch', async () => {
    for (const name of ['Evident', 'Evident', 'lint']) await api('POST', path, { name, head_sha: sha });
    const list = async (query: string) =>
      (await api('GET', `/repos/octo-org/shop/commits/${query}`)).data.check_runs.map(
        (run: Json) => run.name,
      );
    expect(await list(`${sha}/check-runs`)).toEqual(['lint', 'Evident']);
    expect(await list(`${sha}/check-runs?filter=all`)).toHaveLength(3);
    expect(await list(`${sha}/check-runs?filter=all&check_name=Evident`)).toHaveLength(2);
    expect(await list(`c-${count}/check-runs?check_name=lint`)).toEqual(['lint']);
  });

  // GitHub: "required status checks must have a successful, skipped, or neutral status".
  test.each([
    ['missing', null, false],
    ['queued', { status: 'queued' }, false],
    ['in progress', { status: 'in_progress' }, false],
    ['success', { conclusion: 'success' }, true],
    ['neutral', { conclusion: 'neutral' }, true],
    ['skipped', { conclusion: 'skipped' }, true],
    ['failure', { conclusion: 'failure' }, false],
    ['action required', { conclusion: 'action_required' }, false],
    ['cancelled', { conclusion: 'cancelled' }, false],
    ['timed out', { conclusion: 'timed_out' }, false],
  ] as const)('a required check that is %s: mergeable is told', async (_, state, expected) => {
    if (state !== null) await api('POST', path, { name: 'Evident', head_sha: sha, ...state });
    expect(repository.pull(number).mergeable(['Evident'])).toBe(expected);
    expect(repository.pull(number).mergeable()).toBe(true);
  });

  test('what else holds a merge: a newer run, a push, a draft, being closed, branch protection', async () => {
    await api('POST', path, { name: 'Evident', head_sha: sha, conclusion: 'success' });
    await api('POST', path, { name: 'Evident', head_sha: sha, status: 'in_progress' });
    expect(repository.pull(number).mergeability(['Evident'])).toEqual({
      kind: 'blocked',
      why: ['Evident: in_progress'],
    });
    await api('POST', path, { name: 'Evident', head_sha: sha, conclusion: 'success' });
    repository.requiredChecks = ['Evident', 'ci'];
    expect(repository.pull(number).mergeable()).toBe(false);
    repository.reportCheck(number, { name: 'ci', conclusion: 'success' });
    expect(repository.pull(number).mergeable()).toBe(true);
    await api('GET', `/repos/octo-org/shop/pulls/${number}`);
    expect((await api('GET', `/repos/octo-org/shop/pulls/${number}`)).data.mergeable_state).toBe('clean');
    expect(
      (await api('GET', '/repos/octo-org/shop/branches/main')).data.protection.required_status_checks
        .contexts,
    ).toEqual(['Evident', 'ci']);
    repository.requiredChecks = [];
    repository.convertToDraft(number);
    expect(repository.pull(number).mergeability(['Evident'])).toEqual({ kind: 'blocked', why: ['draft'] });
    repository.readyForReview(number);
    await repository.commit({ branch: `c-${count}`, files: { more: 'x\n' }, message: 'more' });
    expect(repository.pull(number).mergeability(['Evident'])).toEqual({
      kind: 'blocked',
      why: ['Evident: missing'],
    });
    expect(repository.pull(number).allChecks.filter((run) => run.name === 'Evident')).toHaveLength(3);
  });

  test('of any row of runs the last one decides', async () => {
    const states = ['success', 'failure', 'neutral', 'skipped', 'cancelled', 'queued'] as const;
    const passes = new Set(['success', 'neutral', 'skipped']);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...states), { minLength: 1, maxLength: 5 }), async (row) => {
        for (const state of row)
          await api('POST', path, {
            name: 'row',
            head_sha: sha,
            ...(state === 'queued' ? {} : { conclusion: state }),
          });
        expect(repository.pull(number).mergeable(['row'])).toBe(passes.has(row.at(-1) ?? ''));
      }),
      { numRuns: 10 },
    );
  });
});
