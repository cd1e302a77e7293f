/** What hostile texts cost, as growth within this run: see README.md in this folder. */
import { parseAnswer } from '../lib/core/answer.js';
import { noConversation, type Comment, type Thread } from '../lib/core/conversation.js';
import { readPolicyFile } from '../lib/core/policy-file.js';
import { searchFiles } from '../lib/core/search.js';
import { labelSecrets } from '../lib/core/secret.js';
import { readStatements } from '../lib/core/statement.js';
import { capText } from '../lib/forges/github/cap-text.js';

type Reader = {
  readonly name: string;
  /** Characters of the longer text; the baseline has a quarter of them. */
  readonly longest: number;
  readonly pieces: readonly string[];
  readonly read: (text: string) => unknown;
};

const readers: readonly Reader[] = [
  {
    name: 'a reply, read as an answer',
    longest: 60_000,
    pieces: ['yes ', 'no, ', '`', '~~', ':a', '(', 'not ', '\n', '@evident ', 'ja '],
    read: parseAnswer,
  },
  {
    name: 'a reply in a thread, read for statements',
    longest: 64_000,
    pieces: ['`', '` ', '<!--', '\n', '> ', 'Q1: yes\n', 'On 1 ', 'F1,', '*'],
    read: (body) =>
      readStatements({ ...noConversation, threads: [threadOf(body)] }, new Map([['T_1', 'Q1']])),
  },
  {
    name: 'a line, searched for secrets',
    longest: 200_000,
    pieces: ['tokenkey', 'token]]  ', 'password="', '://a:b', 'secret: ', '-----BEGIN ', '\\n+/'],
    read: labelSecrets,
  },
  {
    name: 'a settings file',
    longest: 60_000,
    pieces: ['- ', '? ', '\n', 'a: &a [*a]\n', '- a\n', '\t'],
    read: (text) => readPolicyFile(text, { file: '.github/evident.yml' }),
  },
  {
    name: 'a text, cut to size',
    longest: 400_000,
    pieces: ['<!--', '\n', '`', '<details>\n', 'ü'],
    read: (text) => capText(text, text.length / 2),
  },
  {
    name: 'a file, searched for (a+)+$',
    longest: 80_000,
    pieces: ['a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaab\n'],
    read: (text) => searchFiles([{ path: 'a', text }], { pattern: '(a+)+$', limit: 1 }),
  },
];
/** Four times the text: 4 is linear, 16 is quadratic. Below the floor the clock says nothing. */
const tooSteep = 10;
const floorMs = 20;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
print('Growth of the cost when the text is four times as long (baseline: a quarter of it). Linear is 4.\n');
let steep = 0;
for (const { name, longest, pieces, read } of readers) {
  print(name);
  for (const piece of pieces) {
    const whole = piece.repeat(Math.ceil(longest / piece.length));
    const quarter = cost(() => read(whole.slice(0, longest / 4)));
    const ms = cost(() => read(whole));
    const growth = ms / quarter;
    const isSteep = ms > floorMs && growth > tooSteep;
    steep += isSteep ? 1 : 0;
    const told = ms <= floorMs ? 'too little to tell' : growth.toFixed(1);
    print(`  ${JSON.stringify(piece).padEnd(32)} ${told}${isSteep ? '  <- more than linear' : ''}`);
  }
}
print(`\n${steep} of them grow faster than ${tooSteep}.`);
process.exitCode = steep > 0 ? 1 : 0;

/** Processor time, the least of a few runs, in milliseconds: other processes are not counted. */
function cost(run: () => unknown): number {
  let least = Infinity;
  for (let round = 0; round < 4; round++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

function threadOf(reply: string): Thread {
  const at = '2025-12-01T10:00:00Z';
  const comments: readonly Comment[] = [
    { id: 'C_1', databaseId: 1, author: 'evident-octo[bot]', by: 'bot', ours: true, body: '**Q1**', at },
    { id: 'C_2', databaseId: 2, author: 'octocat', by: 'person', ours: false, body: reply, at },
  ];
  const place = { path: 'a.ts', line: 1, originalLine: 1, resolved: false, outdated: false };
  return { id: 'T_1', ...place, comments };
}
