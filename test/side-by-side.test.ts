import { ModelError } from '../lib/core/errors.js';
import { noUsage } from '../lib/core/budget.js';
import { calls } from '../lib/models/scripted.js';
import type { ModelRequest, ModelTurn } from '../lib/ports/model.js';
import {
  bug,
  change,
  files,
  plays,
  readAll,
  startWorld,
  submit,
  threadOfBug,
  type Place,
  type World,
} from './world.js';

/** Several reviewers that read one change at the same time, and what their vote lets block. */

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});

afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

afterAll(() => world.close());

type Lens = 'correctness' | 'contracts' | 'security';

/** Each reviewer knows its part by its opening: nothing else tells one from the other. */
function lensOf({ messages }: ModelRequest): Lens {
  const text = JSON.stringify(messages[0]);
  const lens = (['correctness', 'contracts', 'security'] as const).find((one) =>
    text.includes(`Emphasis of this pass: ${one}`),
  );
  if (lens === undefined) throw new Error(`No emphasis in ${text.slice(0, 200)}`);
  return lens;
}

async function opened(
  gate: string,
  turn: (at: {
    readonly lens: Lens;
    readonly step: number;
    readonly round: number;
  }) => ModelTurn | Promise<ModelTurn>,
): Promise<Place> {
  const begun: Partial<Record<Lens, number>> = {};
  const place = await world.open({
    gate: 'blocking',
    model: plays(({ step, request }) => {
      const lens = lensOf(request);
      if (step === 0) begun[lens] = (begun[lens] ?? 0) + 1;
      return turn({ lens, step, round: begun[lens] ?? 0 });
    }),
    pull: { head: 'agent/refunds' },
    changes: change,
    before: (repository) =>
      repository.commit({
        branch: 'main',
        files: { '.github/evident.yml': `gate:\n  mode: blocking\n${gate}` },
        message: 'Settings',
        author: 'monalisa',
      }),
  });
  places.push(place);
  await place.settled();
  return place;
}

/** Reads all; those who are named find the bug. */
const found =
  (...by: readonly Lens[]) =>
  ({ lens, step }: { readonly lens: Lens; readonly step: number }): ModelTurn =>
    step === 0 ? readAll() : submit(by.includes(lens) ? [bug] : []);

const firstLines = (place: Place): readonly (string | undefined)[] =>
  place.repository.pull(place.number).threads.map(({ comments }) => comments[0]?.body.split('\n')[0]);

const check = (place: Place): string => place.stands().checks.at(-1) ?? '';

test('two read at the same time, and two clean reviews are two', async () => {
  const waiting: (() => void)[] = [];
  const place = await opened('  reviewers: 2\n', async (at) => {
    // Nobody goes on before the other one has begun.
    if (at.step === 0) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 2) for (const go of waiting) go();
      });
    }
    return found()(at);
  });
  expect(place.stands()).toMatchObject({
    checks: ['head 1: success, Nothing open, two clean reviews'],
    mergeable: true,
    reviews: [],
  });
  expect(place.checkText()).toContain('Two reviewers read side by side, none knowing what the others found.');
  expect(place.checkText()).toMatch(
    /1st \| correctness \| as shown[\s\S]*2nd \| contracts and callers \| reverse/,
  );
});

test('what any of them finds blocks, and what two find is one finding', async () => {
  const place = await opened('  reviewers: 3\n', found('contracts', 'security'));
  expect(place.stands()).toMatchObject({
    checks: ['head 1: failure, 1 important to fix'],
    mergeable: false,
  });
  expect(place.stands().threads).toEqual([expect.stringContaining(threadOfBug)]);
});

