import { continuing } from './core/continuing.js';
import type { Conversation } from './core/conversation.js';
import { foldLedger } from './core/fold-ledger.js';
import type { Verdict } from './core/gate.js';
import { emptyLedger, type Ledger } from './core/ledger.js';
import type { GateMode, Policy } from './core/policy.js';
import {
  draft,
  draftEnding,
  type Ending,
  type Publication,
  type Published,
  stateLine,
} from './core/publication.js';
import { readingReplies } from './core/reading-replies.js';
import { isTakenBack } from './core/taken-back.js';
import { jobKey, shouldReview, type Incoming, type Trigger } from './core/trigger.js';
import { isAskedFor, wishOf } from './core/wish.js';
import { repliesTo } from './commands/replies.js';
import { runReview } from './modes/run-review.js';
import type { Claim, PullRequestForge, RepoReader } from './ports/forge.js';
import {
  decideNow,
  decisionOn,
  isDecided,
  isOfAnother,
  isUnread,
  mayCatchUp,
  mayGoOn,
  mayStart,
} from './run/decision.js';
import { startsAgain } from './core/render/going-on.js';
import {
  factsOf,
  halfDone,
  isUnfinished,
  keptWords,
  promiseOf,
  publicationOf,
  since,
  stillUnread,
} from './run/drafted.js';
import { endingOf, endingOfError, retryAfterOf, whereToAccept } from './run/ending.js';
import type { Following } from './run/following.js';
import type { Deps, Given } from './run/given.js';
import { knowing, ledgerOf, readingsOf, withWish } from './run/known.js';
import { deadlineOf, limitsOf, longestOf } from './run/limits.js';
import { modelsOf } from './run/models.js';
import {
  againAfter,
  attemptOf,
  bringNextPass,
  busyAttempt,
  followingOf,
  whenToTry,
  withAttempt,
} from './run/next-pass.js';
import { tellProgress } from './run/progress.js';

export type { Deps } from './run/given.js';

/** What came of a trigger, for the log and for tests. */
export type Handled =
  /** `isReviewed`: a finished review of that head stands. */
  | { readonly kind: 'nothing_to_do'; readonly why: string; readonly isReviewed?: true }
  | { readonly kind: 'ended'; readonly ending: Ending }
  | { readonly kind: 'reviewed'; readonly verdict: Verdict; readonly published: Published }
  /** What people said was folded and acted on; no model ran. */
  | { readonly kind: 'folded'; readonly verdict: Verdict; readonly published: Published }
  /** A merge queue got its answer. */
  | { readonly kind: 'queue_answered'; readonly detail: string };

/**
 * THE MAIN PATH. An event finds its pull requests; what was said on one is folded, what was pushed to one is reviewed.
 */
export async function handleTrigger(
  incoming: Incoming,
  deps: Deps,
  signal: AbortSignal,
): Promise<readonly Handled[]> {
  try {
    return await handle(incoming, deps, signal);
  } catch (error) {
    const at = signal.aborted ? null : whenToTry(error, incoming, deps.clock());
    if (at === null || deps.follow?.({ ...incoming, putOff: (incoming.putOff ?? 0) + 1 }, at) !== true)
      throw error;
    const why = `the forge did not answer; handled again at ${new Date(at).toISOString()}`;
    deps.log.warn({ err: error, repository: `${incoming.owner}/${incoming.repo}` }, why);
    return [{ kind: 'nothing_to_do', why }];
  }
}

async function handle(incoming: Incoming, deps: Deps, signal: AbortSignal): Promise<readonly Handled[]> {
  if (incoming.kind === 'queue')
    return [{ kind: 'queue_answered', detail: await deps.forge.answerQueue(incoming) }];
  if (incoming.kind === 'pull_request' && incoming.reason === 'closed') return [await leave(incoming, deps)];
  const handled: Handled[] = [];
  for (const trigger of await deps.forge.locate(incoming)) {
    if (signal.aborted) break;
    const isWords = trigger.reason === 'said' || trigger.reason === 'ask_person';
    const done = await (isWords ? fold : review)(trigger, deps, signal);
    // What was said while it was closed had no effect, and a head that was reviewed is not reviewed again; one that a
    // forced push brings back may hold what was found since.
    const isReadAnew =
      done.kind === 'nothing_to_do' &&
      (trigger.reason === 'reopened' || (trigger.reason === 'pushed' && done.isReviewed === true));
    handled.push(isReadAnew ? await fold({ ...trigger, reason: 'said' }, deps, signal) : done);
  }
  return handled.length > 0 ? handled : [{ kind: 'nothing_to_do', why: 'no open pull request is meant' }];
}

