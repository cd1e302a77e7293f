import { requiredWords } from '../../lib/core/required-words.js';

test.each<[string, readonly string[] | null]>([
  ['getServerSession', ['getServerSession']],
  ['process\\.env\\.TZ|TZ=|\\bTZ:', ['process.env.TZ', 'TZ=', 'TZ:']],
  ['(process\\.env\\.TZ|TZ=)', ['process.env.TZ', 'TZ=']],
  ['^export (async )?function load\\w+', ['function load']],
  ['(foo|bar)[0-9]{2,}', ['foo', 'bar']],
  ['(foo|bar)[0-9]{2,}bazaar', ['bazaar']],
  ['(foo|bar)?q[0-9]', null],
  ['abc?d', ['ab']],
  ['abc+de', ['abc']],
  ['(?:ab|cd){2}', null],
  ['[\\]a]bc', ['bc']],
  ['[^]a]bc', ['bc']],
  ['[[:alpha:]]bc', null],
  ['foo|[a-z]+', null],
  ['foo|', null],
  ['a.b', null],
  ['(?i:foo)bar', null],
  ['(?P<name>foo)bar', null],
  ['foo(?i)bar', null],
  ['\\Qa.b\\E', null],
  ['\\pLfoo', null],
  ['a-b{,2}c[0-9]', ['a-b{,2}c']],
])('%s: %j', (pattern, words) => {
  expect(requiredWords(pattern)).toEqual(words === null ? null : { words, anyCase: false });
});

test('letters of either case only where the whole pattern says so', () => {
  expect(requiredWords('(?i)foo|bar')).toEqual({ words: ['foo', 'bar'], anyCase: true });
});

test('a pattern that goes deep is left alone', () => {
  expect(requiredWords(`${'('.repeat(400)}ab${')'.repeat(400)}`)).toBeNull();
});
