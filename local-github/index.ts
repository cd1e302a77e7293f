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
import { createAppForms } from './app-forms.js';
import { issuePersonalToken, type NewApp, registerApp } from './auth.js';
import { createFaults, type Faults } from './faults.js';
import { createBareRepository, endEveryGit } from './git.js';
import { answerGraphql } from './graphql.js';
import { createLocalRepository, type LocalRepository } from './local-repository.js';
import type { Manifest } from './manifest.js';
import { watchQueue } from './merge-queue.js';
import { type FileChange, moveBranch, readFolder, writeCommit } from './objects.js';
import { createPages } from './pages/index.js';
import { createPast, noteWrite, setLag } from './past.js';
import type { Resource } from './rate-limits.js';
import { appRoutes } from './routes/app.js';
import { checkRoutes } from './routes/checks.js';
import { contentRoutes } from './routes/contents.js';
import { issueRoutes } from './routes/issues.js';
import { pullRoutes } from './routes/pulls.js';
import { reviewRoutes } from './routes/reviews.js';
import { loadWorld, saveWorld } from './saved.js';
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
  repositoryNamed,
  type Rules,
  type World,
} from './state.js';
import { createWebhooks, type Delivery } from './webhooks.js';

export type { Mergeability } from './checks.js';
export type { DeliveryFault, Fault, FaultAnswer, FaultRequest, Faults, GraphqlFault } from './faults.js';
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
export { type Manifest, validateManifest } from './manifest.js';
export type { FileChange } from './objects.js';
export type { RequestLogEntry } from './server.js';
export type { App, Caption, CollaboratorPermission, Offer, Permissions, Rules } from './state.js';
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
  /** GitHub's own unkindness. 'github' is all of it; unless told, all but the limit of writes a minute. */
  readonly rules?: Partial<Rules> | 'github';
  /** A file that `save` wrote: its apps, repositories and all that people wrote go on. Tokens are asked for anew. */
  readonly from?: string;
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
  /** Takes the app off the account: its tokens end at once. */
  readonly uninstall: () => void;
  /** Installs it again, under a new installation id; or another app that was registered from a manifest. */
  readonly install: (slug?: string) => void;
  /** The owner accepts other permissions; tokens that are out keep what they have in common with them. */
  readonly acceptPermissions: (permissions: Permissions) => void;
  /** Takes one repository out of the installation, or puts it back. */
  readonly selectRepository: (fullName: string, selected: boolean) => void;
  readonly renameRepository: (
    fullName: string,
    to: { readonly owner?: string; readonly name?: string },
  ) => void;
  /** Deletes a repository; pull requests whose head lives there keep their commits and lose the repository. */
  readonly deleteRepository: (fullName: string) => void;
  /** What a browser does with an app's manifest: answers the code that `POST /app-manifests/{code}/conversions` takes. */
  readonly submitManifest: (manifest: Manifest) => string;
  readonly rules: Rules;
  /** Leaves nothing of the hour's requests to a login (`evident[bot]`). */
  readonly spendRateLimit: (login: string, resource?: Resource) => void;
  readonly requests: () => readonly RequestLogEntry[];
  readonly clearRequests: () => void;
  /** Where the app's webhooks go; null stops them. */
  readonly onWebhook: (url: string | null) => void;
  readonly deliveries: () => readonly Delivery[];
  readonly redeliver: (id: number) => Promise<Delivery>;
  /** Resolves when no webhook is under way. */
  readonly settled: () => Promise<void>;
  readonly faults: Faults;
  /** Writes all of it to a file, with the repositories beside it in `FILE.git`. */
  readonly save: (file: string) => Promise<void>;
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
  deliveryMs: 10_000,
};

/**
 * 80 writes a minute: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api. A file of tests
 * writes more in a minute than an app in production, so that it is left out unless asked for.
 */
