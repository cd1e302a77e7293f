import { z } from 'zod';
import { readCheckResult } from '../../core/check-result.js';
import type { HeadSeen } from '../../core/conversation.js';
import { Sha } from '../../core/pull-request.js';
import { baseOfKey, numberOfKey } from '../../core/trigger.js';
import { checkName } from './check-run.js';

/** What our check runs of one pull request say about its past. */
export type History = {
  /** Oldest first. */
  readonly heads: readonly HeadSeen[];
  /** Our check runs, oldest first: their texts, and the job keys that they were written under. */
  readonly runs: readonly { readonly text: string; readonly key: string }[];
};

/**
 * Our check runs on the commits of a pull request, and on those that forced pushes took away. After a push in between
 * the run stands on the parent of what was forced away, so a few commits back are looked at too. An app has one suite a
 * commit, with the runs of all pull requests of it; it answers nothing without `checks: read`.
 */
export const historyFields = `
      pastCommits: commits(last: 100) { nodes { commit { ...EvidentCheckRuns } } }
      timelineItems(itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT], last: 30) {
        nodes {
          ... on HeadRefForcePushedEvent {
            beforeCommit { history(first: 4) { nodes { ...EvidentCheckRuns } } }
          }
        }
      }`;

export const historyFragment = `
fragment EvidentCheckRuns on Commit {
  oid
  checkSuites(first: 2, filterBy: { appId: $appId }) {
    nodes {
      app { databaseId }
      checkRuns(first: 100, filterBy: { checkName: "${checkName}", checkType: ALL }) {
        nodes { url externalId startedAt status text }
      }
    }
  }
}`;

const nodesOf = <T extends z.ZodType>(node: T) =>
  z
    .object({ nodes: z.array(node.nullable()).nullish() })
    .nullish()
    .transform((connection) => (connection?.nodes ?? []).flatMap((one) => (one === null ? [] : [one])));

const Commit = z.object({
  oid: Sha,
  checkSuites: nodesOf(
    z.object({
      app: z.object({ databaseId: z.number().nullish() }).nullish(),
      checkRuns: nodesOf(
        z.object({
          url: z.string().nullish(),
          externalId: z.string().nullish(),
          startedAt: z.string().nullish(),
          status: z.string().nullish(),
          text: z.string().nullish(),
        }),
      ),
    }),
  ),
});

export const HistoryFields = z.object({
  pastCommits: nodesOf(z.object({ commit: Commit })),
  timelineItems: nodesOf(z.object({ beforeCommit: z.object({ history: nodesOf(Commit) }).nullish() })),
});

/** Times are whole seconds, and numbers of this size do not fit GraphQL's: the address has it. */
const idOf = (url: string | null | undefined): number =>
  Number(/\/runs\/(\d{1,15})\b/.exec(url ?? '')?.[1] ?? 0);

/** What the result line of a completed run says is outstanding. */
function saidBy(text: string): Pick<HeadSeen, 'owed' | 'due' | 'ended' | 'waitsFor'> {
  const read = readCheckResult(text);
  if (read.kind !== 'result') return { ended: true };
  const { verdict, goes_on: goesOn, goes_on_at: goesOnAt } = read.result;
  switch (verdict) {
    case 'review':
    case 'incomplete':
      if (goesOn !== true) return { ended: true };
      return { owed: true, ...(goesOnAt !== undefined && { due: Date.parse(goesOnAt) }) };
    case 'escalate':
      return { waitsFor: 'decision' };
    case 'waiting':
      return { waitsFor: 'answer' };
    case 'pass':
    case 'fix':
      return {};
  }
}

/** Only what our own app wrote for this pull request: another one may share a commit with it. */
export function historyOf(
  { pastCommits, timelineItems }: z.infer<typeof HistoryFields>,
  { appId, number }: { readonly appId: number; readonly number: number },
): History {
  const all = new Map(
    [
      ...timelineItems.flatMap(({ beforeCommit }) => beforeCommit?.history ?? []),
      ...pastCommits.map(({ commit }) => commit),
    ].map((commit) => [commit.oid, commit] as const),
  );
  const runs = [...all.values()]
    .flatMap(({ oid, checkSuites }) =>
      checkSuites
        .filter(({ app }) => app?.databaseId === appId)
        .flatMap(({ checkRuns }) => checkRuns)
        .filter(({ externalId }) => numberOfKey(externalId ?? '') === number)
        .map(({ url, externalId, startedAt, status, text }) => ({
          id: idOf(url),
          sha: oid,
          base: baseOfKey(externalId ?? ''),
          since: Date.parse(startedAt ?? '') || 0,
          said: status === 'COMPLETED' ? saidBy(text ?? '') : ({ running: true } as const),
          text: text ?? '',
          key: externalId ?? '',
        })),
    )
    .sort((a, b) => a.since - b.since || a.id - b.id);
  const heads: HeadSeen[] = [];
  for (const { sha, since, base, said } of runs) {
    const before = heads.at(-1);
    const named = { sha, ...(base !== undefined && { base }), ...said };
    if (before?.sha === sha && before.base === base)
      heads.splice(-1, 1, { ...named, since: before.since, last: since });
    else heads.push({ ...named, since });
  }
  return {
    heads,
    runs: runs.flatMap(({ text, key }) => (text === '' ? [] : [{ text, key }])),
  };
}
