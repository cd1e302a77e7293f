/**
 * A GitHub on loopback for the demo, tests, evals and benches. A real part, not a mock: node:http, REST and GraphQL at
 * GitHub's and Enterprise's paths, signed webhooks; what people wrote is kept in memory, every fact of git comes from a
 * real bare repository in a temporary folder. It refuses what GitHub refuses; what is only believed of GitHub is listed
 * in docs/github-facts.md.
 */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issuePersonalToken, type NewApp, registerApp } from './auth.js';
import { createFaults, type Faults } from './faults.js';
import { createBareRepository, endEveryGit } from './git.js';
import { answerGraphql } from './graphql.js';
import { createLocalRepository, type LocalRepository } from './local-repository.js';
import { type FileChange, moveBranch, readFolder, writeCommit } from './objects.js';
import { showPage } from './pages/index.js';
import { appRoutes } from './routes/app.js';
import { checkRoutes } from './routes/checks.js';
import { contentRoutes } from './routes/contents.js';
import { issueRoutes } from './routes/issues.js';
import { pullRoutes } from './routes/pulls.js';
import { reviewRoutes } from './routes/reviews.js';
import { type RequestLogEntry, startServer } from './server.js';
import {
  accountOf,
  type App,
  fullName,
  type Limits,
  nextId,
  nodeId,
  now,
  type Permissions,
  type Repository,
  type World,
} from './state.js';
import { createWebhooks, type Delivery } from './webhooks.js';

export type { Mergeability } from './checks.js';
export type { DeliveryFault, Fault, FaultAnswer, FaultRequest, Faults } from './faults.js';
export type {
  CheckView,
  CommentView,
  CommitOrder,
  LocalRepository,
  PersonActions,
  PullOrder,
  PullView,
  ReviewView,
  ThreadView,
} from './local-repository.js';
export type { FileChange } from './objects.js';
export type { RequestLogEntry } from './server.js';
export type { App, CollaboratorPermission, Permissions } from './state.js';
export type { Delivery } from './webhooks.js';

export type LocalGitHubOptions = {
  /** 0, the default, takes any free port; a taken one is passed over for the next that is free. */
  readonly port?: number;
  readonly host?: '127.0.0.1';
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly appSlug?: string;
  readonly permissions?: Permissions;
  readonly events?: readonly string[];
  /** Smaller limits, so that a test need not write 3,000 files. */
  readonly limits?: Partial<Limits>;
};

export type NewRepository = {
  readonly owner: string;
  readonly name: string;
  readonly defaultBranch?: string;
  readonly private?: boolean;
  readonly ownerType?: 'Organization' | 'User';
} & (
  | { readonly files: Readonly<Record<string, FileChange>>; readonly fromDirectory?: undefined }
  | { readonly fromDirectory: string; readonly files?: undefined }
);

export type LocalGitHub = {
  readonly url: string;
  readonly apiUrl: string;
  readonly port: number;
  readonly app: App;
  readonly createRepository: (order: NewRepository) => Promise<LocalRepository>;
  readonly repository: (fullName: string) => LocalRepository;
  /** Another app with its own key and installation. */
  readonly registerApp: (app: NewApp) => App;
  /** A token of a person, for speaking the API as somebody else. */
  readonly tokenOf: (login: string) => string;
  readonly deleteAccount: (login: string) => void;
  readonly suspend: (suspended: boolean) => void;
  readonly requests: () => readonly RequestLogEntry[];
  readonly clearRequests: () => void;
  /** Where the app's webhooks go; null stops them. */
  readonly onWebhook: (url: string | null) => void;
  readonly deliveries: () => readonly Delivery[];
  readonly redeliver: (id: number) => Promise<Delivery>;
  /** Resolves when no webhook is under way. */
  readonly settled: () => Promise<void>;
  readonly faults: Faults;
  readonly close: () => Promise<void>;
};

const LIMITS: Limits = {
  patch: { lines: 20_000, bytes: 500_000 },
  diffFiles: 300,
  diffLines: 20_000,
  listedFiles: 3000,
  comparedFiles: 300,
  treeEntries: 100_000,
  requestsAnHour: 5000,
};

