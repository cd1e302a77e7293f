import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { classifyAuthor } from '../../core/author.js';
import { diffFromApiFiles, diffHash } from '../../core/diff.js';
import type { FileDiff } from '../../core/diff.js';
import { ForgeError } from '../../core/errors.js';
import { hideInDiff } from '../../core/hide-in-diff.js';
import { markGenerated } from '../../core/generated.js';
import type { AgentSettings, Policy } from '../../core/policy.js';
import { Sha } from '../../core/pull-request.js';
import type { PullRequest } from '../../core/pull-request.js';
import { labelSecrets } from '../../core/secret.js';
import type { Lack, Snapshot } from '../../core/snapshot.js';
import type { Trigger } from '../../core/trigger.js';
import type { Look, RepoReader } from '../../ports/forge.js';
import type { GitHubClient } from './client.js';
import { completeDiff, unlistedPaths } from './complete-diff.js';
import { createGitHubReader } from './reader.js';
import type { OpenedReader, ReaderOptions } from './reader.js';
import { mayDecide, readPermissions } from './permissions.js';
import { readConversation } from './threads.js';
import type { HistorySource } from './threads.js';
import type { LivePull } from './own-reviews.js';
import { guardingPolicy, readPullPolicy } from './policy.js';
import type { SettingsFiles } from './policy.js';

export type SnapshotOptions = ReaderOptions & {
  /** Defaults merged with what the operator set: what stands behind the settings files. */
  readonly policy: Policy;
  /** Where the past of the pull request is read from; without it, nothing is known of it. */
  readonly history?: HistorySource;
  readonly sleep?: (ms: number) => Promise<void>;
};

/** Payloads are ahead of what GitHub's replicas answer, by up to ten seconds; looked again so long after. */
const patience = [1_500, 3_000, 6_000];
/** A pull request that is not shown so long after its event is gone. */
const newMs = 60_000;

/**
 * Everything that one run reads, at the head that is live now. After it no tool needs a request. Throws `ForgeError`
 * when the pull request, its change, its conversation or its trees cannot be read.
 */
export async function readSnapshot(
  client: GitHubClient,
  trigger: Place & Partial<Pick<Trigger, 'head' | 'at'>>,
  options: SnapshotOptions,
): Promise<{ readonly snapshot: Snapshot; readonly reader: RepoReader }> {
  const place = { owner: trigger.owner, repo: trigger.repo, number: trigger.number };
  const pull = await readPullOfEvent(client, place, trigger, options);
  const reading = readChange(client, place, pull);
  const [change, opened, said] = await Promise.all([
    reading,
    createGitHubReader(client, { ...place, head: pull.head.sha, change: reading }, options),
    readSaid(client, place, options.history),
  ]);
  const { conversation } = said;
  const { diff: read, lacks } = wholeDiff(change.diff, pull.changed_files, opened);
  const diff = await markGenerated(read, async (path) => {
    const file = await opened.reader.read('base', path);
    return file.kind === 'text' ? file.lines : null;
  });
  const rules = await readPullPolicy({
    settings: said.settings,
    deployment: options.policy,
    reader: opened.reader,
    base: { ref: pull.base.ref, mergeBase: change.mergeBase },
    diff,
  });
  const snapshot: Snapshot = {
    pullRequest: pullRequestOf(place, pull, change.mergeBase, rules.policy.review.agents),
    diff: await hideInDiff(diff, (ref, path) => opened.reader.read(ref, path), options.neverSend ?? []),
    diffHash: diffHash(diff),
    ...conversation,
    ...rules,
    lacks: [...lacks, ...opened.lacks, ...said.lacks],
  };
  return { snapshot, reader: opened.reader };
}

/** A pull request and what was said on it, without a look at the code: two requests, and one for each who may decide. */
export async function readLook(
  client: GitHubClient,
  place: Place,
  options: Pick<SnapshotOptions, 'history' | 'policy'>,
): Promise<Look & { readonly live: LivePull | null }> {
  const [pull, { settings, ...said }] = await Promise.all([
    readPull(client, place, 'the pull request'),
    readSaid(client, place, options.history),
  ]);
  const policy = guardingPolicy({ settings, deployment: options.policy });
  return { pullRequest: pullRequestOf(place, pull, pull.base.sha, policy.review.agents), policy, ...said };
}

