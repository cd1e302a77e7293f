import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import type { FaultBook } from './faults.js';
import {
  type Account,
  type App,
  fullName,
  nextId,
  now,
  type Repository,
  type World,
  type WorldEvent,
} from './state.js';
import { writeInstallation, writeUser } from './wire/account.js';
import { writeCheckRunEvent, writeCheckSuiteEvent } from './wire/check.js';
import { writeSimpleCommit } from './wire/git.js';
import { writeFullPull, writeIssue, writePull, writeTeam } from './wire/pull.js';
import { htmlUrl, writeLabel, writeOrganization, writeRepository } from './wire/repository.js';
import { writeIssueComment, writeReview, writeReviewComment } from './wire/review.js';

/** One webhook on its way to an app, with how it went. */
export type Delivery = {
  readonly id: number;
  /** `X-GitHub-Delivery`; a redelivery keeps it. */
  readonly guid: string;
  readonly app: string;
  readonly event: string;
  readonly action: string | null;
  readonly repository: string | null;
  readonly repositoryId: number | null;
  readonly redelivery: boolean;
  readonly at: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The exact bytes sent, and their signature. */
  readonly body: string;
  readonly signature: string;
  /** Null while under way; `lost` when a fault ate it; `timedOut` after ten seconds without an answer. */
  outcome:
    | { readonly kind: 'answered'; readonly status: number }
    | { readonly kind: 'lost' | 'unreachable' | 'timedOut' }
    | null;
  /** What the receiver said, cut at 64 KB. */
  response: { readonly headers: Readonly<Record<string, string>>; readonly body: string } | null;
  /** Milliseconds the receiver took. */
  duration: number;
};

export type Webhooks = {
  readonly emit: (event: WorldEvent) => void;
  readonly deliveries: () => readonly Delivery[];
  readonly redeliver: (id: number) => Promise<Delivery>;
  /** Resolves when nothing is under way. */
  readonly settled: () => Promise<void>;
  readonly stop: () => void;
};

const KEPT = 2000;
/** https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/viewing-webhook-deliveries (3 days) */
const KEPT_MS = 3 * 24 * 3_600_000;
const RESPONSE_LIMIT = 64 * 1024;

export const createWebhooks = (world: World, faults: FaultBook): Webhooks => {
  const kept: Delivery[] = [];
  const stopped = new AbortController();
  let queue: Promise<void> = Promise.resolve();
  let held = 0;
  /** Deliveries that wait for others to go first. */
  let behind: { readonly url: string; readonly delivery: Delivery; left: number }[] = [];
  let wake: (() => void) | null = null;

  const prepare = (app: App, event: WorldEvent): Delivery => {
    const payload = payloadOf(world, app, event);
    const body = JSON.stringify(payload);
    const repository = 'repository' in event ? event.repository : null;
    return {
      id: nextId(world, 'delivery'),
      guid: randomUUID(),
      app: app.slug,
      event: event.kind,
      action: event.action,
      repository: repository === null ? null : fullName(repository),
      repositoryId: repository?.id ?? null,
      redelivery: false,
      at: now(world),
      payload,
      body,
      signature: sign(app, body),
      outcome: null,
      response: null,
      duration: 0,
    };
  };

  const keep = (delivery: Delivery): void => {
    kept.push(delivery);
    forget();
  };

  const forget = (): void => {
    const oldest = world.clock() - KEPT_MS;
    while (kept.length > KEPT || (kept[0] !== undefined && Date.parse(kept[0].at) < oldest)) kept.shift();
  };

  const send = async (url: string, delivery: Delivery): Promise<void> => {
    const started = Date.now();
    try {
      const { status, ...response } = await post(url, delivery, world.limits.deliveryMs, stopped.signal);
      delivery.outcome = { kind: 'answered', status };
      delivery.response = response;
    } catch (error) {
      const late = error instanceof Error && error.message === LATE;
      delivery.outcome = { kind: late ? 'timedOut' : 'unreachable' };
    }
    delivery.duration = Date.now() - started;
  };

  const enqueue = (url: string, delivery: Delivery): void => {
    queue = queue.then(() => (stopped.signal.aborted ? undefined : send(url, delivery)));
    for (const entry of behind) entry.left -= 1;
    const ready = behind.filter((entry) => entry.left <= 0);
    behind = behind.filter((entry) => entry.left > 0);
    for (const entry of ready) enqueue(entry.url, entry.delivery);
  };

  const route = (url: string, delivery: Delivery): void => {
    const order = faults.takeDelivery(delivery);
    if (order === null) return enqueue(url, delivery);
    if (order.fate === 'lose') {
      delivery.outcome = { kind: 'lost' };
      return;
    }
    if (order.fate === 'double') {
      enqueue(url, delivery);
      const twin = { ...delivery, id: nextId(world, 'delivery') };
      keep(twin);
      return enqueue(url, twin);
    }
    if ('behind' in order.fate) {
      behind.push({ url, delivery, left: Math.max(1, order.fate.behind) });
      return;
    }
    held += 1;
    const release = (): void => {
      held -= 1;
      enqueue(url, delivery);
      wake?.();
    };
    void order.fate.until.then(release, release);
  };

  return {
    emit: (event) => {
      for (const app of world.apps) {
        if (app.webhookUrl === null || !hears(app, event)) continue;
        const delivery = prepare(app, event);
        keep(delivery);
        route(app.webhookUrl, delivery);
      }
    },
    deliveries: () => {
      forget();
      return kept;
    },
    redeliver: async (id) => {
      const delivery = kept.find((entry) => entry.id === id);
      const app = world.apps.find((entry) => entry.slug === delivery?.app);
      if (delivery === undefined || app?.webhookUrl == null)
        throw new Error(`no delivery ${id} to send again`);
      const again: Delivery = {
        ...delivery,
        id: nextId(world, 'delivery'),
        redelivery: true,
        at: now(world),
        outcome: null,
        response: null,
        duration: 0,
      };
      keep(again);
      enqueue(app.webhookUrl, again);
      await queue;
      return again;
    },
    settled: async () => {
      for (;;) {
        const seen = queue;
        await seen;
        await Promise.all(world.background);
        if (world.background.size === 0 && seen === queue && behind.length > 0) {
          // Nothing comes any more that they could wait for.
          const [first, ...rest] = behind;
          behind = rest;
          if (first !== undefined) enqueue(first.url, first.delivery);
          continue;
        }
        if (held > 0 && !stopped.signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
        else if (seen === queue && world.background.size === 0) return;
      }
    },
    stop: () => {
      stopped.abort();
      wake?.();
    },
  };
};

/** One request on a connection of its own: a kept-alive one may be closed by the receiver in the very moment of use. */
const post = (
  url: string,
  delivery: Delivery,
  patienceMs: number,
  stopped: AbortSignal,
): Promise<{ status: number; headers: Record<string, string>; body: string }> =>
  new Promise((resolve, reject) => {
    const stopWaiting = waitAwake(patienceMs, () => sent.destroy(new Error(LATE)));
    const send = url.startsWith('https:') ? requestTls : request;
    const sent = send(url, {
      method: 'POST',
      agent: false,
      signal: stopped,
      headers: { ...headersOf(delivery), 'content-length': Buffer.byteLength(delivery.body) },
    });
    sent.on('close', stopWaiting);
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on('error', reject);
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= RESPONSE_LIMIT) chunks.push(chunk);
      });
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(answer.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
          ),
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    sent.end(delivery.body);
  });

