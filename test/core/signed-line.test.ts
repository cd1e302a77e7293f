import fc from 'fast-check';
import { z } from 'zod';
import { writeMarker, type MarkerTrust } from '../../lib/core/marker.js';
import { readReplyKey, writeReplyMarker } from '../../lib/core/reply-marker.js';
import { readSignedLine, writeSignedLine } from '../../lib/core/signed-line.js';

const trust: MarkerTrust = { keys: ['first-key', 'second-key'], scope: 'github.com/1/octo-org/shop#7' };
const any = z.object({ text: z.string() });

test('whatever it carries comes back, stays inside its comment and below any text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ maxLength: 80 }),
      (text, above) => {
        const line = writeSignedLine('note', { text }, trust);
        expect(line.slice(4, -3)).not.toMatch(/[<>]|--|\n/);
        expect(readSignedLine(`${above}\n\n${line}\n`, 'note', any, trust)).toEqual({ text });
      },
    ),
  );
});

test('a hostile text is read in time and gives nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (body) => {
      expect(readReplyKey(body, trust)).toBeNull();
    }),
  );
  expect(readReplyKey(`<!-- evident:reply ${'{'.repeat(200_000)} -->`, trust)).toBeNull();
  expect(readReplyKey('<!-- evident:reply {"v":2,"key":"a"} -->\n'.repeat(20_000), trust)).toBeNull();
});

describe('a reply is known by its key', () => {
  const body = `Thanks.\n\n${writeReplyMarker('Q1:no:7', trust)}`;
  const rows: readonly (readonly [string, string, MarkerTrust | undefined, string | null])[] = [
    ['as it was written', body, trust, 'Q1:no:7'],
    ['as GitHub gives line ends back', body.replaceAll('\n', '\r\n'), trust, 'Q1:no:7'],
    ['signed with an older key', body, { ...trust, keys: ['new', 'first-key'] }, 'Q1:no:7'],
    [
      'with another marker after it',
      `${body}\n${writeMarker({ kind: 'summary', pass: 'p' }, trust)}`,
      trust,
      'Q1:no:7',
    ],
    ['signed for another pull request', body, { ...trust, scope: 'github.com/1/octo-org/shop#8' }, null],
    ['signed by nobody we know', body, { ...trust, keys: ['other'] }, null],
    ['without a signature', `Thanks.\n\n${writeReplyMarker('Q1:no:7')}`, trust, null],
    ['without a signature, where none is asked for', writeReplyMarker('Q1:no:7'), undefined, 'Q1:no:7'],
    ['another key under the same signature', body.replace('Q1:no:7', 'Q1:no:8'), trust, null],
    ['above other text', `${body}\n\nAnd more.`, trust, null],
    ['of another kind', `x\n\n${writeSignedLine('note', { v: 2, key: 'k' }, trust)}`, trust, null],
    ['of a later version', `x\n\n${writeSignedLine('reply', { v: 3, key: 'k' }, trust)}`, trust, null],
  ];
  test.each(rows)('%s', (_how, text, by, key) => {
    expect(readReplyKey(text, by)).toBe(key);
  });
});