/** What was said, with the rights of those whose words may decide something. */
export async function readSaid(
  client: GitHubClient,
  place: Place,
  history: HistorySource | undefined,
): Promise<
  Pick<Look, 'conversation' | 'lacks'> & {
    readonly live: LivePull | null;
    readonly settings: SettingsFiles | null;
  }
> {
  const { lacks, live, settings, ...said } = await readConversation(client, place, history);
  const permissions = await readPermissions(client, place, mayDecide(said));
  return { conversation: { ...said, permissions }, lacks, live, settings };
}

const Pull = z.object({
  html_url: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  merged: z.boolean().nullish(),
  draft: z.boolean().nullish(),
  user: z.object({ login: z.string(), type: z.string().optional() }).nullish(),
  author_association: z.string().nullish(),
  labels: z.array(z.object({ name: z.string() })).nullish(),
  base: z.object({ ref: z.string(), sha: Sha, repo: z.object({ html_url: z.string() }) }),
  head: z.object({ ref: z.string(), sha: Sha, repo: z.object({ full_name: z.string() }).nullish() }),
  changed_files: z.number().int(),
  commits: z.number().int(),
  updated_at: z.string().nullish(),
});
type Pull = z.infer<typeof Pull>;

async function readPull(client: GitHubClient, { owner, repo, number }: Place, reason: string): Promise<Pull> {
  const route = '/repos/{owner}/{repo}/pulls/{pull_number}';
  const data: unknown = await client.get(route, { owner, repo, pull_number: number }, reason);
  const parsed = Pull.safeParse(data);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new ForgeError(`GitHub's answer about the pull request has no usable ${where || 'content'}.`, {
    retryable: true,
  });
}

/**
 * The pull request as it is, or as it was when the event was sent: never as it was before that. A newer head than the
 * payload's is taken as it is.
 */
async function readPullOfEvent(
  client: GitHubClient,
  place: Place,
  { head, at }: Partial<Pick<Trigger, 'head' | 'at'>>,
  { sleep = delay, clock = Date.now }: Pick<SnapshotOptions, 'sleep' | 'clock'>,
): Promise<Pull> {
  let reason = 'the pull request';
  for (let looked = 0; ; looked += 1) {
    const wait = patience[looked];
    let pull: Pull | null = null;
    try {
      pull = await readPull(client, place, reason);
    } catch (error) {
      const isNew = at !== undefined && clock() - at < newMs;
      if (wait === undefined || !isNew || !(error instanceof ForgeError) || error.status !== 404) throw error;
    }
    if (pull !== null && (head === undefined || pull.head.sha === head)) return pull;
    const isOlder = pull === null || (at !== undefined && Date.parse(pull.updated_at ?? '') < at);
    if (pull !== null && (wait === undefined || (looked > 0 && !isOlder))) return pull;
    if (wait !== undefined) await sleep(wait);
    reason = 'the pull request again, because its head is not the one of the event';
  }
}

type Place = { readonly owner: string; readonly repo: string; readonly number: number };

function pullRequestOf(
  { owner, repo, number }: Place,
  pull: Pull,
  mergeBase: Sha,
  agents: AgentSettings,
): PullRequest {
  const labels = (pull.labels ?? []).map((label) => label.name);
  return {
    repo: { owner, name: repo, htmlUrl: pull.base.repo.html_url.replace(/\/+$/, '') },
    number,
    htmlUrl: pull.html_url,
    title: labelSecrets(pull.title).text,
    body: labelSecrets(pull.body ?? '').text,
    author: {
      ...classifyAuthor(
        {
          login: pull.user?.login ?? null,
          isBot: pull.user?.type === 'Bot',
          branch: pull.head.ref,
          labels,
        },
        agents,
      ),
      ...(isOutside(pull, `${owner}/${repo}`) && { isNew: true }),
    },
    state: pull.merged === true ? 'merged' : pull.state === 'open' ? 'open' : 'closed',
    draft: pull.draft === true,
    labels,
    base: { ref: pull.base.ref, sha: pull.base.sha },
    head: { ref: pull.head.ref, sha: pull.head.sha, repo: pull.head.repo?.full_name ?? null },
    mergeBase,
    changedFiles: pull.changed_files,
    commits: pull.commits,
  };
}

