import { appendFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startServer } from '../cli/commands/serve.js';
import { createApp } from '../lib/app.js';
import { compose } from '../lib/compose.js';
import { readEnv } from '../lib/config/env.js';
import { foldSpace } from '../lib/core/evidence.js';
import type { Finding } from '../lib/core/finding.js';
import { readMarkers, readState } from '../lib/core/marker.js';
import { ruleName } from '../lib/core/rules-catalogue.js';
import { createRulesModel } from '../lib/models/rules.js';
import type { Log } from '../lib/ports/log.js';
import { createGit, text, type Git } from '../local-github/git.js';
import { startLocalGitHub, type LocalRepository } from '../local-github/index.js';
import { linesAt, type BornLine } from './line-lineage.js';
import { createRewordedModel, spotsIn } from './reworded-model.js';

/** A pull request of a real repository, push by push. */
export type History = {
  /** A git repository on this machine; it is read and never written. */
  readonly repo: string;
  /** The tip of the branch that the pull request wants to go to. */
  readonly base: string;
  /** What its branch pointed to, push after push. */
  readonly heads: readonly string[];
};

export type ReplayedModel = 'rules' | 'reworded';

export type Replay = {
  readonly repo: string;
  readonly base: string;
  readonly heads: number;
  readonly model: ReplayedModel;
  /** Whole reviews. A push that changes nothing of the change itself needs none. */
  readonly reviews: number;
  /** Different things that were reported: planted spots, or a rule at a line. */
  readonly spots: number;
  /** How often they were reported, over all reviews. */
  readonly sightings: number;
  /** Numbers (F1, Q1) that stand on the pull request at the end. */
  readonly findings: number;
  readonly threads: readonly StandingThread[];
  /** One thing under two numbers, or a number with two threads. */
  readonly postedTwice: readonly string[];
  /** One number for two things. */
  readonly merged: readonly string[];
  /** Claims that were sent back: they measure nothing. */
  readonly refused: readonly string[];
  /** How jobs ended that were no review. */
  readonly ended: readonly string[];
  readonly warned: readonly string[];
};

export type StandingThread = {
  readonly id: string;
  readonly key: string;
  readonly path: string;
  /** Null: outdated. */
  readonly line: number | null;
  readonly body: string;
};

/** A thing, reported in a review under a number. */
type Sighting = {
  readonly review: number;
  readonly id: string;
  readonly thing: string;
  readonly shown: string;
};

/**
 * Plays the pushes on a local GitHub against the real webhook handler, and measures what is known to be one thing by
 * git's own blame, or by the model's own list, against the numbers that it was given.
 */
