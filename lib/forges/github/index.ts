/**
 * GitHub: what is read (client, snapshot, reader, threads) and what is written (write, check-run, publish). Octokit lives
 * in this folder and nowhere else. Reads are tried again, writes are sent once and read back; each request has a reason.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ForgeError } from '../../core/errors.js';
import { readPassRecords } from '../../core/marker.js';
import type { MarkerTrust } from '../../core/marker.js';
import type { Policy } from '../../core/policy.js';
import { checkRange } from '../../core/diff.js';
import type { FileDiff } from '../../core/diff.js';
import type { CheckWrite, WriteOutcome } from '../../core/publication.js';
import { jobKey } from '../../core/trigger.js';
import type { Trigger } from '../../core/trigger.js';
import type { Claim, Forge, PullRequestForge, Wanted } from '../../ports/forge.js';
import type { Log } from '../../ports/log.js';
import type { AppAuth } from './app-auth.js';
import { claimCheckRun, completeLostCheckRun, listOwnCheckRuns, writeCheckRun } from './check-run.js';
import type { CheckTarget, OwnCheckRun } from './check-run.js';
import { createGitHubClient } from './client.js';
import { readLivePull } from './own-reviews.js';
import { publishReview } from './publish.js';
import type { PublishContext } from './publish.js';
import { readSnapshot } from './snapshot.js';
import type { SnapshotOptions } from './snapshot.js';
import { readConversation } from './threads.js';
import type { Sent, WriteContext } from './write.js';

export { createAppAuth } from './app-auth.js';

export type GitHubForgeOptions = {
  readonly auth: AppAuth;
  /** The number of the app: only its check runs are ours. */
  readonly appId: number;
  readonly apiUrl: string;
  readonly log: Log;
  readonly policy: Policy;
  /** Globs of files that nobody is shown. */
  readonly neverSend?: readonly string[];
  /** Whose hidden comments count; without it, those of our own check runs and reviews count as they are. */
  readonly trust?: (trigger: Trigger) => MarkerTrust;
  /** Milliseconds a run may take, publishing included. A check in progress for longer belongs to a dead run. */
  readonly longestRunMs: number;
  /** Milliseconds left after that until the host ends the process: the check is still completed in them. */
  readonly graceMs?: number;
  readonly clock?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
  readonly fetch?: typeof fetch;
  readonly readerLimits?: Pick<SnapshotOptions, 'archiveLimits' | 'blobLimits'>;
};

/** How often the progress of a run is written; the check is created and completed beside that. */
const mostProgress = 3;

