import { noConversation } from '../../lib/core/conversation.js';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Tool, ToolAnswer } from '../../lib/agent/tool.js';
import { parseDiff } from '../../lib/core/diff.js';
import type { FileOrder } from '../../lib/core/ledger.js';
import { defaultPolicy } from '../../lib/core/policy.js';
import type { PullRequest, Sha } from '../../lib/core/pull-request.js';
import type { Snapshot } from '../../lib/core/snapshot.js';
import { createMemoryReader, type MemoryTree } from '../../lib/forges/memory.js';
import type { RepoReader } from '../../lib/ports/forge.js';
import { evidenceTools } from '../../lib/tools/index.js';

const sha = (digit: string): Sha => digit.repeat(40) as Sha;

const pullRequest: PullRequest = {
  repo: { owner: 'octo-org', name: 'shop', htmlUrl: 'https://github.test/octo-org/shop' },
  number: 7,
  htmlUrl: 'https://github.test/octo-org/shop/pull/7',
  title: 'Round refunds',
  body: 'Refunds are rounded now.',
  author: { login: 'monalisa', kind: 'person' },
  state: 'open',
  draft: false,
  labels: [],
  base: { ref: 'main', sha: sha('a') },
  head: { ref: 'round-refunds', sha: sha('b'), repo: 'octo-org/shop' },
  mergeBase: sha('c'),
  changedFiles: 0,
  commits: 1,
};

export type Changed = {
  readonly base: MemoryTree;
  readonly head: MemoryTree;
  readonly neverSend?: readonly string[];
  readonly pullRequest?: Partial<PullRequest>;
  readonly snapshot?: Partial<Snapshot>;
  readonly order?: FileOrder;
};

/** The evidence tools over two trees, with the diff that git makes of them. Calls take raw arguments. */
export function changedRepository({ base, head, neverSend, order, ...change }: Changed): {
  readonly snapshot: Snapshot;
  readonly reader: RepoReader;
  readonly call: (name: string, input?: object) => Promise<ToolAnswer>;
} {
  const diff = parseDiff(gitDiff(base, head));
  const snapshot: Snapshot = {
    pullRequest: { ...pullRequest, changedFiles: diff.length, ...change.pullRequest },
    diff,
    diffHash: 'd',
    ...noConversation,
    policy: defaultPolicy,
    policyHash: 'p',
    reviewRules: null,
    lacks: [],
    ...change.snapshot,
  };
  const reader = createMemoryReader({ base, head, ...(neverSend === undefined ? {} : { neverSend }) });
  const tools = evidenceTools({ snapshot, reader, ...(order === undefined ? {} : { order }) });
  return {
    snapshot,
    reader,
    call: async (name, input = {}) => {
      const tool = tools.find((each: Tool) => each.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      return tool.run(tool.schema.parse(input), { signal: new AbortController().signal });
    },
  };
}

function gitDiff(base: MemoryTree, head: MemoryTree): Buffer {
  const dir = mkdtempSync(join(tmpdir(), 'evident-tools-'));
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', args, {
      cwd: dir,
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_SYSTEM: '/dev/null',
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a@example.test',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a@example.test',
      },
    });
  try {
    git('init', '-q');
    for (const tree of [base, head]) {
      git('rm', '-rqf', '--ignore-unmatch', '.');
      for (const [path, entry] of Object.entries(tree)) put(join(dir, path), entry);
      git('add', '-Af', '.');
      for (const [path, entry] of Object.entries(tree))
        if (typeof entry === 'object' && 'submodule' in entry)
          git('update-index', '--add', '--cacheinfo', `160000,${entry.submodule},${path}`);
      git('commit', '-q', '--allow-empty', '-m', 'x');
    }
    return git('diff', '-M', '--no-color', '--full-index', 'HEAD~1', 'HEAD');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function put(file: string, entry: MemoryTree[string]): void {
  if (typeof entry === 'object' && 'submodule' in entry) return;
  mkdirSync(dirname(file), { recursive: true });
  if (typeof entry === 'object' && 'symlink' in entry) symlinkSync(entry.symlink, file);
  else if (typeof entry === 'object' && 'content' in entry) writeFileSync(file, entry.content);
  else writeFileSync(file, entry);
}

/** Served lines in one word each: `head:path:1-3`. */
export const places = ({ served }: ToolAnswer): readonly string[] =>
  served.map(({ ref, path, start, end }) => `${ref}:${path}:${start}-${end}`);

export const numbered = (count: number, word = 'line'): string =>
  Array.from({ length: count }, (_, i) => `${word} ${i + 1}\n`).join('');
