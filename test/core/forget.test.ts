import fc from 'fast-check';
import { blocks } from '../../lib/core/finding.js';
import type { Ledger } from '../../lib/core/ledger.js';
import { createPlay, type Fault, type Play } from './played-conversation.js';
import { policy } from './shop.js';

/** Words about one question, one question about security and one finding, with a `forget` among them. */
const faults: readonly Fault[] = [
  { line: 5, asks: true },
  { line: 10, asks: true, security: true },
  { line: 15 },
];
const people = ['octocat', 'monalisa', 'monalisa', 'hubot', 'defunkt'] as const;
const items = ['Q1', 'Q1', 'Q2', 'Q2', 'F1', 'F1', 'F2', 'F3'] as const;
const said = fc.record({
  by: fc.constantFrom(...people),
  item: fc.constantFrom(...items),
  text: fc.constantFrom(
    'yes',
    'yes, because we own it',
    'no',
    'not sure',
    'ok',
    'dismiss: by design',
    '/evident memory forget',
  ),
});
type Said = { readonly by: string; readonly item: (typeof items)[number]; readonly text: string };

const say = (play: Play, { by, item, text }: Said): void =>
  void play.say(by, text.startsWith('/') ? `${text} ${item}` : `${item} ${text}`);

const openIn = ({ findings, questions }: Ledger): readonly string[] => [
  ...findings.filter(blocks).map(({ id }) => id),
  ...questions.filter(({ standing }) => standing.kind === 'open').map(({ id }) => id),
];

test('whatever is said before and after, to forget opens something again or nothing, and closes nothing', () => {
  let opened = 0;
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.boolean(),
      fc.array(said, { minLength: 3, maxLength: 9 }),
      said,
      fc.array(said, { maxLength: 4 }),
      (holds, isAgents, before, { by, item }, after) => {
        const settings = policy('blocking');
        const play = createPlay({
          author: { login: 'octocat', kind: isAgents ? 'agent' : 'person' },
          permissions: { monalisa: 'write', hubot: 'maintain', octocat: isAgents ? 'write' : 'none' },
          settings: { ...settings, gate: { ...settings.gate, openQuestionsHold: holds } },
        });
        play.review(faults);
        for (const one of before) say(play, one);
        const command = play.say(by, `/evident memory forget ${item}`);
        for (const one of after) say(play, one);
        const [forgot, verdict] = [play.ledger(), play.verdict()];
        play.edit(command, null);
        const [kept, keptVerdict] = [play.ledger(), play.verdict()];
        const open = openIn(forgot);
        expect(open).toEqual(expect.arrayContaining([...openIn(kept)]));
        if (verdict.kind === 'passed') expect(keptVerdict.kind).toBe('passed');
        if (open.length > openIn(kept).length) opened += 1;
      },
    ),
    { seed: 482, numRuns: 400 },
  );
  expect(opened).toBeGreaterThan(20);
});
