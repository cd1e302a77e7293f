import fc from 'fast-check';
import { writeMarker, type KnownMark } from '../../../lib/core/marker.js';
import type { FindingKey } from '../../../lib/core/finding.js';
import { classify } from '../../../lib/core/reward/classify.js';
import { readRewardSettings } from '../../../lib/core/reward/settings.js';

const defaults = readRewardSettings(null, 'the settings');
const read = (body: string, author: string | null = 'octocat', settings = defaults) =>
  classify({ author, body }, settings);
const classOf = (body: string, author?: string | null) => read(body, author).category;

const known = (category: 'security' | 'logic' | 'quality'): KnownMark => ({
  id: 'F1',
  key: `${category}.0123456789.0123456789abcdef.01234567.0` as FindingKey,
  rule: 'falsy-zero',
  severity: 'important',
  category,
  origin: 'introduced',
  title: 'A discount of 0 is ignored',
  path: 'src/cart.ts',
  side: 'RIGHT',
  line: 3,
  height: 1,
});
const ours = (category: 'security' | 'logic' | 'quality', state = 'open'): string =>
  `**Important (F1): SQL injection, a crash and a typo**\n\n${writeMarker({ kind: 'thread', known: known(category), state }, { keys: ['k'], scope: 's' })}`;

describe('security before logic before quality', () => {
  test.each([
    ['This is an SQL injection.', 'security'],
    ['XSS', 'security'],
    ['auth-bypass for guests', 'security'],
    ['hard to read, and it leaks a credential', 'security'],
    ['An attacker makes it crash.', 'security'],
    ['It crashes on an empty list.', 'logic'],
    ['Uncaught exception, and the naming is off.', 'logic'],
    ['race-condition between both', 'logic'],
    ['A race\n condition', 'logic'],
    ['Names are truncated.', 'logic'],
    ['Silent failure!', 'logic'],
    ['Redundant.', 'quality'],
    ['naming', 'quality'],
    ['unused variable', 'quality'],
  ])('%j is %s', (body, category) => expect(classOf(body)).toBe(category));

  test('that there is none is a remark on security, and that it does not matter is none', () => {
    expect(read('There is no security check on this endpoint.').category).toBe('security');
    expect(read('No security impact, but rename it.').category).toBe('quality');
  });
  test('what matches nothing is quality, and says so', () =>
    expect(read('Hm.')).toEqual({ category: 'quality', because: { kind: 'nothing' } }));
  test('what it rests on is told', () =>
    expect(read('It **Crashes**.').because).toEqual({ kind: 'word', word: 'crashes' }));
});

describe('words count only where the comment says them', () => {
  test.each([
    ['a word in a word', 'Trace the bracelet of the bugle.'],
    ['a name in code', 'See crash_handler and onCrash.'],
    ['a code block', '```\nSQL injection\n```\nHm.'],
    ['a code block with another fence in it', '~~~\n```\ncrash\n~~~\nHm.'],
    ['a code block that is not closed', 'Hm.\n```\ncrash'],
    ['a quoted reply', '> this crashes\n\nHm.'],
    ['a hidden comment', 'Hm. <!-- injection --> Hm.'],
    ['a hidden comment that is not closed', 'Hm. <!-- injection'],
    ['a folded section', 'Hm.\n<details><summary>x</summary>crash<details>crash</details>crash</details>'],
    ['a section that is not closed', 'Hm. <details>crash'],
    ['an address', 'See https://example.com/security/crash and [this](https://example.com/xss).'],
    ['a picture', '![injection](https://example.com/a.png) Hm.'],
    ['a tag', '<img alt="injection"> Hm.'],
    ['another meaning', 'Use dependency injection.'],
  ])('%s', (_, body) => expect(read(body).because).toEqual({ kind: 'nothing' }));

  test('inline code and emphasis are words', () => {
    expect(classOf('A `crash` here')).toBe('logic');
    expect(classOf('an _injection_')).toBe('security');
    expect(classOf('It’s not awaited; **it isn’t awaited**')).toBe('logic');
  });
});