export function createGitHubForge(options: GitHubForgeOptions): Forge {
  const { log } = options;
  const clock = options.clock ?? Date.now;
  const sleep = options.sleep ?? ((ms: number) => delay(ms));
  const graceMs = options.graceMs ?? 30_000;
  /** Runs of this process whose check is in progress: GitHub's lists may lag behind. */
  const live = new Map<string, number>();

  return {
    async open(trigger): Promise<PullRequestForge> {
      const place = { owner: trigger.owner, repo: trigger.repo, number: trigger.number };
      const installation = { ...place, installation: trigger.installation };
      const first = await options.auth.installationToken(installation);
      const deadline = clock() + options.longestRunMs + graceMs;
      const client = createGitHubClient({
        apiUrl: options.apiUrl,
        token: async () => (await options.auth.installationToken(installation)).token,
        log,
        deadline,
        clock,
        sleep,
        ...(options.fetch !== undefined && { fetch: options.fetch }),
      });
      const context: WriteContext = { client, log, clock, sleep, deadline };
      const target: CheckTarget = { ...place, head: trigger.head, appId: options.appId };
      const trust = options.trust?.(trigger);

      // What one run learns on its way. Everything else is asked of GitHub anew.
      let key = '';
      let runs: readonly OwnCheckRun[] = [];
      let lost = false;
      let diff: readonly FileDiff[] | null = null;
      let completed = false;
      let progress = 0;

      async function claim(): Promise<Claim> {
        key = jobKey(trigger, trigger.base ?? (await readBaseRef()));
        const since = live.get(key);
        if (since !== undefined && clock() - since < options.longestRunMs) {
          return { kind: 'already_running', detail: 'this head is being reviewed in this process' };
        }
        // Taken before the first request, so that nobody slips in while it is under way.
        live.set(key, clock());
        let claim: Claim | null = null;
        try {
          claim = await claimOnGitHub();
          return claim;
        } finally {
          if (claim?.kind !== 'claimed') live.delete(key);
        }
      }

      async function claimOnGitHub(): Promise<Claim> {
        try {
          runs = await listOwnCheckRuns(context, target);
        } catch (error) {
          if (!(error instanceof ForgeError) || error.retryable) throw error;
          return { kind: 'without_check', why: error.message };
        }
        const claimed = await claimCheckRun(context, target, {
          runs,
          key,
          asked: trigger.reason === 'asked',
          longestRunMs: options.longestRunMs,
          finished: (text) =>
            readPassRecords(text, trust).some((record) => record.jobKey === key && record.finished),
        });
        if (claimed.kind !== 'lost') return claimed;
        lost = true;
        return { kind: 'without_check', why: claimed.why };
      }

      async function readBaseRef(): Promise<string> {
        const { base } = await readLivePull(client, place, 'which base the head is reviewed against');
        return base;
      }

      async function writeCheck(claim: Claim, check: CheckWrite): Promise<void> {
        await sendCheck(claim, check);
      }

      async function sendCheck(claim: Claim, check: CheckWrite): Promise<Sent<number> | null> {
        const isEnd = check.status === 'completed';
        if (!isEnd && (completed || progress >= mostProgress)) return null;
        if (!isEnd) progress += 1;
        try {
          const sent = await sendTo(claim, check);
          if (sent !== null && sent.kind !== 'confirmed') {
            log.error({ check: check.title, reason: sent.reason }, 'the check was not written');
          }
          if (sent?.kind === 'confirmed' && isEnd) completed = true;
          return sent;
        } catch (error) {
          if (!(error instanceof ForgeError)) throw error;
          log.error({ check: check.title, reason: error.message }, 'the check was not written');
          return { kind: 'unknown', reason: error.message };
        } finally {
          if (isEnd) live.delete(key);
        }
      }

      async function sendTo(claim: Claim, check: CheckWrite): Promise<Sent<number> | null> {
        if (claim.kind === 'claimed') return writeCheckRun(context, target, claim.checkRun, check);
        if (claim.kind !== 'without_check' || !lost || check.status !== 'completed') return null;
        return completeLostCheckRun(context, target, key, check);
      }

      async function stillWanted(): Promise<Wanted> {
        const pull = await readLivePull(client, place, 'is the run still wanted');
        if (pull.state === 'closed') return { kind: 'closed' };
        return pull.head === trigger.head ? { kind: 'wanted' } : { kind: 'superseded', by: pull.head };
      }

      /** A range over two hunks becomes the part in the last one, because GitHub refuses the whole. */
      const rangeOf: PublishContext['rangeOf'] = ({ path, side, line, startLine }) => {
        if (diff === null) return { line, ...(startLine !== undefined && { startLine }) };
        const checked = checkRange(diff, { path, side, line, startLine });
        if (checked.kind === 'refused') return null;
        const { range } = checked;
        return { line: range.line, ...(range.startLine !== undefined && { startLine: range.startLine }) };
      };

      return {
        claim,
        stillWanted,
        writeCheck,
        async snapshot() {
          const read = await readSnapshot(client, trigger, {
            ...options.readerLimits,
            policy: options.policy,
            clock,
            sleep,
            ...(options.neverSend !== undefined && { neverSend: options.neverSend }),
            readPassRecords: async () => runs.flatMap((run) => readPassRecords(run.text, trust)),
          });
          diff = read.snapshot.diff;
          return read;
        },
        conversation: () => readConversation(client, place),
        async publish(claim, publication) {
          const published = await publishReview(
            { ...context, target: place, rangeOf, ...(trust !== undefined && { trust }) },
            publication,
          );
          if (published.kind !== 'published') return published;
          const check = await sendCheck(claim, publication.check);
          return check === null
            ? published
            : { ...published, writes: [...published.writes, outcomeOf(check)] };
        },
        requests: () => [...first.requests, ...client.requests()],
      };
    },
  };
}

function outcomeOf(sent: Sent<number>): WriteOutcome {
  return sent.kind === 'confirmed' ? { kind: 'confirmed', id: sent.value } : sent;
}