/** A pull request that is closed is over, but others of the same commit showed its result. */
async function leave(trigger: Trigger, deps: Deps): Promise<Handled> {
  const others = await deps.forge.closed(trigger);
  const freed = others.map((number) => ` #${number} shows its own result again.`);
  return {
    kind: 'nothing_to_do',
    why: `the pull request is closed${freed.length > 0 ? ';' : ''}${freed.join('')}`,
  };
}

/**
 * Somebody wrote, edited, deleted, resolved, labelled or approved. One look tells whether anything follows from it: a
 * review that was asked for or missed, or texts that have to say something else now. Words between people end here.
 */
async function fold(trigger: Trigger, deps: Deps, signal: AbortSignal): Promise<Handled> {
  const began = deps.clock();
  const forge = await deps.forge.open(trigger);
  const again = await (async (): Promise<Handled | 'asked' | 'pushed' | 'next_pass'> => {
    try {
      const looked = await forge.look(trigger);
      const { subjects = [] } = trigger;
      const trust = deps.trust?.(trigger);
      const known = foldLedger(looked.conversation, {
        pullRequest: looked.pullRequest,
        policy: looked.policy,
        ...(trust !== undefined && { trust }),
      });
      const wish = wishOf(
        { ...looked, ledger: known },
        {
          silent: subjects.length === 0 || isTakenBack(subjects, looked.conversation),
          isButton: trigger.reason === 'ask_person',
          now: deps.clock(),
          longestRunMs: deps.longestRunMs,
        },
      );
      switch (wish.kind) {
        case 'nothing':
          return { kind: 'nothing_to_do', why: wish.why };
        case 'review':
          if (wish.at.length === 0 && !mayGoOn(trigger, { ...looked, ...looked.conversation }, known))
            return startedByNobody;
          for (const { subject } of wish.at) forge.react(subject, 'eyes');
          return 'asked';
        case 'catch_up':
          return forge.keepsResults || mayStart(trigger, { ...looked, ...looked.conversation }, known)
            ? 'pushed'
            : startedByNobody;
        case 'next_pass':
          return 'next_pass';
        case 'state':
          return await publishState(trigger, {
            deps,
            forge,
            began,
            signal,
            ...(trust !== undefined && { trust }),
          });
      }
    } catch (error) {
      deps.log.error({ err: error, pullRequest: pullRequestOf(trigger) }, 'what was said was not acted on');
      return { kind: 'nothing_to_do', why: 'an error; the next event folds it again' };
    } finally {
      await forge.release();
    }
  })();
  return typeof again === 'string' ? review({ ...trigger, reason: again }, deps, signal) : again;
}

const startedByNobody = {
  kind: 'nothing_to_do',
  why: 'the last review did not come to its end; who may start one can go on',
} as const satisfies Handled;

/** Texts, threads and the check, brought to what follows from what was said. */
async function publishState(
  trigger: Trigger,
  given: Omit<Given, 'snapshot'>,
): Promise<Handled | 'asked' | 'pushed' | 'next_pass'> {
  const claim = await given.forge.join(trigger);
  return publishFolded(trigger, claim, { ...given, ...(await given.forge.snapshot(trigger)) });
}

