import {
  bug,
  change,
  files,
  plays,
  readAll,
  reviews,
  startWorld,
  type Place,
  type PlaceOrder,
  type World,
} from './world.js';

/** What people say and press on a pull request, through the real handler on the local GitHub. */

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});

afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

afterAll(() => world.close());

/** A pull request of octocat; monalisa may write, hubot maintains, defunkt is nobody here. */
async function opened(order: Partial<PlaceOrder> = {}): Promise<Place> {
  const place = await world.open({
    gate: 'blocking',
    model: reviews([bug]),
    ...order,
    before: (repository) => {
      repository.addCollaborator('monalisa', 'write');
      repository.addCollaborator('hubot', 'maintain');
    },
  });
  places.push(place);
  await place.settled();
  return place;
}

const rootOf = (place: Place): number => {
  const root = place.repository.pull(place.number).threads[0]?.comments[0]?.id;
  if (root === undefined) throw new Error('There is no thread.');
  return root;
};

/** First lines of the first thread's comments. */
const thread = (place: Place): readonly string[] =>
  (place.repository.pull(place.number).threads[0]?.comments ?? []).map(
    ({ body }) => body.split('\n')[0] ?? '',
  );

/** First lines of the comments on the pull request that are ours. */
const answers = (place: Place): readonly string[] =>
  place.repository
    .pull(place.number)
    .comments.filter(({ author }) => author.endsWith('[bot]'))
    .map(({ body }) => body.split('\n')[0] ?? '');

const check = (place: Place): string => place.stands().checks.at(-1) ?? '';

async function says(place: Place, login: string, body: string): Promise<number> {
  const { id } = place.repository.as(login).comment(place.number, body);
  await place.settled();
  return id;
}

async function replies(place: Place, login: string, body: string): Promise<number> {
  const { id } = place.repository.as(login).reply(rootOf(place), body);
  await place.settled();
  return id;
}

const failing = 'head 1: failure, 1 important to fix';
const passing = 'head 1: success, Nothing open, one clean review';

describe('a dismissal in the thread', () => {
  test('by a writer turns the finished check, and the thread says so', async () => {
    const place = await opened();
    expect(place.stands()).toMatchObject({ checks: [failing], mergeable: false });
    await replies(place, 'monalisa', 'dismiss: by design, see ADR 7');
    expect(place.stands()).toMatchObject({ checks: [passing], mergeable: true });
    expect(thread(place)).toEqual([
      expect.stringMatching(
        /^\*\*Dismissed by monalisa \(F1\): "by design, see ADR 7"\.\*\* Not raised again /,
      ),
      'dismiss: by design, see ADR 7',
    ]);
  });

  test('edited away, or deleted, is no dismissal', async () => {
    const place = await opened();
    const id = await replies(place, 'monalisa', 'dismiss: by design');
    expect(place.stands().mergeable).toBe(true);
    place.repository.as('monalisa').editComment(id, 'hm, let me think');
    await place.settled();
    expect(place.stands()).toMatchObject({ checks: [failing], mergeable: false });
    expect(thread(place)[0]).toMatch(/^\*\*Important \(F1, blocks merge\): a refund of 0/);
    place.repository.as('monalisa').editComment(id, 'dismiss: by design after all');
    await place.settled();
    expect(place.stands().mergeable).toBe(true);
    place.repository.as('monalisa').deleteComment(id);
    await place.settled();
    expect(place.stands()).toMatchObject({ checks: [failing], mergeable: false });
  });

  test('by somebody without rights changes nothing, and they are told once', async () => {
    const place = await opened();
    await replies(place, 'defunkt', 'dismiss: trust me');
    await replies(place, 'defunkt', 'dismiss: really, trust me');
    expect(place.stands()).toMatchObject({ checks: [failing], mergeable: false });
    expect(thread(place).filter((line) => line.startsWith('Noted, thanks.'))).toHaveLength(1);
  });

  test("by the author of an agent's pull request changes nothing", async () => {
    const place = await opened({ pull: { head: 'agent/refunds' } });
    await replies(place, 'octocat', 'dismiss: by design');
    expect(place.stands()).toMatchObject({ checks: [failing], mergeable: false });
    await replies(place, 'monalisa', 'dismiss: by design');
    // An agent's change needs two clean reviews: the second one runs without a commit.
    expect(check(place)).toBe('head 1: success, Nothing open, two clean reviews');
  });

  test('does not outlive its code, and survives an edit next door', async () => {
    const place = await opened();
    await replies(place, 'monalisa', 'dismiss: by design');
    await place.push({ 'src/refund.ts': change['src/refund.ts'].replace('const refund', 'const  refund') });
    await place.settled();
    expect(check(place)).toBe('head 2: success, Nothing open, one clean review');
    expect(place.stands().threads).toHaveLength(1);
  });
});

