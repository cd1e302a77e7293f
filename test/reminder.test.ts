import { setTimeout as delay } from 'node:timers/promises';
import { calls } from '../lib/models/scripted.js';
import { bug, change, plays, readAll, reviews, startWorld, type Place, type World } from './world.js';

/** People who were asked and did not answer are reminded once, by any event that comes when it is time. */

let world: World;
const places: Place[] = [];

beforeAll(async () => {
  world = await startWorld();
});

afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

afterAll(() => world.close());

const hours = 3_600_000;

async function opened(settings: string, model: Parameters<World['open']>[0]['model']): Promise<Place> {
  const place = await world.open({
    gate: 'blocking',
    ...(model !== undefined && { model }),
    pull: { head: 'agent/refunds' },
    before: async (repository) => {
      repository.addCollaborator('monalisa', 'write');
      await repository.commit({
        branch: 'main',
        files: { '.github/evident.yml': settings },
        message: 'Settings',
        author: 'monalisa',
      });
    },
  });
  places.push(place);
  await place.settled();
  return place;
}

/** An agent's pull request after a fix round that mended nothing. */
async function escalated(more = ''): Promise<Place> {
  const place = await opened(
    `gate:\n  fix_rounds: 1\n  escalate_to: [monalisa, octo-org/payments]\n${more}`,
    reviews([bug]),
  );
  await place.push({ 'src/label.ts': `${change['src/label.ts']}// nothing that helps\n` });
  await place.settled();
  expect(texts(place)).toEqual([expect.stringMatching(/please decide/)]);
  // Times are whole seconds: what is said in the second in which a check began is about the head before.
  await delay(1_100);
  return place;
}

const texts = (place: Place): readonly string[] =>
  place.repository
    .pull(place.number)
    .comments.filter(({ author }) => author.startsWith(world.github.app.slug))
    .map(({ body }) => body);

async function comments(place: Place, body = 'Any news?'): Promise<void> {
  place.repository.as('defunkt').comment(place.number, body);
  await place.settled();
}

test('those who decide are reminded once, when an event comes after the hours', async () => {
  const place = await escalated();
  place.later(71 * hours);
  await comments(place);
  expect(texts(place)).toHaveLength(1);
  place.later(2 * hours);
  await comments(place);
  const [, reminder = '', ...more] = texts(place);
  expect(more).toEqual([]);
  expect(reminder.split('\n')[0]).toMatch(
    /^\*\*@monalisa and @octo-org\/payments, a reminder: may `[0-9a-f]{7}` merge with F1 as it is\?\*\*$/,
  );
  expect(reminder).toMatch(/Asked on \d{1,2} [A-Z][a-z]+ \d{4}, and not decided yet\./);
  place.later(1_000 * hours);
  await comments(place);
  await comments(place, 'And now?');
  expect(texts(place)).toHaveLength(2);
  expect(place.stands().mergeable).toBe(false);
});

test('a label does it too, and what is asked anew has its own reminder', async () => {
  const place = await escalated();
  place.later(73 * hours);
  place.repository.as('monalisa').label(place.number, 'old');
  await place.settled();
  expect(texts(place)).toHaveLength(2);
  await place.push({ 'src/label.ts': `${change['src/label.ts']}// nor this\n` });
  await place.settled();
  expect(texts(place)).toHaveLength(3);
  // GitHub keeps the real time: what was asked a moment ago is old for the app.
  await comments(place);
  expect(texts(place).map((text) => /a reminder|please decide/.exec(text)?.[0])).toEqual([
    'please decide',
    'a reminder',
    'please decide',
    'a reminder',
  ]);
});

test('nobody is reminded after a decision, nor where the setting is 0', async () => {
  const decided = await escalated();
  await decided.repository.as('monalisa').review(decided.number, { event: 'APPROVE' });
  await decided.settled();
  decided.later(100 * hours);
  await comments(decided);
  expect(texts(decided)).toHaveLength(1);
  const never = await escalated('  remind_after_hours: 0\n');
  never.later(10_000 * hours);
  await comments(never);
  expect(texts(never)).toHaveLength(1);
});

describe('a question', () => {
  const asks = () =>
    plays(({ step }) =>
      step === 0
        ? readAll()
        : calls({
            name: 'submit_code_review',
            input: {
              findings: [],
              humanReviewRequests: [
                {
                  finding: { ...bug, confidence: 'medium' },
                  reason: 'Nothing says what a refund of 0 means to the provider.',
                  searched: ['refund'],
                  question: 'Does the provider read a refund of 0 as the whole total?',
                  answerEffects: { yes: 'suppress_finding', no: 'include_finding' },
                },
              ],
              disproved: [],
              summary: 'Changes how a refund is chosen.',
            },
          }),
    );

  test('that holds the merge is reminded of once', async () => {
    const place = await opened('gate:\n  open_questions_hold: true\n', asks());
    expect(place.stands().checks.at(-1)).toBe('head 1: action_required, 1 answer awaited: Q1');
    place.later(73 * hours);
    await comments(place);
    await comments(place, 'And now?');
    expect(texts(place)).toEqual([
      expect.stringMatching(/^\*\*A reminder: Q1 waits for an answer since \d{1,2} \w+ \d{4}\.\*\*/),
    ]);
  });

  test('that holds nothing is not', async () => {
    const place = await opened('gate: {}\n', asks());
    place.later(73 * hours);
    await comments(place);
    expect(texts(place)).toEqual([]);
  });
});
