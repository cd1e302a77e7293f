import { z } from 'zod';
import { readCheckResult } from '../../core/check-result.js';
import type { CheckWrite } from '../../core/publication.js';
import { shortSha } from '../../core/pull-request.js';
import { numberOfKey } from '../../core/trigger.js';
import type { Sha } from '../../core/pull-request.js';
import type { Claim } from '../../ports/forge.js';
import { capText } from './cap-text.js';
import { sendOnce, setState } from './write.js';
import type { Sent, WriteContext } from './write.js';

/** Stands in the merge box and in the rules that require it. */
export const checkName = 'Evident';

/** GitHub's limits for the parts of a check's output. */
const mostText = 65_535;
const mostTitle = 250;

export type CheckTarget = {
  readonly owner: string;
  readonly repo: string;
  readonly head: Sha;
  /** The id of our app: only its check runs are ours, whatever their name. */
  readonly appId: number;
};

/** A check run of ours, as GitHub lists it. */
export type OwnCheckRun = {
  readonly id: number;
  readonly status: string;
  readonly conclusion: string | null;
  readonly key: string;
  /** Epoch milliseconds; 0 when GitHub does not say. */
  readonly startedAt: number;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
};

/** Under each completed result; GitHub takes three. What is pressed comes back as `requested_action`. */
const buttons = [
  { label: 'Review again', description: 'Run a new pass on this commit', identifier: 'review_again' },
  {
    label: 'Ask a person',
    description: 'Request the code owners to decide',
    identifier: 'ask_person',
  },
] as const;

