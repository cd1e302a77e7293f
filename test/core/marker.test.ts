import fc from 'fast-check';
import { noUsage } from '../../lib/core/budget.js';
import type { FindingKey } from '../../lib/core/finding.js';
import type { PassRecord } from '../../lib/core/ledger.js';
import {
  readMarkers,
  readState,
  withoutMarkers,
  writeMarker,
  writeState,
  type KnownMark,
  type Marker,
} from '../../lib/core/marker.js';
import { fence } from '../../lib/core/render/markdown.js';
import { sha } from './shop.js';

const known: KnownMark = {
  id: 'F1',
  key: 'logic.aaaaaaaaaa.bbbbbbbbbbbbbbbb.cccccccc.0' as FindingKey,
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  origin: 'introduced',
  title: 'a refund of 0 charges the full amount',
  path: 'src/billing/refund.ts',
  side: 'RIGHT',
  line: 5,
  height: 1,
};
const record: PassRecord = {
  v: 2,
  at: 1_800_000_000_000,
  jobKey: 'octo-org/shop#482:x:main',
  head: sha('3'),
  baseRef: 'main',
  diffHash: 'a'.repeat(64),
  policyHash: 'defaults',
  lens: 'correctness',
  order: 'as_shown',
  model: 'claude-sonnet',
  modelKind: 'language_model',
  finished: true,
  complete: true,
  blocking: [known.key],
  findings: ['F1'],
  questions: [],
  settled: [],
  usage: noUsage,
};
const trust = { keys: ['k1'], scope: 'github.test/app/octo-org/shop/482' };

const anyText = fc.string({ maxLength: 60, unit: 'grapheme' }).map((text) => `${text}--> <!-- --!> \u2028`);
const anyMark: fc.Arbitrary<KnownMark> = fc
  .record({
    title: anyText,
    path: anyText,
    line: fc.integer({ min: 1, max: 9999 }),
    id: fc.constantFrom('F1', 'F23', 'Q4'),
  })
  .map((over) => ({ ...known, ...over }));
const anyMarker: fc.Arbitrary<Marker> = fc.oneof(
  fc.tuple(anyMark, anyText).map(([one, state]): Marker => ({ kind: 'thread', known: one, state })),
  anyText.map((pass): Marker => ({ kind: 'summary', pass })),
  fc.tuple(fc.array(anyMark, { maxLength: 5 }), anyText).map(([marks, text]): Marker => ({
    kind: 'state',
    state: { passes: [{ ...record, model: text }], marks, heard: [text] },
  })),
);

test('what is written is read back, whatever it carries, and never ends its comment', () => {
  fc.assert(
    fc.property(anyMarker, fc.boolean(), fc.string(), (marker, signed, text) => {
      const line = writeMarker(marker, signed ? trust : undefined);
      expect(line).toMatch(/^<!-- evident:[a-z]+ [^<>]* -->$/);
      expect(line.slice(4, -3)).not.toMatch(/--|\n/);
      const body = `${text.replace(/[`~]{3,}/g, '')}\n\n${line}\n`;
      expect(readMarkers(body, signed ? trust : undefined)).toEqual([marker]);
    }),
  );
});

const thread: Marker = { kind: 'thread', known, state: 'open' };

describe('a marker is ignored', () => {
  const line = writeMarker(thread);
  test.each([
    ['in a code block', `text\n${fence(line)}`],
    ['in a code block that is open', `text\n\`\`\`\n${line}`],
    ['above text', `${line}\n\nQuotes found 2 of 2.`],
    ['in a quotation', `> ${line}`],
    ['within a line', `see ${line}`],
    ['of another version', line.replace('"v":2', '"v":3')],
    ['of another kind', line.replace('evident:thread', 'evident:memory')],
    ['that is cut', `${line.slice(0, 90)} -->`],
    ['with a strange id', line.replace('"F1"', '"F1x"')],
    ['with a strange key', line.replace('logic.', 'style.')],
    ['when there is none', ''],
  ])('%s', (_, body) => expect(readMarkers(body)).toEqual([]));

  test('that inflates to more than it may', () => {
    const many = Array.from({ length: 6000 }, () => ({ ...known, title: 'a'.repeat(390) }));
    const bomb = writeMarker({ kind: 'state', state: { passes: [], marks: many, heard: [] } });
    expect(bomb.length).toBeLessThan(60_000);
    expect(readMarkers(bomb)).toEqual([]);
  });
});

describe('with keys a marker counts', () => {
  const signed = writeMarker(thread, trust);
  test.each([
    ['with the same key', signed, trust, 1],
    ['with an older key', signed, { ...trust, keys: ['k2', 'k1'] }, 1],
    ['not with another key', signed, { ...trust, keys: ['k2'] }, 0],
    ['not on another pull request', signed, { ...trust, scope: 'github.test/app/octo-org/shop/483' }, 0],
    ['not unsigned', writeMarker(thread), trust, 0],
    ['not when changed', signed.replace('"line":5', '"line":6'), trust, 0],
    ['not as another kind', signed.replace('evident:thread', 'evident:state'), trust, 0],
    ['not without any key', signed, { ...trust, keys: [] }, 0],
  ])('%s', (_, body, given, count) => expect(readMarkers(body, given)).toHaveLength(count));
});

test('what is known is read from the text of a check, before its last line', () => {
  const passes = [record, { ...record, at: record.at + 1, lens: 'contracts' as const }];
  const text = [
    'All 14 changed files were read.',
    '',
    writeState({ passes, marks: [known], heard: ['reply:1'] }, 30_000, trust),
    '<!-- evident:result {"v":1,"verdict":"pass"} -->',
  ].join('\n');
  expect(readState(text, trust)).toEqual({ passes, marks: [known], heard: ['reply:1'], attempts: [] });
  expect(readState(text, { ...trust, scope: 'other' })).toEqual({
    passes: [],
    marks: [],
    heard: [],
    attempts: [],
  });
  expect(withoutMarkers(text)).toBe('All 14 changed files were read.');
});

test('an item that cannot be read costs no other', () => {
  const strange = { ...known, id: 'F2', side: 'UP' } as unknown as KnownMark;
  const older = { ...record, v: 1 } as unknown as PassRecord;
  const line = writeMarker({
    kind: 'state',
    state: { passes: [older, record], marks: [strange, known], heard: ['a', 7 as unknown as string] },
  });
  expect(readState(line)).toEqual({ passes: [record], marks: [known], heard: ['a'], attempts: [] });
});
