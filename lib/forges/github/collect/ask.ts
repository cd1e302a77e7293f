import { z } from 'zod';
import { ForgeError } from '../../../core/errors.js';
import type { GitHubClient } from '../client.js';
import { forReader } from '../for-reader.js';

/**
 * What became of one query. `heavy`: GitHub did not manage it, or answered something else than its schema says; a
 * smaller one may work. `refused`: the same query will be refused again.
 */
export type Answer<T> =
  | { readonly kind: 'read'; readonly data: T }
  | { readonly kind: 'heavy'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string; readonly status: number };

/** Asks GitHub as long as that makes sense; then throws `CollectionStopped`. */
export type Asker = {
  ask<T>(query: string, variables: Variables, schema: z.ZodType<T>, reason: string): Promise<Answer<T>>;
  readonly requests: () => number;
  /** Points of the hour that are left, when GitHub last said so. */
  readonly pointsLeft: () => number | null;
};

type Variables = Readonly<Record<string, unknown>>;

/** Nothing more can be asked now: the sentence says why, and when to go on. What was read stays. */
export class CollectionStopped extends Error {
  override readonly name = 'CollectionStopped';
}

export type AskerOptions = {
  /** Must try each request once: what follows a failure is decided here. */
  readonly client: GitHubClient;
  /** Milliseconds that may be waited for rate limits in all. */
  readonly patienceMs: number;
  readonly clock: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Told before a wait, as a sentence. */
  readonly tell: (sentence: string) => void;
};

/** Asked for in every query: what it cost, and what is left. */
export const rateFields = 'rateLimit { cost remaining resetAt }';

const Rate = z.object({
  rateLimit: z.object({ cost: z.number(), remaining: z.number(), resetAt: z.string() }).nullish(),
});
type Rate = NonNullable<z.infer<typeof Rate>['rateLimit']>;

/** Failures in a row after which GitHub, and not the query, is taken to be the reason. */
const mostFailures = 14;
const mostRefusals = 40;
/** How often a request that got no answer is sent again as it is. */
const mostSilences = 3;
const longestPauseMs = 8_000;
/** A server that says "now" again and again is waited for, too: the patience ends it. */
const leastWaitMs = 1_000;
/** GitHub's clock and ours differ. */
const slackMs = 2_000;

export function createAsker({ client, patienceMs, clock, sleep, tell }: AskerOptions): Asker {
  let waitedMs = 0;
  let failures = 0;
  let rate: Rate | null = null;
  let dearest = 1;

  /** Waits when that is within what may be waited; else stops. */
  async function waitOrStop(ms: number, what: string): Promise<void> {
    const until = when(clock() + ms);
    if (waitedMs + ms > patienceMs)
      throw new CollectionStopped(`${what} Go on after ${until} with the same command.`);
    tell(`${what} Waiting until ${until}.`);
    waitedMs += ms;
    await sleep(ms);
  }

  async function waitForPoints(): Promise<void> {
    if (rate === null || rate.remaining >= dearest) return;
    const ms = Date.parse(rate.resetAt) - clock() + slackMs;
    if (ms > slackMs) await waitOrStop(ms, `GitHub's rate limit is used up.`);
    rate = null;
  }

  async function failed(error: ForgeError, silences: number): Promise<Answer<never> | null> {
    if (error.retryAfterMs !== undefined) {
      await waitOrStop(Math.max(leastWaitMs, error.retryAfterMs), `GitHub's rate limit is reached.`);
      return null;
    }
    const { status, message: why } = error;
    if (status === 401) throw forReader(error, 'this', 'it needs to read it');
    const isRefusal = status === 403 || status === 404 || status === 422;
    failures += 1;
    if (failures >= (isRefusal ? mostRefusals : mostFailures))
      throw new CollectionStopped(
        `GitHub ${isRefusal ? 'refused' : 'failed'} ${failures} requests in a row. The last reason: ${why} Go on later with the same command.`,
      );
    if (isRefusal) return { kind: 'refused', why, status };
    if (status === undefined || status >= 500)
      await sleep(Math.min(longestPauseMs, 250 * 2 ** (failures - 1)));
    return status === undefined && silences < mostSilences ? null : { kind: 'heavy', why };
  }

  return {
    requests: () => client.requests().length,
    pointsLeft: () => rate?.remaining ?? null,
    async ask<T>(query: string, variables: Variables, schema: z.ZodType<T>, reason: string) {
      for (let silences = 1; ; silences++) {
        await waitForPoints();
        let data: unknown;
        try {
          data = await client.graphql(query, variables, reason);
        } catch (error) {
          if (!(error instanceof ForgeError)) throw error;
          const answer = await failed(error, silences);
          if (answer !== null) return answer;
          continue;
        }
        failures = 0;
        rate = Rate.safeParse(data).data?.rateLimit ?? null;
        dearest = Math.max(dearest, rate?.cost ?? 1);
        const parsed = schema.safeParse(data);
        if (parsed.success) return { kind: 'read', data: parsed.data };
        const [issue] = parsed.error.issues;
        const why = `GitHub's answer is not what its schema says (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}).`;
        return { kind: 'heavy', why };
      }
    },
  };
}

const when = (ms: number): string =>
  `${new Date(Math.ceil(ms / 60_000) * 60_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
