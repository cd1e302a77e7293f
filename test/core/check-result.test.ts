import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { readCheckResult, writeCheckResult, type CheckResult } from '../../lib/core/check-result.js';

const result: CheckResult = {
  v: 1,
  verdict: 'fix',
  head: '3f9c2d1',
  complete: true,
  important: 2,
  nit: 3,
  pre_existing: 1,
  questions_open: 1,
  fix_round: 1,
  blocking: ['F1', 'F2'],
  questions: ['Q1'],
};
const line = writeCheckResult(result);

test('what is written is read, whatever stands above it', () => {
  fc.assert(
    fc.property(fc.string(), (above) => {
      expect(readCheckResult(`${above}\n\nText.\n\n${line}\r\n`)).toEqual({ kind: 'result', result });
      expect(readCheckResult(above).kind).toBe('none');
    }),
  );
});

test.each<readonly [string, string, unknown]>([
  ['above the state', `Text.\n${line}\n<!-- evident:state {"v":2} -->`, { kind: 'result', result }],
  ['quoted in the text', `${line}\n\nText.`, { kind: 'none' }],
  ['inside a fence', `\`\`\`text\n${line}\n\`\`\``, { kind: 'none' }],
  ['of another version', line.replace('"v":1', '"v":2'), { kind: 'unknown', version: 2 }],
  ['of no version', line.replace('"v":1', '"v":"1"'), { kind: 'unknown', version: null }],
  ['a verdict that is none', line.replace('"fix"', '"merge"'), { kind: 'unknown', version: null }],
  ['an id that is none', line.replace('"F2"', '"F2; rm"'), { kind: 'unknown', version: null }],
  ['cut short', line.slice(0, 60), { kind: 'unknown', version: null }],
  ['too long', line.replace('"F1"', `"F1${'0'.repeat(50_000)}"`), { kind: 'unknown', version: null }],
])('a line %s', (_what, text, wanted) => {
  expect(readCheckResult(text)).toEqual(wanted);
});

test('a check from before questions were named is read', () => {
  const { questions: _, ...older } = result;
  expect(readCheckResult(writeCheckResult(older))).toEqual({ kind: 'result', result: older });
});

test.each(['AGENTS-GUIDE.md', 'CHECKS.md'])('the line shown in docs/%s is one', (page) => {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const shown = text.split('\n').find((one) => one.startsWith('<!-- evident:result')) ?? '';
  expect(readCheckResult(shown)).toEqual({ kind: 'result', result });
});
