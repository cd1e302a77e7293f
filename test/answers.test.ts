/** Questions and their answers, through the real handler on the local GitHub. */
import fc from 'fast-check';
import type { AnswerEffects } from '../lib/core/question.js';
import { calls, type ScriptedModel } from '../lib/models/scripted.js';
import { change, plays, startWorld, type Place, type PlaceOrder, type World } from './world.js';

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});
afterAll(() => world.close());

const asked = 'Does the provider refuse a refund of 0?';

type Asker = ScriptedModel & {
  /** Prompts of the reviews, oldest first. */
  readonly reviews: () => readonly string[];
  /** Where the doubtful line stands from now on; null: nothing is doubtful any more. */
  readonly sees: (at: { readonly line: number; readonly code: string } | null) => void;
};

/** A model that asks the one question at every review, and reads nobody's words. */
function asks(answerEffects: AnswerEffects = usual, held: () => Promise<void> = async () => {}): Asker {
  let at: { readonly line: number; readonly code: string } | null = {
    line: 5,
    code: '  return refund || order.total;',
  };
  const reviews: string[] = [];
  const model = plays(async ({ step, request }) => {
    if (!request.tools.some(({ name }) => name === 'submit_code_review'))
      throw new Error('A plain answer is read by code.');
    if (step === 0) {
      reviews.push(JSON.stringify(request.messages[0]));
      return calls(
        { name: 'get_pr_diff', input: {} },
        { name: 'search_code', input: { pattern: 'provider' } },
        { name: 'get_file_content', input: { path: 'src/order.ts' } },
      );
    }
    await held();
    return calls({
      name: 'submit_code_review',
      input: { findings: [], humanReviewRequests: at === null ? [] : [requestAt(at, answerEffects)] },
    });
  });
  return { ...model, requests: model.requests, reviews: () => reviews, sees: (next) => void (at = next) };
}

