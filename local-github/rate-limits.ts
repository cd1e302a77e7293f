import { Refusal } from './refusal.js';
import type { World } from './state.js';

/**
 * GitHub's limits by caller: requests an hour, apart for REST and GraphQL, and what may be written in a minute.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export type RateLimits = {
  /** Counts a request and writes its headers; `/rate_limit` is free. */
  readonly count: (as: string | null, path: string) => Record<string, string>;
  /** Throws the refusal of a limit that is used up. */
  readonly check: (as: string | null, path: string) => void;
  /** Counts a request that writes; throws the refusal of the secondary limit. */
  readonly countWrite: (as: string | null) => void;
  readonly overview: (as: string | null) => unknown;
  /** What is left of the hour's requests; `reset` in seconds since the epoch. */
  readonly figures: (as: string | null, resource: Resource) => Figures;
  /** Leaves nothing of the hour. */
  readonly spend: (as: string, resource?: Resource) => void;
};

export type Resource = 'core' | 'graphql';

export type Figures = {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly reset: number;
};

const HOUR_S = 3600;
const MINUTE_MS = 60_000;

export const createRateLimits = (world: World): RateLimits => {
  const used = new Map<string, { count: number; reset: number }>();
  const writes = new Map<string, number[]>();
  const limit = world.limits.requestsAnHour;
  const account = (as: string | null, resource: Resource) => {
    const key = `${resource} ${as ?? 'nobody'}`;
    const seconds = Math.floor(world.clock() / 1000);
    const known = used.get(key);
    if (known !== undefined && known.reset > seconds) return known;
    const fresh = { count: 0, reset: seconds + HOUR_S };
    used.set(key, fresh);
    return fresh;
  };
  const figures = (as: string | null, resource: Resource): Figures => {
    const { count, reset } = account(as, resource);
    return { limit, used: Math.min(limit, count), remaining: Math.max(0, limit - count), reset };
  };
  return {
    count: (as, path) => {
      const resource = resourceOf(path);
      if (path !== '/rate_limit') account(as, resource).count += 1;
      const now = figures(as, resource);
      return {
        'x-ratelimit-limit': String(now.limit),
        'x-ratelimit-remaining': String(now.remaining),
        'x-ratelimit-used': String(now.used),
        'x-ratelimit-reset': String(now.reset),
        'x-ratelimit-resource': resource,
      };
    },
    check: (as, path) => {
      if (path === '/rate_limit' || figures(as, resourceOf(path)).remaining > 0) return;
      throw new Refusal(world.rules.spentStatus, `API rate limit exceeded for ${as ?? 'this address'}.`);
    },
    countWrite: (as) => {
      const most = world.rules.contentRequestsAMinute;
      if (most === null) return;
      const at = world.clock();
      const recent = (writes.get(as ?? '') ?? []).filter((time) => time > at - MINUTE_MS);
      writes.set(as ?? '', recent);
      if (recent.length >= most) {
        const wait = Math.max(1, Math.ceil(((recent[0] ?? at) + MINUTE_MS - at) / 1000));
        throw new Refusal(403, CONTENT_BLOCKED, {}, { 'retry-after': String(wait) });
      }
      recent.push(at);
    },
    overview: (as) => ({
      resources: {
        core: figures(as, 'core'),
        graphql: figures(as, 'graphql'),
        search: { limit: 30, used: 0, remaining: 30, reset: figures(as, 'core').reset },
      },
      rate: figures(as, 'core'),
    }),
    figures,
    spend: (as, resource = 'core') => {
      account(as, resource).count = limit;
    },
  };
};

const CONTENT_BLOCKED =
  'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.';

const resourceOf = (path: string): Resource => (path === '/graphql' ? 'graphql' : 'core');
