/** What a fault sees of a request before it is handled. */
export type FaultRequest = {
  readonly method: string;
  /** Without the Enterprise prefix `/api/v3`; GraphQL is `/graphql`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON, or undefined. */
  readonly body: unknown;
};

export type FaultAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/**
 * One order: what to do to the requests that match. `before` answers without doing the work, `after` does the work
 * and then answers something else; `reset` drops the connection instead of answering.
 */
export type Fault = {
  readonly match: (request: FaultRequest) => boolean;
  /** How many matching requests; 1 unless told. */
  readonly times?: number;
  /** Matching requests to let through first; 0 unless told. */
  readonly skip?: number;
  readonly before?: FaultAnswer | 'reset';
  readonly after?: FaultAnswer | 'reset';
  /** GraphQL alone: an answer of 200 that carries errors. */
  readonly graphql?: GraphqlFault;
  /** Milliseconds before anything happens. */
  readonly delayMs?: number;
  /** What has to come about before anything happens; asked once for each matching request. */
  readonly until?: () => Promise<unknown>;
};

/**
 * `field` (`PullRequest.reviewThreads`) fails alone: what the schema lets be null around it is null, the rest is
 * answered. Without it nothing is: `data` is null.
 */
export type GraphqlFault = {
  readonly type: 'RATE_LIMITED' | 'FORBIDDEN' | 'NOT_FOUND' | 'INTERNAL' | (string & {});
  readonly message?: string;
  readonly field?: string;
};

/** What happens to a webhook delivery on its way. */
export type DeliveryFault = {
  readonly match: (delivery: {
    readonly event: string;
    readonly action: string | null;
    readonly payload: unknown;
  }) => boolean;
  readonly times?: number;
  readonly skip?: number;
  /** `until` that is kept; `behind` that many deliveries that come after it. */
  readonly fate: 'lose' | 'double' | { readonly until: Promise<unknown> } | { readonly behind: number };
};

type Counted<T> = { readonly order: T; left: number; skip: number };

export type Faults = {
  readonly add: (fault: Fault) => void;
  readonly addDelivery: (fault: DeliveryFault) => void;
  /** Reads of repositories show what was there this many milliseconds ago by the clock. 0 ends it. */
  readonly lag: (ms: number) => void;
  /** GitHub's refusal for going too fast; `retryAfter` in seconds, null leaves the header out. */
  readonly secondaryLimit: (
    order?: Pick<Fault, 'times' | 'skip'> & {
      readonly match?: Fault['match'];
      readonly retryAfter?: number | null;
      readonly status?: 403 | 429;
    },
  ) => void;
  readonly clear: () => void;
  /** Orders that have not been used up. */
  readonly pending: () => number;
};

export type FaultBook = Faults & {
  readonly take: (request: FaultRequest) => readonly Fault[];
  readonly takeDelivery: (delivery: Parameters<DeliveryFault['match']>[0]) => DeliveryFault | null;
};

export const createFaults = (setLag: (ms: number) => void): FaultBook => {
  const requests: Counted<Fault>[] = [];
  const deliveries: Counted<DeliveryFault>[] = [];
  const counted = <T extends { times?: number; skip?: number }>(order: T): Counted<T> => ({
    order,
    left: order.times ?? 1,
    skip: order.skip ?? 0,
  });
  const use = <T>(entry: Counted<T>): boolean => {
    if (entry.left <= 0) return false;
    if (entry.skip > 0) {
      entry.skip -= 1;
      return false;
    }
    entry.left -= 1;
    return true;
  };
  return {
    add: (fault) => void requests.push(counted(fault)),
    addDelivery: (fault) => void deliveries.push(counted(fault)),
    lag: setLag,
    secondaryLimit: ({ match = () => true, retryAfter = 60, status = 403, ...counts } = {}) =>
      void requests.push(
        counted({
          match: (request) => isRepositoryCall(request) && match(request),
          ...counts,
          before: {
            status,
            ...(retryAfter === null ? {} : { headers: { 'retry-after': String(retryAfter) } }),
            body: {
              message:
                'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
              documentation_url:
                'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits',
            },
          },
        }),
      ),
    clear: () => {
      requests.length = 0;
      deliveries.length = 0;
      setLag(0);
    },
    pending: () => [...requests, ...deliveries].filter((entry) => entry.left > 0).length,
    take: (request) =>
      requests
        .filter((entry) => entry.left > 0 && entry.order.match(request) && use(entry))
        .map((entry) => entry.order),
    takeDelivery: (delivery) =>
      deliveries.find((entry) => entry.left > 0 && entry.order.match(delivery) && use(entry))?.order ?? null,
  };
};

const isRepositoryCall = ({ path }: FaultRequest): boolean =>
  path === '/graphql' || /^\/repos(itories)?\//.test(path);