const CheckRun = z.object({
  id: z.number().int(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  external_id: z.string().nullish(),
  started_at: z.string().nullish(),
  app: z.object({ id: z.number().int() }).nullish(),
  output: z
    .object({ title: z.string().nullish(), summary: z.string().nullish(), text: z.string().nullish() })
    .nullish(),
});

/** Our check runs of a head, oldest first. */
export async function listOwnCheckRuns(
  { client }: Pick<WriteContext, 'client'>,
  target: CheckTarget,
): Promise<readonly OwnCheckRun[]> {
  const { items } = await client.paginate<unknown>(
    '/repos/{owner}/{repo}/commits/{ref}/check-runs',
    { owner: target.owner, repo: target.repo, ref: target.head, check_name: checkName, filter: 'all' },
    'which of our check runs stand on this head',
    { maxPages: 3, pick: (page) => z.object({ check_runs: z.array(z.unknown()) }).parse(page).check_runs },
  );
  return items
    .flatMap((item) => {
      const run = CheckRun.safeParse(item).data;
      return run !== undefined && run.name === checkName && run.app?.id === target.appId ? [own(run)] : [];
    })
    .sort((a, b) => a.id - b.id);
}

const own = (run: z.infer<typeof CheckRun>): OwnCheckRun => ({
  id: run.id,
  status: run.status,
  conclusion: run.conclusion ?? null,
  key: run.external_id ?? '',
  startedAt: Date.parse(run.started_at ?? '') || 0,
  title: run.output?.title ?? '',
  summary: run.output?.summary ?? '',
  text: run.output?.text ?? '',
});

export type ClaimWish = {
  /** Our check runs of the head, as they were just listed. */
  readonly runs: readonly OwnCheckRun[];
  /** `external_id`: the same for a redelivery. */
  readonly key: string;
  /** A person asked for it: what is done is done again. */
  readonly asked: boolean;
  /** A run in progress for longer than this has died. */
  readonly longestRunMs: number;
  /** Whether the text of a completed run says that its pass was finished. */
  readonly finished: (text: string) => boolean;
  /** Nobody asked: the newest run has to say that another one comes by itself. */
  readonly onlyIfOwed?: boolean;
};

/** What our check runs say about a claim: a live run of the same key goes on, a finished one stands; null: it is free. */
export function judgeRuns(
  { clock }: Pick<WriteContext, 'clock'>,
  wish: ClaimWish,
): Extract<Claim, { kind: 'already_running' | 'already_done' }> | null {
  const runs = wish.runs.filter((run) => run.key === wish.key);
  const running = runs.find(
    (run) => run.status !== 'completed' && clock() - run.startedAt < wish.longestRunMs,
  );
  if (running !== undefined) {
    return { kind: 'already_running', detail: `check run ${running.id} is in progress for this head` };
  }
  const newest = runs.at(-1);
  const isOver =
    newest?.status === 'completed' && newest.conclusion !== 'cancelled' && !saysGoesOn(newest.text);
  if (wish.onlyIfOwed === true && isOver)
    return { kind: 'already_done', detail: `check run ${newest.id} says that nothing comes by itself` };
  const done = runs.findLast((run) => run.status === 'completed' && wish.finished(run.text));
  // GitHub shows the newest: above a finished review one for another base may stand, which says nothing of this one.
  const number = numberOfKey(wish.key);
  const isCovered = wish.runs.some(
    (run) => run.id > (done?.id ?? 0) && run.key !== wish.key && numberOfKey(run.key) === number,
  );
  if (done !== undefined && !isCovered && !wish.asked) {
    return { kind: 'already_done', detail: `check run ${done.id} has a finished review of this head` };
  }
  return null;
}

function saysGoesOn(text: string): boolean {
  const read = readCheckResult(text);
  return read.kind === 'result' && read.result.goes_on === true;
}

const cancelled = {
  died: {
    status: 'completed',
    conclusion: 'cancelled',
    title: 'Did not end; started again',
    summary: 'This run stopped without a result. A new one has taken its place.',
    text: '',
  },
  overtaken: {
    status: 'completed',
    conclusion: 'cancelled',
    title: 'Overtaken by a push',
    summary: 'This run did not end. The newer commit is reviewed instead.',
    text: '',
  },
  another: {
    status: 'completed',
    conclusion: 'cancelled',
    title: 'Another run has this head',
    summary: 'Two runs began in the same moment; the check of the other one goes on.',
    text: '',
  },
} as const satisfies Readonly<Record<string, CheckWrite>>;

/**
 * Runs of a key that died since one came to an end: those that were ended as such, and those that the next one ends now.
 */
export function countDied(runs: readonly OwnCheckRun[], key: string): number {
  const own = runs.filter((run) => run.key === key).toSorted((a, b) => a.id - b.id);
  const ended = own.findLastIndex(
    ({ status, conclusion }) => status === 'completed' && conclusion !== 'cancelled',
  );
  return own
    .slice(ended + 1)
    .filter(({ status, title }) => status !== 'completed' || title === cancelled.died.title).length;
}

/** Ends check runs of ours that nobody works on any more. */
export async function cancelCheckRuns(
  context: WriteContext,
  target: CheckTarget,
  runs: readonly Pick<OwnCheckRun, 'id'>[],
  why: keyof typeof cancelled,
): Promise<void> {
  for (const { id } of runs) await complete(context, target, id, cancelled[why]);
}

/**
 * Whether another run of the same key is at work beside ours, in words; null when ours goes on. GitHub shows and counts
 * the newest check run of a name, so the newest one goes on: a cancelled one above a result would hide it. The older ones
 * are ended here, and their runs find that out before they publish.
 */
export async function otherRunHasIt(
  context: WriteContext,
  target: CheckTarget,
  {
    key,
    mine,
    since,
  }: { readonly key: string; readonly mine: number; readonly since: readonly OwnCheckRun[] },
): Promise<string | null> {
  const known = new Set(since.map(({ id }) => id));
  const runs = (await listOwnCheckRuns(context, target)).filter(
    (run) => run.key === key && !known.has(run.id),
  );
  const newer = runs.find((run) => run.id > mine);
  const own = runs.find((run) => run.id === mine);
  if (own?.status === 'completed') return `check run ${mine} was ended by another run`;
  if (newer !== undefined) {
    await cancelCheckRuns(context, target, [{ id: mine }], 'another');
    return `check run ${newer.id} is newer`;
  }
  const older = runs.filter((run) => run.id < mine && run.status !== 'completed');
  await cancelCheckRuns(context, target, older, 'another');
  return null;
}

/** `lost`: it is not known whether the check run was created. */
export type Created =
  Extract<Claim, { kind: 'claimed' | 'without_check' }> | { readonly kind: 'lost'; readonly why: string };

/** In progress, before anything is read. */
export async function createCheckRun(
  context: WriteContext,
  target: CheckTarget,
  key: string,
): Promise<Created> {
  const sent = await postCheckRun(context, target, key, {
    status: 'in_progress',
    title: 'Reading',
    summary: `Reading the pull request at \`${shortSha(target.head)}\`.`,
    text: '',
  });
  switch (sent.kind) {
    case 'confirmed':
      return { kind: 'claimed', checkRun: sent.value };
    case 'refused':
      return { kind: 'without_check', why: sent.reason };
    case 'unknown':
      return { kind: 'lost', why: sent.reason };
  }
}

/** The end of a run whose check run was lost when it was created: found by its key and completed, or created whole. */
export async function completeLostCheckRun(
  context: WriteContext,
  target: CheckTarget,
  key: string,
  check: CheckWrite & { readonly status: 'completed' },
): Promise<Sent<number>> {
  const runs = await listOwnCheckRuns(context, target);
  const found = runs.findLast((run) => run.key === key && run.status !== 'completed');
  return found === undefined
    ? postCheckRun(context, target, key, check)
    : complete(context, target, found.id, check);
}

/**
 * GitHub tells the app, under its own name, that its completed run is asked for again; the run itself stays as it is.
 * Sent once: one that got lost is made up for by the next event. Throws `ForgeError` when GitHub refuses.
 * https://docs.github.com/en/rest/checks/runs#rerequest-a-check-run
 */
export async function rerequestCheckRun(
  { client }: Pick<WriteContext, 'client'>,
  { owner, repo }: CheckTarget,
  checkRun: number,
): Promise<void> {
  await client.write(
    'POST',
    '/repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest',
    { owner, repo, check_run_id: checkRun },
    'the next pass of this head',
  );
}

/** A check run in the state that `check` says, under the key. */
export function postCheckRun(
  context: WriteContext,
  target: CheckTarget,
  key: string,
  check: CheckWrite,
): Promise<Sent<number>> {
  const startedAt = context.clock();
  return sendOnce<number>(
    context,
    {
      method: 'POST',
      route: '/repos/{owner}/{repo}/check-runs',
      params: {
        owner: target.owner,
        repo: target.repo,
        name: checkName,
        head_sha: target.head,
        external_id: key,
        started_at: new Date(startedAt).toISOString(),
        ...stateOf(check),
      },
      reason: 'create the check run',
    },
    (data) => z.object({ id: z.number().int() }).parse(data).id,
    async () => {
      const runs = await listOwnCheckRuns(context, target);
      const ours = runs.findLast((run) => run.key === key && run.status === check.status);
      // Whole seconds are all that GitHub keeps of the time.
      return ours !== undefined && ours.startedAt >= startedAt - 1_000 ? ours.id : null;
    },
  );
}

/** Writes the whole state of a check run. Too long or refused for its text, the conclusion is written alone. */
export async function writeCheckRun(
  context: WriteContext,
  target: CheckTarget,
  checkRun: number,
  check: CheckWrite,
): Promise<Sent<number>> {
  if (check.status === 'completed') return complete(context, target, checkRun, check);
  return sendOnce(
    context,
    update(target, checkRun, check, 'progress of the check run'),
    () => checkRun,
    // Progress that was lost is not worth a request: the next text replaces it.
    async () => checkRun,
  );
}

async function complete(
  context: WriteContext,
  target: CheckTarget,
  checkRun: number,
  check: CheckWrite & { readonly status: 'completed' },
): Promise<Sent<number>> {
  const isThere = async (): Promise<number | null> => {
    const data = await context.client.get<unknown>(
      '/repos/{owner}/{repo}/check-runs/{check_run_id}',
      { owner: target.owner, repo: target.repo, check_run_id: checkRun },
      'is the check run completed',
    );
    const run = CheckRun.safeParse(data).data;
    return run?.status === 'completed' && run.conclusion === check.conclusion ? checkRun : null;
  };
  const first = await setState(
    context,
    update(target, checkRun, check, 'complete the check run'),
    () => checkRun,
    isThere,
  );
  if (first.kind !== 'refused' || first.status !== 422) return first;
  context.log.warn({ status: first.status, reason: first.reason }, 'the text of the check was refused');
  const bare = { ...check, summary: 'The details of this result could not be shown on GitHub.', text: '' };
  const second = await setState(
    context,
    update(target, checkRun, bare, 'complete the check run, conclusion only'),
    () => checkRun,
    isThere,
  );
  return second.kind === 'confirmed' ? { ...second, bare: true } : second;
}

const update = (target: CheckTarget, checkRun: number, check: CheckWrite, reason: string) => ({
  method: 'PATCH' as const,
  route: '/repos/{owner}/{repo}/check-runs/{check_run_id}',
  params: { owner: target.owner, repo: target.repo, check_run_id: checkRun, ...stateOf(check) },
  reason,
});

const stateOf = (check: CheckWrite) => ({
  status: check.status,
  ...(check.status === 'completed'
    ? {
        conclusion: check.conclusion,
        // A run that was stopped has nothing to decide about.
        ...(check.conclusion !== 'cancelled' && { actions: buttons }),
      }
    : {}),
  output: {
    title: capText(check.title, mostTitle),
    // GitHub refuses an output without a summary.
    summary: capText(check.summary, mostText) || check.title,
    ...(check.text === '' ? {} : { text: capText(check.text, mostText) }),
  },
});
