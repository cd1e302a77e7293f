import { carryLine, type Change, placeOf, readChange } from './diff.js';
import {
  branchTip,
  countCommits,
  isAncestor,
  mergeBase,
  mergeTree,
  moveBranch,
  readCommit,
  readPushed,
  writeCommit,
} from './objects.js';
import { suiteOf } from './checks.js';
import { text } from './git.js';
import { invalid, Refusal } from './refusal.js';
import {
  type Account,
  nextId,
  nodeId,
  now,
  type Pull,
  type PullStats,
  type Repository,
  type Thread,
  type World,
} from './state.js';

const KEPT_CHANGES = 60;
const changes = new WeakMap<Repository['git'], Map<string, Promise<Change>>>();

/** The change between two commits, remembered: commits never change. */
export const changeBetween = (
  world: World,
  repository: Repository,
  from: string | null,
  to: string,
): Promise<Change> => {
  const kept = changes.get(repository.git) ?? new Map<string, Promise<Change>>();
  changes.set(repository.git, kept);
  const key = `${from ?? 'nothing'}..${to}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const reading = readChange(repository.git, from, to, world.limits.patch);
  kept.set(key, reading);
  reading.catch(() => kept.delete(key));
  if (kept.size > KEPT_CHANGES) {
    const oldest = kept.keys().next();
    if (oldest.done !== true) kept.delete(oldest.value);
  }
  return reading;
};

/** What the pull request shows: merge base to head. */
export const changeOf = (world: World, repository: Repository, pull: Pull): Promise<Change> =>
  changeBetween(world, repository, pull.mergeBase, pull.headSha);

export type NewPull = {
  readonly head: string;
  readonly base?: string;
  readonly title: string;
  readonly body?: string | null;
  readonly author: Account;
  readonly draft?: boolean;
  /** The fork the head lives in; null for one that was deleted. */
  readonly headRepository?: Repository | null;
  readonly headOwner?: Account;
};

export const openPull = async (world: World, repository: Repository, wanted: NewPull): Promise<Pull> => {
  checkTexts(wanted.title, wanted.body);
  const baseRef = wanted.base ?? repository.defaultBranch;
  const [headSha, baseSha] = await Promise.all([
    branchTip(repository.git, wanted.head),
    branchTip(repository.git, baseRef),
  ]);
  if (headSha === null) throw invalid('PullRequest', 'head', 'invalid');
  if (baseSha === null) throw invalid('PullRequest', 'base', 'invalid');
  const common = await mergeBase(repository.git, baseSha, headSha);
  if (headSha === baseSha || common === headSha)
    throw invalid('PullRequest', 'head', 'custom', `No commits between ${baseRef} and ${wanted.head}`);
  const same = [...repository.pulls.values()].find(
    (pull) => pull.state === 'open' && pull.headRef === wanted.head && pull.baseRef === baseRef,
  );
  if (same !== undefined)
    throw invalid(
      'PullRequest',
      'base',
      'custom',
      `A pull request already exists for ${repository.owner.login}:${wanted.head}.`,
    );
  const number = repository.nextNumber;
  repository.nextNumber += 1;
  const id = nextId(world, 'pull');
  const at = now(world);
  const pull: Pull = {
    id,
    issueId: nextId(world, 'issue'),
    nodeId: nodeId('PR', id),
    number,
    author: wanted.author,
    createdAt: at,
    updatedAt: at,
    born: Date.now(),
    title: wanted.title,
    body: wanted.body ?? null,
    state: 'open',
    draft: wanted.draft ?? false,
    merged: false,
    mergedAt: null,
    closedAt: null,
    mergedBy: null,
    mergeCommit: null,
    headRef: wanted.head,
    headRepository: wanted.headRepository === undefined ? repository : wanted.headRepository,
    headOwner: wanted.headOwner ?? wanted.headRepository?.owner ?? repository.owner,
    headSha,
    baseRef,
    baseSha,
    mergeBase: common,
    heads: [headSha],
    forcedPushes: [],
    stats: { commits: 0, additions: 0, deletions: 0, changedFiles: 0, mergeable: null },
    computed: new Set(),
    labels: new Set(),
    requestedReviewers: new Set(),
    requestedTeams: new Set(),
    reviews: [],
    threads: [],
    comments: [],
    reactions: [],
  };
  pull.stats = await statsOf(world, repository, pull);
  repository.pulls.set(number, pull);
  await keepHead(repository, pull);
  world.emit({ kind: 'pull_request', action: 'opened', repository, pull, sender: wanted.author });
  return pull;
};

const TITLE_LIMIT = 256;
const BODY_LIMIT = 65_536;

const checkTexts = (title: string | undefined, body: string | null | undefined): void => {
  const tooLong = (field: string, most: number) =>
    invalid('PullRequest', field, 'custom', `${field} is too long (maximum is ${most} characters)`);
  if (title !== undefined && title.trim() === '') throw invalid('PullRequest', 'title', 'missing_field');
  if ([...(title ?? '')].length > TITLE_LIMIT) throw tooLong('title', TITLE_LIMIT);
  if ([...(body ?? '')].length > BODY_LIMIT) throw tooLong('body', BODY_LIMIT);
};

const statsOf = async (world: World, repository: Repository, pull: Pull): Promise<PullStats> => {
  const [change, commits, merged] = await Promise.all([
    changeOf(world, repository, pull),
    countCommits(repository.git, pull.baseSha, pull.headSha),
    pull.mergeBase === null ? null : mergeTree(repository.git, pull.baseSha, pull.headSha),
  ]);
  return {
    commits,
    additions: change.additions,
    deletions: change.deletions,
    changedFiles: change.files.length,
    mergeable: merged?.clean ?? (pull.mergeBase === null ? false : null),
  };
};

/** `refs/pull/N/head`, which outlives the branch, as on GitHub. */
const keepHead = async (repository: Repository, pull: Pull): Promise<void> => {
  await repository.git.run(['update-ref', `refs/pull/${pull.number}/head`, pull.headSha]);
};

/** What a moved branch means for the pull requests: a new head, or a base that grew. */
export const afterPush = async (
  world: World,
  repository: Repository,
  branch: string,
  sender: Account,
): Promise<void> => {
  repository.pushedAt = now(world);
  const tip = await branchTip(repository.git, branch);
  if (tip === null) return;
  for (const pull of repository.pulls.values()) {
    if (pull.state !== 'open') continue;
    if (pull.headRef === branch && pull.headSha !== tip)
      await synchronize(world, repository, pull, tip, sender);
    else if (pull.baseRef === branch)
      // GitHub keeps `base.sha` until the next push or retarget; only whether it can be merged is looked at again.
      pull.stats = {
        ...pull.stats,
        mergeable: (await mergeTree(repository.git, tip, pull.headSha))?.clean ?? null,
      };
  }
};

const synchronize = async (
  world: World,
  repository: Repository,
  pull: Pull,
  head: string,
  sender: Account,
): Promise<void> => {
  const before = { head: pull.headSha, base: pull.mergeBase };
  const baseSha = (await branchTip(repository.git, pull.baseRef)) ?? pull.baseSha;
  const common = await mergeBase(repository.git, baseSha, head);
  pull.headSha = head;
  pull.baseSha = baseSha;
  pull.mergeBase = common;
  pull.heads.push(head);
  await noteForcedPush(world, repository, pull, before.head, sender);
  pull.updatedAt = now(world);
  await refresh(world, repository, pull, before);
  world.emit({
    kind: 'pull_request',
    action: 'synchronize',
    repository,
    pull,
    sender,
    before: before.head,
    after: head,
  });
};

const noteForcedPush = async (
  world: World,
  repository: Repository,
  pull: Pull,
  before: string,
  by: Account,
): Promise<void> => {
  if (await isAncestor(repository.git, before, pull.headSha)) return;
  const id = nextId(world, 'event');
  pull.forcedPushes.push({
    nodeId: nodeId('HRFPE', id),
    before,
    after: pull.headSha,
    by,
    at: now(world),
  });
};

/** Another base branch: the same head, another diff. */
export const retargetPull = async (
  world: World,
  repository: Repository,
  pull: Pull,
  base: string,
  sender: Account,
): Promise<void> => {
  const baseSha = await branchTip(repository.git, base);
  if (baseSha === null) throw invalid('PullRequest', 'base', 'invalid');
  const from = { ref: pull.baseRef, sha: pull.baseSha };
  const before = { head: pull.headSha, base: pull.mergeBase };
  pull.baseRef = base;
  pull.baseSha = baseSha;
  pull.mergeBase = await mergeBase(repository.git, baseSha, pull.headSha);
  pull.updatedAt = now(world);
  await refresh(world, repository, pull, before);
  world.emit({
    kind: 'pull_request',
    action: 'edited',
    repository,
    pull,
    sender,
    changes: { base: { ref: { from: from.ref }, sha: { from: from.sha } } },
  });
};

const refresh = async (
  world: World,
  repository: Repository,
  pull: Pull,
  before: { readonly head: string; readonly base: string | null },
): Promise<void> => {
  const shown = await changeOf(world, repository, pull);
  const heads = await changeBetween(world, repository, before.head, pull.headSha);
  const bases =
    before.base === pull.mergeBase || before.base === null || pull.mergeBase === null
      ? { files: [], additions: 0, deletions: 0 }
      : await changeBetween(world, repository, before.base, pull.mergeBase);
  for (const thread of pull.threads) carryThread(thread, pull, shown, { LEFT: bases, RIGHT: heads });
  pull.stats = await statsOf(world, repository, pull);
  await keepHead(repository, pull);
};

/** Moves a thread with its line, or marks it outdated once the line was changed or left the diff. */
const carryThread = (
  thread: Thread,
  pull: Pull,
  shown: Change,
  moved: { readonly LEFT: Change; readonly RIGHT: Change },
): void => {
  if (thread.outdated) return;
  const file = shown.files.find((entry) => entry.path === thread.path);
  if (thread.subject === 'file') {
    if (file === undefined) thread.outdated = true;
    else thread.commitId = pull.headSha;
    return;
  }
  const carry = (side: 'LEFT' | 'RIGHT', line: number | null): number | null => {
    if (line === null || file === undefined) return null;
    // LEFT lines are the merge base's, whose file may have had another name.
    return carryLine(moved[side], side === 'LEFT' ? file.oldPath : thread.path, line);
  };
  const line = carry(thread.side, thread.line);
  const start = carry(thread.startSide ?? thread.side, thread.startLine);
  const place = file === undefined || line === null ? null : placeOf(file, thread.side, line);
  if (place === null || (thread.startLine !== null && start === null)) {
    thread.outdated = true;
    thread.line = null;
    thread.startLine = null;
    thread.position = null;
    return;
  }
  thread.line = line;
  thread.startLine = start;
  thread.position = place.order;
  thread.commitId = pull.headSha;
};

export const closePull = async (
  world: World,
  repository: Repository,
  pull: Pull,
  sender: Account,
  merge: boolean,
): Promise<void> => {
  if (pull.state === 'closed') throw invalid('PullRequest', 'state', 'invalid');
  const at = now(world);
  if (merge) {
    const tip = (await branchTip(repository.git, pull.baseRef)) ?? pull.baseSha;
    const merged = await mergeTree(repository.git, tip, pull.headSha);
    if (merged === null || !merged.clean) throw new Refusal(405, 'Pull Request is not mergeable');
    const message = `Merge pull request #${pull.number} from ${pull.headOwner.login}/${pull.headRef}`;
    const commit = await text(repository.git, [
      'commit-tree',
      merged.tree,
      '-p',
      tip,
      '-p',
      pull.headSha,
      '-m',
      message,
    ]);
    await moveBranch(repository.git, pull.baseRef, commit, tip);
    pull.merged = true;
    pull.mergedAt = at;
    pull.mergedBy = sender;
    pull.mergeCommit = commit;
  }
  pull.state = 'closed';
  pull.closedAt = at;
  pull.updatedAt = at;
  world.emit({ kind: 'pull_request', action: 'closed', repository, pull, sender });
  if (merge) await afterPush(world, repository, pull.baseRef, sender);
};

