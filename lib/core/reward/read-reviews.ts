import { z } from 'zod';
import { ConfigError } from '../errors.js';
import { isMoment } from '../moment.js';
import { pullKey, toReviewedPull, type ReviewedPull, type ReviewedThread } from './reviewed-pull.js';

/** An agent's own reward for a piece of work, of which the pull requests it made are a part. */
export type Session = {
  /** By which it is known again; without one each row counts for itself. */
  readonly session?: string;
  readonly category?: string;
  readonly reward: number;
  /** `owner/name#12`. */
  readonly pulls: readonly string[];
};

/** What stands in the input, each pull request once, in the order of its first row; a later copy replaces an earlier one. */
export type Reviews = { readonly pulls: readonly ReviewedPull[]; readonly sessions: readonly Session[] };

/**
 * Reads a JSON list, one object, or JSON lines, of four kinds of entries: rows `{repo, pr, resolved, author, body}` of one
 * thread each, pull requests as `collect` writes them or as `score` does, and sessions.
 * @throws ConfigError that names the entry and what is wrong with it. What cannot be read is never taken for "no threads".
 */
export function readReviews(text: string, where: string): Reviews {
  const rows = new Map<string, RowsOfPull>();
  const pulls = new Map<string, () => ReviewedPull>();
  const sessions: Session[] = [];
  for (const { value, place } of entriesOf(text, where)) {
    const read = readEntry(value, `${where}, ${place}`);
    if (read.kind === 'session') sessions.push(read.session);
    else if (read.kind === 'pull') pulls.set(pullKey(read.pull), () => read.pull);
    else {
      const key = pullKey(read.row);
      const known = rows.get(key) ?? { first: read.row, threads: new Map() };
      const { thread } = read;
      known.threads.set(thread.id === undefined ? `row ${known.threads.size}` : `id ${thread.id}`, thread);
      rows.set(key, { ...known, first: { ...read.row, ...definedOf(known.first) } });
      if (!pulls.has(key)) pulls.set(key, () => fromRows(rows.get(key) ?? known));
    }
  }
  return { pulls: [...pulls.values()].map((make) => make()), sessions };
}

type RowsOfPull = { readonly first: Row; readonly threads: Map<string, ReviewedThread> };

const definedOf = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;

function fromRows({ first, threads }: RowsOfPull): ReviewedPull {
  return {
    repo: first.repo,
    pr: first.pr,
    ...(first.prAuthor !== undefined && { author: first.prAuthor }),
    labels: first.labels ?? [],
    ...(first.branch !== undefined && { branch: first.branch }),
    files: first.files ?? [],
    threads: [...threads.values()],
  };
}

const fromCounts = ({
  repo: name,
  pr,
  category,
  merged,
  ...counts
}: z.infer<typeof Counted>): ReviewedPull => ({
  repo: name,
  pr,
  labels: [],
  files: [],
  threads: [],
  counted: {
    ...counts,
    ...(category !== undefined && { category }),
    ...(merged !== undefined && { merged }),
  },
});

type Entry = { readonly value: unknown; readonly place: string };

function entriesOf(text: string, where: string): readonly Entry[] {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed === '') throw new ConfigError(`${where} is empty: expected JSON, [] at least.`, where);
  const whole = parsed(trimmed);
  if (whole.kind === 'json') {
    if (Array.isArray(whole.value)) return numbered(whole.value, 'entry');
    const inside = (whole.value as { readonly prs?: unknown } | null)?.prs;
    if (Array.isArray(inside)) return numbered(inside, 'entry');
    return [{ value: whole.value, place: 'entry 1' }];
  }
  const lines = trimmed.split(/\r?\n/);
  // One text over several lines that is no JSON: its own message says more than that of its first line.
  if (parsed(lines[0] ?? '').kind === 'broken')
    throw new ConfigError(`${where} is no JSON and no JSON lines: ${whole.why}.`, where);
  return lines.flatMap((line, index): readonly Entry[] => {
    if (line.trim() === '') return [];
    const read = parsed(line);
    if (read.kind === 'broken')
      throw new ConfigError(`${where}, line ${index + 1}, is no JSON: ${read.why}.`, where);
    return [{ value: read.value, place: `line ${index + 1}` }];
  });
}

const numbered = (values: readonly unknown[], word: string): readonly Entry[] =>
  values.map((value, index) => ({ value, place: `${word} ${index + 1}` }));

function parsed(
  text: string,
): { readonly kind: 'json'; readonly value: unknown } | { readonly kind: 'broken'; readonly why: string } {
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch (error) {
    // The message quotes the input, which may hold what a terminal obeys.
    return { kind: 'broken', why: (error as Error).message.replace(/\p{Cc}/gu, ' ') };
  }
}

