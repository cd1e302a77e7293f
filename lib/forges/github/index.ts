/**
 * GitHub: what is read (client, snapshot, reader, threads) and what is written (write, check-run, publish). Octokit lives
 * in this folder and nowhere else. Reads are tried again, writes are sent once and read back; each request has a reason.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ForgeError } from '../../core/errors.js';
import { unionOfAttempts } from '../../core/attempt.js';
import { readState } from '../../core/marker.js';
import { readOperatorPass } from '../../core/operator-pass.js';
import type { MarkerTrust } from '../../core/marker.js';
import type { Policy } from '../../core/policy.js';
import { satisfiesRequiredCheck } from '../../core/check.js';
import { checkRange } from '../../core/diff.js';
import type { FileDiff } from '../../core/diff.js';
import type { Conversation } from '../../core/conversation.js';
import type { CheckWrite, Publication, Published, WriteOutcome } from '../../core/publication.js';
import { jobKey } from '../../core/trigger.js';
import type { Trigger } from '../../core/trigger.js';
import type { Claim, Forge, PullRequestForge, Wanted } from '../../ports/forge.js';
import type { Log } from '../../ports/log.js';
import { addReactions } from './add-reactions.js';
import type { AppAuth, InstallationTarget, InstallationToken } from './app-auth.js';
import { acceptSentence, capabilitiesOf } from './capabilities.js';
import {
  completeLostCheckRun,
  countDied,
  listOwnCheckRuns,
  otherRunHasIt,
  rerequestCheckRun,
  writeCheckRun,
} from './check-run.js';
import type { CheckTarget, OwnCheckRun } from './check-run.js';
import { claimHead } from './claim.js';
import { createGitHubClient } from './client.js';
import type { GitHubClient } from './client.js';
import { inCheck } from './in-check.js';
import { joinPull } from './join.js';
import { isTakenOver, releaseLease } from './lease.js';
import type { HeldLease } from './lease.js';
import { readLivePull } from './own-reviews.js';
import type { LivePull } from './own-reviews.js';
import { ownTexts } from './own-texts.js';
import type { OwnText } from './own-texts.js';
import { publishConversation } from './publish-conversation.js';
import { publishReview } from './publish.js';
import type { PublishContext } from './publish.js';
import { locate } from './locate.js';
import { readKept } from './marker-scope.js';
import { answerQueue } from './queue.js';
import { besideOthers, leaveSharedHead, settleSharedHead } from './shared-head.js';
import type { SharedHead } from './shared-head.js';
import { readLook, readSaid, readSnapshot } from './snapshot.js';
import type { SnapshotOptions } from './snapshot.js';
import { writeStandingCheck } from './standing-check.js';
import type { HistorySource } from './threads.js';
import { outcomeOf } from './write.js';
import type { Sent, WriteContext } from './write.js';

export { createAppAuth } from './app-auth.js';
export { webUrlOf } from './addresses.js';
export {
  collectPast,
  createAsker,
  openCache,
  pullStates,
  type Missing,
  type PullState,
} from './collect/index.js';
export { markerScope } from './marker-scope.js';
export { createGitHubClient } from './client.js';
export { readGateView, type GateView, type ShownCheck } from './gate-view.js';
export { installationOf, passByHand } from './pass-by-hand.js';
export { openReadOnly, type OpenedReadOnly } from './read-only.js';
export { createRedeliverer, type Redelivered, type Redeliverer } from './deliveries.js';

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
/** What was read so long ago still counts as a look just before writing. */
const freshMs = 5_000;
/** How often it is looked whether somebody wrote while we did. */
const mostRounds = 3;
/** For what is done in seconds, or not at all. */
const brieflyMs = 60_000;

