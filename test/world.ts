/**
 * The whole program on loopback, for end-to-end tests: a local GitHub, a small repository with one pull request, and the
 * real webhook handler under node:http. The model is the only part that a test makes up. One GitHub serves a file of
 * tests, each test opens a place of its own on it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startServer, type RunningServer } from '../cli/commands/serve.js';
import { createApp } from '../lib/app.js';
import { compose, type ComposeOptions } from '../lib/compose.js';
import { readEnv } from '../lib/config/env.js';
import type { GateMode } from '../lib/core/policy.js';
import type { Handled } from '../lib/handle-trigger.js';
import { calls, createScriptedModel, type ScriptedModel } from '../lib/models/scripted.js';
import type { Log } from '../lib/ports/log.js';
import type { ModelRequest, ModelTurn } from '../lib/ports/model.js';
import {
  type FileChange,
  type LocalGitHub,
  type LocalRepository,
  type Permissions,
  type PullOrder,
  startLocalGitHub,
} from '../local-github/index.js';

export const files = {
  'src/order.ts': `export type Order = { readonly total: number; readonly refunded: number | null };

/** 0 when nothing is left to give back. */
export const refundFor = (order: Order): number | null => order.refunded;
`,
  'src/refund.ts': `import { refundFor, type Order } from './order.js';

export function refundOf(order: Order): number {
  const refund = refundFor(order);
  return refund ?? order.total;
}
`,
  'src/label.ts': `export const label = (amount: number): string => \`refund \${amount}\`;
`,
  'README.md': '# shop\n',
} as const;

/** The pull request: a refund of 0 becomes the whole total, and a label changes. */
export const change = {
  'src/refund.ts': files['src/refund.ts'].replace('refund ?? order', 'refund || order'),
  'src/label.ts': `export const label = (amount: number): string => \`refund of \${amount}\`;
`,
} as const;

/** What is wrong with it, as a model submits it. */
export const bug = {
  path: 'src/refund.ts',
  line: 5,
  code: '  return refund || order.total;',
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  title: 'a refund of 0 gives back the whole total',
  body: '`refundFor` returns 0 when nothing is left, and `||` turns that 0 into the total.',
  evidence: [
    {
      path: 'src/order.ts',
      ref: 'head',
      start: 3,
      end: 4,
      quote:
        '/** 0 when nothing is left to give back. */\nexport const refundFor = (order: Order): number | null => order.refunded;',
    },
  ],
} as const;

export const threadOfBug = 'src/refund.ts:5 RIGHT';

/** Reads all that changed and the file beside it. */
export const readAll = (): ModelTurn =>
  calls({ name: 'get_pr_diff', input: {} }, { name: 'get_file_content', input: { path: 'src/order.ts' } });

export const submit = (findings: readonly unknown[] = []): ModelTurn =>
  calls({
    name: 'submit_code_review',
    input: { findings, humanReviewRequests: [], disproved: [], summary: 'Changes how a refund is chosen.' },
  });

/** Where a run stands: `step` counts its turns from 0, `pass` the runs that were begun, from 1. */
export type At = { readonly step: number; readonly pass: number; readonly request: ModelRequest };

/** A scripted model that answers by where a run stands, so that any number of runs can be played. */
export function plays(
  turn: (at: At) => ModelTurn | Promise<ModelTurn>,
  shown: Parameters<typeof createScriptedModel>[1] = {},
): ScriptedModel {
  let pass = 0;
  const answer = (request: ModelRequest): ModelTurn | Promise<ModelTurn> => {
    const step = request.messages.filter(({ role }) => role === 'assistant').length;
    if (step === 0) pass += 1;
    return turn({ step, pass, request });
  };
  return createScriptedModel(
    Array.from({ length: 200 }, () => answer),
    shown,
  );
}

/** Reads all and submits `findings`. */
export const reviews = (
  findings: readonly unknown[] = [],
  shown: Parameters<typeof createScriptedModel>[1] = {},
): ScriptedModel => plays(({ step }) => (step === 0 ? readAll() : submit(findings)), shown);

export const never = <T>(): Promise<T> => new Promise(() => {});

export type World = {
  readonly github: LocalGitHub;
  readonly open: (order: PlaceOrder) => Promise<Place>;
  readonly close: () => Promise<void>;
};

