import { createPublicKey, createVerify, generateKeyPairSync, randomBytes } from 'node:crypto';
import { Refusal } from './refusal.js';
import {
  type Access,
  type Account,
  type Actor,
  accountOf,
  type App,
  nextId,
  nodeId,
  now,
  type Permissions,
  type Repository,
  type Token,
  type World,
} from './state.js';

export type NewApp = {
  readonly slug: string;
  readonly name?: string;
  readonly permissions?: Permissions;
  readonly events?: readonly string[];
  readonly owner?: string;
  /** Whether it is installed from the start; true unless told. */
  readonly installed?: boolean;
  /** `permissions` are all there are; else they are laid over the default ones. */
  readonly exact?: boolean;
};

/** The permissions an installation has until a repository says otherwise. */
export const DEFAULT_PERMISSIONS: Permissions = {
  metadata: 'read',
  contents: 'read',
  pull_requests: 'write',
  checks: 'write',
  issues: 'read',
  merge_queues: 'read',
};

const DEFAULT_EVENTS = [
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'issue_comment',
  'check_run',
  'check_suite',
  'merge_group',
];

/** Registers an app with its own key and one installation. */
export const registerApp = (world: World, app: NewApp): App => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const id = nextId(world, 'app');
  const made: App = {
    id,
    nodeId: nodeId('A', id),
    slug: app.slug,
    name: app.name ?? app.slug,
    clientId: `Iv23li${randomBytes(7).toString('hex')}`,
    owner: accountOf(world, app.owner ?? 'octo-org', 'Organization'),
    bot: accountOf(world, `${app.slug}[bot]`, 'Bot'),
    privateKey,
    publicKey: createPublicKey(privateKey),
    webhookSecret: randomBytes(24).toString('hex'),
    installationId: nextId(world, 'installation'),
    createdAt: now(world),
    events: app.events ?? DEFAULT_EVENTS,
    webhookUrl: null,
    permissions: app.exact === true ? { ...app.permissions } : { ...DEFAULT_PERMISSIONS, ...app.permissions },
    suspendedAt: null,
    installed: app.installed ?? true,
    withheld: new Set(),
  };
  world.apps.push(made);
  return made;
};

export type Caller =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'app'; readonly app: App }
  | { readonly kind: 'token'; readonly actor: Actor & { readonly token: Token } };

/** Reads the authorization header; throws the 401 that GitHub gives for one that does not hold. */
export const authenticate = (world: World, header: string | undefined): Caller => {
  if (header === undefined || header === '') return { kind: 'nobody' };
  const value = credentials(header);
  if (value.split('.').length === 3) return { kind: 'app', app: verifyJwt(world, value) };
  const token = world.tokens.get(value);
  if (token === undefined || (token.expiresAt !== undefined && token.expiresAt <= world.clock()))
    throw new Refusal(401, 'Bad credentials');
  if (token.app?.installed === false) throw new Refusal(401, 'Bad credentials');
  if ((token.app?.suspendedAt ?? null) !== null) throw suspended();
  return {
    kind: 'token',
    actor: { account: token.account, ...(token.app === undefined ? {} : { app: token.app }), token },
  };
};

const suspended = () => new Refusal(403, 'This installation has been suspended');

const credentials = (header: string): string => {
  const [scheme = '', rest = ''] = header.split(/\s+(.*)/s);
  if (/^(bearer|token)$/i.test(scheme)) return rest.trim();
  if (/^basic$/i.test(scheme)) {
    const [, password = ''] = Buffer.from(rest, 'base64').toString('utf8').split(/:(.*)/s);
    return password;
  }
  throw new Refusal(401, 'Bad credentials');
};