const LATE = 'no answer in time';

/**
 * Calls `late` after `ms` milliseconds in which this process ran; what is returned ends the wait. One that stood still
 * finds its timers due before it can read the answer that is there already: that costs it a tenth at most.
 */
const waitAwake = (ms: number, late: () => void): (() => void) => {
  let left = 10;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    late();
  }, ms / 10);
  return () => clearInterval(timer);
};

/** As they are sent, and shown in the delivery's record. */
export const headersOf = (delivery: Delivery): Record<string, string> => ({
  accept: '*/*',
  'content-type': 'application/json',
  'user-agent': 'GitHub-Hookshot/local',
  'x-github-delivery': delivery.guid,
  'x-github-event': delivery.event,
  'x-github-hook-id': '1',
  'x-github-hook-installation-target-type': 'integration',
  'x-hub-signature-256': delivery.signature,
});

export const sign = (app: App, body: string): string =>
  `sha256=${createHmac('sha256', app.webhookSecret).update(body).digest('hex')}`;

const hears = (app: App, event: WorldEvent): boolean => {
  if (event.kind === 'installation' || event.kind === 'installation_repositories') return event.app === app;
  if (!app.installed || app.suspendedAt !== null || !app.events.includes(event.kind)) return false;
  if (app.withheld.has(event.repository.id)) return false;
  // A suite is asked of its app and no other.
  if (event.kind === 'check_suite' && event.action !== 'completed') return event.suite.app === app;
  // A re-run is told to the app that made the run and to no other.
  if (event.kind === 'check_run' && (event.action === 'rerequested' || event.action === 'requested_action'))
    return event.run.app === app;
  return true;
};

