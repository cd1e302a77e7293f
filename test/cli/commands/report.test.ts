import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { main } from '../../../cli/main.js';
import { playDemo } from '../../../cli/play-demo.js';
import type { PastPull } from '../../../lib/core/past-pull.js';
import type { Report } from '../../../lib/core/report/report.js';
import { silentLog } from '../../../lib/ports/log.js';
import { demoStory } from '../../../local-github/demo-story.js';
import { bot, history, person } from '../../core/report/history.js';
import { plantedHistory } from '../../core/report/planted-history.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evident-report-'));
  await writeFile(join(folder, 'planted.jsonl'), linesOf(plantedHistory()));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const linesOf = (pulls: readonly unknown[]): string =>
  pulls.map((pull) => `${JSON.stringify(pull)}\n`).join('');

async function report(
  args: readonly string[],
  { stdin = '', env = {} }: { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> } = {},
) {
  let out = '';
  let err = '';
  const code = await main(['report', ...args], {
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    readStdin: async () => Buffer.from(stdin),
    isTerminal: false,
    env,
    cwd: folder,
  });
  return { code, out, err };
}

const jsonOf = async (args: readonly string[], stdin?: string): Promise<Report> => {
  const { out, err } = await report([...args, '--json'], stdin === undefined ? {} : { stdin });
  if (out === '') throw new Error(err);
  return JSON.parse(out) as Report;
};

test('what the real app wrote on a GitHub is collected, read as its own and counted', async () => {
  const played = await playDemo({ story: demoStory, environment: {}, log: silentLog });
  try {
    await played.reply('octocat', 'Q1', 'no');
    const { code, out, err } = await report(['--repo', 'octo-org/shop', '--json'], {
      env: { GITHUB_API_URL: played.github.apiUrl, GH_TOKEN: played.github.tokenOf('octo-org') },
    });
    expect([code, err]).toEqual([0, expect.stringMatching(/1 of 1 pull requests/) as string]);
    const { figures, reviewers, notes } = JSON.parse(out) as Report;
    const known = await played.known();
    const measured = (id: string) => figures.find((one) => one.id === id)?.all;
    expect(known.questions.map(({ standing }) => standing.kind)).toEqual(['answered']);
    expect(measured('answered')).toMatchObject({ hits: 1, n: 1 });
    expect(figures.find(({ id }) => id === 'answered')?.parts[0]?.rows).toMatchObject([
      { name: 'became a finding', measure: { hits: 1, n: 1 } },
    ]);
    // The thread of the question is one of a finding now.
    expect(measured('wrong')).toMatchObject({ hits: 0, n: known.threads.length });
    expect(reviewers).toEqual([{ login: 'evident', threads: known.threads.length }]);
    expect(measured('escalations')).toMatchObject({ hits: 0, n: 1 });
    expect(measured('cost')).toMatchObject({ value: 0, n: 1 });
    expect(notes.join(' ')).toMatch(/bot account of evident/);
  } finally {
    await played.close();
  }
});