/** https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
const verifyJwt = (world: World, jwt: string): App => {
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const undecodable = () => new Refusal(401, 'A JSON web token could not be decoded');
  const read = (part: string): Record<string, unknown> => {
    try {
      const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    } catch {
      // Told below: it is the same refusal.
    }
    throw undecodable();
  };
  const claims = read(payload);
  if (read(header).alg !== 'RS256') throw undecodable();
  const app = world.apps.find(
    (entry) => String(entry.id) === String(claims.iss) || entry.clientId === claims.iss,
  );
  if (app === undefined)
    throw new Refusal(404, 'Integration not found', { documentation_url: 'https://docs.github.com/rest' });
  const check = createVerify('RSA-SHA256').update(`${header}.${payload}`);
  if (!check.verify(app.publicKey, Buffer.from(signature, 'base64url'))) throw undecodable();
  const seconds = world.clock() / 1000;
  const { exp, iat } = claims;
  if (typeof exp !== 'number' || !Number.isInteger(exp))
    throw new Refusal(401, "Missing 'exp' claim in assertion");
  if (exp <= seconds)
    throw new Refusal(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  if (exp > seconds + 600 + 60)
    throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future");
  if (typeof iat !== 'number' || iat > seconds + 60)
    throw new Refusal(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  return app;
};

const HOUR_MS = 3_600_000;
const TOKENS_KEPT = 5000;

/** An installation token for an hour, narrowed as asked; more than the installation has is refused. */
export const issueToken = (
  world: World,
  app: App,
  ask: {
    readonly repositories?: readonly string[];
    readonly repositoryIds?: readonly number[];
    readonly permissions?: Readonly<Record<string, string>>;
  },
): { token: Token; repositories: Repository[] | null } => {
  if (app.suspendedAt !== null) throw suspended();
  const all = [...world.repositories.values()].filter((repository) => !app.withheld.has(repository.id));
  const names = (ask.repositories ?? []).map((name) =>
    all.find((repository) => repository.name.toLowerCase() === name.toLowerCase()),
  );
  const ids = (ask.repositoryIds ?? []).map((id) => all.find((repository) => repository.id === id));
  const chosen = [...names, ...ids];
  if (chosen.includes(undefined))
    throw new Refusal(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  const repositories = chosen.filter((entry): entry is Repository => entry !== undefined);
  for (const [name, wanted] of Object.entries(ask.permissions ?? {})) {
    if (rank(app.permissions[name] ?? 'none') < rank(wanted))
      throw new Refusal(422, 'The permissions requested are not granted to this installation.');
  }
  const token: Token = {
    value: `ghs_${randomBytes(27).toString('base64url')}`,
    account: app.bot,
    app,
    expiresAt: world.clock() + HOUR_MS,
    ...(repositories.length === 0 ? {} : { repositories: new Set(repositories.map((entry) => entry.id)) }),
    ...(ask.permissions === undefined ? {} : { permissions: { metadata: 'read', ...ask.permissions } }),
  };
  keepToken(world, token);
  return { token, repositories: repositories.length === 0 ? null : repositories };
};

/** A person's token, for tests that speak the API as somebody else. */
export const issuePersonalToken = (world: World, account: Account): string => {
  const value = `ghp_${randomBytes(27).toString('base64url')}`;
  keepToken(world, { value, account });
  return value;
};

const keepToken = (world: World, token: Token): void => {
  world.tokens.set(token.value, token);
  if (world.tokens.size <= TOKENS_KEPT) return;
  const oldest = world.tokens.keys().next();
  if (oldest.done !== true) world.tokens.delete(oldest.value);
};

const rank = (access: string): number =>
  access === 'write' || access === 'admin' ? 2 : access === 'read' ? 1 : 0;

/** A permission as GitHub's header writes it: `pull_requests=write`. */
export type Need = `${string}=${'read' | 'write'}`;

/** Whether the token reaches the repository at all; if not, GitHub answers 404. */
export const reaches = (actor: Actor, repository: Repository): boolean => {
  if (actor.app !== undefined)
    return (
      !actor.app.withheld.has(repository.id) &&
      (actor.token?.repositories === undefined || actor.token.repositories.has(repository.id))
    );
  return !repository.private || permissionOf(repository, actor.account) !== 'none';
};

/** One of the needs suffices. */
export const may = (actor: Actor, repository: Repository, needs: readonly Need[]): boolean =>
  needs.length === 0 || needs.some((need) => mayOne(actor, repository, need));

const mayOne = (actor: Actor, repository: Repository, need: Need): boolean => {
  const [name = '', access = 'read'] = need.split('=');
  const { app } = actor;
  if (app !== undefined) {
    const granted = app.permissions[name] ?? 'none';
    const narrowed =
      actor.token?.permissions === undefined ? granted : (actor.token.permissions[name] ?? 'none');
    return Math.min(rank(granted), rank(narrowed)) >= rank(access);
  }
  if (access === 'read') return true;
  // Anyone who can read may comment and review; the rest needs write access.
  if (name === 'pull_requests' || name === 'issues') return true;
  return name !== 'checks' && canWrite(repository, actor.account);
};

export const permissionOf = (
  repository: Repository,
  account: Account,
): 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none' => {
  if (account.gone) return 'none';
  if (account === repository.owner) return 'admin';
  const given = repository.collaborators.get(account.login.toLowerCase());
  return given ?? (repository.private ? 'none' : 'read');
};

export const canWrite = (repository: Repository, account: Account): boolean =>
  ['admin', 'maintain', 'write'].includes(permissionOf(repository, account));

export const grantedTo = (app: App): Record<string, Exclude<Access, 'none'>> =>
  Object.fromEntries(
    Object.entries(app.permissions).filter(
      (entry): entry is [string, 'read' | 'write'] => entry[1] !== 'none',
    ),
  );