export type PlaceOrder = AppOrder & {
  readonly pull?: Partial<PullOrder>;
  readonly permissions?: Permissions;
  /** The repository's files; `files` unless told. */
  readonly files?: Readonly<Record<string, FileChange>>;
  readonly changes?: Readonly<Record<string, FileChange>>;
  /** Before the pull request is opened. */
  readonly before?: (repository: LocalRepository) => unknown;
  /** False: the test starts an app itself. */
  readonly started?: boolean;
};

/** What the app runs with. */
export type AppOrder = {
  readonly gate: GateMode;
  readonly environment?: Readonly<Record<string, string | undefined>>;
} & Pick<
  ComposeOptions,
  'model' | 'models' | 'limits' | 'longestRunMs' | 'emit' | 'onReviewed' | 'realForge' | 'log' | 'redeliver'
>;

/** What stands on the pull request, in words; texts are their first lines. */
export type Stands = {
  readonly reviews: readonly string[];
  readonly threads: readonly string[];
  readonly comments: number;
  /** Every run of ours on every head, oldest first: `head 1: failure, 1 important to fix`. */
  readonly checks: readonly string[];
  readonly mergeable: boolean;
};

export type Place = {
  readonly repository: LocalRepository;
  readonly number: number;
  /** What the app logged as a warning or an error. */
  readonly warned: readonly string[];
  readonly handled: readonly Handled[];
  /** How long the app meant to wait, each time, in milliseconds. */
  readonly slept: () => readonly number[];
  readonly push: (files: Readonly<Record<string, FileChange>>) => Promise<string>;
  /** Sends the newest delivery of this action again, under its own id. */
  readonly redeliver: (action?: string) => Promise<void>;
  /** Moves the clock of the app, by milliseconds, and what is due then begins. GitHub keeps the real time. */
  readonly later: (ms: number) => void;
  /** When the app means to go on by itself, epoch milliseconds. A restart forgets it. */
  readonly waits: () => readonly number[];
  /** Until no webhook is under way and no work is in hand. */
  readonly settled: () => Promise<void>;
  /** Another app takes the deliveries from here on. */
  readonly restart: (order: AppOrder) => Promise<void>;
  /** The real program in a process of its own takes the deliveries; to be killed. */
  readonly spawn: (order: Pick<AppOrder, 'gate' | 'environment'>) => Promise<ChildProcess>;
  readonly stands: () => Stands;
  /** Text of the newest check of ours: summary and text. */
  readonly checkText: () => string;
  readonly close: () => Promise<void>;
};

