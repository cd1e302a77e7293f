import { mergeability } from './checks.js';
import { text } from './git.js';
import { branchTip, mergeTree, moveBranch, readCommit } from './objects.js';
import { afterPush } from './pulls.js';
import { Refusal } from './refusal.js';
import {
  type Account,
  inBackground,
  inTurn,
  nextId,
  nodeId,
  now,
  type Pull,
  type QueueEntry,
  type Repository,
  type World,
  type WorldEvent,
} from './state.js';

/**
 * Puts a pull request at the end of its branch's merge queue: a group branch with the merge commit is made and its
 * checks are asked for. When the required checks of the first group pass, it is merged.
 */
export const enqueue = async (
  world: World,
  repository: Repository,
  pull: Pull,
  sender: Account,
): Promise<QueueEntry> => {
  if (pull.state !== 'open' || pull.draft) throw new Refusal(422, 'Pull request is not in a mergeable state');
  if (repository.queue.some((entry) => entry.pull === pull))
    throw new Refusal(422, 'Pull request is already in the queue');
  const last = repository.queue.findLast((entry) => entry.baseRef === pull.baseRef);
  const group = await makeGroup(repository, pull, last ?? null);
  if (group === null) throw new Refusal(422, 'Pull request has conflicts');
  const id = nextId(world, 'queueEntry');
  const entry: QueueEntry = {
    id,
    nodeId: nodeId('MQE', id),
    pull,
    enqueuer: sender,
    enqueuedAt: now(world),
    pullHead: pull.headSha,
    baseRef: pull.baseRef,
    ...group,
  };
  repository.queue.push(entry);
  world.emit({ kind: 'pull_request', action: 'enqueued', repository, pull, sender });
  requestChecks(world, repository, entry);
  return entry;
};

type Group = Pick<QueueEntry, 'baseSha' | 'headRef' | 'headSha' | 'commit'>;

/** Null for a merge with conflicts. */
const makeGroup = async (
  repository: Repository,
  pull: Pull,
  /** The group it stands behind; null at the front. */
  ahead: QueueEntry | null,
): Promise<Group | null> => {
  const { git } = repository;
  const baseSha = ahead?.headSha ?? (await branchTip(git, pull.baseRef)) ?? pull.baseSha;
  const merged = await mergeTree(git, baseSha, pull.headSha);
  if (merged === null || !merged.clean) return null;
  const message = `Merge pull request #${pull.number} from ${pull.headOwner.login}/${pull.headRef}`;
  const parents = ['-p', baseSha, '-p', pull.headSha];
  const headSha = await text(git, ['commit-tree', merged.tree, ...parents, '-m', message]);
  const headRef = `gh-readonly-queue/${pull.baseRef}/pr-${pull.number}-${baseSha}`;
  await moveBranch(git, headRef, headSha, null);
  return { baseSha, headRef, headSha, commit: await readCommit(git, headSha) };
};

const requestChecks = (world: World, repository: Repository, entry: QueueEntry): void =>
  world.emit({
    kind: 'merge_group',
    action: 'checks_requested',
    repository,
    group: { ...entry },
    sender: entry.enqueuer,
  });

/** Takes a pull request out; the groups behind it stood on it and are built anew. */
export const dequeue = async (
  world: World,
  repository: Repository,
  pull: Pull,
  sender: Account,
  reason = 'MANUAL',
): Promise<void> => {
  const at = repository.queue.findIndex((entry) => entry.pull === pull);
  const entry = repository.queue[at];
  if (entry === undefined) throw new Refusal(422, 'Pull request is not in the queue');
  repository.queue.splice(at, 1);
  await destroy(world, repository, entry, reason === 'MANUAL' ? 'dequeued' : 'invalidated', sender);
  world.emit({ kind: 'pull_request', action: 'dequeued', repository, pull, sender, reason });
  await rebuild(world, repository, entry.baseRef, at);
};

const destroy = async (
  world: World,
  repository: Repository,
  entry: QueueEntry,
  reason: 'merged' | 'invalidated' | 'dequeued',
  sender: Account,
): Promise<void> => {
  await repository.git.run(['update-ref', '-d', `refs/heads/${entry.headRef}`]);
  world.emit({ kind: 'merge_group', action: 'destroyed', reason, repository, group: { ...entry }, sender });
};

