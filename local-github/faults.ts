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
  /** Milliseconds before anything happens. */
  readonly delayMs?: number;
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
  readonly fate: 'lose' | 'double' | { readonly holdFor: number };
};

type Counted<T> = { readonly order: T; left: number; skip: number };

export type Faults = {
  readonly add: (fault: Fault) => void;
  readonly addDelivery: (fault: DeliveryFault) => void;
  /** Reads do not show what was written less than this many milliseconds ago. 0 ends it. */
  readonly lag: (ms: number) => void;
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