export const reopenPull = async (
  world: World,
  repository: Repository,
  pull: Pull,
  sender: Account,
): Promise<void> => {
  if (pull.state === 'open' || pull.merged) throw invalid('PullRequest', 'state', 'invalid');
  pull.state = 'open';
  pull.closedAt = null;
  pull.updatedAt = now(world);
  // A push to a closed pull request's branch is seen when it is opened again.
  const tip = await branchTip(repository.git, pull.headRef);
  if (tip !== null && tip !== pull.headSha) {
    const before = { head: pull.headSha, base: pull.mergeBase };
    pull.headSha = tip;
    pull.heads.push(tip);
    await noteForcedPush(world, repository, pull, before.head, sender);
    pull.mergeBase = await mergeBase(repository.git, pull.baseSha, tip);
    await refresh(world, repository, pull, before);
  }
  world.emit({ kind: 'pull_request', action: 'reopened', repository, pull, sender });
};

export const setDraft = (
  world: World,
  repository: Repository,
  pull: Pull,
  draft: boolean,
  sender: Account,
): void => {
  if (pull.draft === draft) return;
  pull.draft = draft;
  pull.updatedAt = now(world);
  const action = draft ? 'converted_to_draft' : 'ready_for_review';
  world.emit({ kind: 'pull_request', action, repository, pull, sender });
};