test('in the terminal: 80 columns, each figure with its sentence, its n and what divides it', async () => {
  const { code, out, err } = await report(['--from', 'planted.jsonl']);
  expect([code, err]).toEqual([0, '']);
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(out).toMatch(/^Reviews of octo-org\/shop\n32 pull requests, opened 2026-02-01 to 2026-04-01/);
  expect(out).toMatch(/\nFix rounds for each pull request {4,}1\.19 \(n 32\)\n/);
  expect(out).toMatch(/\nFive fix rounds or more {4,}6% \(2 of 32\)\n/);
  expect(out.replace(/\s+/g, ' ')).toMatch(
    /To do: Since then: more than one in five was said to be no problem/,
  );
  expect(out).toMatch(/ {2}rules:\n {4}- rule: missing-guard\n {6}weight: 'off' # 0 of 5 fixed/);
  const { figures } = await jsonOf(['--from', 'planted.jsonl']);
  for (const { title, sentence } of figures) {
    expect(out).toContain(title);
    expect(out.replace(/\s+/g, ' ')).toContain(sentence.replaceAll('`', ''));
  }
});

test('the page holds the same figures and needs nothing beside itself', async () => {
  const { code, out } = await report(['--from', 'planted.jsonl', '--html', 'report.html', '--json']);
  expect(code).toBe(0);
  const page = await readFile(join(folder, 'report.html'), 'utf8');
  const { figures } = JSON.parse(out) as Report;
  for (const { id, title } of figures) expect(page).toContain(`<h3 id="${id}-name">${title}</h3>`);
  expect(page).toMatch(
    /http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'"/,
  );
  expect(page).not.toMatch(/<script|<link|<img|\son\w+=|\sstyle=|url\(|<style[^>]*>[^<]*<style/i);
  expect(page.match(/(?:src|href)="(?!#)[^"]*"/g)).toBeNull();
  expect(page.match(/<style/g)).toHaveLength(1);
  const charts = page.match(
    /<svg [^>]*role="img" aria-labelledby="(\S+)-title \1-desc"><title id="\1-title">[^<]+<\/title><desc id="\1-desc">[^<]+<\/desc>/g,
  );
  expect(charts).toHaveLength((page.match(/<svg/g) ?? []).length);
  const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(page).toContain('26% (10 of 38)');
  expect((await readdir(folder)).filter((name) => name.endsWith('.next'))).toEqual([]);
});

test('names of strangers stay text, on the page and in the terminal', async () => {
  const evil = '</title><script>alert(1)</script>\u001b[31m\u202e" onload="x';
  const hostile = history(1, { title: evil, author: person(evil) })
    .push()
    .review(bot(evil))
    .thread({ by: bot('\u202e<b>\ud800'), body: evil })
    .thread({ by: bot(evil), body: evil })
    .pass({ items: [{ id: 'F1', rule: evil.slice(0, 80), state: 'open' }], model: evil })
    .merged();
  const { code, out } = await report(['--from', '-', '--html', 'hostile.html'], {
    stdin: linesOf([hostile]),
  });
  expect(code).toBe(0);
  expect(out).not.toMatch(/\u001b|\u202e/);
  const raw = await report(['--from', '-', '--json'], { stdin: linesOf([hostile]) });
  expect(raw.out).not.toMatch(/\u001b|\u202e/);
  expect(JSON.stringify(JSON.parse(raw.out))).toContain('\u202e');
  const page = await readFile(join(folder, 'hostile.html'), 'utf8');
  expect(page).not.toMatch(/<script|<b>|\u001b|\u202e|\ud800|" onload/);
  expect(page).toContain('&lt;script&gt;');
});

test('what is counted can be chosen', async () => {
  const file = ['--from', 'planted.jsonl'];
  expect(await jsonOf([...file, '--last', '5'])).toMatchObject({
    pulls: { all: 5 },
    from: '2026-03-28',
    split: null,
  });
  expect(await jsonOf([...file, '--repo', 'Octo-Org/Shop'])).toMatchObject({ pulls: { all: 32 } });
  expect(await jsonOf([...file, '--since-install', '2026-02-05'])).toMatchObject({
    split: { at: '2026-02-05T00:00:00.000Z', by: 'given' },
    figures: expect.arrayContaining([
      expect.objectContaining({ id: 'five_rounds', before: expect.objectContaining({ n: 4 }) as unknown }),
    ]) as unknown,
  });
  expect((await jsonOf([...file, '--floor', '0'])).proposals).toEqual([]);
  expect((await jsonOf([...file, '--app', 'other'])).notes.join(' ')).toMatch(
    /No state of Evident was seen in check runs of other/,
  );
  await writeFile(join(folder, 'words.json'), JSON.stringify({ words: { security: ['crashes'] } }));
  const { figures } = await jsonOf([...file, '--settings', 'words.json']);
  const late = figures.find(({ id }) => id === 'late')?.parts[0]?.rows.map(({ measure }) => measure.n) ?? [];
  expect(late[0]).toBeGreaterThan(10);
});

test('before Evident is there, what only it knows is told as not known', async () => {
  const { figures, notes, split } = await jsonOf(['--from', '-'], linesOf(plantedHistory().slice(0, 12)));
  expect(split).toBeNull();
  expect(figures.filter(({ all }) => all.value === null).map(({ id }) => id)).toEqual([
    'escalations',
    'answered',
    'cost',
  ]);
  expect(notes[0]).toMatch(/^No check of Evident was seen/);
});

const pull = history(1).push().merged();

/** What cannot be used, and the sentence. */
test.each<readonly [readonly string[], string, RegExp]>([
  [[], '', /--repo is missing: write OWNER\/NAME/],
  [['--repo', 'shop'], '', /--repo is shop/],
  [['--repo', 'octo-org/shop'], '', /No token is set/],
  [['--from', 'nowhere.jsonl'], '', /There is no file nowhere\.jsonl/],
  [['--from', '-'], '', /The input holds no pull request/],
  [['--from', '-'], 'x', /The input, line 1 is no JSON/],
  [
    ['--from', '-'],
    linesOf([pull, { ...pull, state: 'lost' }]),
    /The input, line 2 is no collected pull request: `state`/,
  ],
  [['--from', '-'], linesOf([{ ...pull, threads: [], withoutThreads: true }]), /--no-threads/],
  [['--from', '-', '--repo', 'octo-org/other'], linesOf([pull]), /holds nothing of octo-org\/other/],
  [
    ['--from', '-'],
    linesOf([{ ...pull, createdAt: '1/31/2026 10:00' }]),
    /`createdAt`: no time such as 2026-01-31T10:00:00Z/,
  ],
  [['--from', '-', '--repo', 'o/r'], linesOf([pull]), /The input .* o\/r, only of octo-org\/shop/],
  [['--from', '-', '--author', 'octocat'], linesOf([pull]), /--author is for a collection/],
  [['--from', '-', '--since', '2026-01-01'], linesOf([pull]), /--since is for a collection/],
  [['--from', '-', '--floor', '101'], linesOf([pull]), /--floor is 101/],
  [['--from', '-', '--last', '0'], linesOf([pull]), /--last is 0/],
  [
    ['--from', '-', '--since-install', '2026-02-30'],
    linesOf([pull]),
    /--since-install is 2026-02-30: write a day/,
  ],
  [
    ['--from', '-', '--html', 'no/such/folder.html'],
    linesOf([pull]),
    /--html no\/such\/folder\.html cannot be written/,
  ],
  [['--from', '-', '--settings', 'planted.jsonl'], linesOf([pull]), /planted\.jsonl/],
  [['--fast'], '', /evident report --help lists the options/],
])('%j is refused with a sentence', async (args, stdin, sentence) => {
  const { code, out, err } = await report(args, { stdin });
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(sentence);
});

test('of two lines about one pull request the newer one counts', async () => {
  const older: PastPull = { ...pull, state: 'open', mergedAt: null, updatedAt: '2026-01-01T00:00:00Z' };
  for (const lines of [
    [pull, older],
    [older, pull],
  ])
    expect(await jsonOf(['--from', '-'], linesOf(lines))).toMatchObject({ pulls: { all: 1, merged: 1 } });
});

test('help', async () => {
  const { code, out } = await report(['--help']);
  expect(code).toBe(0);
  expect(out).toMatch(/--since-install {2}the day/);
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('the workflow that makes it every week uses options that there are, and rights that read', async () => {
  const workflow = parse(await readFile('examples/report/evident-report.yml', 'utf8')) as {
    permissions: Record<string, string>;
    jobs: { report: { steps: { name?: string; run?: string }[] } };
  };
  expect(new Set(Object.values(workflow.permissions))).toEqual(new Set(['read']));
  const run = workflow.jobs.report.steps.find(({ name }) => name === 'Report')?.run ?? '';
  const { out } = await report(['--help']);
  const options = [...run.matchAll(/ (--[a-z-]+)/g)].map(([, option = '']) => option);
  expect(options).toEqual(['--repo', '--last', '--cache', '--html']);
  expect(options.filter((option) => !out.includes(option))).toEqual([]);
});
