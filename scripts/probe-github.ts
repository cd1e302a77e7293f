/**
 * Looks up on GitHub what docs/github-facts.md says of it, and prints that page anew with what was seen. For an owner, on
 * a scratch repository: it writes branches, pull requests and comments there, and puts away what can be put away.
 */
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { readPrivateKey } from '../lib/config/private-key.js';
import { createAppSpeaker } from './probe/app-speaker.js';
import { factsPage } from './probe/facts-page.js';
import { lookUp, type LookedUp, probedFacts } from './probe/look-up.js';
import { createMeter, createSpeaker, saidBy, textAt } from './probe/speaker.js';
import { createStage } from './probe/stage.js';

const usage = `node --import tsx scripts/probe-github.ts --repo OWNER/NAME [options]

Looks up what docs/github-facts.md says and prints that page with what was seen.
Use a repository that holds nothing of worth, and no one watches.

  --repo OWNER/NAME  the scratch repository
  --token TOKEN      yours, with write access to it (GITHUB_TOKEN)
  --app ID           your app, installed there, for what only an app can look up
  --key FILE         its private key
  --api URL          https://api.github.com unless told
  --only ID,ID       these facts alone
  --json             what was seen as JSON instead of the page
  --pause MS         between two writes (1000)
  --yes              do not ask

At most 500 requests. Exit codes: 0 all as stated, 1 something is otherwise,
2 wrong use, 3 something could not be looked up.
`;

const MOST_REQUESTS = 500;

async function main(): Promise<number> {
  const { values: flags } = parseArgs({
    options: {
      repo: { type: 'string' },
      token: { type: 'string' },
      app: { type: 'string' },
      key: { type: 'string' },
      api: { type: 'string', default: 'https://api.github.com' },
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
      pause: { type: 'string', default: '1000' },
      yes: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (flags.help) {
    process.stdout.write(usage);
    return 0;
  }
  const [owner = '', repo = '', ...more] = (flags.repo ?? '').split('/');
  const token = flags.token ?? process.env['GITHUB_TOKEN'] ?? '';
  const pause = Number(flags.pause);
  const wanted = flags.only?.split(',');
  const unknown = wanted?.find((id) => !probedFacts.some((fact) => fact.id === id));
  if (owner === '' || repo === '' || more.length > 0) return wrong('Name the repository: --repo OWNER/NAME.');
  if (token === '') return wrong('Give a token: --token TOKEN, or GITHUB_TOKEN.');
  if ((flags.app === undefined) !== (flags.key === undefined)) return wrong('--app and --key go together.');
  if (unknown !== undefined) return wrong(`There is no probe of ${unknown}.`);
  if (!Number.isFinite(pause) || pause < 0) return wrong('--pause wants milliseconds.');

  const meter = createMeter({ most: MOST_REQUESTS, betweenWritesMs: pause });
  const person = createSpeaker({ apiUrl: flags.api, meter, token: async () => `Bearer ${token}` });
  const who = await person.rest('GET', '/user');
  if (who.status !== 200) return wrong(`GitHub does not take the token: ${saidBy(who)}.`);
  const login = textAt(who.data, 'login');
  const app =
    flags.app === undefined || flags.key === undefined
      ? null
      : await createAppSpeaker({
          apiUrl: flags.api,
          appId: Number(flags.app),
          privateKey: readPrivateKey(flags.key),
          owner,
          repo,
          meter,
        });

  if (!flags.yes && !(await agreed(`${owner}/${repo}`, login))) {
    process.stderr.write('Nothing was written.\n');
    return 2;
  }
  const stage = createStage({ owner, repo, person, login, app, meter, tell: (what) => say(`-- ${what}`) });
  let stopped = false;
  process.once('SIGINT', () => {
    say('-- stopping');
    stopped = true;
  });
  const found = await lookUp(
    stage,
    probedFacts.filter(({ id }) => wanted?.includes(id) ?? true),
    ({ id }, one) =>
      say(`${wordOf(one).padEnd(10)}${id.padEnd(26)}${one.kind === 'seen' ? one.saw : one.why}`),
    () => !stopped,
  ).finally(() => stage.putAway());
  say(`-- ${meter.count()} requests`);
  process.stdout.write(
    flags.json ? `${JSON.stringify(Object.fromEntries(found), null, 2)}\n` : factsPage(found),
  );
  const all = [...found.values()];
  return all.some((one) => one.kind === 'seen' && !one.holds)
    ? 1
    : stopped || all.some((one) => one.kind === 'unknown')
      ? 3
      : 0;
}

const wordOf = (one: LookedUp): string =>
  one.kind === 'unknown' ? 'unknown' : one.holds ? 'as stated' : 'OTHERWISE';

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const wrong = (sentence: string): number => {
  process.stderr.write(`${sentence}\n\n${usage}`);
  return 2;
};

async function agreed(repository: string, login: string): Promise<boolean> {
  say(
    `This makes 6 branches and 3 pull requests in ${repository} as ${login}, comments on them, closes them and deletes\n` +
      'the branches. The closed pull requests stay: use a scratch repository.',
  );
  if (!process.stdin.isTTY) {
    say('To go on without being asked give --yes.');
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Go on? (yes or no) ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

try {
  process.exitCode = await main();
} catch (error) {
  // One sentence: a stack says nothing to an owner, and a header might stand in it.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 3;
}