describe('signs of known reviewers', () => {
  const greptile = (sign: string, text: string): string =>
    `<a href="#"><img alt="${sign}" src="https://example.com/${sign}.svg" align="top"></a> **${text}**`;
  test.each([
    ['greptile-apps[bot]', greptile('P0', 'Hm'), 'logic'],
    ['greptile-apps[bot]', greptile('P1', 'Unused'), 'logic'],
    ['greptile-apps[bot]', greptile('P1', 'SQL injection'), 'security'],
    ['greptile-apps[bot]', greptile('P2', 'Redundant check'), 'quality'],
    ['greptile-apps[bot]', greptile('P2', 'Hm'), 'logic'],
    ['greptile-apps', greptile('P3', 'It crashes'), 'quality'],
    ['coderabbitai[bot]', '_⚠️ Potential issue_ | _🟠 Major_\n\n**Hm.**', 'logic'],
    ['coderabbitai[bot]', '_⚠️ Potential issue_ | _🔴 Critical_\n\n**XSS.**', 'security'],
    ['coderabbitai[bot]', '_🛠️ Refactor suggestion_ | _🟠 Major_\n\n**Crash helper.**', 'quality'],
    ['coderabbitai[bot]', '_🧹 Nitpick_ | _🔵 Trivial_\n\n**Rename the credential.**', 'quality'],
    ['coderabbitai', '_🔒 Security & Privacy_ | _🟠 Major_\n\n**Hm.**', 'security'],
    ['coderabbitai', '_🔒 Security & Privacy_ | _🔵 Trivial_\n\n**Hm.**', 'quality'],
    ['copilot-pull-request-reviewer[bot]', '[nitpick] This could crash.', 'quality'],
    ['Copilot', 'This could crash.', 'logic'],
    ['cursor[bot]', '### Hm\n\n**High Severity**\n\n<!-- DESCRIPTION START -->\nHm\n', 'logic'],
    ['cursor[bot]', '### Unused\n\n**Medium Severity**\n\nHm', 'logic'],
    ['cursor[bot]', '### Unused\n\n**Low Severity**\n\nHm', 'quality'],
    ['cursor', '### Forged\n\n**High Severity**\n\nHm', 'security'],
    ['chatgpt-codex-connector[bot]', '**<sub><sub>![P1 Badge](https://x)</sub></sub>  Hm**', 'logic'],
    [null, '_⚠️ Potential issue_ | _🟠 Major_\n\n**Hm.**', 'logic'],
  ])('%s: %j is %s', (author, body, category) => expect(classOf(body, author)).toBe(category));

  test('are read of their reviewer only, and at the top', () => {
    expect(read('_⚠️ Potential issue_ | _🟠 Major_\n\nHm', 'octocat').because.kind).toBe('nothing');
    expect(read('Hm\n\nHm\n\nHm\n\nalt="P0"', 'greptile-apps').because.kind).toBe('nothing');
  });
});

describe('threads of ours', () => {
  test.each(['security', 'logic', 'quality'] as const)('count by their category: %s', (category) =>
    expect(read(ours(category), 'evident[bot]')).toEqual({ category, because: { kind: 'ours' } }),
  );
  test('are not believed of other known reviewers, nor of accounts that are not listed', () => {
    const listed = readRewardSettings('{"evident": ["evident-reviews[bot]"]}', 'it');
    expect(read(ours('quality'), 'coderabbitai').category).toBe('security');
    expect(read(ours('quality'), 'hubot', listed).category).toBe('security');
    expect(read(ours('quality'), 'evident-reviews', listed).category).toBe('quality');
  });
  test('a hidden line that is quoted, or text that only looks like one, is none', () => {
    expect(read(`${ours('quality')}\n\nHm.`).because.kind).toBe('word');
    expect(read('crash\n<!-- evident:thread {} -->').because.kind).toBe('word');
  });
});

describe('tables and signs of a settings file', () => {
  const settings = readRewardSettings(
    JSON.stringify({
      words: { security: ['tenant leak*'], logic: ['goes dark'], ignore: ['crash course'] },
      badges: [{ reviewer: 'our-reviewer', text: '[blocker]', says: 'defect' }],
    }),
    'it',
  );
  test.each([
    ['octocat', 'tenant-leaks', 'security'],
    ['octocat', 'The page goes dark', 'logic'],
    ['octocat', 'a crash course', 'quality'],
    ['our-reviewer[bot]', '[blocker] Unused', 'logic'],
  ])('%s: %j is %s', (author, body, category) =>
    expect(read(body, author, settings).category).toBe(category),
  );
});

test('any text has a class, in little time', () => {
  const pieces = fc.constantFrom(
    '<!--',
    '-->',
    '```',
    '>',
    '<details>',
    '</details>',
    '[',
    '](',
    '_',
    'crash',
    '\n',
    ' ',
    'a',
    '(',
    ')',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 400 }), (parts) => {
      expect(['security', 'logic', 'quality']).toContain(classOf(parts.join('')));
    }),
    { numRuns: 200, seed: 7 },
  );
  for (const hostile of ['<!--', '[', '<details>', '![', '_', '> ', 'a-', 'arbitrary\n', '<a '])
    expect(classOf(hostile.repeat(100_000 / hostile.length))).toMatch(/^(security|logic|quality)$/);
});
