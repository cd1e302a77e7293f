import { createApp } from '../lib/app.js';
import { compose } from '../lib/compose.js';
import { readEnv } from '../lib/config/env.js';
import type { Evidence } from '../lib/core/evidence.js';
import type { Disproved } from '../lib/core/review-result.js';
import { readMarkers } from '../lib/core/marker.js';
import type { Reviewed } from '../lib/modes/run-review.js';
import type { LoopEvent } from '../lib/agent/loop-event.js';
import type { Log } from '../lib/ports/log.js';
import type { Model } from '../lib/ports/model.js';
import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../local-github/index.js';
import type { DemoStory } from '../local-github/demo-story.js';
import { openStory } from '../local-github/open-story.js';
import { startServer } from './commands/serve.js';

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

/** What stands on the pull request when the review has ended. */
export type Played = {
  readonly inline: readonly InlineComment[];
  readonly disproved: readonly Disproved[];
  readonly summary: string | null;
  readonly check: { readonly conclusion: string | null; readonly title: string | null };
  readonly requests: readonly { readonly method: string; readonly path: string; readonly reason: string }[];
  readonly reviewed: Reviewed | null;
  readonly url: string;
  readonly github: LocalGitHub;
  readonly repository: LocalRepository;
  readonly number: number;
  readonly model: Pick<Model, 'name' | 'kind' | 'sendsTo'>;
  /** Stops the server and the local GitHub. */
  readonly close: () => Promise<void>;
};

/**
 * The main job on loopback: a local GitHub, a repository, a pull request, a signed webhook to the real handler, and the
 * review as it then stands there. `environment` chooses the model as anywhere else; without a key the fixed rules.
 */
export async function playDemo({
  story,
  environment = {},
  model,
  port,
  log,
  emit,
}: {
  readonly story: DemoStory;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Instead of the one that the environment chooses. */
  readonly model?: Model;
  /** Of the local GitHub; a taken one is passed over. */
  readonly port?: number;
  readonly log: Log;
  readonly emit?: (event: LoopEvent) => void;
}): Promise<Played> {
  const github = await startLocalGitHub(port === undefined ? {} : { port });
  const settings = {
    ...environment,
    ...(!hasModel(environment) && { EVIDENT_MODEL: 'rules' }),
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.privateKey,
    WEBHOOK_SECRET: github.app.webhookSecret,
    GITHUB_API_URL: github.apiUrl,
    GHE_HOST: undefined,
  };
  let stop = (): Promise<void> => github.close();
  try {
    let reviewed: Reviewed | null = null;
    let requests: Played['requests'] = [];
    const env = readEnv(settings);
    if (env.github === null) throw new Error('The local GitHub has an app.');
    const deps = await compose(env, {
      log,
      realForge: false,
      ...(model !== undefined && { model }),
      ...(emit !== undefined && { emit }),
      onReviewed: (result) => {
        reviewed = result;
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
    const close = async (): Promise<void> => {
      github.onWebhook(null);
      await server.stop();
      await github.close();
    };
    stop = close;
    github.onWebhook(`${server.url}/api/github/webhooks`);
    const { repository, number } = await openStory(github, story);
    await github.settled();
    await server.idle();
    const pull = repository.pull(number);
    const check = pull.checks.findLast((run) => run.name === 'Evident');
    const result = (reviewed as Reviewed | null)?.result ?? null;
    return {
      inline: pull.threads.flatMap((thread) => inlineComment(thread, reviewed)),
      disproved: result?.disproved ?? [],
      summary: pull.reviews.find((review) => review.body !== '')?.body ?? null,
      check: { conclusion: check?.conclusion ?? null, title: check?.title ?? null },
      requests,
      reviewed,
      url: pull.url,
      github,
      repository,
      number,
      model: deps.model,
      close,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export const hasModel = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  ['EVIDENT_MODEL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].some(
    (name) => (environment[name] ?? '').trim() !== '',
  );

/** A thread as it stands, with what code knows of it: the hidden marker says which finding it is. */
function inlineComment(
  thread: ReturnType<LocalRepository['pull']>['threads'][number],
  reviewed: Reviewed | null,
): readonly InlineComment[] {
  const first = thread.comments[0];
  if (first === undefined) return [];
  const id = readMarkers(first.body).flatMap((mark) => (mark.kind === 'thread' ? [mark.known.id] : []))[0];
  const question = reviewed?.result?.questions.find((one) => one.id === id);
  const finding = reviewed?.result?.findings.find((one) => one.id === id) ?? question?.finding;
  if (id === undefined || finding === undefined) return [];
  return [
    {
      id,
      kind: question === undefined ? 'finding' : 'question',
      path: thread.path,
      side: thread.side,
      line: thread.line ?? thread.originalLine ?? 0,
      severity: finding.severity,
      rule: finding.rule,
      title: question?.question ?? finding.title,
      body: first.body,
      evidence: finding.evidence,
    },
  ];
}