export const startLocalGitHub = async (options: LocalGitHubOptions = {}): Promise<LocalGitHub> => {
  const folder = await mkdtemp(join(tmpdir(), 'local-github-'));
  // A process that ends without `close` leaves no repositories behind.
  const sweep = () => {
    endEveryGit();
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    } catch {
      // Nobody is left to tell; it is in the machine's temporary folder.
    }
  };
  process.once('exit', sweep);
  const world: World = {
    clock: options.clock ?? Date.now,
    url: '',
    folder,
    limits: { ...LIMITS, ...options.limits },
    accounts: new Map(),
    apps: [],
    repositories: new Map(),
    tokens: new Map(),
    counters: new Map(),
    lagMs: 0,
    emit: () => undefined,
  };
  const faults = createFaults((ms) => {
    world.lagMs = ms;
  });
  const webhooks = createWebhooks(world, faults);
  world.emit = webhooks.emit;
  const server = await startServer(
    world,
    faults,
    {
      routes: [
        ...appRoutes(webhooks.deliveries, webhooks.redeliver),
        ...checkRoutes,
        ...reviewRoutes,
        ...pullRoutes,
        ...issueRoutes,
        ...contentRoutes,
      ],
      graphql: answerGraphql,
      page: showPage,
    },
    { host: options.host ?? '127.0.0.1', port: options.port ?? 0 },
  );
  world.url = `http://${options.host ?? '127.0.0.1'}:${server.port}`;
  const app = registerApp(world, {
    slug: options.appSlug ?? 'evident',
    ...(options.permissions === undefined ? {} : { permissions: options.permissions }),
    ...(options.events === undefined ? {} : { events: options.events }),
  });
  let ci: App | null = null;
  const otherApp = (): App => (ci ??= registerApp(world, { slug: 'github-actions', name: 'GitHub Actions' }));
  const locals = new Map<string, LocalRepository>();
  return {
    url: world.url,
    apiUrl: `${world.url}/api/v3`,
    port: server.port,
    app,
    createRepository: async (order) => {
      const repository = await makeRepository(world, order);
      const local = createLocalRepository(world, repository, app, otherApp);
      locals.set(local.fullName.toLowerCase(), local);
      world.emit({
        kind: 'installation_repositories',
        action: 'added',
        app,
        repository,
        sender: repository.owner,
      });
      return local;
    },
    repository: (name) => {
      const local = locals.get(name.toLowerCase());
      if (local === undefined) throw new Error(`no repository ${name}`);
      return local;
    },
    registerApp: (next) => registerApp(world, next),
    tokenOf: (login) => issuePersonalToken(world, accountOf(world, login)),
    deleteAccount: (login) => {
      accountOf(world, login).gone = true;
    },
    suspend: (suspended) => {
      app.suspended = suspended;
      const action = suspended ? 'suspend' : 'unsuspend';
      world.emit({ kind: 'installation', action, app, sender: app.owner });
    },
    requests: () => [...server.log],
    clearRequests: server.clearLog,
    onWebhook: (url) => {
      app.webhookUrl = url;
    },
    deliveries: () => [...webhooks.deliveries()],
    redeliver: webhooks.redeliver,
    settled: webhooks.settled,
    faults,
    close: async () => {
      webhooks.stop();
      await server.close();
      process.off('exit', sweep);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};

const makeRepository = async (world: World, order: NewRepository): Promise<Repository> => {
  const key = `${order.owner}/${order.name}`.toLowerCase();
  if (!/^[\w.-]+\/[\w.-]+$/.test(key)) throw new Error(`${key} is no name for a repository`);
  if (world.repositories.has(key)) throw new Error(`there is a repository ${key} already`);
  const owner = accountOf(world, order.owner, order.ownerType ?? 'Organization');
  const defaultBranch = order.defaultBranch ?? 'main';
  const dir = join(world.folder, `${owner.login}+${order.name}.git`);
  await mkdir(dir);
  const git = await createBareRepository(dir, defaultBranch);
  const files = order.files ?? (await readFolder(order.fromDirectory));
  const sha = await writeCommit(git, {
    parents: [],
    files,
    message: 'Initial commit',
    author: { name: owner.login, email: `${owner.login}@users.noreply.local-github.invalid` },
    at: world.clock(),
  });
  await moveBranch(git, defaultBranch, sha, null);
  const id = nextId(world, 'repository');
  const at = now(world);
  const repository: Repository = {
    id,
    nodeId: nodeId('R', id),
    owner,
    name: order.name,
    private: order.private ?? false,
    fork: false,
    git,
    createdAt: at,
    pushedAt: at,
    defaultBranch,
    nextNumber: 1,
    pulls: new Map(),
    labels: new Map(),
    collaborators: new Map(),
    checkRuns: [],
    checkSuites: [],
    requiredChecks: [],
    turn: Promise.resolve(),
  };
  world.repositories.set(fullName(repository).toLowerCase(), repository);
  return repository;
};
