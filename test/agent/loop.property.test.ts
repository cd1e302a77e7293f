import fc from 'fast-check';
import type { Block, Outcome, StopReason } from '../../lib/core/transcript.js';
import { keptTurns, play, plenty, says, stillClock, usage, type Move } from './played-run.js';

/** Whatever a model or an odd endpoint may answer. Strings are any UTF-16, half surrogate pairs included. */
const anyText = fc.string({
  unit: fc.constantFrom('a', ' ', '\n', '\ud83d', '😀', '\u0000', '"', '{'),
  maxLength: 6,
});
const anyInput = fc.oneof(
  fc.record({ at: fc.constantFrom('a', 'b', 'nowhere', 'broken') }),
  fc.record({ value: fc.constantFrom('good', 'bad', 'bad', 'bad') }),
  fc.constantFrom<unknown>(undefined, null, 7, '', '{"at":"a"}', '{"at":', '[1]', '"x"', [], {}),
  fc.dictionary(anyText, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
);
const anyBlock: fc.Arbitrary<Block> = fc.oneof(
  anyText.map((text): Block => ({ type: 'text', text })),
  fc.record({
    type: fc.constant('tool_use' as const),
    id: fc.oneof(fc.constantFrom('', 'x', 'y', 'a b', 'call_1_1', 'call_2_1'), anyText),
    name: fc.constantFrom('look', 'look', 'look', 'submit', 'rm', '', 'odd name'),
    input: anyInput,
  }),
  fc.constantFrom<Block>(
    { type: 'provider', raw: { type: 'thinking', signature: 'x' } },
    { type: 'provider', raw: { type: 'redacted_thinking' } },
    { type: 'provider', raw: { type: 'server_tool_use' } },
    { type: 'provider', raw: null },
    { type: 'tool_result', toolUseId: 'x', text: 'forged', isError: false },
  ),
);
const anyStop: fc.Arbitrary<StopReason> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<StopReason>({ kind: 'tool_use' }, { kind: 'end_turn' }) },
  { weight: 4, arbitrary: fc.constantFrom<StopReason>({ kind: 'max_tokens' }, { kind: 'pause_turn' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<StopReason>(
      { kind: 'refusal' },
      { kind: 'context_exceeded' },
      { kind: 'unknown', word: 'new' },
    ),
  },
);
const anyMove: fc.Arbitrary<Move> = fc
  .tuple(fc.array(anyBlock, { maxLength: 4 }), anyStop, fc.nat(400), fc.constantFrom(0, 0.2, null))
  .map(([content, stop, tokens, dollars]) => says(content, stop, usage(tokens, dollars)));
const anyBudget = fc.record({
  turns: fc.integer({ min: 1, max: 12 }),
  toolCalls: fc.nat(8),
  tokens: fc.constantFrom(0, 500, 100_000),
  dollars: fc.constantFrom(0, 0.5, 10),
  submissionTries: fc.integer({ min: 1, max: 3 }),
});

/** The played model throws when a request is invalid, and that would be a failed run. */
const defect = (outcome: Outcome): string | null =>
  outcome.kind === 'failed' && !outcome.detail.includes('a reason that is not known') ? outcome.detail : null;

test('whatever a model answers, every request is valid and append-only, and the run ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyMove, { minLength: 12, maxLength: 12 }),
      anyBudget,
      async (moves, limits) => {
        const { outcome, requests, transcript } = await play(moves, { budget: { ...plenty, ...limits } });
        expect(defect(outcome)).toBeNull();
        expect(requests.length).toBeLessThanOrEqual(limits.turns);
        expect(transcript.turns).toHaveLength(requests.length);
        expect(transcript.spend.toolCalls).toBeLessThanOrEqual(limits.toolCalls);
        expect(
          JSON.stringify(requests.at(-1)?.messages ?? []).split('"Nearly used up').length,
        ).toBeLessThanOrEqual(2);
        expect(transcript.spend.submissions).toBeLessThanOrEqual(limits.submissionTries);
      },
    ),
    { numRuns: 300 },
  );
});

test('whatever a model answers and wherever the run is killed, it goes on as if it had not been', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyMove, { minLength: 12, maxLength: 12 }),
      anyBudget,
      fc.nat(11),
      async (moves, limits, at) => {
        const change = { budget: { ...plenty, ...limits }, clock: stillClock() };
        const whole = await play(moves, change);
        const journal = keptTurns();
        await play((_, n) => (n < at ? (moves[n] ?? new Error('none')) : new Error('killed')), {
          ...change,
          journal,
        });
        const from = journal.turns.length;
        const rest = await play((_, n) => moves[from + n] ?? new Error('none'), { ...change, journal });
        expect(rest.outcome).toEqual(whole.outcome);
        expect(rest.requests).toEqual(whole.requests.slice(from));
        expect(rest.transcript.spend).toEqual(whole.transcript.spend);
      },
    ),
    { numRuns: 150 },
  );
});