export async function replayPushes(
  history: History,
  { model: which, seed = 1 }: { readonly model: ReplayedModel; readonly seed?: number },
): Promise<Replay> {
  const reworded = which === 'reworded' ? createRewordedModel(seed) : null;
  const warned: string[] = [];
  const ended: string[] = [];
  const sightings: Sighting[] = [];
  const github = await startLocalGitHub();
  let head: ReadonlyMap<string, readonly BornLine[]> = new Map();
  let reviews = 0;
  try {
    const source = {
      EVIDENT_START: 'automatic',
      EVIDENT_GATE: 'advisory',
      APP_ID: String(github.app.id),
      PRIVATE_KEY: github.app.privateKey,
      WEBHOOK_SECRET: github.app.webhookSecret,
      GITHUB_API_URL: github.apiUrl,
    };
    const env = readEnv(source);
    if (env.github === null) throw new Error('The local GitHub has an app.');
    const warn = (fields: object, message: string): void =>
      void warned.push(`${message} ${JSON.stringify(fields)}`);
    const log: Log = { info: () => {}, warn, error: warn };
    const deps = await compose(env, {
      log,
      model: reworded ?? createRulesModel(),
      redeliver: false,
      limits: { turns: 200, toolCalls: 2_000, tokens: 50_000_000, dollars: 1_000 },
      longestRunMs: 30 * 60_000,
      onHandled: (handled) => {
        if (handled.kind !== 'reviewed' && handled.kind !== 'folded') ended.push(JSON.stringify(handled));
      },
      onReviewed: ({ result }) => {
        if (result === null) return;
        reviews += 1;
        const seen = [...result.findings, ...result.questions.map(({ id, finding }) => ({ ...finding, id }))];
        for (const one of seen) {
          const thing =
            reworded === null ? thingAt(one, head) : (reworded.spotOf(one.title) ?? `unknown: ${one.title}`);
          const shown = `${one.anchor.path}:${one.anchor.line}`;
          sightings.push({ review: reviews, id: one.id, thing, shown });
        }
      },
    });
    const app = await createApp(env.github, deps);
    const server = await startServer({
      environment: source,
      port: 0,
      host: '127.0.0.1',
      load: async () => app,
      log,
    });
    try {
      github.onWebhook(`${server.url}/api/github/webhooks`);
      const settled = async (): Promise<void> => {
        for (let seen = -1; seen !== github.deliveries().length;) {
          seen = github.deliveries().length;
          await github.settled();
          await server.idle();
        }
      };
      // As many threads as there may be: a row is seen less well.
      await github.createRepository({
        owner: 'octo-org',
        name: '.github',
        files: { 'evident.yml': 'review:\n  max_threads: 25\n  max_nits: 50\n' },
      });
      const repository = await github.createRepository({
        owner: 'octo-org',
        name: 'replayed',
        files: { 'README.md': 'Before the real history.\n' },
      });
      repository.addCollaborator('octocat', 'write');
      const git = createGit(repository.gitDir);
      await borrowObjects(history, git);
      await repository.forcePush('main', await commitOf(git, history.base));
      const heads = await Promise.all(history.heads.map((one) => commitOf(git, one)));
      const at = await Promise.all(heads.map((one) => linesAt(git, history.base, one)));
      const every = Math.max(1, Math.ceil(Math.max(...at.map(countAdded)) / WANTED_SPOTS));
      const stay = stayingPairs(at);
      let number = 0;
      for (const [index, sha] of heads.entries()) {
        head = at[index] ?? new Map();
        reworded?.show({ files: head, spots: spotsIn(head, { every, seed }), stay });
        await repository.forcePush('change', sha, 'octocat');
        if (index === 0)
          number = await repository.openPullRequest({ title: 'Change', author: 'octocat', head: 'change' });
        await settled();
      }
      const standing = whatStands(repository, number);
      return {
        repo: history.repo,
        base: history.base,
        heads: heads.length,
        model: which,
        reviews,
        spots: new Set(sightings.map(({ thing }) => thing)).size,
        sightings: sightings.length,
        ...standing,
        postedTwice: postedTwice(sightings, standing.threads),
        merged: merged(sightings, reworded === null ? at : null),
        refused: reworded?.refused() ?? [],
        ended,
        warned,
      };
    } finally {
      github.onWebhook(null);
      await server.stop();
    }
  } finally {
    await github.close();
  }
}

/** At the head that adds most; a review takes 60 claims. */
const WANTED_SPOTS = 36;

const countAdded = (files: ReadonlyMap<string, readonly BornLine[]>): number =>
  [...files.values()].flat().filter(({ isAdded, text: shown }) => isAdded && /[\p{L}\p{N}]/u.test(shown))
    .length;

function stayingPairs(
  heads: readonly ReadonlyMap<string, readonly BornLine[]>[],
): (line: BornLine, next: BornLine) => boolean {
  const around = new Map<string, Set<string>>();
  const note = (name: string, side: string, other: BornLine | undefined): void => {
    const key = `${side} ${name}`;
    around.set(key, (around.get(key) ?? new Set()).add(other === undefined ? '' : shownAs(other)));
  };
  for (const lines of heads.flatMap((files) => [...files.values()]))
    for (const [index, line] of lines.entries()) {
      note(line.name, 'above', lines[index - 1]);
      note(line.name, 'below', lines[index + 1]);
    }
  return (line, next) =>
    around.get(`below ${line.name}`)?.size === 1 && around.get(`above ${next.name}`)?.size === 1;
}

const shownAs = ({ name, text: shown }: BornLine): string => `${name} ${foldSpace(shown)}`;

