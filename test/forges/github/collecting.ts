import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectPulls, readCollectFlags } from '../../../cli/reward/collect.js';
import type { CollectFlags } from '../../../cli/reward/collect.js';
import type { PastPull } from '../../../lib/core/past-pull.js';
import {
  startLocalGitHub,
  type FaultRequest,
  type LocalGitHub,
  type LocalGitHubOptions,
  type LocalRepository,
} from '../../../local-github/index.js';
import { plantPast, type Truth } from './planted-past.js';

type At = { readonly apiUrl?: string; readonly token?: string };

/** A local GitHub with a past of 14 pull requests, and a clock that moves when somebody sleeps. */
export type Collecting = {
  readonly github: LocalGitHub;
  readonly repository: LocalRepository;
  readonly truth: Truth;
  readonly folder: string;
  readonly time: { readonly clock: () => number; readonly sleep: (ms: number) => Promise<void> };
  readonly slept: number[];
  readonly nextHour: () => void;
  readonly collect: (
    flags?: CollectFlags,
    at?: At,
  ) => Promise<Awaited<ReturnType<typeof collectPulls>> & { readonly said: string }>;
  readonly close: () => Promise<void>;
};

export async function startCollecting(options: LocalGitHubOptions = {}): Promise<Collecting> {
  let clock = Date.parse('2026-12-01T10:00:00Z');
  const slept: number[] = [];
  const time = {
    clock: () => clock,
    sleep: async (ms: number) => {
      slept.push(ms);
      clock += ms;
    },
  };
  const github = await startLocalGitHub({ clock: time.clock, ...options });
  const folder = await mkdtemp(join(tmpdir(), 'evident-collect-'));
  return {
    ...(await plantPast(github, 'shop', 14)),
    ...{ github, folder, time, slept },
    nextHour: () => {
      clock += 3_600_000;
      slept.length = 0;
    },
    async collect(flags = {}, { apiUrl = github.apiUrl, token = github.tokenOf('octo-org') } = {}) {
      const said: string[] = [];
      const io = {
        env: { GITHUB_API_URL: apiUrl, GH_TOKEN: token },
        cwd: folder,
        stderr: (text: string) => void said.push(text),
      };
      const wanted = readCollectFlags({ repo: ['octo-org/shop'], ...flags });
      return { ...(await collectPulls(wanted, io, time)), said: said.join('') };
    },
    close: async () => {
      await github.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Requests of one of our queries, by its name and variables. */
export const isQuery =
  (name: string, when: (variables: Readonly<Record<string, unknown>>) => boolean = () => true) =>
  ({ path, body }: FaultRequest): boolean => {
    if (path !== '/graphql') return false;
    const { query, variables } = body as { query: string; variables: Record<string, unknown> };
    return query.includes(`query ${name}(`) && when(variables);
  };

export const numbersOf = (pulls: readonly PastPull[]): readonly number[] => pulls.map(({ number }) => number);