describe('by a vote of two of three', () => {
  const vote = '  reviewers: 3\n  votes: 2\n';

  test('what one finds is listed, blocks nothing and opens no thread', async () => {
    const place = await opened(vote, found('security'));
    expect(place.stands()).toMatchObject({
      checks: ['head 1: success, Nothing open, three clean reviews'],
      mergeable: true,
      threads: [],
    });
    expect(place.checkText()).toContain('1 possible');
    expect(place.checkText()).toMatch(
      /\*\*F1\*\* possible, .*1 of 3 reviewers found it, and the settings ask for 2/,
    );
    expect(place.checkText()).toMatch(
      /What fewer than 2 of 3 reviewers find does not block .*\d+\.\d % of those that passed where two of three had to agree still had a bug/,
    );
    // Another event folds it from what stands there, to the same end.
    place.repository.as('octocat').comment(place.number, '/evident status');
    await place.settled();
    expect(place.stands().mergeable).toBe(true);
    expect(place.repository.pull(place.number).comments.at(-1)?.body).not.toContain('important');
  });

  test('what two find blocks', async () => {
    const place = await opened(vote, found('correctness', 'security'));
    expect(place.stands()).toMatchObject({
      checks: ['head 1: failure, 1 important to fix'],
      mergeable: false,
    });
  });

  test.each(['refused', 'failed'])('who did not finish (%s) clears nothing by that', async (how) => {
    const place = await opened(vote, (at) => {
      if (at.lens !== 'contracts' || at.step === 0) return found('security')(at);
      if (how === 'failed') throw new ModelError('The model is overloaded (529).', { retryable: false });
      return { content: [], stop: { kind: 'refusal', detail: 'cyber' }, usage: noUsage };
    });
    expect(place.stands()).toMatchObject({
      checks: ['head 1: failure, 1 important to fix'],
      mergeable: false,
    });
    expect(place.checkText()).toContain('One of them did not finish and counts as nothing clean.');
  });

  test('what was outvoted gets its thread, under its number, when the next round finds it more often', async () => {
    const place = await opened(vote, (at) =>
      found(...(at.round === 1 ? (['security'] as const) : (['security', 'contracts'] as const)))(at),
    );
    expect(place.stands().threads).toEqual([]);
    await place.push({ 'README.md': '# shop\n\nRefunds.\n' });
    await place.settled();
    expect(place.stands()).toMatchObject({ mergeable: false });
    expect(firstLines(place)).toEqual([expect.stringContaining('Important (F1, blocks merge)')]);
    expect(place.stands().checks.at(-1)).toBe('head 2: failure, 1 important to fix');
  });

  test('what blocked once is not outvoted later: only its code or a person clears it', async () => {
    const place = await opened(vote, (at) =>
      found(...(at.round === 1 ? (['security', 'contracts'] as const) : []))(at),
    );
    await place.push({ 'README.md': '# shop\n\nRefunds.\n' });
    await place.settled();
    expect(check(place)).toBe('head 2: failure, 1 important to fix');
    await place.push({ 'src/refund.ts': files['src/refund.ts'] });
    await place.settled();
    expect(check(place)).toBe('head 3: success, Nothing open, three clean reviews');
  });
});

test('one that says fixed does not outweigh one that still finds it', async () => {
  const place = await opened('  reviewers: 2\n', ({ lens, step, round }) => {
    if (step === 0) return readAll();
    return submit(round === 1 || lens === 'contracts' ? [bug] : []);
  });
  expect(check(place)).toBe('head 1: failure, 1 important to fix');
  await place.push({ 'src/label.ts': `${change['src/label.ts']}// more\n` });
  await place.settled();
  expect(check(place)).toBe('head 2: failure, 1 important to fix');
  expect(firstLines(place)).toEqual([expect.stringContaining('Important (F1, blocks merge)')]);
  expect(place.checkText()).not.toContain('back since');
});

test('what two ask is one question', async () => {
  const asks = (): ModelTurn =>
    calls({
      name: 'submit_code_review',
      input: {
        findings: [],
        humanReviewRequests: [
          {
            finding: { ...bug, confidence: 'medium' },
            reason: 'nothing in the repository says what the provider does with 0',
            searched: ['provider'],
            question: 'Does the provider take a refund of 0?',
            answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
          },
        ],
      },
    });
  const looks = (): ModelTurn =>
    calls(
      { name: 'get_pr_diff', input: {} },
      { name: 'search_code', input: { pattern: 'provider' } },
      { name: 'get_file_content', input: { path: 'src/order.ts' } },
    );

  const place = await opened('  reviewers: 2\n', ({ step }) => (step === 0 ? looks() : asks()));
  expect(firstLines(place)).toEqual(['**Question (Q1): does the provider take a refund of 0?**']);
});