/** The real objects, where they are: nothing is copied and nothing is written there. */
async function borrowObjects({ repo }: History, git: Git): Promise<void> {
  const from = resolve(repo);
  const dir = existsSync(join(from, '.git')) ? join(from, '.git') : from;
  const objects = await text(createGit(dir), [
    'rev-parse',
    '--path-format=absolute',
    '--git-path',
    'objects',
  ]);
  await appendFile(join(git.dir, 'objects', 'info', 'alternates'), `${objects}\n`);
}

const commitOf = (git: Git, sha: string): Promise<string> =>
  text(git, ['rev-parse', '--verify', '--end-of-options', `${sha}^{commit}`]);

/** What a rule has found, as git sees it: the rule and the birth of the last line that it accuses. */
function thingAt(
  { rule, category, anchor }: Pick<Finding, 'rule' | 'category' | 'anchor'>,
  head: ReadonlyMap<string, readonly BornLine[]>,
): string {
  const isOld = anchor.kind === 'line' && anchor.side === 'LEFT';
  const line = isOld ? undefined : head.get(anchor.path)?.[anchor.line - 1];
  const where = line?.name ?? `${isOld ? 'base|' : ''}${anchor.path}:${anchor.line}`;
  return [where, category, ruleName(rule)].join(' ');
}

function whatStands(
  repository: LocalRepository,
  number: number,
): { readonly findings: number; readonly threads: readonly StandingThread[] } {
  const { threads, reviews, allChecks } = repository.pull(number);
  const ids = new Set<string>();
  const standing = threads.flatMap(({ path, line, comments }): StandingThread[] => {
    const body = comments[0]?.body ?? '';
    return readMarkers(body).flatMap((marker) =>
      marker.kind === 'thread'
        ? [{ id: marker.known.id, key: marker.known.key, path, line, body: body.split('\n')[0] ?? '' }]
        : [],
    );
  });
  for (const { id } of standing) ids.add(id);
  for (const shown of [...reviews.map(({ body }) => body), ...allChecks.map((run) => run.text ?? '')])
    for (const { id } of readState(shown).marks) ids.add(id);
  return { findings: ids.size, threads: standing };
}

function postedTwice(sightings: readonly Sighting[], threads: readonly StandingThread[]): readonly string[] {
  const twice: string[] = [];
  for (const [thing, seen] of groupBy(sightings, (one) => one.thing)) {
    const ids = [...groupBy(seen, ({ id }) => id).values()].map((of) => of.at(-1));
    for (const one of ids.slice(1))
      twice.push(`${one?.id} at ${one?.shown} (review ${one?.review}) is ${ids[0]?.id}: ${thing}`);
  }
  for (const [id, same] of groupBy(threads, (one) => one.id))
    for (const one of same.slice(1)) twice.push(`${id} has another thread at ${one.path}:${one.line}`);
  return twice;
}

/**
 * Where rules are replayed, a number whose line was rewritten may go on with the new line: it is two things only if
 * both lines stand at a head, or the rules are two.
 */
function merged(
  sightings: readonly Sighting[],
  heads: readonly ReadonlyMap<string, readonly BornLine[]>[] | null,
): readonly string[] {
  const found: string[] = [];
  for (const [id, seen] of groupBy(sightings, (one) => one.id)) {
    const things = [...groupBy(seen, ({ thing }) => thing).values()].map((of) => of[0]);
    const [first, ...others] = things;
    for (const one of others)
      if (heads === null || areTwo(first?.thing ?? '', one?.thing ?? '', heads))
        found.push(`${id} is ${first?.thing} and, at ${one?.shown} (review ${one?.review}), ${one?.thing}`);
  }
  return found;
}

function areTwo(a: string, b: string, heads: readonly ReadonlyMap<string, readonly BornLine[]>[]): boolean {
  const ruleOf = (thing: string): string => thing.split(' ').slice(-2).join(' ');
  const lineOf = (thing: string): string => thing.split(' ').slice(0, -2).join(' ');
  if (ruleOf(a) !== ruleOf(b)) return true;
  return heads.some((files) => {
    const names = new Set([...files.values()].flat().map(({ name }) => name));
    return names.has(lineOf(a)) && names.has(lineOf(b));
  });
}

function groupBy<T>(all: readonly T[], by: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(by(one), [...(groups.get(by(one)) ?? []), one]);
  return groups;
}
