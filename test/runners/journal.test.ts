import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noUsage } from '../../lib/core/budget.js';
import type { Turn } from '../../lib/core/transcript.js';
import type { Journal } from '../../lib/ports/job-runner.js';
import { createFileJournal, createMemoryJournal } from '../../lib/runners/index.js';

const turn = (index: number, words = `turn ${index}`): Turn => ({
  index,
  assistant: { role: 'assistant', content: [{ type: 'text', text: words }] },
  stop: { kind: 'end_turn' },
  usage: noUsage,
  served: [{ path: 'a', ref: 'head', start: 1, end: 2 }],
  calls: [],
});
const hours = (count: number): number => count * 60 * 60 * 1000;

const dirs: string[] = [];
const newDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'evident-journal-'));
  dirs.push(dir);
  return dir;
};
afterAll(() => dirs.forEach((dir) => rmSync(dir, { recursive: true, force: true })));

type Clock = { now: number };
const kinds: readonly (readonly [string, (clock: Clock) => Journal])[] = [
  ['memory', (clock) => createMemoryJournal({ clock: () => clock.now })],
  ['file', (clock) => createFileJournal(newDir(), 'secret', { clock: () => clock.now })],
];

describe.each(kinds)('a journal in %s', (_, create) => {
  const start = () => {
    const clock: Clock = { now: Date.now() };
    return { clock, journal: create(clock) };
  };

  test('gives back the turns of its run, in order', async () => {
    const { journal } = start();
    expect(await journal.load('key', 'id')).toEqual([]);
    for (const index of [0, 1, 2]) await journal.append('key', 'id', turn(index));
    expect(await journal.load('key', 'id')).toEqual([turn(0), turn(1), turn(2)]);
    await journal.append('key', 'id', turn(3));
    expect(await journal.load('key', 'id')).toHaveLength(4);
  });

  test('keeps runs apart by key, and gives nothing to another identity', async () => {
    const { journal } = start();
    await journal.append('one', 'id', turn(0, 'one'));
    await journal.append('two', 'id', turn(0, 'two'));
    expect(await journal.load('one', 'id')).toEqual([turn(0, 'one')]);
    expect(await journal.load('one', 'other')).toEqual([]);
    expect(await journal.load('one', 'id')).toEqual([turn(0, 'one')]);
  });

  test('a run that starts afresh replaces the one before', async () => {
    const { journal } = start();
    for (const index of [0, 1]) await journal.append('key', 'old', turn(index));
    await journal.append('key', 'new', turn(0, 'fresh'));
    expect(await journal.load('key', 'new')).toEqual([turn(0, 'fresh')]);
    expect(await journal.load('key', 'old')).toEqual([]);
  });

  test('refuses a gap', async () => {
    const { journal } = start();
    await journal.append('key', 'id', turn(0));
    await expect(journal.append('key', 'id', turn(2))).rejects.toThrow('turn 2 does not follow');
    expect(await journal.load('key', 'id')).toEqual([turn(0)]);
  });

  test('forgets after a day, and when it is cleared', async () => {
    const { clock, journal } = start();
    await journal.append('key', 'id', turn(0));
    clock.now += hours(23);
    expect(await journal.load('key', 'id')).toHaveLength(1);
    clock.now += hours(2);
    expect(await journal.load('key', 'id')).toEqual([]);
    await journal.append('key', 'id', turn(0));
    await journal.clear('key');
    await journal.clear('key');
    expect(await journal.load('key', 'id')).toEqual([]);
  });

  test('what it was given may change afterwards', async () => {
    const { journal } = start();
    const given = structuredClone(turn(0)) as { served: unknown[] } & Turn;
    await journal.append('key', 'id', given);
    given.served.length = 0;
    expect(await journal.load('key', 'id')).toEqual([turn(0)]);
  });
});

