import fc from 'fast-check';
import { capText } from '../../../lib/forges/github/cap-text.js';

test('what fits is not touched', () => {
  expect(capText('short\n', 6)).toBe('short\n');
});

test('the cut falls on a line, closes the fence, says so and keeps what is hidden', () => {
  const text = `intro\n\n\`\`\`ts\n${'code();\n'.repeat(50)}\`\`\`\n\n<!-- evident:a {} -->\n<!-- evident:b {} -->`;
  const cut = capText(text, 200);
  expect(cut).toMatch(
    /code\(\);\n```\n\n\[cut: too long for GitHub\]\n\n<!-- evident:a {} -->\n<!-- evident:b {} -->$/,
  );
});

test('no text is longer than the limit, in characters or bytes, and none throws', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '\n```\n',
      '\n````````\n',
      '\n~~~\n',
      '<!-- evident:x {} -->',
      '\n<details>\n',
      '</details>\n',
      '\n',
      'ü'.repeat(40),
      '<!--',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 120, max: 400 }), (pieces, most) => {
      const cut = capText(pieces.join(''), most);
      expect(cut.length).toBeLessThanOrEqual(most);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['comments that never end', '<!--'.repeat(50_000)],
  ['nothing but lines', '\n'.repeat(500_000)],
  ['fences as long as the text', `${'`'.repeat(40_000)}\n`.repeat(20)],
])('%s are cut', (_what, text) => {
  const cut = capText(text, 65_535);
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(65_535);
  expect(cut).not.toBe('');
});