const rebuild = async (world: World, repository: Repository, base: string, from: number): Promise<void> => {
  for (const entry of repository.queue.slice(from)) {
    if (entry.baseRef !== base) continue;
    const at = repository.queue.indexOf(entry);
    const ahead = repository.queue.slice(0, at).findLast((other) => other.baseRef === base);
    await destroy(world, repository, entry, 'invalidated', entry.enqueuer);
    const group = await makeGroup(repository, entry.pull, ahead ?? null);
    if (group === null) {
      repository.queue.splice(repository.queue.indexOf(entry), 1);
      const { pull, enqueuer: sender } = entry;
      world.emit({
        kind: 'pull_request',
        action: 'dequeued',
        repository,
        pull,
        sender,
        reason: 'MERGE_CONFLICT',
      });
      continue;
    }
    Object.assign(entry, group);
    requestChecks(world, repository, entry);
  }
};

/** How the first entry of a queue stands with the required checks of its group. */
export const queueState = (
  repository: Repository,
  entry: QueueEntry,
): 'AWAITING_CHECKS' | 'MERGEABLE' | 'UNMERGEABLE' => {
  const stand = mergeability(repository, { ...entry.pull, headSha: entry.headSha });
  if (stand.kind === 'mergeable') return 'MERGEABLE';
  const waits = stand.why.every((why) =>
    /: (missing|queued|in_progress|waiting|requested|pending)$/.test(why),
  );
  return waits ? 'AWAITING_CHECKS' : 'UNMERGEABLE';
};

/** What an event means for the queue: a check that passed or failed, a head that moved. */
export const watchQueue = (world: World, event: WorldEvent): void => {
  if (!('repository' in event) || event.repository.queue.length === 0) return;
  const { repository } = event;
  const matters =
    (event.kind === 'check_run' && event.action === 'completed') ||
    (event.kind === 'pull_request' &&
      ['synchronize', 'closed', 'converted_to_draft', 'edited'].includes(event.action));
  if (matters)
    inBackground(
      world,
      inTurn(repository, () => advance(world, repository)),
    );
};

const advance = async (world: World, repository: Repository): Promise<void> => {
  for (;;) {
    const stale = repository.queue.find(
      ({ pull, pullHead, baseRef }) =>
        pull.headSha !== pullHead || pull.state !== 'open' || pull.draft || pull.baseRef !== baseRef,
    );
    if (stale !== undefined) {
      await dequeue(world, repository, stale.pull, stale.enqueuer, 'UNKNOWN_REMOVAL_REASON');
      continue;
    }
    const firsts = repository.queue.filter(
      (entry, at) => repository.queue.findIndex((other) => other.baseRef === entry.baseRef) === at,
    );
    const next = firsts.find((entry) => queueState(repository, entry) !== 'AWAITING_CHECKS');
    if (next === undefined) return;
    if (queueState(repository, next) === 'MERGEABLE') await merge(world, repository, next);
    else await dequeue(world, repository, next.pull, next.enqueuer, 'CI_FAILURE');
  }
};

const merge = async (world: World, repository: Repository, entry: QueueEntry): Promise<void> => {
  const { pull, enqueuer: sender } = entry;
  const tip = await branchTip(repository.git, entry.baseRef);
  if (tip !== entry.baseSha) {
    await rebuild(world, repository, entry.baseRef, repository.queue.indexOf(entry));
    return;
  }
  await moveBranch(repository.git, entry.baseRef, entry.headSha, tip);
  repository.queue.splice(repository.queue.indexOf(entry), 1);
  const at = now(world);
  Object.assign(pull, {
    merged: true,
    mergedAt: at,
    mergedBy: sender,
    mergeCommit: entry.headSha,
    state: 'closed',
    closedAt: at,
    updatedAt: at,
  });
  world.emit({ kind: 'pull_request', action: 'dequeued', repository, pull, sender, reason: 'MERGE' });
  await destroy(world, repository, entry, 'merged', sender);
  world.emit({ kind: 'pull_request', action: 'closed', repository, pull, sender });
  await afterPush(world, repository, entry.baseRef, sender);
};
