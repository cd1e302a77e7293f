/** Words that code cannot read, through the real handler on the local GitHub. */
import type { ModelRequest, ModelTurn } from '../lib/ports/model.js';
import { calls, type ScriptedModel } from '../lib/models/scripted.js';
import {
  bug,
  change,
  files,
  plays,
  startWorld,
  submit,
  type Place,
  type PlaceOrder,
  type World,
} from './world.js';

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});
afterAll(() => world.close());

const flags = `export const flags = {
  /** Loads the partner's script. */
  promoAb: false,
};
`;
const promo = `import { flags } from './flags.js';

export function promo(box: Box, content: string): void {
  if (!flags.promoAb) return;
  render(box);
}
`;
const promoFiles = { 'src/flags.ts': flags, 'src/promo.ts': promo, 'README.md': '# shop\n' } as const;
const promoChange = {
  'src/promo.ts': promo.replace('  render(box);', '  render(box);\n  box.html(content);'),
};

const quotes = {
  guard: { path: 'src/promo.ts', ref: 'head', start: 4, end: 4, quote: '  if (!flags.promoAb) return;' },
  flag: { path: 'src/flags.ts', ref: 'head', start: 3, end: 3, quote: '  promoAb: false,' },
  accused: { path: 'src/promo.ts', ref: 'head', start: 6, end: 6, quote: '  box.html(content);' },
} as const;

const request = {
  finding: {
    path: 'src/promo.ts',
    line: 6,
    code: '  box.html(content);',
    rule: 'dom-mutation',
    severity: 'important',
    category: 'logic',
    confidence: 'medium',
    title: 'this replaces what `render` put into the box',
    body: '`render` draws the children of the box (line 5). This line replaces them, and the next draw fails.',
    evidence: [{ path: 'src/promo.ts', ref: 'head', start: 5, end: 5, quote: '  render(box);' }],
  },
  reason: 'nothing in the repository names a widget that owns the box',
  searched: ['widget'],
  question: 'Is this change required by a third-party widget?',
  answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
} as const;

type Turn = ModelTurn | ((request: ModelRequest) => ModelTurn);

const isFor = ({ tools }: ModelRequest, terminal: string): boolean =>
  tools.some(({ name }) => name === terminal);

const look = (): ModelTurn =>
  calls(
    { name: 'get_file_content', input: { path: 'src/promo.ts' } },
    { name: 'get_file_content', input: { path: 'src/flags.ts' } },
    { name: 'search_code', input: { pattern: 'widget' } },
  );

const answers = (input: object): ModelTurn => calls({ name: 'submit_answer', input });
const replying = (input: object): ModelTurn => calls({ name: 'submit_reply', input });

/** Reviews with one question; each reading plays the next list of turns. */
function asks(
  readings: readonly (readonly Turn[])[],
  review: ModelTurn = calls({
    name: 'submit_code_review',
    input: { findings: [], humanReviewRequests: [request] },
  }),
): ScriptedModel & { readonly read: () => number; readonly reviewed: () => readonly string[] } {
  let read = 0;
  const reviewed: string[] = [];
  const model = plays(({ step, request: sent }) => {
    if (isFor(sent, 'submit_code_review') && step === 0) reviewed.push(JSON.stringify(sent.messages[0]));
    if (isFor(sent, 'submit_code_review'))
      return step === 0
        ? calls(
            { name: 'get_pr_diff', input: {} },
            { name: 'search_code', input: { pattern: 'widget' } },
            { name: 'get_file_content', input: { path: 'src/order.ts' } },
          )
        : review;
    if (step === 0) read += 1;
    const turn = readings[read - 1]?.[step];
    if (turn === undefined) throw new Error(`Reading ${read} has no turn ${step}.`);
    return typeof turn === 'function' ? turn(sent) : turn;
  });
  return { ...model, requests: model.requests, read: () => read, reviewed: () => reviewed };
}