async function publishFolded(
  trigger: Trigger,
  claim: Claim,
  given: Given & { readonly reader: RepoReader },
): Promise<Handled | 'asked' | 'pushed' | 'next_pass'> {
  const { deps, forge, snapshot } = given;
  const readings = readingsOf(given);
  // Decided before what was said is written down as acted on.
  let brings = trigger.reason !== 'said';
  const promise = promiseOf(trigger, given, deps.clock());
  const read = (
    now: Partial<Conversation>,
  ): { readonly ledger: Ledger; readonly verdict: Verdict; readonly publication: Publication } => {
    const folded = readings.fold(now);
    const ledger = trigger.reason === 'ask_person' ? withWish(folded, trigger.sender, snapshot) : folded;
    const decided = decideNow(ledger, snapshot, deps);
    const decision = decisionOn({ ...trigger, reason: 'pushed' }, snapshot, ledger);
    const kept = ledger.paused === undefined && decision.kind === 'review' ? promise : null;
    // What comes by itself at its time is not brought by what is said before.
    brings ||= (promise === null || kept?.isDue === true) && mayGoOn(trigger, snapshot, ledger);
    // Why it was not read goes on to be said.
    const verdict: Verdict = !isUnread(decided)
      ? decided
      : decision.kind === 'not_reviewed'
        ? { kind: 'incomplete', reason: decision }
        : kept === null
          ? decided
          : stillUnread(kept);
    const publication = draft({
      snapshot,
      before: ledger,
      ledger,
      verdict,
      pass: null,
      replies: [
        ...repliesTo({ ...snapshot, ...now, ledger, verdict }, given.trust),
        ...readingReplies(ledger, snapshot, given.trust),
      ],
      run: factsOf(given),
      now: deps.clock(),
      ...(verdict.kind === 'review_again' && !brings && { next: startsAgain }),
      ...(kept !== null && isUnfinished(verdict) && keptWords(kept, ledger, snapshot)),
      ...(given.trust !== undefined && { trust: given.trust }),
    });
    return { ledger, verdict, publication };
  };
  await readings.read({});
  let now = read({});
  const published = await forge.publish(claim, now.publication, trigger, async () => {
    now = read(await forge.conversation(trigger));
    return now.publication;
  });
  const { ledger, verdict } = now;
  if (published.kind !== 'published') return { kind: 'folded', verdict, published };
  // Nothing was read against this base by these rules yet, or that run failed, or what blocks was found in another change
  // since: it is caught up with, whatever review of this head ended before.
  const isMissed =
    trigger.reason === 'said' &&
    (isUnread(verdict) || isOfAnother(ledger, verdict, snapshot)) &&
    mayCatchUp(trigger, snapshot, ledger);
  if (isMissed && decisionOn({ ...trigger, reason: 'pushed' }, snapshot, ledger).kind === 'review')
    return 'asked';
  // A person took away what blocked, or gave an answer that a review goes on with: the next pass needs no commit. Who
  // asked for a review since the look is not asked to say it again.
  const isDue = promise?.isDue === true && isUnfinished(verdict) && ledger.paused === undefined;
  if (isDue && trigger.reason === 'said') return 'next_pass';
  const isWanted =
    isAskedFor(ledger) ||
    (brings &&
      (verdict.kind === 'review_again' || continuing(ledger).length > 0) &&
      ledger.paused === undefined);
  const goesOn = isWanted && shouldReview({ ...trigger, reason: 'asked' }, snapshot).kind === 'review';
  return goesOn ? 'asked' : { kind: 'folded', verdict, published };
}

/**
 * Claim, read once, decide, review, draft, publish. Whatever happens after the claim, the check is completed: this is
 * the one catch of a run.
 */