export const editPull = (
  world: World,
  repository: Repository,
  pull: Pull,
  edit: { readonly title?: string; readonly body?: string | null },
  sender: Account,
): void => {
  checkTexts(edit.title, edit.body);
  const changed = {
    ...(edit.title === undefined || edit.title === pull.title ? {} : { title: { from: pull.title } }),
    ...(edit.body === undefined || edit.body === pull.body ? {} : { body: { from: pull.body ?? '' } }),
  };
  if (Object.keys(changed).length === 0) return;
  pull.title = edit.title ?? pull.title;
  if (edit.body !== undefined) pull.body = edit.body;
  pull.updatedAt = now(world);
  world.emit({ kind: 'pull_request', action: 'edited', repository, pull, sender, changes: changed });
};

/** The push itself and the check suites that it asks for, for the apps that listen to them. */
const tellPush = async (
  world: World,
  repository: Repository,
  branch: string,
  before: string | null,
  after: string,
  sender: Account,
): Promise<void> => {
  const listens = (kind: string) =>
    world.apps.some((app) => app.webhookUrl !== null && app.events.includes(kind));
  if (before === after || (!listens('push') && !listens('check_suite'))) return;
  const { git } = repository;
  const from = before ?? (await branchTip(git, repository.defaultBranch));
  const commits = await readPushed(
    git,
    from === null || from === after ? [after, '-1'] : [`${from}..${after}`],
  );
  const forced = before !== null && !(await isAncestor(git, before, after));
  world.emit({ kind: 'push', action: null, repository, branch, before, after, forced, commits, sender });
  const commit = await readCommit(git, after);
  for (const app of world.apps) {
    if (!app.events.includes('check_suite') || app.permissions.checks !== 'write') continue;
    const suite = suiteOf(world, repository, app, after);
    world.emit({ kind: 'check_suite', action: 'requested', repository, suite, commit, sender });
  }
};