async function opened(model: ScriptedModel, order: Partial<PlaceOrder> = {}): Promise<Place> {
  const place = await world.open({
    gate: 'blocking',
    model,
    files: promoFiles,
    changes: promoChange,
    ...order,
    before: (repository) => {
      repository.addCollaborator('monalisa', 'write');
      repository.addCollaborator('dependabot[bot]', 'write');
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

/** First lines of the thread's comments, the first one among them. */
const thread = (place: Place): readonly string[] =>
  comments(place).map(({ body }) => body.split('\n')[0] ?? '');

const check = (place: Place): string => place.stands().checks.at(-1) ?? '';

async function replies(place: Place, login: string, body: string): Promise<number> {
  const { id } = place.repository.as(login).reply(rootOf(place), body);
  await place.settled();
  return id;
}

const depends = 'it depends, when the flag is on their script owns the box, otherwise it is ours';

const settled = {
  choice: 'yes',
  said: 'when the flag is on their script owns the box',
  basis: 'code',
  because: '`promo` returns before line 6 when the flag is off (`promo.ts:4`).',
  evidence: [quotes.guard],
  condition: '`promo` draws only with the flag on',
  conditions: [{ path: 'src/promo.ts', start: 4, end: 4 }],
};

describe('a reply to a question', () => {
  test('settled by the code: dropped with the condition kept, and asked again when it changes', async () => {
    const model = asks([[look(), answers(settled)]]);
    const place = await opened(model);
    await replies(place, 'octocat', depends);
    expect(thread(place)).toEqual([
      expect.stringMatching(/^\*\*Answered yes by octocat \(Q1\)/),
      depends,
      '**Read as yes (Q1), for as long as `promo` draws only with the flag on.**',
    ]);
    expect(comments(place)[2]?.body).toContain('with your condition kept: it is asked again when');
    expect(comments(place)[0]?.body).toMatch(/asked again when .*promo\.ts:4.* change/);
    expect(comments(place)[0]?.body).not.toContain('evident.yml');
    expect(check(place)).toBe('head 1: success, Nothing open, one clean review');
    expect(model.read()).toBe(1);

    await place.push({
      ...promoChange,
      'src/promo.ts': promoChange['src/promo.ts'].replace(
        'if (!flags.promoAb) return;',
        'if (flags.off) return;',
      ),
    });
    await place.settled();
    expect(thread(place)[0]).toMatch(/^\*\*(Question|Open again) \(Q1\)/);
    expect(thread(place).at(-1)).toMatch(/^\*\*Asked again \(Q1\): is this change required/);
    expect(model.read()).toBe(1);
  });

  test('not settled: one more question, and a plain no to it has the effect that was stated', async () => {
    const model = asks([
      [
        look(),
        answers({
          choice: 'ask',
          said: '',
          because: '`checkout` calls `promo` without looking at the flag.',
          question: 'Is the flag on for everybody who sees the checkout?',
        }),
      ],
    ]);
    const place = await opened(model);
    await replies(place, 'octocat', depends);
    expect(thread(place).at(-1)).toBe(
      '**Question (Q1, second of at most three): is the flag on for everybody who sees the checkout?**',
    );
    expect(comments(place).at(-1)?.body).toContain('- **no**: becomes an important finding');
    expect(thread(place)[0]).toBe(thread(place).at(-1));
    expect(check(place)).not.toMatch(/failure/);
    await replies(place, 'octocat', 'no');
    expect(thread(place)[0]).toMatch(/^\*\*Important \(F1, blocks merge\): this replaces what/);
    expect(check(place)).toBe('head 1: failure, 1 important to fix');
    expect(model.read()).toBe(1);
  });

  test('after three rounds it is left open, as not sure does', async () => {
    const ask = (question: string): readonly Turn[] => [
      look(),
      answers({ choice: 'ask', because: 'The code does not say.', question }),
    ];
    const model = asks([
      ask('Is the flag on for everybody?'),
      ask('Is the flag on for staff?'),
      [look(), answers({ choice: 'unclear' })],
    ]);
    const place = await opened(model);
    await replies(place, 'octocat', depends);
    await replies(place, 'octocat', 'depends on the country, I believe');
    await replies(place, 'octocat', 'it varies from week to week');
    expect(thread(place).filter((line) => line.startsWith('**Question (Q1, '))).toHaveLength(2);
    expect(thread(place).at(-1)).toMatch(
      /^\*\*Left open \(Q1\): kept as a possible problem, does not block\.\*\* Three rounds/,
    );
    expect(thread(place)[0]).toMatch(/^\*\*Possible \(Q1, does not block\)/);
    expect(model.read()).toBe(3);
    await replies(place, 'octocat', 'well, whatever you say');
    expect(model.read()).toBe(3);
  });

  test('is read once, however often it is delivered, and anew when it is edited', async () => {
    const model = asks([
      [look(), answers(settled)],
      [look(), answers({ choice: 'unclear' })],
    ]);
    const place = await opened(model);
    const id = await replies(place, 'octocat', depends);
    await place.redeliver('created');
    await place.settled();
    expect(model.read()).toBe(1);
    place.repository.as('octocat').editComment(id, 'let me think about it again');
    await place.settled();
    expect(model.read()).toBe(2);
    expect(thread(place)[0]).toMatch(/^\*\*(Question|Open again) \(Q1\)/);
    expect(thread(place).at(-1)).toBe('Could not read that as yes, no or not sure. One word is enough.');
  });

  test('from an author without write access waits for a maintainer', async () => {
    const place = await opened(asks([[look(), answers(settled)]]), {
      pull: { author: 'defunkt' },
    });
    place.repository.as('monalisa').comment(place.number, '/evident review');
    await place.settled();
    await replies(place, 'defunkt', depends);
    expect(thread(place)[2]).toBe(
      '**Read as yes (Q1), for as long as `promo` draws only with the flag on; a maintainer confirms.**',
    );
    expect(check(place)).not.toMatch(/Nothing open, one clean review$/);
    await replies(place, 'monalisa', 'ok');
    expect(thread(place)[0]).toMatch(/^\*\*Answered yes by defunkt/);
  });

  test.each(['yes, the partner needs it', 'no', 'not sure'])(
    'that is plain costs no model call: %s',
    async (said) => {
      const model = asks([]);
      const place = await opened(model);
      await replies(place, 'octocat', said);
      expect(thread(place)[0]).not.toMatch(/^\*\*Question/);
      expect(model.read()).toBe(0);
    },
  );

  test('of somebody whose words have no effect is not read', async () => {
    const model = asks([]);
    const place = await opened(model);
    await replies(place, 'defunkt', depends);
    expect(model.read()).toBe(0);
    expect(comments(place)).toHaveLength(2);
  });

  test('fixed rules read no words, and say so once', async () => {
    const model = asks([]);
    const place = await opened({ ...model, kind: 'rules' });
    await replies(place, 'octocat', depends);
    await replies(place, 'octocat', 'as I said, it depends on the flag');
    expect(thread(place).filter((line) => line.startsWith('Could not read that'))).toHaveLength(1);
    expect(model.read()).toBe(0);
  });
});

test('an answer that a review goes on with: one whole review more, with the answer and its writer, once', async () => {
  const goesOn = { ...request, answerEffects: { ...request.answerEffects, unsure: 'continue' } };
  const model = asks(
    [],
    calls({ name: 'submit_code_review', input: { findings: [], humanReviewRequests: [goesOn] } }),
  );
  const place = await opened(model);
  expect(model.reviewed()).toHaveLength(1);
  await replies(place, 'octocat', 'not sure');
  expect(model.reviewed()).toHaveLength(2);
  expect(model.reviewed()[1]).toContain('octocat answered that they are not sure');
  await replies(place, 'monalisa', "I don't know");
  await place.push({ 'README.md': '# our shop\n' });
  await place.settled();
  expect(model.reviewed()).toHaveLength(3);
  expect(model.reviewed()[2]).not.toContain('answered that they are not sure');
});

test('a lost delivery: the next review reads what was said before it publishes', async () => {
  const model = asks([[look(), answers(settled)]]);
  const place = await opened(model);
  world.github.faults.addDelivery({
    match: ({ event }) => event === 'pull_request_review_comment' || event === 'pull_request_review',
    times: 10,
    fate: 'lose',
  });
  await replies(place, 'octocat', depends);
  expect(model.read()).toBe(0);
  world.github.faults.clear();
  await place.push({ 'README.md': '# our shop\n' });
  await place.settled();
  expect(model.read()).toBe(1);
  expect(thread(place).at(-1)).toMatch(/^\*\*Read as yes \(Q1\)/);
  expect(check(place)).toBe('head 2: success, Nothing open, one clean review');
});

describe('a model that oversteps', () => {
  const lies: readonly (readonly [string, object])[] = [
    ['answers for the author', { ...settled, said: 'yes, it is required' }],
    ['takes a question for an answer', { ...settled, basis: 'words', said: 'who owns the box?' }],
    [
      'quotes what was not shown',
      { ...settled, evidence: [{ ...quotes.flag, path: 'README.md', start: 1, end: 1, quote: '# shop' }] },
    ],
    [
      'quotes what does not stand there',
      { ...settled, evidence: [{ ...quotes.guard, quote: 'return partner.owns(box)' }] },
    ],
    ['lets the accused line speak for itself', { ...settled, evidence: [quotes.accused] }],
    [
      'asks what it could look up',
      { choice: 'ask', because: 'Not known.', question: 'Is the flag on for everybody?' },
    ],
  ];
  test.each(lies)('and %s changes nothing', async (_name, input) => {
    const turn = answers(input);
    const model = asks([[turn, turn, turn]]);
    const place = await opened(model);
    await replies(place, 'octocat', `${depends}, who owns the box?`);
    expect(thread(place).at(-1)).toBe('Could not read that as yes, no or not sure. One word is enough.');
    expect(thread(place)[0]).toMatch(/^\*\*Question \(Q1\)/);
  });

  test('and names another effect has the stated one', async () => {
    const turned = {
      answerEffects: { yes: 'include_finding', no: 'suppress_finding' },
      effect: 'suppress_finding',
    };
    const model = asks([
      [
        look(),
        answers({ choice: 'no', said: 'otherwise it is ours', because: 'It is drawn here.', ...turned }),
      ],
    ]);
    const place = await opened(model);
    await replies(place, 'octocat', depends);
    expect(check(place)).toBe('head 1: failure, 1 important to fix');
  });
});

describe('a reply to a finding', () => {
  const bugOrder = { files, changes: change };
  const withBug = (readings: readonly (readonly Turn[])[]) => asks(readings, submit([bug]));
  const openBug = (model: ScriptedModel): Promise<Place> => opened(model, bugOrder);
  const lookAtOrder = (): ModelTurn =>
    calls(
      { name: 'get_file_content', input: { path: 'src/order.ts' } },
      { name: 'get_file_content', input: { path: 'src/refund.ts' } },
    );
  const type = {
    path: 'src/order.ts',
    ref: 'head',
    start: 1,
    end: 1,
    quote: 'export type Order = { readonly total: number; readonly refunded: number | null };',
  };

  test('that code bears out: withdrawn, and open again when that code changes', async () => {
    const model = withBug([
      [lookAtOrder(), replying({ kind: 'concede', text: '`order.ts:1` allows no 0.', evidence: [type] })],
    ]);
    const place = await openBug(model);
    expect(check(place)).toBe('head 1: failure, 1 important to fix');
    await replies(place, 'octocat', 'a refund of 0 cannot happen, see the type in order.ts');
    expect(thread(place)[0]).toMatch(
      /^\*\*Withdrawn \(F1\): this was wrong\.\*\* `order.ts:1` allows no 0\./,
    );
    expect(check(place)).toBe('head 1: success, Nothing open, one clean review');
    expect(model.read()).toBe(1);

    await place.push({
      ...change,
      'src/order.ts': files['src/order.ts'].replace('number | null }', 'number | undefined }'),
    });
    await place.settled();
    expect(thread(place).at(-1)).toMatch(/^\*\*Open again \(F1\)/);
    expect(check(place)).toBe('head 2: failure, 1 important to fix');
    expect(model.read()).toBe(1);
  });

  test('that only insists: nothing is withdrawn, and three replies are the most', async () => {
    const concede = replying({ kind: 'concede', text: 'The author knows it best.', evidence: [] });
    const accused = replying({
      kind: 'concede',
      text: 'The line is fine.',
      evidence: [{ path: 'src/refund.ts', ref: 'head', start: 5, end: 5, quote: bug.code }],
    });
    const explain = replying({ kind: 'explain', text: 'With `refunded: 0` line 5 gives back the total.' });
    const model = withBug([[concede, accused, explain], [explain], [explain]]);
    const place = await openBug(model);
    await replies(place, 'octocat', 'this is wrong, it works');
    await replies(place, 'octocat', 'it really works, withdraw it');
    await replies(place, 'octocat', 'I have told you three times now');
    await replies(place, 'octocat', 'hello? withdraw this finding');
    expect(thread(place).filter((line) => line.startsWith('**Open as before (F1).**'))).toHaveLength(3);
    expect(check(place)).toBe('head 1: failure, 1 important to fix');
    expect(model.read()).toBe(3);
  });

  test('that new code refutes: still stands', async () => {
    const model = withBug([
      [lookAtOrder(), replying({ kind: 'stand', text: '`order.ts:1` lets 0 through.', evidence: [type] })],
    ]);
    const place = await openBug(model);
    await replies(place, 'octocat', 'refundFor never gives 0');
    expect(thread(place).at(-1)).toBe('**Still stands (F1).** `order.ts:1` lets 0 through.');
    expect(check(place)).toBe('head 1: failure, 1 important to fix');
  });

  test('thanks get no answer, and are not read again', async () => {
    const model = withBug([[replying({ kind: 'nothing' })]]);
    const place = await openBug(model);
    await replies(place, 'octocat', 'ah, will be mended in the next commit');
    await replies(place, 'defunkt', 'nice');
    expect(comments(place)).toHaveLength(3);
    expect(model.read()).toBe(1);
  });
});

describe('silence', () => {
  test('between people', async () => {
    const model = asks([[look(), answers({ choice: 'unclear' })]]);
    const place = await opened(model);
    await replies(place, 'octocat', '@monalisa do you remember who owns the box?');
    await replies(place, 'monalisa', 'I think it was the partner, but only with the flag');
    await replies(place, 'octocat', 'monalisa, was that before the flag?');
    expect(model.read()).toBe(0);
    expect(comments(place)).toHaveLength(4);
    await replies(place, 'monalisa', 'evident: it depends on the flag');
    expect(model.read()).toBe(1);
  });

  test('towards bots', async () => {
    const model = asks([]);
    const place = await opened(model);
    await replies(place, 'dependabot[bot]', depends);
    expect(model.read()).toBe(0);
    expect(comments(place)).toHaveLength(2);
  });
});
