/** What is remembered of answers, and what is forgotten again, through the real handler on the local GitHub. */
import type { AnswerEffects } from '../lib/core/question.js';
import { calls, type ScriptedModel } from '../lib/models/scripted.js';
import { bug, change, plays, readAll, startWorld, type Place, type PlaceOrder, type World } from './world.js';

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
});
