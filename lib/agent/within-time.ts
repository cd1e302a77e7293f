/** How timed work ended. Its own errors are thrown. */
export type Timed<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** The time was up; the signal given to the work is aborted. */
  | { readonly kind: 'late' }
  | { readonly kind: 'aborted' };

/**
 * Runs `work` for at most `ms` milliseconds and no longer than `signal` lets it. Does not wait for work that ignores
 * its signal: that goes on by itself and its answer or error is lost.
 */
export async function withinTime<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Timed<T>> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => {};
  const stopped = new Promise<Timed<T>>((resolve) => {
    onAbort = () => {
      resolve({ kind: 'aborted' });
      stop.abort(signal.reason);
    };
    timer = setTimeout(
      () => {
        resolve({ kind: 'late' });
        stop.abort(new DOMException('The time is up.', 'TimeoutError'));
      },
      Math.min(Math.max(ms, 0), 2 ** 31 - 1),
    );
  });
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const working = work(stop.signal).then((value): Timed<T> => ({ kind: 'done', value }));
    return await Promise.race([stopped, working]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
