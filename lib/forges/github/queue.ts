import { z } from 'zod';
import { satisfiesRequiredCheck } from '../../core/check.js';
import { ForgeError } from '../../core/errors.js';
import type { GateMode, Policy } from '../../core/policy.js';
import { Sha, shortSha } from '../../core/pull-request.js';
import { codeSpan } from '../../core/render/markdown.js';
import { ownResult } from '../../core/shared-head.js';
import type { CompletedCheck } from '../../core/shared-head.js';
import type { Incoming } from '../../core/trigger.js';
import { listOwnCheckRuns, postCheckRun, writeCheckRun } from './check-run.js';
import type { CheckTarget } from './check-run.js';
import {
  guardingPolicy,
  mayLackOrganization,
  organizationFields,
  settingsFields,
  settingsFilesOf,
  settingsFragment,
} from './policy.js';
import { checkOf, isSameCheck } from './shared-head.js';
import type { WriteContext } from './write.js';

export type Group = Extract<Incoming, { kind: 'queue' }>;

/** A pull request of the group, and how our check of its own head stands; null: there is none. */
type Member = { readonly number: number; readonly head: Sha; readonly own: CompletedCheck | null };

type QueueContext = WriteContext & {
  readonly appId: number;
  /** Defaults with what the operator set: behind what the default branch says now. */
  readonly policy: Policy;
};

/**
 * Answers a merge queue that asks for the check on the commit of a group: it passes when the check of each pull request
 * in the group has passed on its own head. No review is run, because the queue throws out what it waits for too long. Where it
 * cannot be told what is in the group, `blocking` holds it with a sentence. Settles with what was done, for the log.
 */
export async function answerQueue(context: QueueContext, group: Group): Promise<string> {
  const target: CheckTarget = { ...group, appId: context.appId };
  const key = `${group.owner}/${group.repo}:queue:${group.head}`;
  const check = await judgeGroup(context, group);
  const there = (await listOwnCheckRuns(context, target)).findLast((run) => run.key === key);
  if (there?.status === 'completed' && isSameCheck(checkOf(there), check))
    return `${check.title} (was there)`;
  const sent =
    there === undefined
      ? await postCheckRun(context, target, key, check)
      : await writeCheckRun(context, target, there.id, check);
  if (sent.kind === 'confirmed') return check.title;
  context.log.error({ head: group.head, reason: sent.reason }, 'the merge queue was not answered');
  return `not written: ${sent.reason}`;
}

async function judgeGroup(context: QueueContext, group: Group): Promise<CompletedCheck> {
  try {
    const { entries, mode } = await readGroup(context, group);
    if (entries.length === 0)
      return unknownGroup(
        mode,
        `The merge queue of ${codeSpan(group.base)} lists no entry with this commit. Removing the pull request from the queue and adding it again asks anew.`,
      );
    return checkOfGroup(await readMembers(context, group, entries), mode);
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    context.log.error({ err: error }, 'the merge queue could not be read');
    // Whether this holds merges here is not known either.
    return unknownGroup('blocking', `What is in this group could not be read. ${error.message}`);
  }
}

const unknownGroup = (mode: GateMode, summary: string): CompletedCheck => ({
  status: 'completed',
  conclusion: mode === 'blocking' ? 'action_required' : 'success',
  title: mode === 'blocking' ? 'Not known what is in this group' : advisoryTitle,
  summary,
  text: '',
});

const advisoryTitle = 'Advisory: the merge queue is not held';

/** The check of a group from those of its pull requests. */
export function checkOfGroup(members: readonly Member[], mode: GateMode): CompletedCheck {
  // A neutral result is from before this gate was blocking: no pass was earned.
  const open = members.filter(
    ({ own }) =>
      own === null || !satisfiesRequiredCheck(own) || (mode === 'blocking' && own.conclusion === 'neutral'),
  );
  const text = members
    .map(
      ({ number, head, own }) =>
        `- #${number} at ${codeSpan(shortSha(head))}: ${own === null ? 'no result' : `${codeSpan(own.title)} (${own.conclusion})`}`,
    )
    .join('\n');
  const completed = (
    conclusion: CompletedCheck['conclusion'],
    title: string,
    summary: string,
  ): CompletedCheck => ({
    status: 'completed',
    conclusion,
    title,
    summary,
    text,
  });
  if (open.length === 0)
    return completed(
      'success',
      `Passed with ${named(members)}`,
      'Each pull request of this group has passed on its own head.',
    );
  const summary = `${named(open)} ${open.length === 1 ? 'has' : 'have'} not passed on ${open.length === 1 ? 'its' : 'their'} own head.`;
  if (mode === 'advisory') return completed('success', advisoryTitle, summary);
  return completed(
    open.some(({ own }) => own?.conclusion === 'failure') ? 'failure' : 'action_required',
    `Not passed: ${named(open)}`,
    `${summary} It has to pass there before it is added to the queue again.`,
  );
}

