import { ForgeError } from '../../core/errors.js';
import type { WriteOutcome } from '../../core/publication.js';
import type { Log } from '../../ports/log.js';
import type { GitHubClient, Params, WriteMethod } from './client.js';

/** What a write needs beside GitHub: time, and somewhere to tell about it. */
export type WriteContext = {
  readonly client: GitHubClient;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Epoch milliseconds; nothing is waited for beyond it. */
  readonly deadline: number;
};

export type WriteCall = {
  readonly reason: string;
  /** Asked after a wait, before the write is sent again. */
  readonly stillWanted?: () => Promise<boolean>;
} & (
  | { readonly method: WriteMethod; readonly route: string; readonly params: Params }
  /** What REST has no route for. */
  | { readonly mutation: string; readonly variables: Params }
);

/** The status of a write that was given up because it was overtaken while it waited. */
export const overtaken = 409;

export type Sent<T> =
  /** `bare`: without its text, which was refused. */
  | { readonly kind: 'confirmed'; readonly value: T; readonly bare?: true }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly reason: string;
      /** GitHub's name of the permission that is missing. */
      readonly permission?: string;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Looked at again so long after an unknown outcome: GitHub's own reads may lag ten seconds behind its writes. */
const patience = [500, 1_000, 2_000, 4_000, 6_000];
/** Left after a wait, so that there is still time to write. */
const roomAfterWait = 5_000;
const limitedTries = 2;

/**
 * Sends a write once. A rate limit is a clear no, so it is waited for when that fits and sent again. An outcome that is
 * not known (time-out, 5xx, a lost answer) is read back with patience and never sent again here: GitHub is known to
 * create a review and answer 502. `accept` reads the answer, `readBack` looks for what was to be written.
 */
export async function sendOnce<T>(
  context: WriteContext,
  call: WriteCall,
  accept: (data: unknown, status: number) => T,
  readBack: () => Promise<T | null>,
): Promise<Sent<T>> {
  for (let tried = 0; ; tried += 1) {
    try {
      const { data, status } = await send(context.client, call);
      return { kind: 'confirmed', value: accept(data, status) };
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      if (error.unknown) return await lookBack(context, call, error, readBack);
      // A limit that is met again after it was waited for is waited for longer: GitHub asks for that.
      const wait = error.retryAfterMs === undefined ? undefined : error.retryAfterMs * 2 ** tried;
      if (wait === undefined || tried >= limitedTries || !fits(context, wait)) {
        return refusal(error);
      }
      context.log.warn({ reason: call.reason, wait }, 'rate limited: waiting before the write is sent');
      await context.sleep(wait);
      if (call.stillWanted !== undefined && !(await call.stillWanted())) {
        return { kind: 'refused', status: overtaken, reason: 'The write was overtaken while it waited.' };
      }
    }
  }
}

/** One request, with no second try of its own. */
export const send = async (
  client: GitHubClient,
  call: WriteCall,
): Promise<{ readonly status: number; readonly data: unknown }> =>
  'mutation' in call
    ? { status: 200, data: await client.graphql(call.mutation, call.variables, call.reason) }
    : client.write(call.method, call.route, call.params, call.reason);

/**
 * A write that sets a whole state, such as the end of a check: sent twice it sets the same. When reading back shows that
 * it is not there, it is sent once more, because a state that nobody sets is worse than one set twice.
 */
export async function setState<T>(
  context: WriteContext,
  call: WriteCall,
  accept: (data: unknown, status: number) => T,
  readBack: () => Promise<T | null>,
): Promise<Sent<T>> {
  const first = await sendOnce(context, call, accept, readBack);
  if (first.kind !== 'unknown') return first;
  return sendOnce(context, { ...call, reason: `${call.reason} (not there: again)` }, accept, readBack);
}

async function lookBack<T>(
  context: WriteContext,
  call: WriteCall,
  error: ForgeError,
  readBack: () => Promise<T | null>,
): Promise<Sent<T>> {
  for (const wait of patience) {
    if (!fits(context, wait)) break;
    await context.sleep(wait);
    try {
      const found = await readBack();
      if (found !== null) return { kind: 'confirmed', value: found };
    } catch (failure) {
      if (!(failure instanceof ForgeError)) throw failure;
      if (!failure.retryable) break;
    }
  }
  context.log.warn({ reason: call.reason }, 'a write whose outcome is not known was not found');
  return { kind: 'unknown', reason: error.message };
}

const refusal = ({ status = 0, message, acceptedPermissions }: ForgeError): Sent<never> => ({
  kind: 'refused',
  status,
  reason: message,
  ...(status === 403 && acceptedPermissions !== undefined && { permission: acceptedPermissions }),
});

const fits = (context: WriteContext, wait: number): boolean =>
  context.clock() + wait + roomAfterWait <= context.deadline;

/** As it is told to who asked for it. */
export const outcomeOf = (sent: Sent<number>): WriteOutcome =>
  sent.kind === 'confirmed' ? { kind: 'confirmed', id: sent.value } : sent;
