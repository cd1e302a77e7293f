import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { suiteOf } from './checks.js';
import { rememberCommits } from './known-commits.js';
import { labelOf } from './labels.js';
import { branchTip } from './objects.js';
import {
  type Account,
  accountOf,
  type App,
  type Conclusion,
  inTurn,
  nextId,
  nodeId,
  type Pull,
  type Repository,
  type Review,
  type ReviewComment,
  type ReviewState,
  stamp,
  type Thread,
  type World,
} from './state.js';

/** A pull request as it is to have been. Logins that end in `[bot]` are bots; times are milliseconds since the epoch. */
export type PlantedPull = {
  readonly title: string;
  readonly body?: string;
  readonly author: string;
  readonly state: 'open' | 'merged' | 'closed';
  readonly draft?: boolean;
  readonly labels?: readonly string[];
  /** Branch of the head; made up unless told. */
  readonly head?: string;
  readonly at: number;
  /** When it was merged or closed; `at` unless told. */
  readonly endedAt?: number;
  /** Oldest first, at least one. */
  readonly commits: readonly PlantedCommit[];
  readonly reviews?: readonly PlantedReview[];
  readonly comments?: readonly PlantedText[];
};

export type PlantedCommit = {
  readonly message: string;
  readonly at: number;
  readonly files: Readonly<Record<string, string>>;
  readonly checks?: readonly {
    readonly name: string;
    readonly app: App;
    readonly conclusion: Conclusion | null;
    readonly startedAt: number;
    readonly completedAt: number | null;
    readonly text?: string;
  }[];
};

export type PlantedText = {
  readonly author: string;
  readonly body: string;
  readonly at: number;
  readonly editedAt?: number;
};

export type PlantedReview = Omit<PlantedText, 'editedAt'> & {
  readonly state: Exclude<ReviewState, 'PENDING'>;
  /** Which of the commits it was written on; the last one unless told. */
  readonly commit?: number;
  readonly threads?: readonly PlantedThread[];
};

export type PlantedThread = {
  readonly path: string;
  /** Null for a thread on the file. */
  readonly line: number | null;
  readonly body: string;
  readonly editedAt?: number;
  readonly resolvedBy?: string;
  readonly outdated?: boolean;
  readonly replies?: readonly PlantedText[];
};

/**
 * Puts a past into a repository: hundreds of pull requests in seconds. Their commits are real and come from one
 * `fast-import`, side by side on the default branch's tip; no webhook tells of any of it. Answers their numbers.
 */
export const plantPulls = (
  world: World,
  repository: Repository,
  plans: readonly PlantedPull[],
): Promise<readonly number[]> =>
  inTurn(repository, async () => {
    const base = await branchTip(repository.git, repository.defaultBranch);
    if (base === null) throw new Error(`${repository.name} has no branch ${repository.defaultBranch}`);
    const first = repository.nextNumber;
    const heads = plans.map((plan, at) => plan.head ?? `planted-${first + at}`);
    const shas = await writeCommits(world, repository, plans, heads, base);
    return plans.map((plan, at) =>
      plantPull(world, repository, plan, { base, head: heads[at] ?? '', shas: shas[at] ?? [] }),
    );
  });

