import { createHash } from 'node:crypto';
import type { Reply } from '../http.js';
import { Refusal } from '../refusal.js';
import type { Pull, Repository, World } from '../state.js';

/** Browsers that may wait at once. */
const MOST = 100;
/** A review writes many things in a row: they are told as one. */
const GATHER_MS = 80;
/** A line now and then, so that nothing between takes the connection for dead. */
const BEAT_MS = 20_000;

const waiting = new WeakMap<World, { count: number }>();

/** Server-sent events: `change` with the new version, each time that the pull request is no longer as it was. */
export const showEvents = (world: World, repository: Repository, pull: Pull, known: string | null): Reply => {
  const all = waiting.get(world) ?? { count: 0 };
  waiting.set(world, all);
  if (all.count >= MOST) throw new Refusal(503, 'Too many pages wait for changes already.');
  return {
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
    },
    stream: ({ send, onClose }) => {
      all.count += 1;
      let told = known;
      let timer: NodeJS.Timeout | null = null;
      const tell = (): void => {
        timer = null;
        const version = versionOf(world, repository, pull);
        if (version === told) return;
        told = version;
        send(`event: change\ndata: ${version}\n\n`);
      };
      const watch = (written: Repository): void => {
        if (written.id === repository.id) timer ??= setTimeout(tell, GATHER_MS);
      };
      const beat = setInterval(() => send(': still here\n\n'), BEAT_MS);
      world.watchers.add(watch);
      onClose(() => {
        all.count -= 1;
        world.watchers.delete(watch);
        clearInterval(beat);
        if (timer !== null) clearTimeout(timer);
      });
      send('retry: 1000\n\n');
      tell();
    },
  };
};

/** Of all that the pages of a pull request show. */
export const versionOf = (world: World, repository: Repository, pull: Pull): string => {
  const text = (item: {
    readonly id: number;
    readonly body: string;
    readonly minimized: string | null;
    readonly reactions: readonly unknown[];
  }) => [item.id, item.body, item.minimized, item.reactions.length];
  const shown = [
    [pull.title, pull.body, pull.state, pull.draft, pull.merged, pull.headSha, pull.baseSha, pull.baseRef],
    [[...pull.labels], pull.stats, pull.reactions.length, repository.requiredChecks],
    [...repository.collaborators],
    pull.reviews.map((review) => [review.state, ...text(review)]),
    pull.threads.map((thread) => [
      thread.line,
      thread.outdated,
      thread.resolvedBy?.login ?? null,
      thread.comments.map(text),
    ]),
    pull.comments.map(text),
    repository.checkRuns
      .filter((run) => run.headSha === pull.headSha)
      .map((run) => [run.id, run.name, run.status, run.conclusion, run.title, run.summary]),
    (world.offers.get(repository.id) ?? []).map((offer) => [offer.label, offer.branch]),
    (world.captions.get(repository.id) ?? []).map(({ name, text }) => [name, text]),
  ];
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);
};
