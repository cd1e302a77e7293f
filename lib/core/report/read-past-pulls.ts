import { z } from 'zod';
import { ConfigError } from '../errors.js';
import { isMoment } from '../moment.js';
import type { PastPull } from '../past-pull.js';

/**
 * Pull requests as `evident reward collect` prints them: one JSON object a line. Of two lines about one pull request the
 * one that was updated last counts.
 * @throws ConfigError with the line that cannot be used; `where` is the file.
 */
export function readPastPulls(text: string, where: string): readonly PastPull[] {
  const pulls = new Map<string, PastPull>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const pull = pullIn(line, `${where}, line ${index + 1}`);
    const name = `${pull.repo.toLowerCase()}#${pull.number}`;
    const known = pulls.get(name);
    if (known === undefined || known.updatedAt <= pull.updatedAt) pulls.set(name, pull);
  }
  if (pulls.size === 0)
    throw new ConfigError(
      `${where} holds no pull request. Write one with: evident reward collect --repo OWNER/NAME --out FILE`,
      '--from',
    );
  return [...pulls.values()];
}

function pullIn(line: string, where: string): PastPull {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ConfigError(`${where} is no JSON: one pull request a line is expected.`, '--from');
  }
  const parsed = Pull.safeParse(value);
  if (!parsed.success) {
    const { path = [], message = '' } = parsed.error.issues[0] ?? {};
    throw new ConfigError(
      `${where} is no collected pull request: \`${path.map(String).join('.')}\`: ${message}.`,
      '--from',
    );
  }
  const { withoutThreads, ...pull } = parsed.data;
  if (withoutThreads === true)
    throw new ConfigError(
      `${where} was collected with --no-threads, and a report is about threads: collect it without that.`,
      '--from',
    );
  return pull;
}

const text = z.string();
const moment = z.string().refine(isMoment, 'no time such as 2026-01-31T10:00:00Z');
const Actor = z.object({ login: text.max(200), bot: z.boolean() }).nullable();
const Comment = z.object({ author: Actor, at: moment, editedAt: moment.nullable(), body: text });

const Pull: z.ZodType<PastPull> = z.object({
  repo: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/),
  number: z.int().min(1),
  url: text,
  title: text,
  body: text,
  state: z.enum(['open', 'merged', 'closed']),
  draft: z.boolean(),
  author: Actor,
  labels: z.array(text),
  base: text,
  head: text,
  headSha: text,
  mergeSha: text.nullable(),
  createdAt: moment,
  updatedAt: moment,
  mergedAt: moment.nullable(),
  closedAt: moment.nullable(),
  files: z.array(text),
  commits: z.array(z.object({ sha: text, at: moment, headline: text, parents: z.int().min(0) })),
  reviews: z.array(
    z.object({
      author: Actor,
      state: z.enum(['commented', 'approved', 'changes_requested', 'dismissed']),
      at: moment,
      sha: text.nullable(),
      body: text,
    }),
  ),
  comments: z.array(Comment),
  threads: z.array(
    z.object({
      id: text,
      path: text,
      line: z.int().nullable(),
      isResolved: z.boolean(),
      resolvedBy: Actor,
      isOutdated: z.boolean(),
      sha: text.nullable(),
      comments: z.array(Comment),
    }),
  ),
  withoutThreads: z.literal(true).optional(),
  checks: z.array(
    z.object({
      sha: text,
      name: text,
      app: text.nullable(),
      conclusion: text.nullable(),
      startedAt: moment.nullable(),
      completedAt: moment.nullable(),
      text: text.nullable(),
    }),
  ),
});