describe('commands', () => {
  test('status, config and help are answered in one comment each', async () => {
    const place = await opened();
    await says(place, 'octocat', '/evident status');
    await says(place, 'monalisa', '/evident config');
    await says(place, 'monalisa', '/evident help');
    expect(answers(place)).toHaveLength(3);
    expect(answers(place)[0]).toMatch(/^\*\*1 important to fix\*\*, at `[0-9a-f]{7}`\.$/);
  });

  test('an unknown one gets one line, and talk between people none', async () => {
    const place = await opened();
    await says(place, 'monalisa', '/evident fly');
    await says(place, 'monalisa', '@octocat shall we merge this on Friday? F1 looks right to me');
    await says(place, 'octocat', 'LGTM');
    expect(answers(place)).toHaveLength(1);
    expect(answers(place)[0]).toMatch(/\/evident help/);
  });

  test('override by a maintainer passes this diff, under their name, and no other', async () => {
    const place = await opened();
    await says(place, 'monalisa', '/evident override hotfix');
    expect(place.stands().mergeable).toBe(false);
    await says(place, 'hubot', '/evident override');
    expect(place.stands().mergeable).toBe(false);
    await says(place, 'hubot', '/evident override hotfix, see INC-12');
    expect(check(place)).toBe('head 1: success, Passed by hubot: "hotfix, see INC-12"');
    expect(place.stands().mergeable).toBe(true);
    await place.push({ 'src/label.ts': `${files['src/label.ts']}// more\n` });
    await place.settled();
    expect(place.stands().mergeable).toBe(false);
  });

  test('pause stops reviews of later pushes, resume catches up', async () => {
    const place = await opened({ model: reviews() });
    await says(place, 'monalisa', '/evident pause');
    await place.push({ 'src/label.ts': `${files['src/label.ts']}// more\n` });
    await place.settled();
    expect(check(place)).toBe('head 2: action_required, Not reviewed: paused by monalisa');
    expect(place.stands().mergeable).toBe(false);
    await says(place, 'monalisa', '/evident resume');
    expect(check(place)).toBe('head 2: success, Nothing open, one clean review');
  });

  test('review starts a new pass; a stranger may not start one', async () => {
    const place = await opened({ model: reviews() });
    await says(place, 'defunkt', '/evident review');
    expect(place.stands().checks).toHaveLength(1);
    await says(place, 'monalisa', '/evident review');
    expect(place.stands().checks).toHaveLength(2);
    expect(place.stands().mergeable).toBe(true);
  });
});

describe('buttons', () => {
  test('re-running the check or its suite starts a new pass in a new check run', async () => {
    const place = await opened({ model: reviews() });
    const run = place.repository.pull(place.number).allChecks.at(-1);
    if (run === undefined) throw new Error('There is no check.');
    place.repository.as('monalisa').rerequest(run.id);
    await place.settled();
    expect(place.stands().checks).toHaveLength(2);
    place.repository.as('defunkt').rerequest(run.id);
    await place.settled();
    expect(place.stands().checks).toHaveLength(2);
    place.repository.as('monalisa').pressAction(run.id, 'review_again');
    await place.settled();
    expect(place.stands().checks).toHaveLength(3);
  });
});

test('a lost delivery costs time and no truth: any later event folds what was said', async () => {
  const place = await opened();
  world.github.faults.addDelivery({
    match: ({ event }) => event === 'pull_request_review_comment' || event === 'pull_request_review',
    times: 10,
    fate: 'lose',
  });
  await replies(place, 'monalisa', 'dismiss: by design');
  expect(place.stands().mergeable).toBe(false);
  world.github.faults.clear();
  await says(place, 'octocat', 'Q9 is nothing');
  expect(place.stands()).toMatchObject({ checks: [passing], mergeable: true });
});

test('a review that was asked for is not lost where another event is handled first', async () => {
  const place = await opened({ pull: { draft: true } });
  expect(check(place)).toMatch(/^head 1: action_required, Not reviewed: draft/);
  world.github.faults.addDelivery({ match: ({ action }) => action === 'created', fate: 'lose' });
  await says(place, 'monalisa', '/evident review');
  await place.push({ 'src/label.ts': `${change['src/label.ts']}// and more\n` });
  await place.settled();
  expect(check(place)).toBe('head 2: failure, 1 important to fix');
});

test('a review that failed is tried again at the word of who may start one, and of nobody else', async () => {
  const model = plays(() => readAll());
  const place = await opened({ model, limits: { turns: 2 } });
  const failed = model.requests.length;
  expect(check(place)).toMatch(/^head 1: action_required, Not finished/);
  await says(place, 'defunkt', '/evident status');
  expect(answers(place)).toHaveLength(1);
  expect(model.requests).toHaveLength(failed);
  await says(place, 'monalisa', '/evident status');
  expect(model.requests.length).toBeGreaterThan(failed);
});

test('settings of the organization that change under a reviewed head: it is reviewed by the new ones', async () => {
  const place = await opened({ model: reviews([]) });
  expect(check(place)).toBe('head 1: success, Nothing open, one clean review');
  await world.github.createRepository({
    owner: 'octo-org',
    name: '.github',
    files: { 'evident.yml': 'max_questions: 1\n' },
  });
  await says(place, 'monalisa', '/evident status');
  expect(check(place)).toBe('head 1: success, Nothing open, one clean review');
  expect(place.stands().checks).toHaveLength(2);
});

test('where two models are offered, the second one confirms', async () => {
  const place = await opened({
    models: [reviews([], { name: 'claude-first' }), reviews([], { name: 'claude-second' })],
    pull: { head: 'agent/refunds' },
  });
  expect(check(place)).toBe('head 1: success, Nothing open, two clean reviews');
  expect(place.checkText()).toMatch(/\| 1st \| .* \| claude-first \|[^]*\| 2nd \| .* \| claude-second \|/);
});
