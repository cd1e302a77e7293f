import { z } from 'zod';
import { ForgeError } from '../../core/errors.js';
import type { Incoming } from '../../core/trigger.js';
import type { Log } from '../../ports/log.js';
import type { AppAuth } from './app-auth.js';
import type { GitHubClient } from './client.js';
import { toTrigger } from './to-trigger.js';

/**
 * Deliveries that failed, asked for again. GitHub never repeats one by itself, keeps them for three days, and gives the
 * app a list: a server that was down, or a deployment that was broken, then costs time and no review.
 * https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries
 */
export type Redeliverer = {
  /** Looks now, whatever was before. Throws `ForgeError` when the list cannot be read. */
  now(): Promise<Redelivered>;
  /** Looks if the last look of this process is ten minutes ago. Never throws: it is no part of any run. */
  nowAndThen(): Promise<void>;
};

export type Redelivered = {
  readonly looked: number;
  /** Ours, failed, and not delivered since. */
  readonly failed: number;
  readonly sent: number;
  /** False when there was more than one look takes: the next one goes on. */
  readonly complete: boolean;
};

export type RedelivererOptions = {
  readonly auth: Pick<AppAuth, 'client'>;
  readonly log: Log;
  readonly clock: () => number;
  /** Milliseconds between two looks of one process. */
  readonly everyMs?: number;
};

const youngestMs = 3 * 24 * 60 * 60_000;
/** Failed for good when it has failed so often: something else is wrong then. */
const mostAttempts = 3;
const mostPages = 5;
/** Each costs two requests. */
const mostAtOnce = 30;
const lookMs = 30_000;
const mostRemembered = 1_000;

export function createRedeliverer({ auth, log, clock, everyMs = 600_000 }: RedelivererOptions): Redeliverer {
  let last = -Infinity;
  /**
   * Newest attempt of each delivery that this process has dealt with, by guid: the list shows an attempt late, and one that
   * a newer one stands for stays failed. Another process may have such a one sent: its run then finds all done.
   */
  const dealtWith = new Map<string, number>();

  async function now(): Promise<Redelivered> {
    last = clock();
    const client = auth.client(clock() + lookMs);
    const { items, complete } = await listDeliveries(client, clock());
    const failed = failedOf(items, clock()).filter(({ guid, id }) => dealtWith.get(guid) !== id);
    const taken = failed.slice(0, mostAtOnce);
    const wanted = await newestOfEach(client, taken, log);
    let sent = 0;
    for (const { id } of wanted) {
      await client.write(
        'POST',
        '/app/hook/deliveries/{delivery_id}/attempts',
        { delivery_id: id },
        'deliver again',
      );
      sent += 1;
    }
    for (const { id, guid } of taken) dealtWith.set(guid, id);
    for (const guid of dealtWith.keys()) {
      if (dealtWith.size <= mostRemembered) break;
      dealtWith.delete(guid);
    }
    if (failed.length > 0)
      log.warn({ failed: failed.length, sent }, 'deliveries had failed and are sent again');
    return {
      looked: items.length,
      failed: failed.length,
      sent,
      complete: complete && failed.length <= mostAtOnce,
    };
  }

  return {
    now,
    async nowAndThen() {
      if (clock() - last < everyMs) return;
      try {
        await now();
      } catch (error) {
        if (!(error instanceof ForgeError)) throw error;
        log.warn({ reason: error.message }, 'failed deliveries could not be looked for');
      }
    },
  };
}

const Listed = z.object({
  id: z.number().int(),
  guid: z.string(),
  delivered_at: z.string(),
  status: z.string().nullish(),
  status_code: z.number().int().nullish(),
  event: z.string(),
  action: z.string().nullish(),
});
type Listed = z.infer<typeof Listed>;

/** Newest first, as far back as they can be delivered again. */
async function listDeliveries(
  client: GitHubClient,
  now: number,
): Promise<{ readonly items: readonly Listed[]; readonly complete: boolean }> {
  const { items, complete } = await client.paginate<unknown>(
    '/app/hook/deliveries',
    {},
    'which deliveries failed',
    {
      maxPages: mostPages,
      isEnough: (page) => page.some((item) => isOld(Listed.safeParse(item).data, now)),
    },
  );
  return { items: items.flatMap((item) => Listed.safeParse(item).data ?? []), complete };
}

const isOld = (delivery: Listed | undefined, now: number): boolean =>
  delivery !== undefined && now - Date.parse(delivery.delivered_at) > youngestMs;

/** The newest attempt of each delivery of ours of which none arrived, newest first. */
function failedOf(deliveries: readonly Listed[], now: number): readonly Listed[] {
  const byGuid = new Map<string, Listed[]>();
  for (const one of deliveries) {
    if (one.event !== 'pull_request' || !actions.has(one.action ?? '') || isOld(one, now)) continue;
    byGuid.set(one.guid, [...(byGuid.get(one.guid) ?? []), one]);
  }
  return [...byGuid.values()]
    .filter(
      (attempts) => attempts.length < mostAttempts && !attempts.some(arrived) && !attempts.some(isUnderWay),
    )
    .map((attempts) => attempts.reduce((newest, one) => (one.id > newest.id ? one : newest)))
    .sort((a, b) => Date.parse(b.delivered_at) - Date.parse(a.delivered_at) || b.id - a.id);
}

/** A closed pull request needs nothing of us. */
const actions = new Set(['opened', 'synchronize', 'reopened', 'ready_for_review', 'edited']);

const arrived = ({ status, status_code: code }: Listed): boolean =>
  status === 'OK' || (code !== null && code !== undefined && code >= 200 && code < 300);

const isUnderWay = ({ status }: Listed): boolean => status === 'pending';

const Detail = z.object({ request: z.object({ payload: z.unknown() }) });

/** Of several about one head, or one conversation, the newest will do. What starts nothing is left alone. */
async function newestOfEach(
  client: GitHubClient,
  failed: readonly Listed[],
  log: Log,
): Promise<readonly Listed[]> {
  const newest = new Map<string, Listed>();
  for (const one of failed) {
    const data = await client.get<unknown>(
      '/app/hook/deliveries/{delivery_id}',
      { delivery_id: one.id },
      'what a failed delivery was about',
    );
    const trigger = toTrigger(one.event, Detail.safeParse(data).data?.request.payload);
    if (trigger.kind === 'ignored') {
      log.info({ delivery: one.guid, reason: trigger.reason }, 'a failed delivery that starts nothing');
      continue;
    }
    const key = keyOf(trigger);
    if (!newest.has(key)) newest.set(key, one);
  }
  return [...newest.values()];
}

function keyOf(incoming: Incoming): string {
  const repository = `${incoming.owner}/${incoming.repo}`.toLowerCase();
  switch (incoming.kind) {
    case 'pull_request':
      return `${repository}#${incoming.number}:${incoming.head}`;
    // What was said is read anew, so one event of several will do.
    case 'conversation':
      return `${repository}#${incoming.number}`;
    case 'check':
      return `${repository}@${incoming.head}:${incoming.wish}:${incoming.number ?? ''}`;
    case 'queue':
      return `${repository}@${incoming.head}:${incoming.base}`;
  }
}