describe('journal files', () => {
  const written = async (turns = 3) => {
    const dir = newDir();
    const journal = createFileJournal(dir, 'secret');
    for (let index = 0; index < turns; index += 1) await journal.append('o/r#7', 'id', turn(index));
    const file = join(dir, readdirSync(dir)[0] ?? '');
    return { dir, file, text: readFileSync(file, 'utf8') };
  };
  /** As another process reads it, with what it logs. */
  const reread = async (dir: string, identity = 'id', secret = 'secret', key = 'o/r#7') => {
    const logged: object[] = [];
    const note = (fields: object): void => void logged.push(fields);
    const journal = createFileJournal(dir, secret, { log: { info: note, warn: note, error: note } });
    return { turns: await journal.load(key, identity), journal, logged };
  };

  test('another process goes on where this one ended', async () => {
    const { dir } = await written();
    const { turns, journal } = await reread(dir);
    expect(turns).toHaveLength(3);
    await journal.append('o/r#7', 'id', turn(3));
    expect((await reread(dir)).turns).toHaveLength(4);
  });

  test('nothing in them or their names can be read, and only the owner may open them', async () => {
    const { dir, file, text } = await written();
    expect(text).not.toMatch(/turn|served|text/);
    expect(file).not.toContain('r#7');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await reread(dir, 'id', 'other secret')).turns).toEqual([]);
  });

  test('a record that was torn when the process died is ignored, and the journal goes on after it', async () => {
    const { dir, file, text } = await written();
    writeFileSync(file, text.slice(0, -40));
    const { turns, journal, logged } = await reread(dir);
    expect(turns).toHaveLength(2);
    expect(logged).toEqual([{ taken: 2, ignored: 1 }]);
    await journal.append('o/r#7', 'id', turn(2, 'again'));
    const after = await reread(dir);
    expect(after.turns.map(({ assistant }) => assistant.content)).toEqual([
      [{ type: 'text', text: 'turn 0' }],
      [{ type: 'text', text: 'turn 1' }],
      [{ type: 'text', text: 'again' }],
    ]);
  });

  const records = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
  test.each<readonly [string, (lines: readonly string[]) => readonly string[], number]>([
    [
      'changed',
      ([a, b, c]) => [a ?? '', (b ?? '').replace(/^./, (x) => (x === 'A' ? 'B' : 'A')), c ?? ''],
      1,
    ],
    ['left out', ([a, , c]) => [a ?? '', c ?? ''], 1],
    ['swapped', ([a, b, c]) => [b ?? '', a ?? '', c ?? ''], 1],
    ['doubled', ([a, b, c]) => [a ?? '', a ?? '', b ?? '', c ?? ''], 3],
    ['no record at all', () => ['garbage', ''], 0],
  ])('a record that is %s is not taken up, nor what hangs on it', async (_, change, taken) => {
    const { dir, file, text } = await written();
    writeFileSync(file, change(records(text)).join('\n'));
    const { turns, logged } = await reread(dir);
    expect(turns.map(({ index }) => index)).toEqual([0, 1, 2].slice(0, taken));
    expect(logged).toHaveLength(1);
  });

  test('records of one run are of no use to another', async () => {
    const { dir, text } = await written();
    const other = createFileJournal(dir, 'secret');
    await other.append('o/r#8', 'id2', turn(0));
    const file = readdirSync(dir)
      .map((name) => join(dir, name))
      .find((name) => readFileSync(name, 'utf8') !== text);
    writeFileSync(file ?? '', text);
    expect((await reread(dir, 'id2', 'secret', 'o/r#8')).turns).toEqual([]);
  });

  test('a second writer cannot mix its turns with those of the first', async () => {
    const { dir } = await written(2);
    const [one, two] = [await reread(dir), await reread(dir)];
    await one.journal.append('o/r#7', 'id', turn(2, 'one'));
    await two.journal.append('o/r#7', 'id', turn(2, 'two'));
    await two.journal.append('o/r#7', 'id', turn(3, 'two'));
    const { turns } = await reread(dir);
    expect(turns.slice(2).map(({ assistant }) => assistant.content)).toEqual([
      [{ type: 'text', text: 'one' }],
    ]);
  });

  test('files that nobody took up for a day are removed', async () => {
    const { dir, file } = await written();
    const old = (Date.now() - hours(25)) / 1000;
    utimesSync(file, old, old);
    await createFileJournal(dir, 'secret').load('another', 'id');
    expect(readdirSync(dir)).toEqual([]);
  });

  test('a folder that cannot be read is an empty journal', async () => {
    const { turns } = await reread('/dev/null/none');
    expect(turns).toEqual([]);
  });
});