const named = (members: readonly Member[]): string =>
  members.length > 4
    ? `${members.length} pull requests`
    : members.map(({ number }) => `#${number}`).join(', ');

/** The entry may not be listed yet when its event is here. */
const patience = [1_000, 2_000, 4_000];

async function readGroup(context: QueueContext, group: Group): Promise<Queue> {
  for (let tried = 0; ; tried += 1) {
    const { entries, mode } = await readQueue(context, group);
    const found = entriesOfGroup(entries, group.head);
    const wait = patience[tried];
    if (found.length > 0 || wait === undefined) return { entries: found, mode };
    await context.sleep(wait);
  }
}

async function readMembers(
  context: QueueContext,
  group: Group,
  entries: readonly Entry[],
): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const { number, pullHead } of entries) {
    const target = { ...group, head: pullHead, appId: context.appId };
    // A new review that is at work takes nothing away from the one that ended; one for another base says nothing.
    const wanted = `#${number}:${pullHead}:${group.base}`;
    const run = (await listOwnCheckRuns(context, target)).findLast(
      ({ key, status }) => status === 'completed' && key.endsWith(wanted),
    );
    members.push({ number, head: pullHead, own: run === undefined ? null : ownResult(checkOf(run)) });
  }
  return members;
}

type Queue = { readonly entries: readonly Entry[]; readonly mode: GateMode };

export type Entry = {
  readonly position: number;
  readonly state: string;
  /** The commit of its group: the base with every entry up to this one merged. */
  readonly head: string | null;
  /** What it stands on: the group before it, or the tip of the base branch. */
  readonly base: string | null;
  readonly number: number;
  readonly pullHead: Sha;
};

/**
 * The entries that a group's commit holds, first one first. Groups are cumulative: each stands on the one before it, so
 * it is followed down by base commits. Where several entries stand on one commit these do not tell the order, and all
 * that are ahead in the queue count.
 */
export function entriesOfGroup(entries: readonly Entry[], head: string): readonly Entry[] {
  const last = entries.find((entry) => entry.head === head);
  if (last === undefined) return [];
  const ahead = entries
    .filter((entry) => entry.position < last.position && entry.state !== 'UNMERGEABLE')
    .sort((a, b) => a.position - b.position);
  if (last.base === null || ahead.some(({ base }) => base === last.base)) return [...ahead, last];
  const group = [last];
  for (let on = last.base; ;) {
    const below = ahead.find((entry) => entry.head === on && !group.includes(entry));
    if (below === undefined) return group;
    group.unshift(below);
    if (below.base === null) return group;
    on = below.base;
  }
}

const query = `query EvidentQueue($owner: String!, $repo: String!, $base: String!, $wantSettings: Boolean!) {
  ${organizationFields}
  repository(owner: $owner, name: $repo) {
    ${settingsFields}
    mergeQueue(branch: $base) {
      entries(first: 100) {
        nodes {
          position state
          headCommit { oid }
          baseCommit { oid }
          pullRequest { number headRefOid }
        }
      }
    }
  }
}${settingsFragment}`;

const Commit = z
  .object({ oid: z.string() })
  .nullish()
  .transform((commit) => commit?.oid ?? null);

const Answer = z.object({
  repository: z.object({
    mergeQueue: z
      .object({
        entries: z.object({
          nodes: z
            .array(
              z
                .object({
                  position: z.number(),
                  state: z.string(),
                  headCommit: Commit,
                  baseCommit: Commit,
                  pullRequest: z.object({ number: z.number().int(), headRefOid: Sha }).nullish(),
                })
                .nullable(),
            )
            .nullish(),
        }),
      })
      .nullish(),
  }),
});

async function readQueue(
  { client, policy: deployment }: QueueContext,
  { owner, repo, base }: Group,
): Promise<Queue> {
  const data = await client.graphql<unknown>(
    query,
    { owner, repo, base, wantSettings: true },
    'what is in the merge queue',
    mayLackOrganization,
  );
  const answer = Answer.safeParse(data);
  if (!answer.success)
    throw new ForgeError("GitHub's answer about the merge queue is not what its schema says.", {
      retryable: true,
    });
  const { gate } = guardingPolicy({ settings: settingsFilesOf(data), deployment });
  const entries = (answer.data.repository.mergeQueue?.entries.nodes ?? []).flatMap((node) => {
    if (node?.pullRequest === null || node?.pullRequest === undefined) return [];
    const { position, state, headCommit: head, baseCommit, pullRequest } = node;
    const { number, headRefOid: pullHead } = pullRequest;
    return [{ position, state, head, base: baseCommit, number, pullHead }];
  });
  return { entries, mode: gate.mode };
}
