import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import type { FaultBook } from './faults.js';
import { type App, fullName, nextId, now, type Repository, type World, type WorldEvent } from './state.js';
import { writeInstallation, writeUser } from './wire/account.js';
import { writeCheckRunEvent } from './wire/check.js';
import { writeFullPull, writeIssue, writePull, writeTeam } from './wire/pull.js';
import { writeLabel, writeOrganization, writeRepository } from './wire/repository.js';
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
  /** Null while under way; `lost` when a fault ate it; `unreachable` when nobody answered within ten seconds. */
  outcome:
    { readonly kind: 'answered'; readonly status: number } | { readonly kind: 'lost' | 'unreachable' } | null;
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
/** https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks (10 seconds) */
const PATIENCE_MS = 10_000;

export const createWebhooks = (world: World, faults: FaultBook): Webhooks => {
  const kept: Delivery[] = [];
  const stopped = new AbortController();
  let queue: Promise<void> = Promise.resolve();
  let held = 0;
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
      duration: 0,
    };
  };

  const keep = (delivery: Delivery): void => {
    kept.push(delivery);
    if (kept.length > KEPT) kept.shift();
  };

  const send = async (url: string, delivery: Delivery): Promise<void> => {
    const started = Date.now();
    try {
      delivery.outcome = { kind: 'answered', status: await post(url, delivery, stopped.signal) };
    } catch {
      delivery.outcome = { kind: 'unreachable' };
    }
    delivery.duration = Date.now() - started;
  };

  const enqueue = (url: string, delivery: Delivery): void => {
    queue = queue.then(() => (stopped.signal.aborted ? undefined : send(url, delivery)));
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
    held += 1;
    const timer = setTimeout(() => {
      held -= 1;
      enqueue(url, delivery);
      wake?.();
    }, order.fate.holdFor);
    stopped.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
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
    deliveries: () => kept,
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
        if (held > 0 && !stopped.signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
        else if (seen === queue) return;
      }
    },
    stop: () => {
      stopped.abort();
      wake?.();
    },
  };
};

/** One request on a connection of its own: a kept-alive one may be closed by the receiver in the very moment of use. */
const post = (url: string, delivery: Delivery, stopped: AbortSignal): Promise<number> =>
  new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestTls : request;
    const sent = send(url, {
      method: 'POST',
      agent: false,
      signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), stopped]),
      headers: {
        accept: '*/*',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(delivery.body),
        'user-agent': 'GitHub-Hookshot/local',
        'x-github-delivery': delivery.guid,
        'x-github-event': delivery.event,
        'x-github-hook-id': '1',
        'x-github-hook-installation-target-type': 'integration',
        'x-hub-signature-256': delivery.signature,
      },
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      answer.on('error', reject);
      answer.on('end', () => resolve(answer.statusCode ?? 0));
      answer.resume();
    });
    sent.end(delivery.body);
  });

export const sign = (app: App, body: string): string =>
  `sha256=${createHmac('sha256', app.webhookSecret).update(body).digest('hex')}`;

const hears = (app: App, event: WorldEvent): boolean => {
  if (event.kind === 'installation' || event.kind === 'installation_repositories') return event.app === app;
  if (app.suspended || !app.events.includes(event.kind)) return false;
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
        repositories: [...world.repositories.values()].filter((entry) => !entry.fork).map(writeShort),
        sender,
      };
    case 'installation_repositories':
      return {
        action,
        installation: writeInstallation(world, app),
        repository_selection: 'all',
        repositories_added: [writeShort(event.repository)],
        repositories_removed: [],
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
        ...commonOf(world, app, event.repository),
        sender,
      };
    case 'pull_request_review':
      return {
        action,
        review: {
          ...writeReview(world, event.repository, event.pull, event.review),
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
        comment: writeReviewComment(world, event.repository, event.pull, event.comment),
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
            writeReviewComment(world, event.repository, event.pull, comment),
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
  }
};

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