/** One commit on a branch, made on top of the branch's tip (or of `from`), and what the push means. */
export const push = async (
  world: World,
  repository: Repository,
  commit: {
    readonly branch: string;
    readonly from?: string;
    readonly files: Parameters<typeof writeCommit>[1]['files'];
    readonly message: string;
    readonly author: { readonly name: string; readonly email: string };
  },
  sender: Account,
): Promise<string> => {
  const tip = await branchTip(repository.git, commit.branch);
  const parent =
    commit.from === undefined
      ? (tip ?? (await branchTip(repository.git, repository.defaultBranch)))
      : await text(repository.git, ['rev-parse', '--verify', `${commit.from}^{commit}`]);
  const sha = await writeCommit(repository.git, {
    parents: parent === null ? [] : [parent],
    files: commit.files,
    message: commit.message,
    author: commit.author,
    at: world.clock(),
  });
  await moveBranch(repository.git, commit.branch, sha, tip);
  await tellPush(world, repository, commit.branch, tip, sha, sender);
  await afterPush(world, repository, commit.branch, sender);
  return sha;
};

/** Sets a branch to a commit that is already there, as a forced push does. */
export const pushExisting = async (
  world: World,
  repository: Repository,
  branch: string,
  sha: string,
  sender: Account,
): Promise<void> => {
  const tip = await branchTip(repository.git, branch);
  await moveBranch(repository.git, branch, sha, tip);
  await tellPush(world, repository, branch, tip, sha, sender);
  await afterPush(world, repository, branch, sender);
};