const usual: AnswerEffects = { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' };

const requestAt = (
  { line, code }: { readonly line: number; readonly code: string },
  answerEffects: AnswerEffects,
) => ({
  finding: {
    path: 'src/refund.ts',
    line,
    code,
    rule: 'falsy-zero',
    severity: 'important',
    category: 'logic',
    confidence: 'medium',
    title: 'a refund of 0 gives back the whole total',
    body: '`refundFor` returns 0 when nothing is left, and `||` turns that 0 into the total.',
    evidence: [
      {
        path: 'src/order.ts',
        ref: 'head',
        start: 3,
        end: 3,
        quote: '/** 0 when nothing is left to give back. */',
      },
    ],
  },
  reason: 'nothing in the repository says what the provider does with 0',
  searched: ['provider'],
  question: asked,
  answerEffects,
});

/** A pull request of octocat, who may write; monalisa may write, hubot maintains, defunkt is nobody here. */
async function opened(model: ScriptedModel, order: Partial<PlaceOrder> = {}): Promise<Place> {
  const place = await world.open({
    gate: 'blocking',
    model,
    ...order,
    before: async (repository) => {
      repository.addCollaborator('monalisa', 'write');
      repository.addCollaborator('hubot', 'maintain');
      repository.addCollaborator('helper[bot]', 'write');
      await order.before?.(repository);
    },
  });
  places.push(place);
  await place.settled();
  return place;
}

const comments = (place: Place) => place.repository.pull(place.number).threads[0]?.comments ?? [];
const rootOf = (place: Place): number => {
  const root = comments(place)[0]?.id;
  if (root === undefined) throw new Error('There is no thread.');
  return root;
};
const replies = async (place: Place, login: string, body: string): Promise<number> => {
  const { id } = place.repository.as(login).reply(rootOf(place), body);
  await place.settled();
  return id;
};

const edits = async (place: Place, login: string, id: number, body: string): Promise<void> => {
  place.repository.as(login).editComment(id, body);
  await place.settled();
};
const deletes = async (place: Place, login: string, id: number): Promise<void> => {
  place.repository.as(login).deleteComment(id);
  await place.settled();
};
const comment = async (place: Place, login: string, body: string): Promise<number> => {
  const { id } = place.repository.as(login).comment(place.number, body);
  await place.settled();
  return id;
};
const pushes = async (place: Place, files: Parameters<Place['push']>[0]): Promise<void> => {
  await place.push(files);
  await place.settled();
};

const firstLine = (body: string): string => body.split('\n')[0] ?? '';
/** The first line of the first comment of the nth thread. */
const state = (place: Place, nth = 0): string =>
  firstLine(place.repository.pull(place.number).threads[nth]?.comments[0]?.body ?? '');
/** First lines of our replies in the first thread. */
const told = (place: Place): readonly string[] =>
  comments(place)
    .slice(1)
    .filter(({ author }) => author === 'evident[bot]')
    .map(({ body }) => firstLine(body));
/** First lines of our comments on the pull request. */
const lines = (place: Place): readonly string[] =>
  place.repository
    .pull(place.number)
    .comments.filter(({ author }) => author === 'evident[bot]')
    .map(({ body }) => firstLine(body));
const check = (place: Place): string =>
  place
    .stands()
    .checks.at(-1)
    ?.replace(/^head \d+: /, '') ?? '';
const isResolved = (place: Place): boolean | undefined =>
  place.repository.pull(place.number).threads[0]?.isResolved;

const open = '**Question (Q1): does the provider refuse a refund of 0?**';
const openAgain = '**Open again (Q1).** The answer that stood here is gone.';
const yesBy = (login: string): string =>
  `**Answered yes by ${login} (Q1): does the provider refuse a refund of 0?** No finding.`;
const becameBy = (login: string, said = 'no'): string =>
  `**Important (F1, blocks merge): a refund of 0 gives back the whole total.** Was Q1; ${login} answered ${said}.`;
const possibleBy = (login: string, said = 'is not sure'): string =>
  `**Possible (Q1, does not block): a refund of 0 gives back the whole total.** ${login} ${said}.`;
const thanks = /^Thanks\. So this is a finding now, \*\*Important \(F1, blocks merge\): a refund of 0/;
const waits = 'success, Nothing to fix, one clean review; open: Q1';
const passes = 'success, Nothing open, one clean review';
const fails = 'failure, 1 important to fix';

const nextDoor = { 'src/label.ts': `${change['src/label.ts']}// next door\n` };
/** The doubtful line says something else. */
const otherLine = '  return refund || order.total || 0;';
const otherLines = {
  'src/refund.ts': change['src/refund.ts'].replace('  return refund || order.total;', otherLine),
};

describe.each([
  ['default permissions', undefined],
  ['contents: write', 'write'],
] as const)('with %s', (_name, contents) => {
  const withRights = (order: Partial<PlaceOrder> = {}): Partial<PlaceOrder> => ({
    ...order,
    ...(contents !== undefined && { permissions: { ...world.github.app.permissions, contents } }),
  });
  const settles = contents !== undefined;

  test('no includes, not sure lowers, yes suppresses: the last answer counts, before and after a push', async () => {
    const model = asks();
    const place = await opened(model, withRights());
    expect([state(place), check(place), isResolved(place)]).toEqual([open, waits, false]);

    await replies(place, 'octocat', 'no');
    expect([state(place), check(place), isResolved(place)]).toEqual([becameBy('octocat'), fails, false]);
    expect(told(place)).toEqual([expect.stringMatching(thanks)]);
    expect(place.stands().reviews[0]).toMatch(/^\*\*1 important\.\*\* /);
    expect(place.checkText()).toMatch(/"important":1,.*"questions_open":0,.*"blocking":\["F1"\]/);

    await replies(place, 'monalisa', 'not sure');
    expect([state(place), check(place), isResolved(place)]).toEqual([possibleBy('monalisa'), passes, false]);
    expect(told(place)).toHaveLength(2);
    expect(told(place)[1]).toMatch(/^Now read as not sure \(monalisa, .*\)\. octocat said no at .*The last/);

    await replies(place, 'monalisa', 'yes, their API answers 422');
    expect([state(place), check(place), isResolved(place)]).toEqual([yesBy('monalisa'), passes, settles]);
    expect(comments(place)[0]?.body).toContain('> their API answers 422');
    expect(comments(place)[0]?.body.includes('You can resolve this conversation.')).toBe(!settles);
    // Of the same person, who knows: nothing is said.
    expect(told(place)).toHaveLength(2);

    // The model insists, and the lines are the same: nothing is raised again.
    const before = comments(place)[0]?.body;
    await pushes(place, nextDoor);
    expect(model.reviews()).toHaveLength(2);
    expect([state(place), check(place), isResolved(place)]).toEqual([yesBy('monalisa'), passes, settles]);
    expect(comments(place)[0]?.body).toBe(before);
    expect(place.stands().threads).toHaveLength(1);
    expect(place.checkText()).toContain('already asked as Q1');

    await replies(place, 'octocat', 'no');
    expect([state(place), check(place)]).toEqual([becameBy('octocat'), fails]);

    // Every answer was read by code.
    expect(model.requests).toHaveLength(4);
    expect(place.warned).toEqual([]);
  });

  test('passed on, people are asked once, and a no of somebody else decides', async () => {
    const model = asks({ yes: 'suppress_finding', no: 'escalate', unsure: 'escalate' });
    const place = await opened(
      model,
      withRights({
        before: (repository) =>
          repository.commit({
            branch: 'main',
            files: { '.github/evident.yml': 'gate: { mode: blocking, escalate_to: [hubot] }\n' },
            message: 'Settings',
            author: 'hubot',
          }),
      }),
    );
    await replies(place, 'octocat', 'no');
    const passedOn = (login: string): string => `**Passed on by ${login} (Q1): a person decides.**`;
    const decides = 'action_required, A person decides: hubot';
    expect([state(place), check(place)]).toEqual([passedOn('octocat'), decides]);
    await replies(place, 'monalisa', 'not sure');
    await place.redeliver('created');
    await pushes(place, nextDoor);
    expect([state(place), check(place)]).toEqual([passedOn('monalisa'), decides]);
    expect(lines(place)).toEqual(['**@hubot, please decide (Q1): does the provider refuse a refund of 0?**']);
    expect(place.repository.pull(place.number).requestedReviewers).toEqual(['hubot']);
    const id = await replies(place, 'hubot', 'no');
    expect([state(place), check(place), isResolved(place)]).toEqual([becameBy('hubot'), fails, false]);
    await edits(place, 'hubot', id, 'yes, since March');
    expect([state(place), check(place), isResolved(place)]).toEqual([yesBy('hubot'), passes, settles]);
    expect(lines(place)).toHaveLength(1);
    expect(model.requests).toHaveLength(4);
  });

  test('continue: one whole review more with the answer, once', async () => {
    const model = asks({ yes: 'lower_confidence', no: 'continue', unsure: 'include_finding' });
    const place = await opened(model, withRights());
    await replies(place, 'octocat', 'yes');
    expect([state(place), check(place)]).toEqual([possibleBy('octocat', 'answered yes'), passes]);
    await replies(place, 'octocat', 'no');
    expect(model.reviews()).toHaveLength(2);
    expect(model.reviews()[1]).toMatch(/octocat answered no/);
    expect(state(place)).toBe(
      '**Answered no by octocat (Q1).** A review has read the change with this answer.',
    );
    expect([check(place), isResolved(place)]).toEqual(['success, Nothing open, two clean reviews', settles]);
    // It was not mergeable on an answer that nobody had read.
    expect(place.stands().checks).toEqual([
      'head 1: action_required, Clean once, a second review is needed',
      'head 1: success, Nothing open, two clean reviews',
    ]);
    await replies(place, 'monalisa', 'no');
    expect(model.reviews()).toHaveLength(2);
    await replies(place, 'monalisa', 'not sure');
    expect([state(place), check(place)]).toEqual([becameBy('monalisa', 'not sure'), fails]);
    expect(told(place).some((line) => line.includes('So this is a finding now') || thanks.test(line))).toBe(
      true,
    );
    await replies(place, 'hubot', 'no');
    await pushes(place, nextDoor);
    expect(model.reviews()).toHaveLength(3);
    expect(model.reviews()[2]).not.toMatch(/answered no/);
  });
});

describe('an answer', () => {
  type Way = readonly [string, (place: Place) => Promise<{ readonly takeBack: () => unknown }>];
  const asComment = (login: string, body: string) => async (place: Place) => {
    const id = await comment(place, login, body);
    return { takeBack: () => place.repository.as(login).deleteComment(id) };
  };
  const ways: readonly Way[] = [
    [
      'in the thread',
      async (place) => {
        const id = await replies(place, 'octocat', 'no');
        return { takeBack: () => place.repository.as('octocat').deleteComment(id) };
      },
    ],
    ['as a comment that names it', asComment('octocat', 'Q1 no')],
    ['among other lines of a comment', asComment('octocat', 'Thanks for the look.\n\n- Q1: no\n- Q7: yes')],
    [
      'in the body of a review',
      async (place) => {
        const { id } = await place.repository.as('monalisa').review(place.number, { body: 'Q1: no' });
        await place.settled();
        return { takeBack: () => place.repository.as('monalisa').editReview(id, 'never mind') };
      },
    ],
    [
      'by mail, with what it answers quoted below',
      asComment(
        'octocat',
        [
          'No, they are real refunds.',
          '',
          'On Tue, 1 Dec 2026 at 10:12, evident[bot] <notifications@github.com> wrote:',
          '',
          `> ${open}`,
          '>',
          '> - **yes**: dropped, and not raised again while these lines stay as they are',
          '> - **no**: becomes an important finding',
          '',
          '-- ',
          'Mona Lisa',
          'Sent from my phone',
        ].join('\n'),
      ),
    ],
    [
      'edited into a text that said nothing',
      async (place) => {
        const id = await comment(place, 'octocat', 'I will look');
        await edits(place, 'octocat', id, 'Q1 no');
        return { takeBack: () => place.repository.as('octocat').editComment(id, 'I have looked') };
      },
    ],
    [
      'in the thread after another one, which counts again when it is gone',
      async (place) => {
        const first = await replies(place, 'monalisa', 'yes, it does');
        expect([state(place), check(place)]).toEqual([yesBy('monalisa'), passes]);
        const id = await replies(place, 'octocat', 'no');
        await deletes(place, 'octocat', id);
        expect([state(place), check(place)]).toEqual([yesBy('monalisa'), passes]);
        await edits(place, 'monalisa', first, 'no');
        return { takeBack: () => place.repository.as('monalisa').deleteComment(first) };
      },
    ],
  ];

  test('counts by every way, and is gone with its words', async () => {
    const model = asks();
    const place = await opened(model);
    for (const [name, give] of ways) {
      const { takeBack } = await give(place);
      expect([name, state(place).replace(/; .*/, ''), check(place)]).toEqual([
        name,
        becameBy('').replace(/; .*/, ''),
        fails,
      ]);
      takeBack();
      await place.settled();
      expect([name, state(place), check(place)]).toEqual([name, openAgain, waits]);
    }
    expect(model.requests).toHaveLength(2);
    expect(place.warned).toEqual([]);
  });

  test('that does not say to what, or stands in a quotation, is none', async () => {
    const model = asks();
    const place = await opened(model);
    await comment(place, 'octocat', 'yes');
    expect(lines(place)).toEqual(['If this answers Q1, write `Q1 yes`.']);
    await comment(place, 'octocat', '> Q1 no\n\nwho wrote this?');
    await comment(place, 'octocat', '```\nQ1 no\n```');
    await comment(place, 'octocat', 'Q1 looks right to me, shall we ask monalisa?');
    expect([state(place), check(place), lines(place).length]).toEqual([open, waits, 1]);
    // What somebody else edited is nobody's word.
    const id = await replies(place, 'octocat', 'hm');
    place.repository.as('monalisa').editComment(id, 'yes');
    await place.settled();
    expect([state(place), check(place)]).toEqual([open, waits]);
  });
});

describe('who answers', () => {
  test('strangers and bots have no say, and a stranger is told once; writers and maintainers do', async () => {
    const model = asks();
    const place = await opened(model);
    for (const login of ['defunkt', 'defunkt', 'helper[bot]']) await replies(place, login, 'no');
    await comment(place, 'defunkt', 'Q1 yes, trust me');
    expect([state(place), check(place)]).toEqual([open, waits]);
    expect(told(place)).toEqual(['Noted, thanks. octocat or someone with write access decides this one.']);
    expect(lines(place)).toEqual([]);
    await replies(place, 'monalisa', 'yes, see their docs');
    expect([state(place), check(place)]).toEqual([yesBy('monalisa'), passes]);
    await replies(place, 'hubot', 'no');
    await replies(place, 'defunkt', 'yes');
    expect([state(place), check(place)]).toEqual([becameBy('hubot'), fails]);
    // Rights are looked up as they are now.
    place.repository.removeCollaborator('hubot');
    await comment(place, 'octocat', 'LGTM');
    expect([state(place), check(place)]).toEqual([yesBy('monalisa'), passes]);
    expect(model.requests).toHaveLength(2);
  });

  test('an author without write access waits for the ok of a maintainer', async () => {
    const model = asks();
    const place = await opened(model, { pull: { author: 'defunkt' } });
    await comment(place, 'monalisa', '/evident review');
    expect(comments(place)[0]?.body).toContain("A maintainer confirms the author's answer.");
    const id = await replies(place, 'defunkt', 'yes, I asked them');
    const says = '**defunkt says yes (Q1), a maintainer confirms.**';
    expect([state(place), check(place)]).toEqual([says, waits]);
    expect(comments(place)[0]?.body).toContain('> I asked them');
    await replies(place, 'defunkt', 'ok');
    await replies(place, 'octokitten', 'ok');
    expect([state(place), check(place)]).toEqual([says, waits]);
    const ok = await replies(place, 'monalisa', 'ok');
    expect([state(place), check(place)]).toEqual([yesBy('defunkt'), passes]);
    expect(comments(place)[0]?.body).toContain('Confirmed by monalisa.');
    await deletes(place, 'monalisa', ok);
    expect([state(place), check(place)]).toEqual([says, waits]);
    // A no clears nothing: it counts at once.
    await edits(place, 'defunkt', id, 'no');
    expect([state(place), check(place)]).toEqual([becameBy('defunkt'), fails]);
  });

  test("the author of an agent's pull request clears nothing", async () => {
    const place = await opened(asks(), { pull: { head: 'agent/refunds' } });
    const clean = 'success, Nothing to fix, two clean reviews; open: Q1';
    const id = await replies(place, 'octocat', 'yes');
    expect([state(place), check(place)]).toEqual([open, clean]);
    expect(told(place)).toEqual([
      expect.stringMatching(/^Noted, thanks\. This counts as an agent's change, so/),
    ]);
    await edits(place, 'octocat', id, 'no');
    expect([state(place), check(place)]).toEqual([becameBy('octocat'), fails]);
    await replies(place, 'monalisa', 'yes');
    expect(state(place)).toBe(yesBy('monalisa'));
    expect(check(place)).toMatch(/^success, Nothing open, two clean reviews/);
  });
});

describe('a push', () => {
  test('leaves a question where its lines stay, and asks anew where they changed', async () => {
    const model = asks();
    const place = await opened(model);
    await pushes(place, { 'src/refund.ts': `// Money.\n${change['src/refund.ts']}` });
    model.sees({ line: 6, code: '  return refund || order.total;' });
    await pushes(place, nextDoor);
    expect([state(place), check(place), place.stands().threads.length]).toEqual([open, waits, 1]);
    const id = await replies(place, 'octocat', 'no');
    expect([state(place), check(place)]).toEqual([becameBy('octocat'), fails]);
    await edits(place, 'octocat', id, 'yes');
    expect([state(place), check(place)]).toEqual([yesBy('octocat'), passes]);

    model.sees({ line: 5, code: otherLine });
    await pushes(place, otherLines);
    expect(check(place)).toBe('success, Nothing to fix, one clean review; open: Q2');
    expect(state(place, 1)).toBe(open.replace('Q1', 'Q2'));
    expect(state(place)).toBe(
      '**Not asked any more (Q1).** The code that this was about is not there any more.',
    );
    await replies(place, 'monalisa', 'no');
    expect(told(place)).toEqual([
      expect.stringMatching(thanks),
      'The lines have changed since this was asked, so the answer was not applied.',
    ]);
    expect(check(place)).toBe('success, Nothing to fix, one clean review; open: Q2');
    await comment(place, 'monalisa', 'Q2 no');
    expect(check(place)).toBe(fails);

    model.sees(null);
    await pushes(place, { 'src/refund.ts': change['src/refund.ts'].replace('||', '??') });
    expect(check(place)).toBe(passes);
    expect(state(place, 1)).toMatch(/^\*\*Fixed in `[0-9a-f]{7}` \(F2\)/);

    // The code is back, and so is what an answer made of it.
    model.sees({ line: 5, code: otherLine });
    await pushes(place, otherLines);
    expect([check(place), place.stands().mergeable, place.stands().threads.length]).toEqual([
      fails,
      false,
      2,
    ]);
    expect(state(place, 1)).toMatch(/^\*\*Important \(F2, blocks merge\): back since /);
  });

  test('takes a question away with its lines, and asks anew when they are back', async () => {
    const model = asks();
    const place = await opened(model);
    model.sees(null);
    await pushes(place, { 'src/refund.ts': change['src/refund.ts'].replace('||', '??') });
    expect(check(place)).toBe(passes);
    expect(state(place)).toMatch(/^\*\*Not asked any more \(Q1\)/);
    await comment(place, 'octocat', 'Q1 no');
    expect(lines(place)).toEqual([
      'The lines have changed since this was asked, so the answer was not applied.',
    ]);
    expect(check(place)).toBe(passes);
    await replies(place, 'monalisa', '@octocat was that you?');
    model.sees({ line: 5, code: '  return refund || order.total;' });
    await pushes(place, change);
    await pushes(place, nextDoor);
    expect(place.stands().threads).toHaveLength(2);
    expect(check(place)).toBe('success, Nothing to fix, one clean review; open: Q2');
    expect(state(place)).toMatch(/^\*\*Not asked any more \(Q1\)/);
  });

  test('that is closed over changes nothing, and opened again counts what was said', async () => {
    const place = await opened(asks());
    await place.repository.closePullRequest(place.number);
    await place.settled();
    await replies(place, 'octocat', 'no');
    expect([state(place), check(place), told(place)]).toEqual([open, waits, []]);
    await place.repository.reopen(place.number);
    await place.settled();
    expect([state(place), check(place)]).toEqual([becameBy('octocat'), fails]);
  });
});

test('a lost delivery: any later event applies what was said, and what was taken back', async () => {
  const place = await opened(asks());
  const lose = (): void =>
    world.github.faults.addDelivery({
      match: ({ event }) => event.startsWith('pull_request_review'),
      times: 10,
      fate: 'lose',
    });
  lose();
  const id = await replies(place, 'octocat', 'no');
  expect([state(place), check(place)]).toEqual([open, waits]);
  world.github.faults.clear();
  await comment(place, 'monalisa', 'LGTM');
  expect([state(place), check(place)]).toEqual([becameBy('octocat'), fails]);
  lose();
  await deletes(place, 'octocat', id);
  expect(check(place)).toBe(fails);
  world.github.faults.clear();
  await pushes(place, nextDoor);
  expect([state(place), check(place)]).toEqual([openAgain, waits]);
});

test('a reply during a running review is counted before it publishes', async () => {
  let hold: Promise<void> | undefined;
  let isHeld = (): void => {};
  const model = asks(usual, async () => {
    if (hold === undefined) return;
    isHeld();
    await hold;
  });
  const place = await opened(model);
  let release = (): void => {};
  hold = new Promise((resolve) => (release = resolve));
  const held = new Promise<void>((resolve) => (isHeld = resolve));
  world.github.faults.addDelivery({
    match: ({ event }) => event.startsWith('pull_request_review'),
    times: 10,
    fate: 'lose',
  });
  await place.push(nextDoor);
  await held;
  place.repository.as('octocat').reply(rootOf(place), 'no');
  hold = undefined;
  release();
  await place.settled();
  expect(place.stands().checks).toEqual([`head 1: ${waits}`, `head 2: ${fails}`]);
  expect(state(place)).toBe(becameBy('octocat'));
  expect(told(place)).toEqual([expect.stringMatching(thanks)]);
  expect(model.requests).toHaveLength(4);
});

test('where open questions hold, the check waits for an answer that counts', async () => {
  const place = await opened(asks({ ...usual, unsure: 'continue' }), {
    pull: { author: 'defunkt' },
    before: (repository) =>
      repository.commit({
        branch: 'main',
        files: { '.github/evident.yml': 'gate: { mode: blocking, open_questions_hold: true }\n' },
        message: 'Settings',
        author: 'hubot',
      }),
  });
  await comment(place, 'monalisa', '/evident review');
  const held = 'action_required, 1 answer awaited: Q1';
  expect([check(place), place.stands().mergeable]).toEqual([held, false]);
  expect(comments(place)[0]?.body).toContain('Without an answer the check stays at ');
  await replies(place, 'defunkt', 'yes');
  expect([check(place), place.stands().mergeable]).toEqual([held, false]);
  await replies(place, 'monalisa', 'not sure');
  expect(place.stands().checks.filter((line) => line.includes('success'))).toHaveLength(1);
  expect(check(place)).toBe('success, Nothing open, two clean reviews');
  await replies(place, 'monalisa', 'no');
  expect(check(place)).toBe(fails);
  await replies(place, 'monalisa', 'yes');
  expect(place.stands().mergeable).toBe(true);
});

describe('words in any order', () => {
  const people = ['octocat', 'monalisa', 'hubot', 'defunkt', 'helper[bot]'] as const;
  const texts = ['yes', 'no', 'not sure', '@monalisa see above'] as const;
  type Step =
    | { readonly kind: 'reply'; readonly by: (typeof people)[number]; readonly text: (typeof texts)[number] }
    | { readonly kind: 'edit'; readonly which: number; readonly text: (typeof texts)[number] }
    | { readonly kind: 'delete'; readonly which: number }
    | { readonly kind: 'push' | 'redeliver' | 'restart' };
  const reply = fc.record({
    kind: fc.constant('reply' as const),
    by: fc.constantFrom(...people),
    text: fc.constantFrom(...texts),
  });
  const edit = fc.record({
    kind: fc.constant('edit' as const),
    which: fc.nat({ max: 5 }),
    text: fc.constantFrom(...texts),
  });
  const deletion = fc.record({ kind: fc.constant('delete' as const), which: fc.nat({ max: 5 }) });
  const other = fc.record({
    kind: fc.constantFrom('push' as const, 'redeliver' as const, 'restart' as const),
  });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: reply },
    { weight: 2, arbitrary: edit },
    { weight: 2, arbitrary: deletion },
    { weight: 2, arbitrary: other },
  );
  const history = fc.array(fc.record({ step, lost: fc.boolean() }), { minLength: 4, maxLength: 9 });

  type Written = { readonly id: number; readonly by: string; readonly text: string };

  /** What stands at the end, from the final texts alone: the last entitled answer counts. */
  function expected(written: readonly Written[]): readonly [RegExp, string] {
    const last = written.findLast(
      ({ by, text }) => ['octocat', 'monalisa', 'hubot'].includes(by) && !text.startsWith('@'),
    );
    const exactly = (text: string): RegExp => new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`);
    if (last === undefined) return [/^\*\*(Question|Open again) \(Q1\)/, waits];
    if (last.text === 'yes') return [exactly(yesBy(last.by)), passes];
    return last.text === 'no' ? [exactly(becameBy(last.by)), fails] : [exactly(possibleBy(last.by)), passes];
  }

  test('end as the fold of the final contents, and a fresh instance has nothing to add', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const model = asks();
        const place = await opened(model);
        let written: readonly Written[] = [];
        let pushed = 0;
        for (const { step: next, lost } of steps) {
          if (lost)
            world.github.faults.addDelivery({
              match: ({ event }) => event.startsWith('pull_request_review'),
              times: 10,
              fate: 'lose',
            });
          switch (next.kind) {
            case 'reply': {
              const { id } = place.repository.as(next.by).reply(rootOf(place), next.text);
              written = [...written, { id, by: next.by, text: next.text }];
              break;
            }
            case 'edit':
            case 'delete': {
              const at = written[next.which];
              if (at === undefined) break;
              if (next.kind === 'delete') place.repository.as(at.by).deleteComment(at.id);
              else place.repository.as(at.by).editComment(at.id, next.text);
              written = written.flatMap((one) =>
                one !== at ? [one] : next.kind === 'delete' ? [] : [{ ...one, text: next.text }],
              );
              break;
            }
            case 'push':
              pushed += 1;
              await place.push({ 'src/label.ts': `${change['src/label.ts']}// ${pushed}\n` });
              break;
            case 'redeliver':
              await place.redeliver();
              break;
            case 'restart':
              await place.settled();
              await place.restart({ gate: 'blocking', model });
              break;
          }
          // Some of it is under way while the next thing happens.
          if (lost) await place.settled();
          world.github.faults.clear();
        }
        await place.settled();
        await comment(place, 'defunkt', 'LGTM');
        const [first, ended] = expected(written);
        expect(state(place)).toMatch(first);
        expect(check(place)).toBe(ended);
        expect(model.requests).toHaveLength(2 * model.reviews().length);
        expect(place.warned).toEqual([]);

        const before = comments(place).map(({ body }) => body);
        await place.restart({ gate: 'blocking', model });
        await comment(place, 'defunkt', 'LGTM again');
        expect(comments(place).map(({ body }) => body)).toEqual(before);
        expect(check(place)).toBe(ended);
      }),
      { numRuns: Number(process.env.EVIDENT_RUNS ?? 5), seed: 5, endOnFailure: true },
    );
  });
});
