/** Tells of silence until it is stopped. */
export type SilenceWatch = {
  /** Something came. */
  heard(): void;
  stop(): void;
};

/**
 * Calls `onSilence` once when nothing was heard for `ms` milliseconds. They are counted in parts, each by a timer of its
 * own: a process that stood still finds its timers due before it can read what arrived meanwhile, and one part is all
 * that this costs.
 */
export function watchSilence(ms: number, onSilence: () => void): SilenceWatch {
  let timer: NodeJS.Timeout;
  let left = parts;
  const wait = (): void => {
    timer = setTimeout(() => {
      left -= 1;
      if (left > 0) wait();
      else onSilence();
    }, ms / parts);
  };
  wait();
  return {
    heard() {
      clearTimeout(timer);
      left = parts;
      wait();
    },
    stop: () => clearTimeout(timer),
  };
}

const parts = 10;