type ReadEntry =
  | { readonly kind: 'row'; readonly row: Row; readonly thread: ReviewedThread }
  | { readonly kind: 'pull'; readonly pull: ReviewedPull }
  | { readonly kind: 'session'; readonly session: Session };

function readEntry(value: unknown, place: string): ReadEntry {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ConfigError(`${place}: expected an object.`, place);
  if ('reward' in value) return { kind: 'session', session: sessionOf(checked(SessionRow, value, place)) };
  if ('number' in value) return { kind: 'pull', pull: toReviewedPull(checked(Collected, value, place)) };
  if ('security' in value) return { kind: 'pull', pull: fromCounts(checked(Counted, value, place)) };
  const row = checked(Row, value, place);
  return {
    kind: 'row',
    row,
    thread: {
      ...(row.id !== undefined && { id: row.id }),
      ...(row.author !== undefined && { author: row.author }),
      body: row.body,
      resolved: row.resolved,
      ...(row.resolvedBy !== undefined && { resolvedBy: row.resolvedBy }),
      ...(row.outdated !== undefined && { linesChanged: row.outdated }),
    },
  };
}

function checked<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const key = (issue?.path ?? []).map(String).join('.');
  throw new ConfigError(
    `${place}${key === '' ? '' : `, \`${key}\``}: ${issue?.message ?? 'cannot be read.'}`,
    place,
  );
}

const needs = (what: string) => ({ error: `Expected ${what}.` });

const text = (most: number, what = 'text') =>
  z.string(needs(what)).max(most, needs(`${what} of at most ${most} characters`));

const repo = text(300, 'a repository such as "octo-org/shop"').regex(
  /^[^\s#]+$/,
  needs('a repository such as "octo-org/shop"'),
);
const number = z.int(needs('the number of a pull request')).min(1, needs('the number of a pull request'));
const login = z.union([text(200), z.null()], needs('a login, or null for a deleted account'));
const yesOrNo = z.boolean(needs('true or false'));
const body = z.string(needs('the text of the comment'));
const texts = z.array(text(2_000), needs('a list of texts'));

const moment = z
  .string(needs('a time in UTC'))
  .refine(isMoment, needs('a time such as 2026-01-31T10:00:00Z'));

const Row = z.object({
  repo,
  pr: number,
  resolved: yesOrNo,
  author: login.optional(),
  body,
  id: text(300).optional(),
  resolvedBy: login.optional(),
  outdated: yesOrNo.optional(),
  prAuthor: login.optional(),
  labels: texts.optional(),
  branch: text(1_000).optional(),
  files: texts.optional(),
});
type Row = z.infer<typeof Row>;

const count = z.int(needs('how many threads')).min(0, needs('how many threads'));

const Counted = z.object({
  repo,
  pr: number,
  security: count,
  logic: count,
  quality: count,
  category: text(100).min(1, needs('a name')).optional(),
  merged: yesOrNo.optional(),
});

const actor = z
  .object({ login: text(200), bot: yesOrNo }, needs('`{login, bot}`, or null for a deleted account'))
  .nullable();

const Collected = z.object({
  repo,
  number,
  author: actor,
  labels: texts,
  head: text(1_000),
  files: texts,
  state: z.enum(['open', 'merged', 'closed'], needs('`open`, `merged` or `closed`')),
  draft: yesOrNo,
  createdAt: moment,
  withoutThreads: z
    .undefined(needs('a pull request with its threads: collect it without --no-threads'))
    .optional(),
  commits: z.array(z.object({ sha: text(64), at: moment, parents: z.int() }), needs('a list of commits')),
  threads: z.array(
    z.object({
      id: text(300),
      line: z.int().nullable(),
      isResolved: yesOrNo,
      resolvedBy: actor,
      isOutdated: yesOrNo,
      sha: text(64).nullable(),
      comments: z.array(z.object({ author: actor, at: moment, body }), needs('a list of comments')),
    }),
    needs('the list of its threads: collect it without --no-threads'),
  ),
});

const SessionRow = z
  .object({
    session: text(300)
      .regex(/^(?!__proto__$)[^\p{Cc}]+$/u, needs('a name'))
      .optional(),
    category: text(100).min(1, needs('a name')).optional(),
    reward: z.number(needs('a number')),
    pulls: z
      .array(
        text(320).regex(/^[^\s#]+#[1-9]\d*$/, needs('pull requests such as "octo-org/shop#12"')),
        needs('a list of pull requests'),
      )
      .max(1_000, needs('at most 1000 pull requests'))
      .optional(),
  })
  .refine(
    ({ category, pulls = [] }) => category !== undefined || pulls.length > 0,
    needs('`category`, or `pulls` to take it from: a session without both teaches nothing'),
  );

const sessionOf = ({ session, category, reward, pulls = [] }: z.infer<typeof SessionRow>): Session => ({
  ...(session !== undefined && { session }),
  ...(category !== undefined && { category }),
  reward,
  pulls,
});