/** The ids of each plan's commits. */
const writeCommits = async (
  world: World,
  repository: Repository,
  plans: readonly PlantedPull[],
  heads: readonly string[],
  base: string,
): Promise<readonly (readonly string[])[]> => {
  const parts: string[] = ['feature done\n'];
  const data = (content: string): string => `data ${Buffer.byteLength(content)}\n${content}\n`;
  let mark = 0;
  const marks = plans.map((plan, at) =>
    plan.commits.map((commit, nth) => {
      mark += 1;
      const who = `${accountOf(world, plan.author).login.replace(/[<>\n]/g, '')}`;
      const by = `${who} <${who}@users.noreply.local-github.invalid> ${Math.floor(commit.at / 1000)} +0000`;
      parts.push(
        `commit refs/heads/${heads[at] ?? ''}\nmark :${mark}\nauthor ${by}\ncommitter ${by}\n`,
        data(commit.message),
        `from ${nth === 0 ? base : `:${mark - 1}`}\n`,
        ...Object.entries(commit.files).map(
          ([path, content]) => `M 100644 inline ${JSON.stringify(path)}\n${data(content)}`,
        ),
      );
      return mark;
    }),
  );
  for (const [at, ids] of marks.entries())
    parts.push(`reset refs/pull/${repository.nextNumber + at}/head\nfrom :${ids.at(-1) ?? ''}\n\n`);
  parts.push('done\n');
  const file = join(world.folder, `marks-${repository.id}-${repository.nextNumber}`);
  await repository.git.run(
    ['fast-import', '--quiet', '--force', '--date-format=raw', '--done', `--export-marks=${file}`],
    { input: Buffer.from(parts.join('')) },
  );
  const rows = (await readFile(file, 'utf8')).trim().split('\n');
  await rm(file);
  const shaOf = new Map(rows.map((row) => row.slice(1).split(' ') as [string, string]));
  await rememberCommits(repository.git, [...shaOf.values()]);
  return marks.map((ids) => ids.map((id) => shaOf.get(String(id)) ?? ''));
};

type Place = { readonly base: string; readonly head: string; readonly shas: readonly string[] };

const plantPull = (world: World, repository: Repository, plan: PlantedPull, place: Place): number => {
  const number = repository.nextNumber;
  repository.nextNumber += 1;
  const id = nextId(world, 'pull');
  const { base, head, shas } = place;
  const headSha = shas.at(-1) ?? base;
  const ended = plan.state === 'open' ? null : stamp(plan.endedAt ?? plan.at);
  const files = new Set(plan.commits.flatMap((commit) => Object.keys(commit.files)));
  const pull: Pull = {
    id,
    issueId: nextId(world, 'issue'),
    nodeId: nodeId('PR', id),
    number,
    author: accountFor(world, plan.author),
    createdAt: stamp(plan.at),
    updatedAt: stamp(lastMoment(plan)),
    born: Date.now(),
    title: plan.title,
    body: plan.body ?? null,
    state: plan.state === 'open' ? 'open' : 'closed',
    draft: plan.draft ?? false,
    merged: plan.state === 'merged',
    mergedAt: plan.state === 'merged' ? ended : null,
    closedAt: ended,
    mergedBy: plan.state === 'merged' ? repository.owner : null,
    // As after a merge that only moves the branch along.
    mergeCommit: plan.state === 'merged' ? headSha : null,
    headRef: head,
    headRepository: repository,
    headOwner: repository.owner,
    headSha,
    baseRef: repository.defaultBranch,
    baseSha: base,
    mergeBase: base,
    heads: [...shas],
    forcedPushes: [],
    stats: {
      commits: shas.length,
      additions: files.size,
      deletions: 0,
      changedFiles: files.size,
      mergeable: true,
    },
    computed: new Set(),
    labels: new Set((plan.labels ?? []).map((name) => labelOf(world, repository, name).name.toLowerCase())),
    requestedReviewers: new Set(),
    requestedTeams: new Set(),
    reviews: [],
    threads: [],
    comments: [],
    reactions: [],
  };
  for (const [at, commit] of plan.commits.entries()) plantChecks(world, repository, shas[at] ?? '', commit);
  for (const review of plan.reviews ?? [])
    plantReview(world, pull, review, shas[review.commit ?? shas.length - 1] ?? headSha);
  // A reply is a review of its own, after those that were there before.
  pull.reviews.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  for (const comment of plan.comments ?? []) {
    const commentId = nextId(world, 'comment');
    pull.comments.push({
      ...textOf(world, comment),
      id: commentId,
      nodeId: nodeId('IC', commentId),
      app: null,
    });
  }
  repository.pulls.set(number, pull);
  return number;
};

const accountFor = (world: World, login: string): Account =>
  accountOf(world, login, login.endsWith('[bot]') ? 'Bot' : 'User');