/** New to the repository by GitHub's word, and not a bot that pushes to a branch of it. */
function isOutside({ author_association, user, head }: Pull, repository: string): boolean {
  const isBotHere = user?.type === 'Bot' && head.repo?.full_name.toLowerCase() === repository.toLowerCase();
  return newAuthors.has(author_association ?? '') && !isBotHere;
}

const newAuthors: ReadonlySet<string> = new Set(['FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR', 'NONE']);

const ChangedFile = z.object({
  filename: z.string(),
  previous_filename: z.string().optional(),
  status: z.string(),
  additions: z.number().optional(),
  deletions: z.number().optional(),
  changes: z.number().optional(),
  sha: z.string().nullish(),
  patch: z.string().optional(),
});

const Comparison = z.object({
  merge_base_commit: z.object({ sha: Sha }),
  files: z.array(ChangedFile).optional(),
});

type Change = { readonly mergeBase: Sha; readonly diff: readonly FileDiff[] };

/** GitHub's own list of a pull request goes to 3,000 files, that of a comparison to 300. */
const LISTED_FILE_PAGES = 30;

async function readChange(client: GitHubClient, place: Place, pull: Pull): Promise<Change> {
  const { owner, repo, number } = place;
  const basehead = `${pull.base.sha}...${pull.head.sha}`;
  const parsed = Comparison.safeParse(
    await client.get(
      '/repos/{owner}/{repo}/compare/{basehead}',
      { owner, repo, basehead, per_page: 1 },
      'merge base and changed files',
    ),
  );
  if (!parsed.success)
    throw new ForgeError("GitHub's comparison of base and head has no usable merge base.", {
      retryable: true,
    });
  const { merge_base_commit: mergeBase, files = [] } = parsed.data;
  if (files.length === pull.changed_files) return { mergeBase: mergeBase.sha, diff: diffFromApiFiles(files) };
  const { items } = await client.paginate<unknown>(
    '/repos/{owner}/{repo}/pulls/{pull_number}/files',
    { owner, repo, pull_number: number },
    'changed files beyond the first 300',
    { maxPages: LISTED_FILE_PAGES },
  );
  const listed = z.array(ChangedFile).safeParse(items);
  if (!listed.success)
    throw new ForgeError("GitHub's list of changed files is not what its description says.", {
      retryable: true,
    });
  return { mergeBase: mergeBase.sha, diff: diffFromApiFiles(listed.data) };
}

/** With modes, and with a row for each file that GitHub counts and does not list. */
function wholeDiff(
  listed: readonly FileDiff[],
  counted: number,
  opened: OpenedReader,
): { readonly diff: readonly FileDiff[]; readonly lacks: readonly Lack[] } {
  const diff = completeDiff(listed, opened);
  const short = counted - listed.length;
  if (short <= 0) return { diff, lacks: [] };
  const detail = `GitHub lists ${listed.length} of ${counted} changed files`;
  const unlisted = unlistedPaths(listed, opened.trees)
    .slice(0, short)
    .map((path): FileDiff => {
      const isNew = !opened.trees.base.entries.has(path);
      const isGone = !opened.trees.head.entries.has(path);
      return {
        path,
        oldPath: path,
        status: isNew ? 'added' : isGone ? 'deleted' : 'modified',
        symlink: false,
        additions: 0,
        deletions: 0,
        content: { kind: 'missing', why: 'not_listed', detail },
      };
    });
  const what = `${short} changed ${short === 1 ? 'file' : 'files'}`;
  return { diff: [...diff, ...unlisted], lacks: [{ what, why: detail }] };
}
