import fc from 'fast-check';
import { changedOf, digestOfLines, type Condition } from '../../lib/core/condition.js';
import { parseReading, type ReadAs, type Reading } from '../../lib/core/reading.js';
import { readReplyKey, readReplyReading, writeReplyMarker } from '../../lib/core/reply-marker.js';

const trust = { keys: ['k'.repeat(32)], scope: 'github.test/1/octo-org/shop#1' };
const digest = 'a'.repeat(16);
const condition: Condition = { path: 'src/a.ts', start: 2, end: 3, digest };
const place = { path: 'src/a.ts', ref: 'head', start: 2, end: 3 } as const;

const all: readonly ReadAs[] = [
  {
    kind: 'answer',
    answer: 'yes',
    because: 'It does.',
    evidence: [place],
    condition: 'it runs',
    conditions: [condition],
  },
  { kind: 'answer', answer: 'unsure', because: '', evidence: [], conditions: [] },
  { kind: 'question', question: 'Is it on?', because: '<!-- -->', conditions: [condition] },
  { kind: 'stands', because: 'So.', evidence: [place] },
  { kind: 'withdrawn', because: 'So.', evidence: [place], conditions: [condition] },
  { kind: 'explained', text: 'It happens when a > b -- always.' },
  { kind: 'noted' },
  { kind: 'unclear' },
  { kind: 'lapsed', changed: [condition] },
];
const reading = (as: ReadAs): Reading => ({
  statement: 'reply:7:1764583200000:words:Q1:0',
  words: digest,
  item: 'Q1',
  round: 1,
  as,
});

test.each(all)('$kind comes back from our reply as it was', (as) => {
  const body = `Text.\n\n${writeReplyMarker('reading:x', trust, reading(as))}`;
  expect(readReplyReading(body, trust)).toEqual(reading(as));
  expect(readReplyKey(body, trust)).toBe('reading:x');
});

test('the longest reading still fits its marker', () => {
  const path = '\u{1f600}'.repeat(150);
  const long = reading({
    kind: 'answer',
    answer: 'yes',
    because: '<'.repeat(700),
    evidence: Array.from({ length: 8 }, () => ({ ...place, path })),
    condition: '<'.repeat(150),
    conditions: Array.from({ length: 6 }, () => ({ ...condition, path })),
  });
  expect(readReplyReading(`x\n\n${writeReplyMarker('k', trust, long)}`, trust)).toEqual(long);
});

describe('no reading is what', () => {
  const body = (value: unknown): string => `x\n\n${writeReplyMarker('k', trust, value as Reading)}`;
  const good = reading({ kind: 'unclear' });
  test.each<readonly [string, unknown]>([
    ['has another shape', 'yes'],
    ['has a round too many', { ...good, round: 4 }],
    ['has an effect of its own', { ...good, as: { kind: 'include_finding' } }],
    ['names no item', { ...good, item: 'all' }],
    ['is longer than a reading', { ...good, as: { kind: 'explained', text: 'x'.repeat(2_000) } }],
  ])('%s; the reply keeps its key', (_name, value) => {
    expect(readReplyReading(body(value), trust)).toBeNull();
    expect(readReplyKey(body(value), trust)).toBe('k');
  });

  test('is signed by nobody, or for another place', () => {
    expect(readReplyReading(`x\n\n${writeReplyMarker('k', undefined, good)}`, trust)).toBeNull();
    const elsewhere = { ...trust, scope: 'github.test/1/octo-org/shop#2' };
    expect(readReplyReading(`x\n\n${writeReplyMarker('k', elsewhere, good)}`, trust)).toBeNull();
  });

  test('anybody made up', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const parsed = parseReading(value);
        expect(parsed === null || parsed.round <= 3).toBe(true);
      }),
    );
  });
});

describe('a condition', () => {
  const lines = ['a();', '  if (b) return;', '  c();', 'd();'];
  const kept: Condition = { ...condition, digest: digestOfLines(lines.slice(1, 3)) };
  const changed = async (now: readonly string[] | null): Promise<number> =>
    (await changedOf([kept], { lines: () => Promise.resolve(now) })).length;

  test.each<readonly [string, readonly string[] | null, number]>([
    ['stands as it was', lines, 0],
    ['moved', ['x();', 'y();', ...lines], 0],
    ['is indented anew', lines.map((line) => `    ${line.trim()}`), 0],
    ['changed', ['a();', '  if (!b) return;', '  c();', 'd();'], 1],
    ['lost a line', ['a();', '  if (b) return;', 'd();'], 1],
    ['is gone with its file', null, 1],
    ['is gone with the text', [], 1],
  ])('that %s', async (_name, now, count) => {
    expect(await changed(now)).toBe(count);
  });
});