const lastMoment = (plan: PlantedPull): number =>
  Math.max(
    plan.at,
    plan.endedAt ?? 0,
    ...plan.commits.map(({ at }) => at),
    ...(plan.comments ?? []).map(({ at }) => at),
    ...(plan.reviews ?? []).flatMap((review) => [
      review.at,
      ...(review.threads ?? []).flatMap((thread) => (thread.replies ?? []).map(({ at }) => at)),
    ]),
  );

const textOf = (world: World, { author, body, at, editedAt }: PlantedText) => {
  const account = accountFor(world, author);
  return {
    author: account,
    body,
    createdAt: stamp(at),
    updatedAt: stamp(editedAt ?? at),
    lastEditedAt: editedAt === undefined ? null : stamp(editedAt),
    editor: editedAt === undefined ? null : account,
    reactions: [],
    minimized: null,
    born: Date.now(),
  };
};

const plantChecks = (world: World, repository: Repository, sha: string, commit: PlantedCommit): void => {
  for (const check of commit.checks ?? []) {
    const id = nextId(world, 'checkRun');
    repository.checkRuns.push({
      id,
      nodeId: nodeId('CR', id),
      app: check.app,
      suite: suiteOf(world, repository, check.app, sha),
      headSha: sha,
      name: check.name,
      externalId: '',
      detailsUrl: null,
      status: check.conclusion === null ? 'in_progress' : 'completed',
      conclusion: check.conclusion,
      startedAt: stamp(check.startedAt),
      completedAt: check.completedAt === null ? null : stamp(check.completedAt),
      title: null,
      summary: null,
      text: check.text ?? null,
      annotations: [],
      actions: [],
      born: Date.now(),
    });
  }
};

const plantReview = (world: World, pull: Pull, plan: PlantedReview, sha: string): void => {
  const review = reviewOf(world, plan, plan.state, sha);
  pull.reviews.push(review);
  for (const thread of plan.threads ?? []) plantThread(world, pull, review, thread);
};

const reviewOf = (world: World, said: PlantedText, state: ReviewState, sha: string): Review => {
  const id = nextId(world, 'review');
  return {
    ...textOf(world, said),
    id,
    nodeId: nodeId('PRR', id),
    commitId: sha,
    state,
    submittedAt: stamp(said.at),
  };
};

const plantThread = (world: World, pull: Pull, review: Review, plan: PlantedThread): void => {
  const outdated = plan.outdated ?? false;
  const thread: Thread = {
    nodeId: nodeId('PRRT', nextId(world, 'thread')),
    path: plan.path,
    subject: plan.line === null ? 'file' : 'line',
    side: 'RIGHT',
    startSide: null,
    originalLine: plan.line,
    originalStartLine: null,
    originalCommitId: review.commitId,
    originalPosition: plan.line,
    diffHunk: '',
    line: outdated ? null : plan.line,
    startLine: null,
    position: outdated ? null : plan.line,
    outdated,
    commitId: review.commitId,
    resolvedBy: plan.resolvedBy === undefined ? null : accountFor(world, plan.resolvedBy),
    comments: [],
    born: Date.now(),
  };
  pull.threads.push(thread);
  const { author, createdAt } = review;
  const opening = { author: author.login, body: plan.body, at: Date.parse(createdAt) };
  const edited = plan.editedAt === undefined ? {} : { editedAt: plan.editedAt };
  addComment(world, review, thread, { ...opening, ...edited });
  for (const reply of plan.replies ?? []) {
    const { editedAt: _, ...said } = reply;
    const wrapped = reviewOf(world, { ...said, body: '' }, 'COMMENTED', pull.headSha);
    pull.reviews.push(wrapped);
    addComment(world, wrapped, thread, reply);
  }
};

const addComment = (world: World, review: Review, thread: Thread, said: PlantedText): void => {
  const id = nextId(world, 'reviewComment');
  const comment: ReviewComment = {
    ...textOf(world, said),
    id,
    nodeId: nodeId('PRRC', id),
    review,
    thread,
    inReplyTo: thread.comments[0]?.id ?? null,
  };
  thread.comments.push(comment);
};
