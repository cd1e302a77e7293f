/** What is remembered of answers, and what is forgotten again, through the real handler on the local GitHub. */
import type { AnswerEffects } from '../lib/core/question.js';
import { calls, type ScriptedModel } from '../lib/models/scripted.js';
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

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});
afterAll(() => world.close());

type At = { readonly line: number; readonly code: string };
type Asker = ScriptedModel & { readonly sees: (at: At | null) => void };

const effects: AnswerEffects = { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' };

/** A model that asks the one question at every review, and reads nobody's words. */
function asks(over: object = {}): Asker {
  let at: At | null = { line: 5, code: '  return refund || order.total;' };
  const model = plays(({ step, request }) => {
    if (!request.tools.some(({ name }) => name === 'submit_code_review'))
      throw new Error('A plain answer is read by code.');
    if (step === 0) return readAll();
    const { confidence: _confidence, ...claim } = bug;
    return calls({
      name: 'submit_code_review',
      input: {
        findings: [],
        humanReviewRequests:
          at === null
            ? []
            : [
                {
                  finding: { ...claim, confidence: 'medium', ...at, ...over },
                  reason: 'nothing in the repository says what the provider does with 0',
                  searched: [],
                  question: 'Does the provider refuse a refund of 0?',
                  answerEffects: effects,
                },
              ],
      },
    });
  });
  return { ...model, requests: model.requests, sees: (next) => void (at = next) };
}

/** A pull request of octocat, who may write; monalisa may write, defunkt is nobody here. */
async function opened(model: ScriptedModel, order: Partial<PlaceOrder> = {}): Promise<Place> {
  const place = await world.open({
    gate: 'blocking',
    model,
    ...order,
    before: async (repository) => {
      repository.addCollaborator('monalisa', 'write');
      repository.addCollaborator('helper[bot]', 'write');
      await order.before?.(repository);
    },
  });
  places.push(place);
  await place.settled();
  return place;
}

/** Of the commit that the pull request branched off. */
const settings = (text: string): Partial<PlaceOrder> => ({
  files: { ...files, '.github/evident.yml': text },
});

const thread = (place: Place, nth = 0) => place.repository.pull(place.number).threads[nth];
const first = (place: Place, nth = 0): string => thread(place, nth)?.comments[0]?.body ?? '';
const firstLine = (body: string): string => body.split('\n')[0] ?? '';
const state = (place: Place, nth = 0): string => firstLine(first(place, nth));
const shown = (body: string): string => body.replace(/\n*<!-- evident:[^]*$/, '');

async function replies(place: Place, login: string, body: string, nth = 0): Promise<number> {
  const { id } = place.repository.as(login).reply(thread(place, nth)?.comments[0]?.id ?? 0, body);
  await place.settled();
  return id;
}
async function comment(place: Place, login: string, body: string): Promise<number> {
  const { id } = place.repository.as(login).comment(place.number, body);
  await place.settled();
  return id;
}
/** Our comments on the pull request. */
const told = (place: Place): readonly string[] =>
  place.repository
    .pull(place.number)
    .comments.filter(({ author }) => author === 'evident[bot]')
    .map(({ body }) => shown(body));
const check = (place: Place): string =>
  place
    .stands()
    .checks.at(-1)
    ?.replace(/^head \d+: /, '') ?? '';

const open = '**Question (Q1): does the provider refuse a refund of 0?**';
const yesBy = (login: string): string =>
  `**Answered yes by ${login} (Q1): does the provider refuse a refund of 0?** No finding.`;
const forgottenBy = (login: string): string => `**Open again (Q1): ${login} had the answer forgotten.**`;
const waits = 'success, Nothing to fix, one clean review; open: Q1';
const passes = 'success, Nothing open, one clean review';

describe('forget', () => {
  test('opens the question again, for as long as the command stands', async () => {
    const model = asks();
    const place = await opened(model);
    expect([state(place), check(place)]).toEqual([open, waits]);
    await replies(place, 'octocat', 'yes, their API answers 422');
    expect([state(place), check(place)]).toEqual([yesBy('octocat'), passes]);

    const id = await comment(place, 'monalisa', '/evident memory forget Q1');
    expect(state(place)).toMatch(
      /^\*\*Open again \(Q1\): monalisa had the answer forgotten\.\*\* octocat answered yes to this on \d+ \w+ \d{4} in #1 \("their API answers 422"\)\.$/,
    );
    expect([check(place), told(place)]).toEqual([waits, []]);
    expect(first(place)).toContain(open);

    // Whatever comes: the same lines, another instance.
    await place.push({ 'src/label.ts': `${change['src/label.ts']}// next door\n` });
    await place.settled();
    await place.restart({ gate: 'blocking', model });
    await comment(place, 'defunkt', 'LGTM');
    expect(state(place)).toContain(forgottenBy('monalisa'));
    expect([check(place), place.stands().threads.length]).toEqual([waits, 1]);

    place.repository.as('monalisa').deleteComment(id);
    await place.settled();
    expect([state(place), check(place)]).toEqual([yesBy('octocat'), passes]);
    expect(place.warned).toEqual([]);
  });

  test('is for who may, of what is kept; anything else is one line, once', async () => {
    const place = await opened(asks());
    await replies(place, 'octocat', 'yes, their API answers 422');
    await comment(place, 'defunkt', '/evident memory forget Q1');
    await comment(place, 'defunkt', '/evident memory forget Q1, please');
    await comment(place, 'helper[bot]', '/evident memory forget Q1');
    await comment(place, 'monalisa', '/evident memory forget Q7');
    await comment(place, 'monalisa', '/evident memory forget');
    expect(told(place)).toEqual([
      'Noted, thanks. octocat or someone with write access decides this one.',
      'There is no Q7 on this pull request. The summary lists what there is.',
      'What is forgotten is named: `/evident memory forget Q1`. Kept here: Q1.',
    ]);
    expect([state(place), check(place)]).toEqual([yesBy('octocat'), passes]);

    // In the thread it needs no number.
    const id = await replies(place, 'monalisa', '/evident memory forget');
    expect([state(place), check(place)]).toEqual([expect.stringContaining(forgottenBy('monalisa')), waits]);
    expect(thread(place)?.comments.find((one) => one.id === id)?.reactions).toEqual([
      { content: '+1', by: 'evident[bot]' },
    ]);
    await place.redeliver('created');
    expect(told(place)).toHaveLength(3);

    // A later answer counts, and so does a no: it clears nothing that could be forgotten.
    await replies(place, 'octocat', 'no');
    expect(check(place)).toBe('failure, 1 important to fix');
    await comment(place, 'monalisa', '/evident memory forget Q1');
    expect([check(place), told(place).at(-1)]).toEqual([
      'failure, 1 important to fix',
      'Nothing is kept for Q1, so there is nothing to forget. `/evident memory` lists what is.',
    ]);
    expect(place.warned).toEqual([]);
  });

  test('of a dismissal opens the finding again', async () => {
    const place = await opened(reviews([bug]));
    await replies(place, 'octocat', 'dismiss: by design, see ADR 7');
    expect(check(place)).toBe(passes);
    const id = await comment(place, 'monalisa', '/evident memory forget F1');
    expect([state(place), check(place), place.stands().mergeable]).toEqual([
      '**Important (F1, blocks merge): a refund of 0 gives back the whole total**',
      'failure, 1 important to fix',
      false,
    ]);
    place.repository.as('octocat').editComment(id, '/evident memory forget F1, they say');
    await place.settled();
    // What somebody else edited is nobody's word.
    expect(state(place)).toMatch(/^\*\*Dismissed by octocat \(F1\)/);
  });

  test('where open questions hold, it holds again', async () => {
    const place = await opened(asks(), settings('gate: { mode: blocking, open_questions_hold: true }\n'));
    await replies(place, 'octocat', 'yes, their API answers 422');
    expect(place.stands().mergeable).toBe(true);
    await comment(place, 'octocat', '/evident memory forget Q1');
    expect([check(place), place.stands().mergeable]).toEqual([
      'action_required, 1 answer awaited: Q1',
      false,
    ]);
  });
});

test('what is remembered here is listed, and what the settings keep', async () => {
  const place = await opened(
    asks(),
    settings(
      `gate: { mode: blocking }
answers:
  - rule: missing-timeout
    path: src/*.ts
    code: fetch(url)
    because: "batch host has its own limit (octocat, #12)"
    until: 2999-03-01
  - rule: missing-timeout
    path: src/jobs/*.ts
    code: fetch(url)
    because: elsewhere
    until: 2999-03-01
  - rule: falsy-zero
    path: src/refund.ts
    code: return refund
    because: was so
    until: 2020-03-01
`,
    ),
  );
  await comment(place, 'octocat', '/evident memory');
  const kept = [
    '- `missing-timeout`, `src/*.ts`: `.github/evident.yml` line 3, "batch host has its own limit (octocat, #\u200b12)", until 1 March 2999. Change it there.',
    '- `falsy-zero`, `src/refund.ts`: `.github/evident.yml` line 13, "was so", ran out on 1 March 2020. Change it there.',
  ];
  const intro = '**Kept answers that touch this pull request.** Nothing else is held back by one.\n\n';
  expect(told(place)).toEqual([`${intro}${kept.join('\n')}`]);
  await replies(place, 'octocat', 'yes, see <b>their</b> API @monalisa');
  await comment(place, 'octocat', '/evident memory');
  expect(told(place).at(-1)).toBe(
    `${intro}${[
      `- **Q1** \`falsy-zero\`, [\`src/refund.ts:5\`](${world.github.url}/${place.repository.fullName}/blob/${place.repository.pull(place.number).head.sha}/src/refund.ts#L5): octocat, yes, "see &lt;b>their&lt;/b> API @\u200bmonalisa". This pull request only. \`/evident memory forget Q1\` asks again.`,
      ...kept,
    ].join('\n')}`,
  );
  await comment(place, 'octocat', '/evident memory forget Q1');
  await comment(place, 'octocat', '/evident memory');
  expect(told(place).at(-1)).toBe(`${intro}${kept.join('\n')}`);
  await comment(place, 'defunkt', '/evident memory');
  expect(told(place).at(-1)).toBe('Noted, thanks. octocat or someone with write access can do this.');
});

describe('asked again on other lines', () => {
  const otherLine = '  return refund || order.total || 0;';
  const refund = (line: string): string =>
    change['src/refund.ts'].replace('  return refund || order.total;', line);
  const other = { 'src/refund.ts': refund(otherLine) };
  const fixed = { 'src/refund.ts': refund('  return refund ?? order.total;') };
  const asked = '**Question (Q2): does the provider refuse a refund of 0?**';
  const today = /octocat answered yes to this on \d{1,2} \w+ \d{4} in #1 \("their API answers 422"\)\./
    .source;
  const pushes = async (place: Place, files: Parameters<Place['push']>[0]): Promise<void> => {
    await place.push(files);
    await place.settled();
  };
  /** What stands below the first line of a thread. */
  const second = (place: Place, nth: number): string => first(place, nth).split('\n\n')[1] ?? '';

  test('it quotes what was said before', async () => {
    const model = asks();
    const place = await opened(model);
    await replies(place, 'octocat', 'yes, their API answers 422');
    model.sees({ line: 5, code: otherLine });
    await pushes(place, other);
    expect([state(place), state(place, 1)]).toEqual([
      '**Not asked any more (Q1).** The code that this was about is not there any more.',
      asked,
    ]);
    expect(second(place, 1)).toMatch(new RegExp(`^${today} Line 5 has changed since\\.$`));
    expect(check(place)).toBe('success, Nothing to fix, one clean review; open: Q2');
    expect(place.warned).toEqual([]);
  });

  test('after a push without it, by another instance, of an answer that was confirmed', async () => {
    const model = asks();
    const place = await opened(model, { pull: { author: 'defunkt' } });
    await comment(place, 'monalisa', '/evident review');
    await replies(place, 'defunkt', 'yes, their API answers 422');
    await replies(place, 'monalisa', 'ok');
    model.sees(null);
    await pushes(place, fixed);
    expect(state(place)).toMatch(/^\*\*Not asked any more \(Q1\)/);
    // Too late to count, and not what is quoted.
    place.later(600_000);
    model.sees({ line: 5, code: otherLine });
    await place.restart({ gate: 'blocking', model });
    await pushes(place, other);
    expect(state(place, 1)).toBe(asked);
    expect(second(place, 1)).toMatch(
      /^defunkt answered yes to this on .* in #1 \("their API answers 422"\), confirmed by monalisa\. Line 5 has changed since\.$/,
    );
    // The same lines again: they are not said to have changed.
    model.sees(null);
    await pushes(place, fixed);
    model.sees({ line: 5, code: '  return refund || order.total;' });
    await pushes(place, { ...change, 'src/label.ts': `${change['src/label.ts']}// next door\n` });
    expect(second(place, 2)).toMatch(/^defunkt answered yes .* The code was gone since, and is back\.$/);
  });

  test('words that were taken back or forgotten are not quoted', async () => {
    const model = asks();
    const place = await opened(model);
    const id = await replies(place, 'octocat', 'yes, their API answers 422');
    model.sees(null);
    await pushes(place, fixed);
    place.repository.as('octocat').deleteComment(id);
    await place.settled();
    model.sees({ line: 5, code: otherLine });
    await pushes(place, other);
    expect(second(place, 1)).toMatch(/^`refundFor` returns 0/);

    await replies(place, 'monalisa', 'yes, their API answers 422', 1);
    await comment(place, 'octocat', '/evident memory forget Q2');
    model.sees({ line: 5, code: '  return refund || order.total || 1;' });
    await pushes(place, { 'src/refund.ts': refund('  return refund || order.total || 1;') });
    expect([state(place, 2), second(place, 2)]).toEqual([
      asked.replace('Q2', 'Q3'),
      expect.stringMatching(/^`refundFor` returns 0/),
    ]);
  });

  test('what a stranger wrote is quoted as one harmless line', async () => {
    const model = asks();
    const place = await opened(model);
    await replies(place, 'octocat', 'yes, see <b>their</b> API @octo-org/all');
    model.sees({ line: 5, code: otherLine });
    await pushes(place, other);
    expect([state(place, 1), second(place, 1)]).toEqual([
      asked,
      expect.stringMatching(
        /^octocat answered yes to this on .* in #1 \("see &lt;b>their&lt;\/b> API @\u200bocto-org\/all"\)\. Line 5 has changed since\.$/,
      ),
    ]);
  });

  test.each([
    [
      'its line has changed',
      'return refund ?? order.total;',
      '2999-06-01',
      'Kept in `.github/evident.yml` line 3: "the provider refuses it (octocat, #\u200b3)". Line 5 has changed since.',
    ],
    [
      'its day has come',
      'return refund || order.total;',
      '2020-06-01',
      'Kept in `.github/evident.yml` line 3 until 1 June 2020: "the provider refuses it (octocat, #\u200b3)". That day has come.',
    ],
    ['it was about another line', 'return 0;', '2999-06-01', null],
  ])('of an answer that the settings keep, %s', async (_name, code, until, expected) => {
    const place = await opened(
      asks(),
      settings(
        `gate: { mode: blocking }
answers:
  - rule: falsy-zero
    path: src/refund.ts
    code: ${code}
    because: "the provider refuses it (octocat, #3)"
    until: ${until}
`,
      ),
    );
    expect(state(place)).toBe(open);
    expect(second(place, 0)).toEqual(expected ?? expect.stringMatching(/^`refundFor` returns 0/));
  });
});