async function review(trigger: Trigger, deps: Deps, signal: AbortSignal): Promise<Handled> {
  const began = deps.clock();
  const forge = await deps.forge.open(trigger);

  const claim = await forge.claim(trigger);
  if (claim.kind === 'already_running' || claim.kind === 'already_done') {
    const isReviewed = claim.kind === 'already_done';
    return { kind: 'nothing_to_do', why: claim.detail, ...(isReviewed && { isReviewed }) };
  }
  if (claim.kind === 'not_here') {
    deps.log.warn(
      { pullRequest: pullRequestOf(trigger), why: claim.why },
      'not reviewed: permission missing',
    );
    return { kind: 'nothing_to_do', why: claim.why };
  }
  if (claim.kind === 'without_check') deps.log.warn({ why: claim.why }, 'the review goes on without a check');

  // Until the settings are read, the check may be one that holds merges.
  let mode: GateMode = 'blocking';
  let problems: Policy['problems'] = [];
  let kept = '';
  let known: Ledger = {
    ...emptyLedger,
    ...(claim.kind === 'claimed' && claim.attempts !== undefined && { attempts: claim.attempts }),
  };
  let following: Following = { kind: 'nothing' };
  const end = (ending: Ending, after: Following = { kind: 'nothing' }): Promise<Handled> => {
    following = after;
    return endWith(ending, { trigger, deps, forge, claim, mode, problems, state: kept, following });
  };
  try {
    const { snapshot, reader } = await forge.snapshot(trigger);
    mode = snapshot.policy.gate.mode;
    if (trigger.reason === 'next_pass' && claim.kind === 'claimed' && (claim.died ?? 0) > mostRestarts)
      return await end(diedTooOften);
    problems = snapshot.policy.problems;
    known = ledgerOf(snapshot, {}, deps.trust?.(trigger));
    const trust = deps.trust?.(trigger);
    // Whatever this event is about: who asked for a review before it is not asked to say it again.
    const isAsked = trigger.reason === 'asked' || isAskedFor(known);
    const decision = decisionOn(isAsked ? { ...trigger, reason: 'asked' } : trigger, snapshot, known);
    if (decision.kind === 'closed') return await end({ kind: 'closed' });
    if (decision.kind === 'overtaken') return await end({ kind: 'superseded', by: decision.by });
    // From here on it is acted on, however the run ends.
    kept = stateLine(known, trust);
    if (decision.kind === 'not_reviewed') return await end(decision);

    const turn = { trigger, claim, before: known };
    const given = { snapshot, deps, forge, began, signal, turn, ...(trust !== undefined && { trust }) };
    // A rebase or a merge of the base that leaves the change as it is: what was earned, or found, holds.
    if (!isAsked && isDecided(known, snapshot, deps)) {
      const folded = await publishFolded(trigger, claim, { ...given, reader });
      if (typeof folded !== 'string')
        return folded.kind === 'folded'
          ? await settle(folded.published, folded.verdict, end, folded)
          : folded;
    }
    const readings = readingsOf({ ...given, reader });
    const progress = tellProgress(snapshot, deps.clock, (check) =>
      forge
        .writeCheck(claim, check)
        .catch((error: unknown) => deps.log.warn({ err: error }, 'the progress was not told')),
    );
    const ran = await runReview({
      trigger,
      snapshot,
      reader,
      known,
      spent: () => ({ elapsedMs: deps.clock() - began, requests: forge.requests().length }),
      readLedger: async () => readings.read(await forge.conversation(trigger)),
      ...modelsOf(deps, snapshot),
      limits: limitsOf(deps, snapshot),
      realForge: deps.realForge,
      journal: deps.journal,
      stillWanted: () => forge.stillWanted(trigger),
      clock: deps.clock,
      deadline: deadlineOf(began, deps, snapshot),
      longestMs: longestOf(deps, snapshot),
      signal,
      emit: (event) => {
        deps.emit?.(event);
        progress(event);
      },
      onNextPass: (soFar) => forge.writeCheck(claim, publicationOf(soFar, given, true).check),
    });
    deps.onReviewed?.(ran);
    const now = deps.clock();
    const ended = { attempt: attemptOf(ran, trigger, now), now, waits: deps.waits === true };
    const reviewed = withAttempt(ran, ended.attempt);
    if (reviewed.failed?.kind === 'failed' && reviewed.failed.defect === true)
      deps.log.error(
        { pullRequest: pullRequestOf(trigger), detail: reviewed.failed.detail },
        'the run failed',
      );
    const ending = endingOf(reviewed);
    if (ending !== null) {
      const told = await named(ending, forge, trigger);
      const after = followingOf(reviewed, snapshot, turn, ended);
      const half = halfDone(told, reviewed.ledger, after, given);
      kept = stateLine(reviewed.ledger, trust);
      if (half === null) return await end(told, after);
      deps.log.info({ pullRequest: pullRequestOf(trigger), ending: told }, half.check.title);
      const handled = { kind: 'ended', ending: told } as const;
      const published = await forge.publish(claim, half, trigger);
      if (isKept(published)) following = after;
      return await settle(published, reviewed.verdict, end, handled);
    }

    const facts = factsOf(given);
    const publication = publicationOf(reviewed, { ...given, ended, facts });
    let latest = reviewed;
    const again = async (): Promise<Publication> => {
      const now = readings.fold(knowing(await forge.conversation(trigger), reviewed.ledger));
      latest = since(reviewed, now, (ledger) => decideNow(ledger, snapshot, deps));
      return publicationOf(latest, { ...given, ended, facts });
    };
    const published = await forge.publish(claim, publication, trigger, again);
    if (isKept(published)) following = followingOf(latest, snapshot, turn, ended);
    return await settle(published, latest.verdict, end);
  } catch (error) {
    deps.log.error({ err: error, pullRequest: pullRequestOf(trigger) }, 'the run failed');
    const ending = endingOfError(error);
    const attempt = busyAttempt(ending, trigger, deps.clock());
    if (attempt === null || signal.aborted) return await end(ending);
    kept = stateLine({ ...known, attempts: [...(known.attempts ?? []), attempt] }, deps.trust?.(trigger));
    const after = againAfter(attempt, claim, {
      attempts: known.attempts ?? [],
      now: attempt.at,
      notBefore: attempt.at + retryAfterOf(error),
      waits: deps.waits === true,
    });
    return await end(ending, after);
  } finally {
    await forge.release();
    // Whoever comes for it finds the head free.
    await bringNextPass(following, trigger, claim, { deps, forge });
  }
}

