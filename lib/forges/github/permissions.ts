import { z } from 'zod';
import type { Comment, Permission } from '../../core/conversation.js';
import { ForgeError } from '../../core/errors.js';
import type { GitHubClient } from './client.js';
import type { ConversationRead } from './threads.js';

type Place = { readonly owner: string; readonly repo: string };

/** Logins of one read; whoever spoke before the thirty newest is asked about when it matters again. */
const mostLogins = 30;

const Answer = z.object({ permission: z.string(), role_name: z.string().nullish() });

/** Live rights by lower-case login. A request each, so only those are asked about whose words may decide something. */
export async function readPermissions(
  client: GitHubClient,
  place: Place,
  logins: readonly string[],
): Promise<Readonly<Record<string, Permission>>> {
  const asked = [...new Set(logins.map((login) => login.toLowerCase()))].slice(0, mostLogins);
  const read = await Promise.all(
    asked.map(async (login) => [login, await readPermission(client, place, login)] as const),
  );
  return Object.fromEntries(read);
}

/** `none` for an account that there is not, or that may not be asked about. */
export async function readPermission(
  client: GitHubClient,
  { owner, repo }: Place,
  login: string,
): Promise<Permission> {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(login)) return 'none';
  try {
    const data: unknown = await client.get(
      '/repos/{owner}/{repo}/collaborators/{username}/permission',
      { owner, repo, username: login },
      'what somebody who spoke may decide',
    );
    const parsed = Answer.safeParse(data);
    return parsed.success ? permissionOf(parsed.data) : 'none';
  } catch (error) {
    const { status } = error instanceof ForgeError ? error : {};
    if (status === 404 || status === 403) return 'none';
    throw error;
  }
}

/** A role that an organization made itself is as much as the old permission that GitHub says beside it. */
function permissionOf({ permission, role_name: role }: z.infer<typeof Answer>): Permission {
  return known.get(role ?? '') ?? known.get(permission) ?? 'none';
}

const known: ReadonlyMap<string, Permission> = new Map(
  (['admin', 'maintain', 'write', 'triage', 'read', 'none'] as const).map((name) => [name, name]),
);

/**
 * Whose words may decide something, newest first: persons who command, dismiss, answer in a thread of ours, name an id,
 * or approve. Nobody in a review that nobody has answered yet.
 */
export function mayDecide({
  threads,
  comments,
  peerReviews,
}: Pick<ConversationRead, 'threads' | 'comments' | 'peerReviews'>): readonly string[] {
  const words: readonly Comment[] = [
    ...threads.flatMap((thread) => (thread.comments[0]?.ours === true ? thread.comments.slice(1) : [])),
    ...threads.flatMap((thread) => thread.comments.filter(({ body }) => names(body))),
    ...comments.filter(({ body }) => names(body)),
    ...peerReviews.filter(({ state, body }) => state === 'approved' || names(body)),
  ];
  return words
    .filter(({ by, ours, editedBy }) => by === 'person' && !ours && editedBy === undefined)
    .sort((a, b) => newest(b) - newest(a))
    .map(({ author }) => author);
}

const names = (body: string): boolean => /\/evident\b|\b[FQ]\d{1,6}\b|^ {0,3}>/im.test(body);

const newest = ({ at, editedAt }: Comment): number => Date.parse(editedAt ?? at) || 0;
