import { createApp } from '../lib/app.js';
import { compose } from '../lib/compose.js';
import { readEnv } from '../lib/config/env.js';
import type { Evidence } from '../lib/core/evidence.js';
import type { Disproved } from '../lib/core/review-result.js';
import type { Ledger } from '../lib/core/ledger.js';
import { readMarkers } from '../lib/core/marker.js';
import type { Reviewed } from '../lib/modes/run-review.js';
import type { LoopEvent } from '../lib/agent/loop-event.js';
import type { Log } from '../lib/ports/log.js';
import type { Model } from '../lib/ports/model.js';
import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../local-github/index.js';
import { openStory, type Story } from '../local-github/open-story.js';
import { startServer } from './commands/serve.js';
import { hasModel } from './demo-model.js';
import { readBack } from './read-back.js';

export type InlineComment = {
  readonly id: string;
  readonly kind: 'finding' | 'question';
  readonly path: string;
  readonly side: 'LEFT' | 'RIGHT';
  readonly line: number;
  readonly severity: string;
  readonly rule: string;
  readonly title: string;
  readonly body: string;
  readonly evidence: readonly Evidence[];
};

/** What stands on the pull request when a run has ended. */
export type Standing = {
  readonly inline: readonly InlineComment[];
  readonly disproved: readonly Disproved[];
  readonly summary: string | null;
  readonly check: { readonly conclusion: string | null; readonly title: string | null };
  /** Of the last run. */
  readonly requests: readonly { readonly method: string; readonly path: string; readonly reason: string }[];
  /** The last run's; null when it ended before it had reviewed anything. */
  readonly reviewed: Reviewed | null;
};

type Opened = { readonly repository: LocalRepository; readonly number: number };

export type Played = Standing & {
  readonly url: string;
  readonly github: LocalGitHub;
  readonly repository: LocalRepository;
  readonly number: number;
  readonly model: Pick<Model, 'name' | 'kind' | 'sendsTo'>;
  /** Waits until no webhook and no run is under way; what stands then: after a push, a reply. */
  readonly settled: () => Promise<Standing>;
  /** A person replies in the thread of a finding or question; what stands when that has had its effect. */
  readonly reply: (login: string, id: string, words: string) => Promise<Standing>;
  /** What the next run would know, read back from the pull request. */
  readonly known: () => Promise<Ledger>;
  /** Stops the server and the local GitHub. */
  readonly close: () => Promise<void>;
};

/**
 * The main job on loopback: a local GitHub, a repository, a pull request, a signed webhook to the real handler, and the
 * review as it then stands there. `environment` chooses the model as anywhere else; without a key the fixed rules.
 */
export async function playDemo({
  github: started,
  story,
  environment = {},
  model,
  log,
  emit,
  onBegin,
  onOpened,
}: {
  /** Closed at the end, or when it fails; one of its own unless told. */
  readonly github?: LocalGitHub;
  readonly story: Story | ((github: LocalGitHub) => Promise<Opened>);
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Instead of the one that the environment chooses. */
  readonly model?: Model;
  readonly log: Log;
  readonly emit?: (event: LoopEvent) => void;
  /** Told before anything is sent to the model. */
  readonly onBegin?: (begun: Pick<Played, 'github' | 'model'>) => void;
  /** Told when there is a page to look at, while the review begins. */
  readonly onOpened?: (opened: Opened & { readonly url: string }) => void;
}): Promise<Played> {
  const github = started ?? (await startLocalGitHub());
  const settings = {
    EVIDENT_START: 'automatic',
    ...environment,
    ...(!hasModel(environment) && { EVIDENT_MODEL: 'rules' }),
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.privateKey,
    WEBHOOK_SECRET: github.app.webhookSecret,
    GITHUB_API_URL: github.apiUrl,
    GHE_HOST: undefined,
  };
  let close = (): Promise<void> => github.close();
  try {
    let reviewed: Reviewed | null = null;
    let requests: Standing['requests'] = [];
    const claims = new Map<string, Claim>();
    const env = readEnv(settings);
    if (env.github === null) throw new Error('The local GitHub has an app.');
    const deps = await compose(env, {
      log,
      realForge: false,
      ...(model !== undefined && { model }),
      ...(emit !== undefined && { emit }),
      onReviewed: (result) => {
        reviewed = result;
        for (const one of claimsOf(result)) claims.set(one.id, one);
      },
      onHandled: (_handled, made) => {
        requests = made;
      },
    });
    const app = await createApp(env.github, deps);
    const server = await startServer({
      environment: settings,
      port: 0,
      host: '127.0.0.1',
      load: async () => app,
      log,
    });
    close = async () => {
      github.onWebhook(null);
      await server.stop();
      await github.close();
    };
    github.onWebhook(`${server.url}/api/github/webhooks`);
    onBegin?.({ github, model: deps.model });
    const { repository, number } =
      typeof story === 'function' ? await story(github) : await openStory(github, story);
    onOpened?.({ repository, number, url: repository.pull(number).url });
    const settled = async (): Promise<Standing> => {
      await github.settled();
      await server.idle();
      const pull = repository.pull(number);
      const check = pull.checks.findLast((run) => run.name === 'Evident');
      return {
        inline: pull.threads.flatMap((thread) => inlineComment(thread, claims)),
        disproved: reviewed?.result?.disproved ?? [],
        summary: pull.reviews.find((review) => review.body !== '')?.body ?? null,
        check: { conclusion: check?.conclusion ?? null, title: check?.title ?? null },
        requests,
        reviewed,
      };
    };
    return {
      ...(await settled()),
      url: repository.pull(number).url,
      github,
      repository,
      number,
      model: deps.model,
      settled,
      reply: (login, id, words) => {
        const thread = repository.pull(number).threads.find((one) => idOf(one) === id);
        if (thread === undefined) throw new Error(`${id} has no thread.`);
        repository.as(login).reply(thread.id, words);
        return settled();
      },
      known: () =>
        readBack(
          env,
          {
            owner: repository.owner,
            repo: repository.name,
            number,
            installation: github.app.installationId,
          },
          log,
        ),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What code knows of a thread: a finding, or a question about one. */
type Claim = Pick<InlineComment, 'id' | 'kind' | 'severity' | 'rule' | 'title' | 'evidence'>;

const claimsOf = ({ result }: Reviewed): readonly Claim[] => [
  ...(result?.findings ?? []).map((one) => ({ ...one, kind: 'finding' as const })),
  ...(result?.questions ?? []).map(({ id, question, finding }) => ({
    ...finding,
    id,
    kind: 'question' as const,
    title: question,
  })),
];

type Thread = ReturnType<LocalRepository['pull']>['threads'][number];

/** Whose thread it is: the hidden marker of its first comment says so. */
const idOf = ({ comments: [first] }: Thread): string | undefined =>
  readMarkers(first?.body ?? '').flatMap((mark) => (mark.kind === 'thread' ? [mark.known.id] : []))[0];

/** A thread as it stands, with what code knows of it. */
function inlineComment(thread: Thread, claims: ReadonlyMap<string, Claim>): readonly InlineComment[] {
  const first = thread.comments[0];
  if (first === undefined) return [];
  const claim = claims.get(idOf(thread) ?? '');
  if (claim === undefined) return [];
  const { id, kind, severity, rule, title, evidence } = claim;
  return [
    {
      id,
      kind,
      path: thread.path,
      side: thread.side,
      line: thread.line ?? thread.originalLine ?? 0,
      severity,
      rule,
      title,
      body: first.body,
      evidence,
    },
  ];
}
