import { createAppAuth as createJwtAuth } from '@octokit/auth-app';
import { z } from 'zod';
import { ForgeError } from '../../core/errors.js';
import type { Log } from '../../ports/log.js';
import { createGitHubClient } from './client.js';
import type { GitHubClient, RequestRecord } from './client.js';
import { installationUrlOf } from './addresses.js';

/** The app as itself: tokens narrowed to one repository, and who it is. */
export type AppAuth = {
  /** Kept until five minutes before it expires; `requests` is what this call cost, empty when it was kept. */
  installationToken(
    target: InstallationTarget,
    options?: { readonly fresh?: boolean },
  ): Promise<InstallationToken>;
  /** Asked once in the life of the process. */
  identity(): Promise<AppIdentity>;
  /** For what the app does as itself; each has a deadline of its own. */
  client(deadline: number): GitHubClient;
};

export type InstallationTarget = {
  readonly installation: number;
  readonly owner: string;
  readonly repo: string;
};

export type InstallationToken = {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** What the installation has granted, e.g. `{ checks: 'write' }`: new permissions wait until an owner accepts. */
  readonly permissions: Readonly<Record<string, string>>;
  /** The page on which an owner accepts what is missing, when GitHub says whose the repository is. */
  readonly settingsUrl?: string;
  readonly requests: readonly RequestRecord[];
};

/** `botLogin` is the author of what the app writes: `SLUG[bot]`. */
export type AppIdentity = {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly botLogin: string;
  readonly htmlUrl: string;
};

export type AppAuthOptions = {
  readonly appId: string | number;
  /** PEM, PKCS#1 or PKCS#8. */
  readonly privateKey: string;
  readonly apiUrl: string;
  readonly log: Log;
  readonly clock?: () => number;
  readonly fetch?: typeof fetch;
};

const SPARE_MS = 5 * 60_000;
const CALL_MS = 20_000;

const TokenAnswer = z.object({
  token: z.string().min(1),
  expires_at: z.string(),
  permissions: z.record(z.string(), z.string()).default({}),
  repositories: z
    .array(z.object({ owner: z.object({ login: z.string(), type: z.string() }) }))
    .optional()
    .catch(undefined),
});

const AppAnswer = z.object({ id: z.number(), slug: z.string(), name: z.string(), html_url: z.string() });

export function createAppAuth(options: AppAuthOptions): AppAuth {
  const clock = options.clock ?? Date.now;
  const jwt = createJwtAuth({ appId: options.appId, privateKey: options.privateKey });
  const tokens = new Map<string, InstallationToken>();
  let identity: Promise<AppIdentity> | undefined;

  const client = (deadline: number): GitHubClient =>
    createGitHubClient({
      apiUrl: options.apiUrl,
      token: async () => (await jwt({ type: 'app' })).token,
      log: options.log,
      deadline,
      clock,
      ...(options.fetch ? { fetch: options.fetch } : {}),
    });

  async function newToken({ installation, owner, repo }: InstallationTarget): Promise<InstallationToken> {
    const github = client(clock() + CALL_MS);
    const route = '/app/installations/{installation_id}/access_tokens';
    const params = { installation_id: installation, repositories: [repo] };
    const reason = `token for ${owner}/${repo}`;
    for (let tried = 1; ; tried++) {
      try {
        const { data } = await github.write('POST', route, params, reason);
        const answer = TokenAnswer.parse(data);
        const expiresAt = Date.parse(answer.expires_at);
        const account = answer.repositories?.[0]?.owner;
        return {
          token: answer.token,
          expiresAt: Number.isNaN(expiresAt) ? clock() + 2 * SPARE_MS : expiresAt,
          permissions: answer.permissions,
          ...(account !== undefined && {
            settingsUrl: installationUrlOf(options.apiUrl, {
              id: installation,
              owner: account.login,
              ownerIsOrganization: account.type === 'Organization',
            }),
          }),
          requests: github.requests(),
        };
      } catch (error) {
        // A token made twice does no harm, so an unknown outcome is tried again here, unlike other writes.
        if (error instanceof ForgeError && error.unknown && tried < 3) continue;
        throw explain(error, owner, repo);
      }
    }
  }

  return {
    client,
    async installationToken(target, { fresh = false } = {}) {
      const key = `${target.installation}:${target.owner}/${target.repo}`.toLowerCase();
      const kept = tokens.get(key);
      if (!fresh && kept && kept.expiresAt - SPARE_MS > clock()) return { ...kept, requests: [] };
      const made = await newToken(target);
      for (const [other, token] of tokens) if (token.expiresAt <= clock()) tokens.delete(other);
      tokens.set(key, made);
      return made;
    },
    identity() {
      identity ??= client(clock() + CALL_MS)
        .get('/app', {}, 'who this app is')
        .then((data) => {
          const app = AppAnswer.parse(data);
          const { id, slug, name } = app;
          return { id, slug, name, botLogin: `${slug}[bot]`, htmlUrl: app.html_url };
        })
        .catch((error: unknown) => {
          identity = undefined;
          throw error;
        });
      return identity;
    },
  };
}

function explain(error: unknown, owner: string, repo: string): unknown {
  if (!(error instanceof ForgeError)) return error;
  const mend =
    error.status === 401
      ? `GitHub does not know this app: check that the app id and the private key belong together. (${error.message})`
      : error.status === 404
        ? `The app is not installed on ${owner}/${repo} any more.`
        : error.status === 422
          ? `The installation does not include ${owner}/${repo}: add the repository in its settings. (${error.message})`
          : null;
  if (mend === null) return error;
  return new ForgeError(mend, { ...(error.status === undefined ? {} : { status: error.status }) });
}