export function createGitHubForge(options: GitHubForgeOptions): Forge {
  const { log } = options;
  const clock = options.clock ?? Date.now;
  const sleep = options.sleep ?? ((ms: number) => delay(ms));
  const graceMs = options.graceMs ?? 30_000;
  /** Runs of this process whose check is in progress: GitHub's lists may lag behind. */
  const atWork = new Map<string, number>();

  const clientOf = (installation: InstallationTarget, deadline: number): GitHubClient =>
    createGitHubClient({
      apiUrl: options.apiUrl,
      token: async () => (await options.auth.installationToken(installation)).token,
      log,
      deadline,
      clock,
      sleep,
      ...(options.fetch !== undefined && { fetch: options.fetch }),
    });

  const briefly = (installation: InstallationTarget): WriteContext => {
    const deadline = clock() + brieflyMs;
    return { client: clientOf(installation, deadline), log, clock, sleep, deadline };
  };

  return {
    async locate(incoming) {
      const { client } = briefly(incoming);
      return locate(incoming, { client, appId: options.appId, log });
    },

    async answerQueue(incoming) {
      const { appId, policy } = options;
      return answerQueue({ ...briefly(incoming), appId, policy }, incoming);
    },

    async closed(trigger) {
      const target = { ...trigger, appId: options.appId };
      const trust = options.trust?.(trigger);
      try {
        return await leaveSharedHead(briefly(trigger), target, trust, options.policy.gate.mode);
      } catch (error) {
        if (!(error instanceof ForgeError)) throw error;
        log.warn({ reason: error.message }, 'who else has the head of a closed pull request is not known');
        return [];
      }
    },

    async open(trigger): Promise<PullRequestForge> {
      const place = { owner: trigger.owner, repo: trigger.repo, number: trigger.number };
      const installation = { ...place, installation: trigger.installation };
      const first = await tokenOf(options.auth, installation);
      const capabilities = capabilitiesOf(first.permissions);
      for (const { permission, costs } of capabilities.missing)
        log.warn({ permission, repository: `${place.owner}/${place.repo}` }, `permission missing: ${costs}`);
      const deadline = clock() + options.longestRunMs + graceMs;
      const client = clientOf(installation, deadline);
      const context: WriteContext = { client, log, clock, sleep, deadline };
      const target: CheckTarget = { ...place, head: trigger.head, appId: options.appId };
      const trust = options.trust?.(trigger);
      const history: HistorySource = {
        appId: options.appId,
        mayRead: capabilities.readChecks,
        readState: (text, key) => readKept(text, key, trust),
      };

      // What one run learns on its way. Everything else is asked of GitHub anew.
      let key = '';
      let runs: readonly OwnCheckRun[] = [];
      let lost = false;
      let lease: HeldLease | null = null;
      let base = trigger.base ?? null;
      let seen: { readonly live: LivePull; readonly at: number } | null = null;
      let diff: readonly FileDiff[] | null = null;
      let said: Conversation | null = null;
      let mode = options.policy.gate.mode;
      let sameHead: Pick<LivePull, 'sameHead' | 'isCrowded'> | null = null;
      const reactions: Promise<unknown>[] = [];
      let completed = false;
      let progress = 0;
      let lastCheck: Promise<unknown> = Promise.resolve();

      async function claim(): Promise<Claim> {
        key = jobKey(trigger, trigger.base ?? (await readBaseRef()));
        const since = atWork.get(key);
        if (since !== undefined && clock() - since < options.longestRunMs) {
          return { kind: 'already_running', detail: 'this head is being reviewed in this process' };
        }
        // Taken before the first request, so that nobody slips in while it is under way.
        atWork.set(key, clock());
        let claim: Claim | null = null;
        try {
          claim = await claimOnGitHub();
          return claim;
        } finally {
          if (claim?.kind !== 'claimed' && claim?.kind !== 'without_check') atWork.delete(key);
        }
      }

      async function claimOnGitHub(): Promise<Claim> {
        const claimed = await claimHead(context, place, target, {
          capabilities,
          key,
          at: trigger.at,
          before: trigger.before,
          asked: trigger.reason === 'asked',
          onlyIfOwed: trigger.reason === 'next_pass',
          longestRunMs: options.longestRunMs,
          finished: (text) =>
            readOperatorPass(text, trust) !== null ||
            readState(text, trust).passes.some(
              (record) =>
                record.jobKey === key && record.finished && (!isNewWish(trigger) || isSettled(text)),
            ),
        });
        ({ lost, lease, runs } = claimed);
        const attempts = runs.flatMap(
          ({ text, key: written }) => readKept(text, written, trust).attempts ?? [],
        );
        return claimed.claim.kind === 'claimed'
          ? { ...claimed.claim, attempts: unionOfAttempts(attempts), died: countDied(runs, key) }
          : claimed.claim;
      }

      async function readBaseRef(): Promise<string> {
        const { base } = await readLive('which base the head is reviewed against');
        return base;
      }

      async function readLive(reason: string): Promise<LivePull> {
        const live = await readLivePull(client, place, reason);
        sameHead = live;
        return live;
      }

      /** A look that came with something else. */
      function keep(live: LivePull | null): void {
        seen = live === null ? null : { live, at: clock() };
        if (live !== null) sameHead = live;
      }

      async function writeCheck(claim: Claim, check: CheckWrite): Promise<void> {
        await sendCheck(claim, check);
      }

      /** One after the other: progress that arrives after the end would open a completed check again. */
      function sendCheck(claim: Claim, check: CheckWrite, published = false): Promise<Sent<number> | null> {
        const sent = lastCheck.then(() => sendCheckNow(claim, check, published));
        lastCheck = sent.catch(() => null);
        return sent;
      }

      async function sendCheckNow(
        claim: Claim,
        check: CheckWrite,
        published: boolean,
      ): Promise<Sent<number> | null> {
        const isEnd = check.status === 'completed';
        if (!isEnd && (completed || progress >= mostProgress)) return null;
        if (!isEnd) progress += 1;
        try {
          const sent = await sendTo(claim, check, published);
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
          if (isEnd) atWork.delete(key);
        }
      }

      async function sendTo(
        claim: Claim,
        check: CheckWrite,
        published: boolean,
      ): Promise<Sent<number> | null> {
        if (claim.kind === 'standing') {
          if (!capabilities.writeChecks) return null;
          const shared = await sharedHead(check);
          const { longestRunMs } = options;
          return writeStandingCheck(context, target, check, {
            key,
            shared,
            longestRunMs,
            onlyIfNone: !published,
          });
        }
        if (claim.kind === 'claimed') {
          const shared = await sharedHead(check);
          const isAlone = shared.others.length === 0 && shared.isCrowded !== true;
          if (isAlone || check.status !== 'completed' || check.conclusion === 'cancelled')
            return writeCheckRun(context, target, claim.checkRun, check);
          const wanted = besideOthers(check, shared, await listOwnCheckRuns(context, target));
          const sent = await writeCheckRun(context, target, claim.checkRun, wanted);
          await settleSharedHead(context, target, shared);
          return sent;
        }
        if (claim.kind !== 'without_check' || !lost || check.status !== 'completed') return null;
        return completeLostCheckRun(context, target, key, check);
      }

      /** Who else has this head. It is looked up for a check that would let them merge; without an answer it is written. */
      async function sharedHead(check: CheckWrite): Promise<SharedHead> {
        if (sameHead === null && satisfiesRequiredCheck(check) && capabilities.readPulls) {
          try {
            await readLive('whether other pull requests have this head');
          } catch (error) {
            if (!(error instanceof ForgeError)) throw error;
            log.warn({ reason: error.message }, 'it is not known who else has this head');
          }
        }
        return {
          number: place.number,
          others: sameHead?.sameHead ?? [],
          ...(sameHead?.isCrowded && { isCrowded: true }),
          mode,
          ...(trust !== undefined && { trust }),
        };
      }

      async function stillWanted(): Promise<Wanted> {
        const pull = await readLive('is the run still wanted');
        if (pull.state === 'closed') return { kind: 'closed' };
        return pull.head === trigger.head ? { kind: 'wanted' } : { kind: 'superseded', by: pull.head };
      }

      /** Why nothing more is written for this head, if so. */
      function whereItWent(live: LivePull): Published | null {
        if (live.state === 'closed') return { kind: 'closed' };
        if (live.head !== trigger.head) return { kind: 'superseded', by: live.head };
        if (base !== null && live.base !== base) return { kind: 'base_changed' };
        return lease !== null && isTakenOver(lease, live.eyes) ? { kind: 'taken_over' } : null;
      }

      const notHere = (publication: Publication, why: string, permission?: string): Publication =>
        inCheck(
          publication,
          `Not here: ${why}.${permission === undefined ? '' : ` ${acceptSentence(permission, first.settingsUrl)}`}`,
        );

      /** Only what the app may write; what it may not say as a review, it says in the check. */
      function asAllowed(publication: Publication): Publication {
        if (capabilities.writeReviews) return publication;
        const missing = capabilities.missing.find(({ permission }) => permission.startsWith('pull_requests'));
        return notHere(publication, missing?.costs ?? 'reviews cannot be written', missing?.permission);
      }

      /**
       * Writes, looks once more, and writes again what the look changed, until nobody wrote meanwhile. A head that moved,
       * another base, a closed pull request or another run ends it: the check of this head is then not conclusive.
       */
      async function publish(
        claim: Claim,
        drafted: Publication,
        again?: () => Promise<Publication>,
      ): Promise<Published> {
        let publication = asAllowed(drafted);
        let live = await lookBefore();
        const writes: WriteOutcome[] = [];
        const reviewing = { ...context, target: place, rangeOf, ...(trust !== undefined && { trust }) };
        for (let round = 1; ; round += 1) {
          const ended = whereItWent(live);
          if (ended !== null) return ended;
          const written = await publishReview(reviewing, publication, live);
          if (written.kind === 'failed') {
            if (claim.kind !== 'claimed' && claim.kind !== 'standing') return written;
            publication = notHere(
              publication,
              `the review could not be posted, so it stands in this check only (${written.reason})`,
              written.permission,
            );
            writes.push(...(await converse(publication)));
            break;
          }
          if (written.kind !== 'published') return written;
          const conversed = await converse(publication);
          writes.push(...written.writes, ...conversed);
          const unknown = written.writes.find(({ kind }) => kind === 'unknown');
          if (unknown !== undefined)
            publication = notHere(publication, 'GitHub did not say whether it took the review');
          const wrote = written.writes.length > 0 || conversed.some(({ kind }) => kind !== 'already_there');
          if (!wrote || round === mostRounds) break;
          const before = live;
          const after = await lookAfter();
          if (after === null) break;
          live = after;
          const gone = whereItWent(live);
          if (gone !== null) return gone;
          if (unknown !== undefined || live.newestOfOthers <= before.newestOfOthers || again === undefined)
            break;
          publication = asAllowed(await again());
        }
        if (claim.kind === 'claimed' && lease === null) {
          const other = await otherRunHasIt(context, target, { key, mine: claim.checkRun, since: runs });
          if (other !== null) return { kind: 'taken_over' };
        }
        const check = await sendCheck(claim, publication.check, true);
        return {
          kind: 'published',
          writes: check === null ? writes : [...writes, outcomeOf(check)],
          ...(check !== null && (check.kind !== 'confirmed' || check.bare === true) && { unchecked: true }),
        };
      }

      const posted: OwnText[] = [];
      /** What is written beside the review; what was posted here is known also where GitHub's lists lag behind. */
      async function converse(publication: Publication): Promise<readonly WriteOutcome[]> {
        const isDue = (['threadEdits', 'replies', 'resolves', 'reactions', 'reviewers'] as const).some(
          (part) => publication[part] !== undefined,
        );
        if (!isDue) return [];
        const read = async (): Promise<readonly OwnText[]> => {
          const { conversation } = await readSaid(client, place, history);
          return ownTexts(conversation, trust);
        };
        const there = [...posted, ...(said === null ? await read() : ownTexts(said, trust))];
        const before = there.length;
        const outcomes = await publishConversation(
          {
            ...context,
            target: place,
            capabilities,
            there,
            readOwnTexts: read,
            ...(trust !== undefined && { trust }),
          },
          publication,
        );
        posted.push(...there.slice(before));
        return outcomes;
      }

      /** What was read a moment ago together with the conversation will do, once. */
      async function lookBefore(): Promise<LivePull> {
        const kept = seen !== null && clock() - seen.at < freshMs ? seen.live : null;
        seen = null;
        return kept ?? (await readLive('did the head move before we write'));
      }

      /** What is written stands, also when it cannot be looked whether something changed. */
      async function lookAfter(): Promise<LivePull | null> {
        try {
          return await readLive('did anything change while we wrote');
        } catch (error) {
          if (!(error instanceof ForgeError)) throw error;
          log.warn({ reason: error.message }, 'it is not known whether anything changed while we wrote');
          return null;
        }
      }

      /** Without these two there is nothing to review with: said before anything is asked. */
      function mustRead(): void {
        const missing = !capabilities.readCode
          ? 'contents=read'
          : !capabilities.readPulls
            ? 'pull_requests=read'
            : null;
        if (missing !== null)
          throw new ForgeError(`The app lacks a permission: ${missing}.`, {
            status: 403,
            acceptedPermissions: missing,
          });
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
          mustRead();
          const read = await readSnapshot(client, trigger, {
            ...options.readerLimits,
            policy: options.policy,
            clock,
            sleep,
            ...(options.neverSend !== undefined && { neverSend: options.neverSend }),
            history,
          });
          diff = read.snapshot.diff;
          base = read.snapshot.pullRequest.base.ref;
          said = read.snapshot;
          mode = read.snapshot.policy.gate.mode;
          return read;
        },
        async conversation() {
          const { conversation, live } = await readSaid(client, place, history);
          keep(live);
          said = conversation;
          return conversation;
        },
        async look() {
          mustRead();
          const { live, ...look } = await readLook(client, place, { history, policy: options.policy });
          keep(live);
          said = look.conversation;
          mode = look.policy.gate.mode;
          return look;
        },
        async publish(claim, publication, _trigger, again) {
          try {
            return await publish(claim, publication, again);
          } catch (error) {
            if (error instanceof ForgeError) return { kind: 'failed', reason: error.message };
            throw error;
          }
        },
        async bringBack(claim) {
          if (claim.kind !== 'claimed') return false;
          try {
            await rerequestCheckRun(context, target, claim.checkRun);
            return true;
          } catch (error) {
            if (!(error instanceof ForgeError)) throw error;
            log.warn({ reason: error.message }, 'the next pass was not asked for');
            return false;
          }
        },
        async join() {
          key = jobKey(trigger, trigger.base ?? (await readBaseRef()));
          const joined = await joinPull(context, place, { capabilities, longestRunMs: options.longestRunMs });
          ({ lease } = joined);
          return joined.claim;
        },
        react(subject, content) {
          if (!capabilities.react) return;
          const added = addReactions({ ...context, target: place }, [{ subject, content }]);
          reactions.push(
            added.catch((error: unknown) => log.warn({ err: error }, 'a reaction was not added')),
          );
        },
        async release() {
          await Promise.all(reactions);
          atWork.delete(key);
          if (lease !== null) await releaseLease(context, place, lease);
          lease = null;
        },
        keepsResults: capabilities.writeChecks && capabilities.readChecks,
        ...(first.settingsUrl !== undefined && { acceptAt: first.settingsUrl }),
        requests: () => [...first.requests, ...client.requests()],
      };
    },
  };
}

/** A token that was kept may be older than a permission that an owner accepted since. */
async function tokenOf(auth: AppAuth, target: InstallationTarget): Promise<InstallationToken> {
  const token = await auth.installationToken(target);
  const isKept = token.requests.length === 0;
  return isKept && capabilitiesOf(token.permissions).missing.length > 0
    ? auth.installationToken(target, { fresh: true })
    : token;
}

/** Something was done to have a review: a partial one, or one of two, is not enough then. */
const isNewWish = ({ reason }: Trigger): boolean =>
  reason === 'reopened' || reason === 'ready_for_review' || reason === 'next_pass';

/** The result line of our check says that another review of this head would change nothing. */
const isSettled = (text: string): boolean =>
  /<!-- evident:result \{"v":1,"verdict":"(?:pass|fix|waiting|escalate)"/.test(text);
