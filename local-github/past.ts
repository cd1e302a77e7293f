import type { Past, Pull, Repository, ReviewComment, Thread, World } from './state.js';

export const createPast = (): Past => ({ lagMs: 0, states: new Map(), dirty: new Set() });

/** From here on reads show what was there this many milliseconds ago by the world's clock; 0 ends it. */
export const setLag = (world: World, ms: number): void => {
  const { past } = world;
  if (past.lagMs === 0 && ms > 0)
    // What is there now was there long ago, as far as reads are concerned.
    for (const repository of world.repositories.values())
      past.states.set(repository, [{ at: -Infinity, state: copyOf(repository) }]);
  past.lagMs = ms;
  if (ms === 0) past.states.clear();
};

/** Called after each write. Several writes of one step make one copy. */
export const noteWrite = (world: World, repository: Repository): void => {
  for (const watcher of world.watchers) watcher(repository);
  const { past } = world;
  if (past.lagMs === 0 || past.dirty.has(repository)) return;
  past.dirty.add(repository);
  queueMicrotask(() => {
    past.dirty.delete(repository);
    if (past.lagMs === 0) return;
    const at = world.clock();
    const states = past.states.get(repository) ?? [];
    states.push({ at, state: copyOf(repository) });
    // One state that is old enough is enough.
    while ((states[1]?.at ?? Infinity) <= at - past.lagMs) states.shift();
    past.states.set(repository, states);
  });
};

/** The repository as a read sees it. A copy shares accounts, apps and git with the real one. */
export const asSeen = (world: World, repository: Repository): Repository => {
  const { past } = world;
  if (past.lagMs === 0) return repository;
  const states = past.states.get(repository) ?? [];
  const until = world.clock() - past.lagMs;
  return (states.findLast((entry) => entry.at <= until) ?? states[0])?.state ?? repository;
};

/** All that may change is copied; git, accounts and apps are the same objects. */
const copyOf = (repository: Repository): Repository => {
  const suites = new Map(repository.checkSuites.map((suite) => [suite, { ...suite }]));
  const copy: Repository = {
    ...repository,
    pulls: new Map(),
    labels: new Map(repository.labels),
    collaborators: new Map(repository.collaborators),
    checkSuites: [...suites.values()],
    checkRuns: repository.checkRuns.map((run) => ({
      ...run,
      suite: suites.get(run.suite) ?? run.suite,
      annotations: [...run.annotations],
    })),
    queue: [],
  };
  for (const [number, pull] of repository.pulls) copy.pulls.set(number, copyOfPull(repository, copy, pull));
  for (const entry of repository.queue) {
    const pull = copy.pulls.get(entry.pull.number);
    if (pull !== undefined) copy.queue.push({ ...entry, pull });
  }
  return copy;
};

const copyOfPull = (from: Repository, to: Repository, pull: Pull): Pull => {
  const reviews = new Map(
    pull.reviews.map((review) => [review, { ...review, reactions: [...review.reactions] }]),
  );
  const comment = (given: ReviewComment, thread: Thread): ReviewComment => ({
    ...given,
    thread,
    review: reviews.get(given.review) ?? given.review,
    reactions: [...given.reactions],
  });
  return {
    ...pull,
    headRepository: pull.headRepository === from ? to : pull.headRepository,
    heads: [...pull.heads],
    forcedPushes: [...pull.forcedPushes],
    labels: new Set(pull.labels),
    requestedReviewers: new Set(pull.requestedReviewers),
    requestedTeams: new Set(pull.requestedTeams),
    reviews: [...reviews.values()],
    threads: pull.threads.map((given) => {
      const thread: Thread = { ...given, comments: [] };
      thread.comments.push(...given.comments.map((entry) => comment(entry, thread)));
      return thread;
    }),
    comments: pull.comments.map((entry) => ({ ...entry, reactions: [...entry.reactions] })),
    reactions: [...pull.reactions],
  };
};
