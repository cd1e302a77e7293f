import { z } from 'zod';
import { ForgeError } from '../../core/errors.js';
import { Sha } from '../../core/pull-request.js';
import { numberOfKey } from '../../core/trigger.js';
import type { Incoming, Trigger } from '../../core/trigger.js';
import type { Log } from '../../ports/log.js';
import { listOwnCheckRuns } from './check-run.js';
import type { GitHubClient } from './client.js';
import { readPermission } from './permissions.js';

type Located = { readonly client: GitHubClient; readonly appId: number; readonly log: Log };
type Check = Extract<Incoming, { kind: 'check' }>;
type Conversation = Extract<Incoming, { kind: 'conversation' }>;

/**
 * The pull requests that an event is about, as they stand now. None for one that is closed or gone, for a check of an
 * older head, and where it cannot be told which of several is meant: nothing is guessed.
 */
export async function locate(incoming: Incoming, at: Located): Promise<readonly Trigger[]> {
  switch (incoming.kind) {
    case 'pull_request':
      return [incoming];
    case 'conversation':
      return locateConversation(incoming, at);
    case 'check':
      return locateCheck(incoming, at);
    // A group of the merge queue is a commit of its own.
    case 'queue':
      return [];
  }
}

async function locateConversation(incoming: Conversation, at: Located): Promise<readonly Trigger[]> {
  const pull = await readOpenPull(incoming, incoming.number, 'the pull request that was spoken on', at);
  return pull === null ? [] : [{ ...triggerOf(incoming, pull), reason: 'said', subjects: incoming.subjects }];
}

async function locateCheck(incoming: Check, at: Located): Promise<readonly Trigger[]> {
  const found: Trigger[] = [];
  for (const number of await numbersOf(incoming, at)) {
    const pull = await readOpenPull(incoming, number, 'the pull request of a check', at);
    if (pull === null) continue;
    if (pull.head.sha !== incoming.head) {
      at.log.info({ number, head: incoming.head }, 'a check of an older head was asked for again');
      continue;
    }
    if (incoming.wish !== 'next_pass' && !(await mayStart(incoming, pull, at))) {
      at.log.info({ number, sender: incoming.sender }, 'whoever pressed may not start a review');
      continue;
    }
    const reason = incoming.wish === 'rerun' ? 'asked' : incoming.wish;
    found.push({ ...triggerOf(incoming, pull), reason });
  }
  return found;
}

/**
 * From the key in the event; else from the keys of our own check runs of that head; else from the one open pull request
 * that GitHub knows the commit of.
 */
async function numbersOf(incoming: Check, at: Located): Promise<readonly number[]> {
  if (incoming.number !== undefined) return [incoming.number];
  const { owner, repo, head } = incoming;
  const runs = await listOwnCheckRuns(at, { owner, repo, head, appId: at.appId });
  const known = new Set(runs.flatMap(({ key }) => numberOfKey(key) ?? []));
  if (known.size > 0) return [...known].sort((a, b) => a - b);
  const { items } = await at.client.paginate<unknown>(
    '/repos/{owner}/{repo}/commits/{commit_sha}/pulls',
    { owner, repo, commit_sha: head },
    'which pull requests a commit belongs to',
    { maxPages: 2 },
  );
  const open = items.flatMap((item) => {
    const pull = Pull.safeParse(item).data;
    return pull?.state === 'open' && pull.head.sha === head ? [pull.number] : [];
  });
  if (open.length < 2) return open;
  at.log.warn({ head, open }, 'several pull requests have this head, and nothing says which one is meant');
  return [];
}

const Pull = z.object({
  number: z.number().int().positive(),
  state: z.string(),
  draft: z.boolean().nullish(),
  user: z.object({ login: z.string() }).nullish(),
  author_association: z.string().nullish(),
  head: z.object({ sha: Sha }),
  base: z.object({ ref: z.string() }),
});
type Pull = z.infer<typeof Pull>;

/** Null for one that is closed, or gone. */
async function readOpenPull(
  { owner, repo }: Incoming,
  number: number,
  reason: string,
  { client, log }: Located,
): Promise<Pull | null> {
  try {
    const data: unknown = await client.get(
      '/repos/{owner}/{repo}/pulls/{pull_number}',
      { owner, repo, pull_number: number },
      reason,
    );
    const parsed = Pull.safeParse(data);
    if (!parsed.success)
      throw new ForgeError("GitHub's answer about the pull request is not what its description says.", {
        retryable: true,
      });
    if (parsed.data.state === 'open') return parsed.data;
    log.info({ number }, 'the pull request is closed; nothing is done');
  } catch (error) {
    if (!(error instanceof ForgeError) || error.status !== 404) throw error;
    log.info({ number }, 'there is no such pull request any more');
  }
  return null;
}

const triggerOf = (incoming: Check | Conversation, pull: Pull): Omit<Trigger, 'reason'> => ({
  kind: 'pull_request',
  owner: incoming.owner,
  repo: incoming.repo,
  number: pull.number,
  head: pull.head.sha,
  base: pull.base.ref,
  draft: pull.draft === true,
  installation: incoming.installation,
  sender: incoming.sender,
  ...(incoming.at !== undefined && { at: incoming.at }),
});

/**
 * A run costs money: people with write access start one, and the author who has been here before. Everybody who wrote
 * the change may ask for a person.
 */
async function mayStart(incoming: Check, pull: Pull, { client }: Located): Promise<boolean> {
  const { sender, wish } = incoming;
  const isAuthor = pull.user?.login.toLowerCase() === sender.toLowerCase();
  if (isAuthor && (wish === 'ask_person' || known.has(pull.author_association ?? ''))) return true;
  const permission = await readPermission(client, incoming, sender);
  return permission === 'admin' || permission === 'maintain' || permission === 'write';
}

/** https://docs.github.com/en/graphql/reference/enums#commentauthorassociation */
const known: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR', 'CONTRIBUTOR']);