/** A run that stops each time may be what stops the process: it is begun again by itself so often. */
const mostRestarts = 2;

const diedTooOften: Ending = {
  kind: 'not_reviewed',
  title: 'Not reviewed: the run stopped three times',
  sentence: `It was stopped in the middle each time, and does not start by itself any more. ${startsAgain} The log of the installation has the details.`,
  meant: false,
};

/** What a publication says stands in our check: only then is anything brought by it. */
const isKept = (published: Published): boolean =>
  published.kind === 'published' && published.unchecked !== true;

/** Whether the writes stand. What was refused or overtaken is said by the check. */
async function settle(
  published: Published,
  verdict: Verdict,
  end: (ending: Ending) => Promise<Handled>,
  handled: Handled = { kind: 'reviewed', verdict, published },
): Promise<Handled> {
  switch (published.kind) {
    case 'published':
      return handled;
    case 'superseded':
      return end({ kind: 'superseded', by: published.by });
    case 'closed':
      return end({ kind: 'closed' });
    case 'base_changed':
      return end({ kind: 'started_again' });
    case 'taken_over':
      return end({ kind: 'taken_over' });
    case 'failed':
      return end(
        published.permission === undefined
          ? { kind: 'failed', detail: published.reason, retryable: true, by: 'forge' }
          : { kind: 'permission_missing', permission: published.permission },
      );
  }
}

/** A run that was stopped asks once whether the head moved or the pull request closed. */
async function named(ending: Ending, forge: PullRequestForge, trigger: Trigger): Promise<Ending> {
  if (ending.kind !== 'closed') return ending;
  const wanted = await forge.stillWanted(trigger);
  if (wanted.kind === 'superseded') return { kind: 'superseded', by: wanted.by };
  if (wanted.kind === 'closed') return { kind: 'closed' };
  return { kind: 'started_again' };
}

async function endWith(
  ending: Ending,
  at: {
    readonly trigger: Trigger;
    readonly deps: Deps;
    readonly forge: PullRequestForge;
    readonly claim: Claim;
    readonly mode: GateMode;
    readonly problems: Policy['problems'];
    readonly state: string;
    readonly following: Following;
  },
): Promise<Handled> {
  const { trigger, deps, forge, claim, mode, problems, state, following } = at;
  const { check } = draftEnding(
    at.forge.acceptAt === undefined ? ending : whereToAccept(ending, at.forge.acceptAt),
    {
      key: jobKey(trigger, ''),
      head: trigger.head,
      mode,
      problems,
      state,
      again: startsAgain,
      ...((following.kind === 'again' || following.kind === 'stops') && { going: following }),
    },
  );
  await forge.writeCheck(claim, check);
  deps.log.info({ pullRequest: pullRequestOf(trigger), ending }, check.title);
  return { kind: 'ended', ending };
}

const pullRequestOf = ({ owner, repo, number }: Trigger): string => `${owner}/${repo}#${number}`;