const GITHUB_RULES: Rules = {
  lateAnswerAbove: 30,
  contentRequestsAMinute: 80,
  mergeableLater: true,
  spentStatus: 403,
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
    moved: new Map(),
    tokens: new Map(),
    counters: new Map(),
    ...(options.from === undefined ? {} : await loadWorld(options.from, folder)),
    rules: {
      ...GITHUB_RULES,
      ...(options.rules === 'github' ? {} : { contentRequestsAMinute: null, ...options.rules }),
    },
    past: createPast(),
    background: new Set(),
    offers: new Map(),
    captions: new Map(),
    watchers: new Set(),
    emit: () => undefined,
  };
  const faults = createFaults((ms) => setLag(world, ms));
  const webhooks = createWebhooks(world, faults);
  const forms = createAppForms(world);
  world.emit = (event) => {
    webhooks.emit(event);
    watchQueue(world, event);
    if ('repository' in event) noteWrite(world, event.repository);
  };
  const server = await startServer(
    world,
    faults,
    {
      routes: [
        ...appRoutes(webhooks.deliveries, webhooks.redeliver, forms.convert),
        ...checkRoutes,
        ...reviewRoutes,
        ...pullRoutes,
        ...issueRoutes,
        ...contentRoutes,
      ],
      graphql: answerGraphql,
      page: createPages(forms.answer),
    },
    { host: options.host ?? '127.0.0.1', port: options.port ?? 0 },
  );
  world.url = `http://${options.host ?? '127.0.0.1'}:${server.port}`;
  const slug = options.appSlug ?? 'evident';
  const appOf = (name: string) => world.apps.find((entry) => entry.slug === name);
  const app =
    appOf(slug) ??
    registerApp(world, {
      slug,
      ...(options.permissions === undefined ? {} : { permissions: options.permissions }),
      ...(options.events === undefined ? {} : { events: options.events }),
    });
  // Nobody listens at the address of the process before.
  for (const entry of world.apps) entry.webhookUrl = null;
  const otherApp = (): App =>
    appOf('github-actions') ?? registerApp(world, { slug: 'github-actions', name: 'GitHub Actions' });
  const locals = new Map<number, LocalRepository>();
  const localOf = (repository: Repository): LocalRepository => {
    const local = locals.get(repository.id) ?? createLocalRepository(world, repository, app, otherApp);
    locals.set(repository.id, local);
    return local;
  };
  const known = (name: string): Repository => {
    const named = repositoryNamed(world, name);
    if (named === null) throw new Error(`no repository ${name}`);
    return named.repository;
  };
  return {
    url: world.url,
    apiUrl: `${world.url}/api/v3`,
    port: server.port,
    app,
    createRepository: async (order) => {
      const repository = await makeRepository(world, order);
      const local = localOf(repository);
      world.emit({
        kind: 'installation_repositories',
        action: 'added',
        app,
        repository,
        sender: repository.owner,
      });
      return local;
    },
    repository: (name) => localOf(known(name)),
    registerApp: (next) => registerApp(world, next),
    tokenOf: (login) => issuePersonalToken(world, accountOf(world, login)),
    deleteAccount: (login) => {
      accountOf(world, login).gone = true;
      for (const repository of world.repositories.values()) noteWrite(world, repository);
    },
    suspend: (suspended) => {
      app.suspendedAt = suspended ? now(world) : null;
      const action = suspended ? 'suspend' : 'unsuspend';
      world.emit({ kind: 'installation', action, app, sender: app.owner });
    },
    uninstall: () => {
      world.emit({ kind: 'installation', action: 'deleted', app, sender: app.owner });
      app.installed = false;
      app.suspendedAt = null;
      app.withheld.clear();
      for (const token of [...world.tokens.values()]) if (token.app === app) world.tokens.delete(token.value);
    },
    install: (name = slug) => {
      const which = appOf(name);
      if (which === undefined) throw new Error(`no app ${name}`);
      if (which.installed) throw new Error(`${which.slug} is installed`);
      which.installed = true;
      which.installationId = nextId(world, 'installation');
      world.emit({ kind: 'installation', action: 'created', app: which, sender: which.owner });
    },
    acceptPermissions: (permissions) => {
      app.permissions = { metadata: 'read', ...permissions };
      world.emit({ kind: 'installation', action: 'new_permissions_accepted', app, sender: app.owner });
    },
    selectRepository: (name, selected) => {
      const repository = known(name);
      if (selected) app.withheld.delete(repository.id);
      else app.withheld.add(repository.id);
      const action = selected ? 'added' : 'removed';
      world.emit({ kind: 'installation_repositories', action, app, repository, sender: repository.owner });
    },
    renameRepository: (name, to) => renameRepository(world, known(name), to),
    deleteRepository: (name) => deleteRepository(world, known(name)),
    submitManifest: forms.submit,
    rules: world.rules,
    spendRateLimit: server.limits.spend,
    requests: () => [...server.log],
    clearRequests: server.clearLog,
    onWebhook: (url) => {
      app.webhookUrl = url;
    },
    deliveries: () => [...webhooks.deliveries()],
    redeliver: webhooks.redeliver,
    settled: webhooks.settled,
    faults,
    save: async (file) => {
      await webhooks.settled();
      await saveWorld(world, file);
    },
    close: async () => {
      webhooks.stop();
      await server.close();
      await Promise.all(world.background);
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
  const id = nextId(world, 'repository');
  // A name may be taken over by another repository after a rename.
  const dir = join(world.folder, `${owner.login}+${order.name}+${id}.git`);
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
    queue: [],
    turn: Promise.resolve(),
  };
  world.repositories.set(fullName(repository).toLowerCase(), repository);
  return repository;
};

const renameRepository = (
  world: World,
  repository: Repository,
  to: { readonly owner?: string; readonly name?: string },
): void => {
  const from = fullName(repository).toLowerCase();
  const before = repository.name;
  const owner = to.owner === undefined ? repository.owner : accountOf(world, to.owner, 'Organization');
  const key = `${owner.login}/${to.name ?? before}`.toLowerCase();
  if (world.repositories.has(key)) throw new Error(`there is a repository ${key} already`);
  repository.owner = owner;
  repository.name = to.name ?? before;
  world.repositories.delete(from);
  world.repositories.set(key, repository);
  world.moved.set(from, repository.id);
  world.moved.delete(key);
  const sender = owner;
  const changes = { repository: { name: { from: before } } };
  if (repository.name !== before)
    world.emit({ kind: 'repository', action: 'renamed', repository, sender, changes });
  else noteWrite(world, repository);
};

const deleteRepository = (world: World, repository: Repository): void => {
  world.emit({ kind: 'repository', action: 'deleted', repository, sender: repository.owner });
  world.repositories.delete(fullName(repository).toLowerCase());
  for (const other of world.repositories.values())
    for (const pull of other.pulls.values())
      if (pull.headRepository === repository) {
        pull.headRepository = null;
        noteWrite(world, other);
      }
};