export async function startWorld(): Promise<World> {
  const github = await startLocalGitHub();
  const permissions = github.app.permissions;
  let opened = 0;

  async function open(order: PlaceOrder): Promise<Place> {
    opened += 1;
    github.faults.clear();
    const repository = await github.createRepository({
      owner: 'octo-org',
      name: `shop-${opened}`,
      files: order.files ?? files,
    });
    repository.permissions = order.permissions ?? permissions;
    repository.requiredChecks = ['Evident'];
    repository.addCollaborator('octocat', 'write');
    const branch = order.pull?.head ?? 'refunds';
    const heads: string[] = [];
    const warned: string[] = [];
    const handled: Handled[] = [];
    const slept: number[] = [];
    const log: Log = {
      info: () => {},
      warn: (_fields, message) => void warned.push(message),
      error: (_fields, message) => void warned.push(message),
    };
    let offset = 0;
    const clock = (): number => Date.now() + offset;
    /** What rings at its time of the app's clock. */
    const due = new Map<() => void, number>();
    let idle = async (): Promise<void> => {};
    let server: RunningServer | null = null;
    let child: ChildProcess | null = null;

    const settings = ({ gate, environment }: Pick<AppOrder, 'gate' | 'environment'>) => ({
      EVIDENT_START: 'automatic',
      ...environment,
      EVIDENT_GATE: gate,
      APP_ID: String(github.app.id),
      PRIVATE_KEY: github.app.privateKey,
      WEBHOOK_SECRET: github.app.webhookSecret,
      GITHUB_API_URL: github.apiUrl,
    });

    async function start({ gate, environment, ...options }: AppOrder): Promise<void> {
      const source = settings({ gate, ...(environment !== undefined && { environment }) });
      const env = readEnv(source);
      if (env.github === null) throw new Error('The local GitHub has an app.');
      const deps = await compose(env, {
        log,
        clock,
        // Waits for GitHub's lag are waits for nothing here.
        sleep: (ms) => {
          slept.push(ms);
          return delay(Math.min(ms, 20));
        },
        timer: (ms, ring) => {
          due.set(ring, clock() + ms);
          return () => due.delete(ring);
        },
        // Lost deliveries stay lost, unless a test is about them.
        redeliver: false,
        onHandled: (one) => void handled.push(one),
        ...options,
      });
      const app = await createApp(env.github, deps);
      idle = () => app.idle();
      server = await startServer({
        environment: source,
        port: 0,
        host: '127.0.0.1',
        load: async () => app,
        log,
      });
      github.onWebhook(`${server.url}/api/github/webhooks`);
    }

    async function stop(): Promise<void> {
      github.onWebhook(null);
      await server?.stop();
      await idle();
      due.clear();
      server = null;
      child?.kill('SIGKILL');
      child = null;
    }

    const push = async (pushed: Readonly<Record<string, FileChange>>): Promise<string> => {
      const first = heads.length === 0;
      const sha = await repository.commit({
        branch,
        files: pushed,
        message: `Change ${heads.length + 1}`,
        author: 'octocat',
        ...(first && { from: 'main' }),
      });
      heads.push(sha);
      return sha;
    };

    const settled = async (): Promise<void> => {
      for (let seen = -1; seen !== github.deliveries().length;) {
        seen = github.deliveries().length;
        await github.settled();
        await server?.idle();
        await idle();
      }
    };

    await push(order.changes ?? change);
    await order.before?.(repository);
    if (order.started === false) github.onWebhook(`${nobody}/api/github/webhooks`);
    else await start(order);
    const number = await repository.openPullRequest({
      title: 'Choose the refund',
      author: 'octocat',
      ...order.pull,
      head: branch,
    });
    const ours = (login: string): boolean => login.startsWith(github.app.slug);

    return {
      repository,
      number,
      warned,
      handled,
      slept: () => slept,
      push,
      settled,
      later: (ms) => {
        offset += ms;
        for (const [ring, at] of [...due].sort(([, a], [, b]) => a - b)) {
          if (at > clock()) continue;
          due.delete(ring);
          ring();
        }
      },
      waits: () => [...due.values()].sort((a, b) => a - b),
      redeliver: async (action = 'opened') => {
        const last = github
          .deliveries()
          .findLast((one) => one.action === action && one.repository === repository.fullName);
        if (last === undefined) throw new Error(`Nothing was ${action}.`);
        await github.redeliver(last.id);
      },
      restart: async (next) => {
        await stop();
        await start(next);
      },
      spawn: async (next) => {
        await stop();
        // What earlier tests lost is not sent again to this one.
        github.faults.add({
          match: ({ path }) => path === '/app/hook/deliveries',
          before: { status: 200, body: [] },
        });
        const program = await startProgram({ ...process.env, ...settings(next) });
        child = program.child;
        github.onWebhook(`${program.url}/api/github/webhooks`);
        return program.child;
      },
      stands: () => {
        const pull = repository.pull(number);
        return {
          reviews: pull.reviews.map(
            ({ author, body }) => `${ours(author) ? '' : `${author}: `}${firstLine(body)}`,
          ),
          threads: pull.threads.map(({ path, line, side }) => `${path}:${line ?? 'outdated'} ${side}`),
          comments: pull.comments.length,
          checks: pull.allChecks.map(
            (run) =>
              `head ${heads.indexOf(run.headSha) + 1}: ${run.status === 'completed' ? run.conclusion : run.status}, ${run.title}`,
          ),
          mergeable: pull.mergeable(),
        };
      },
      checkText: () => {
        const run = repository.pull(number).allChecks.at(-1);
        return `${run?.summary ?? ''}\n\n${run?.text ?? ''}`;
      },
      close: async () => {
        await stop();
        repository.permissions = permissions;
        github.faults.clear();
      },
    };
  }

  return {
    github,
    open,
    close: async () => {
      github.onWebhook(null);
      await github.close();
    },
  };
}

/** Nothing listens there: what is sent is lost, and can be delivered again. */
const nobody = 'http://127.0.0.1:9';

const firstLine = (body: string): string => body.split('\n')[0] ?? '';

/** `evident serve` as a person starts it. */
async function startProgram(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const program = fileURLToPath(new URL('../bin/evident.js', import.meta.url));
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--host', '127.0.0.1'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (bytes: Buffer) => void (said += bytes.toString('utf8')));
    child.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString('utf8');
      const address = /Listening at (http:\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(`The program did not start: ${said}`)));
  });
  return { child, url };
}