const payloadOf = (world: World, app: App, event: WorldEvent): Record<string, unknown> => {
  const { action } = event;
  const sender = writeUser(world, event.sender);
  switch (event.kind) {
    case 'installation':
      return {
        action,
        installation: writeInstallation(world, app),
        repositories: [...world.repositories.values()]
          .filter((entry) => !entry.fork && !app.withheld.has(entry.id))
          .map(writeShort),
        sender,
      };
    case 'installation_repositories':
      return {
        action,
        installation: writeInstallation(world, app),
        repository_selection: 'all',
        repositories_added: event.action === 'added' ? [writeShort(event.repository)] : [],
        repositories_removed: event.action === 'removed' ? [writeShort(event.repository)] : [],
        requester: null,
        sender,
      };
    case 'pull_request':
      return {
        action,
        number: event.pull.number,
        pull_request: writeFullPull(world, event.repository, event.pull),
        ...(event.before === undefined ? {} : { before: event.before, after: event.after }),
        ...(event.changes === undefined ? {} : { changes: event.changes }),
        ...(event.label === undefined ? {} : { label: writeLabel(world, event.repository, event.label) }),
        ...(event.reviewer === undefined ? {} : { requested_reviewer: writeUser(world, event.reviewer) }),
        ...(event.team === undefined
          ? {}
          : { requested_team: writeTeam(world, event.repository, event.team) }),
        ...(event.reason === undefined ? {} : { reason: event.reason }),
        ...commonOf(world, app, event.repository),
        sender,
      };
    case 'pull_request_review':
      return {
        action,
        review: {
          ...shown(world, event.review, writeReview(world, event.repository, event.pull, event.review)),
          // Events write the state in small letters, the API in capitals.
          state: event.review.state.toLowerCase(),
          body: event.review.body === '' ? null : event.review.body,
          submitted_at: event.review.submittedAt,
        },
        ...(event.changes === undefined ? {} : { changes: event.changes }),
        pull_request: writePull(world, event.repository, event.pull),
        ...commonOf(world, app, event.repository),
        sender,
      };
    case 'pull_request_review_comment':
      return {
        action,
        comment: shown(
          world,
          event.comment,
          writeReviewComment(world, event.repository, event.pull, event.comment),
        ),
        ...(event.changes === undefined ? {} : { changes: event.changes }),
        pull_request: writePull(world, event.repository, event.pull),
        ...commonOf(world, app, event.repository),
        sender,
      };
    case 'pull_request_review_thread':
      return {
        action,
        thread: {
          node_id: event.thread.nodeId,
          comments: event.thread.comments.map((comment) =>
            shown(world, comment, writeReviewComment(world, event.repository, event.pull, comment)),
          ),
        },
        pull_request: writePull(world, event.repository, event.pull),
        ...commonOf(world, app, event.repository),
        sender,
      };
    case 'issue_comment':
      return {
        action,
        issue: writeIssue(world, event.repository, event.pull),
        comment: writeIssueComment(world, event.repository, event.pull, event.comment),
        ...(event.changes === undefined ? {} : { changes: event.changes }),
        ...commonOf(world, app, event.repository),
        sender,
      };
    case 'check_run':
      return {
        action,
        check_run: writeCheckRunEvent(world, event.repository, event.run),
        ...(event.identifier === undefined ? {} : { requested_action: { identifier: event.identifier } }),
        ...commonOf(world, app, event.repository),
        sender,
      };
    case 'check_suite':
      return {
        action,
        check_suite: writeCheckSuiteEvent(world, event.repository, event.suite, event.commit),
        ...commonOf(world, app, event.repository),
        sender,
      };
    case 'push':
      return { ...pushOf(world, event), ...commonOf(world, app, event.repository), sender };
    case 'merge_group':
      return {
        action,
        merge_group: {
          head_sha: event.group.headSha,
          head_ref: `refs/heads/${event.group.headRef}`,
          base_sha: event.group.baseSha,
          base_ref: `refs/heads/${event.group.baseRef}`,
          head_commit: writeSimpleCommit(event.group.commit),
        },
        ...(event.reason === undefined ? {} : { reason: event.reason }),
        ...commonOf(world, app, event.repository),
        sender,
      };
    case 'repository':
      return {
        action,
        ...(event.changes === undefined ? {} : { changes: event.changes }),
        ...commonOf(world, app, event.repository),
        sender,
      };
  }
};

const NOTHING = '0'.repeat(40);

const pushOf = (world: World, event: Extract<WorldEvent, { kind: 'push' }>) => {
  const html = htmlUrl(world, event.repository);
  const commits = event.commits.map((commit) => ({
    ...writeSimpleCommit(commit),
    distinct: true,
    url: `${html}/commit/${commit.sha}`,
    added: commit.added,
    removed: commit.removed,
    modified: commit.modified,
  }));
  return {
    ref: `refs/heads/${event.branch}`,
    before: event.before ?? NOTHING,
    after: event.after,
    created: event.before === null,
    deleted: false,
    forced: event.forced,
    base_ref: null,
    compare: `${html}/compare/${(event.before ?? event.after).slice(0, 12)}...${event.after.slice(0, 12)}`,
    commits,
    head_commit: commits.at(-1) ?? null,
    pusher: { name: event.sender.login, email: null },
  };
};

/** Events show the ghost where the API shows nobody: GitHub's schemas of events know no null there. */
const shown = <T>(world: World, item: { readonly author: Account }, written: T) => ({
  ...written,
  user: writeUser(world, item.author),
});

const commonOf = (world: World, app: App, repository: Repository) => ({
  repository: writeRepository(world, repository),
  ...(repository.owner.type === 'Organization'
    ? { organization: writeOrganization(world, repository.owner) }
    : {}),
  installation: {
    id: app.installationId,
    node_id: `MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u${Buffer.from(String(app.installationId)).toString('base64url')}`,
  },
});

const writeShort = (repository: Repository) => ({
  id: repository.id,
  node_id: repository.nodeId,
  name: repository.name,
  full_name: fullName(repository),
  private: repository.private,
});
