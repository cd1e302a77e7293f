import { createHash } from 'node:crypto';
import { noUsage } from '../../../lib/core/budget.js';
import type { Category, FindingKey, Severity } from '../../../lib/core/finding.js';
import { writeMarker, writeState, type KnownMark } from '../../../lib/core/marker.js';
import type { PassRecord } from '../../../lib/core/pass-record.js';
import type { PastActor, PastPull } from '../../../lib/core/past-pull.js';
import type { Sha } from '../../../lib/core/pull-request.js';
import { writeReplyMarker } from '../../../lib/core/reply-marker.js';

const HOUR = 3_600_000;

export const person = (login: string): PastActor => ({ login, bot: false });
export const bot = (login: string): PastActor => ({ login, bot: true });
const evident = bot('evident');

export type Item = {
  readonly id: string;
  readonly rule?: string;
  readonly severity?: Severity;
  readonly category?: Category;
  readonly origin?: 'introduced' | 'pre_existing';
  readonly from?: `Q${number}`;
  /** What its thread says in the end; none: it has no thread. */
  readonly state?: string;
};

export type Thread = {
  readonly by?: PastActor;
  readonly body?: string;
  readonly path?: string;
  /** `fixed`: closed, and its lines changed. */
  readonly end?: 'fixed' | 'closed by author' | 'closed by reviewer' | 'open';
  readonly replies?: readonly string[];
};

/**
 * A pull request that is told as it happened, an hour a step. Evident writes what the real one writes: states in its
 * checks, marks in its threads.
 */
export function history(number: number, told: Partial<PastPull> = {}) {
  const createdAt = told.createdAt ?? '2026-03-02T08:00:00Z';
  let now = Date.parse(createdAt);
  const at = (): string => new Date(now).toISOString();
  const pull = {
    commits: [] as PastPull['commits'][number][],
    reviews: [] as PastPull['reviews'][number][],
    comments: [] as PastPull['comments'][number][],
    threads: [] as PastPull['threads'][number][],
    checks: [] as PastPull['checks'][number][],
  };
  const passes: PassRecord[] = [];
  const marks: KnownMark[] = [];
  const head = (): string => pull.commits.at(-1)?.sha ?? '';
  const shaOf = (name: string): Sha =>
    createHash('sha1')
      .update(`${told.repo ?? ''}${number} ${name}`)
      .digest('hex') as Sha;

  const steps = {
    wait(hours: number) {
      now += hours * HOUR;
      return steps;
    },
    /** `ci`: apps that check it. */
    push({ parents = 1, headline = `Work on ${number}`, ci = ['github-actions'] } = {}) {
      now += HOUR;
      const sha = shaOf(`${pull.commits.length} ${now}`);
      pull.commits.push({ sha, at: at(), headline, parents });
      for (const app of ci)
        for (const name of ['build', 'test']) pull.checks.push(checkOf(sha, app, name, at()));
      return steps;
    },
    /** Takes the commits away and pushes others. */
    force() {
      pull.commits.length = 0;
      return steps.push();
    },
    review(by: PastActor, state: PastPull['reviews'][number]['state'] = 'commented', body = 'Read it.') {
      now += HOUR;
      pull.reviews.push({ author: by, state, at: at(), sha: head(), body });
      return steps;
    },
    thread({
      by = bot('coderabbitai'),
      body = 'This crashes.',
      path = 'src/cart.ts',
      end = 'fixed',
      replies = [],
    }: Thread = {}) {
      now += 60_000;
      pull.threads.push({
        id: `T${number}-${pull.threads.length}`,
        path,
        line: 3,
        isResolved: end !== 'open',
        resolvedBy:
          end === 'open'
            ? null
            : end === 'closed by reviewer'
              ? person('monalisa')
              : (told.author ?? person('octocat')),
        isOutdated: end === 'fixed',
        sha: head(),
        comments: [
          { author: by, at: at(), editedAt: null, body },
          ...replies.map((reply) => ({ author: person('octocat'), at: at(), editedAt: null, body: reply })),
        ],
      });
      return steps;
    },
    /** A pass of Evident, with its check and the threads of what has one. */
    pass({
      items = [],
      seen = [],
      blocks = false,
      dollars = 0.2,
      model = 'model-a',
      settled = [],
      files,
    }: {
      readonly items?: readonly Item[];
      /** Items of before that it reported again. */
      readonly seen?: readonly string[];
      readonly blocks?: boolean;
      readonly dollars?: number | null;
      readonly model?: string;
      readonly settled?: readonly { readonly id: string; readonly kind: 'fixed' | 'obsolete' }[];
      readonly files?: Readonly<Record<string, string>>;
    } = {}) {
      now += HOUR;
      const ids = [...seen, ...items.map(({ id }) => id)];
      passes.push({
        v: 2,
        at: now,
        jobKey: `${number} ${passes.length}`,
        head: head() as Sha,
        baseRef: 'main',
        diffHash: head().slice(0, 12),
        policyHash: 'p',
        lens: 'correctness',
        order: 'as_shown',
        model,
        modelKind: 'language_model',
        finished: true,
        complete: true,
        blocking: blocks ? [keyOf('F1')] : [],
        findings: ids.filter((id) => id.startsWith('F')) as `F${number}`[],
        questions: ids.filter((id) => id.startsWith('Q')) as `Q${number}`[],
        settled: settled as PassRecord['settled'],
        ...(files !== undefined && { files }),
        usage: { ...noUsage, dollars },
      });
      marks.push(...items.map(markOf));
      now += 60_000;
      const text = `Read.\n\n${writeState({ passes, marks, heard: [] }, 60_000)}`;
      pull.checks.push({ ...checkOf(head(), 'evident', 'Evident', at()), text });
      const threads = items.filter(({ state }) => state !== undefined);
      if (threads.length > 0)
        pull.reviews.push({
          author: evident,
          state: 'commented',
          at: at(),
          sha: head(),
          body: `**Something.**\n\n${writeMarker({ kind: 'summary', pass: 'x' })}`,
        });
      for (const item of threads) {
        const known = markOf(item);
        steps.thread({
          by: evident,
          path: known.path,
          end: 'open',
          body: `**${item.id}**\n\n${writeMarker({ kind: 'thread', known, state: item.state ?? '' })}`,
        });
      }
      return steps;
    },
    escalate(by = evident) {
      pull.comments.push({
        author: by,
        at: at(),
        editedAt: null,
        body: `**Please decide.**\n\n${writeReplyMarker(`escalated:${head().slice(0, 12)}`)}`,
      });
      return steps;
    },
    open: (): PastPull => whole('open', null),
    closed: (): PastPull => whole('closed', null),
    merged(): PastPull {
      now += HOUR;
      return whole('merged', at());
    },
  };
  const whole = (state: PastPull['state'], mergedAt: string | null): PastPull => ({
    repo: 'octo-org/shop',
    number,
    url: `https://github.com/octo-org/shop/pull/${number}`,
    title: `Change ${number}`,
    body: '',
    draft: false,
    author: person('octocat'),
    labels: [],
    base: 'main',
    head: `change-${number}`,
    headSha: head(),
    mergeSha: mergedAt === null ? null : shaOf('merge'),
    createdAt,
    updatedAt: at(),
    closedAt: state === 'open' ? null : at(),
    files: ['src/cart.ts'],
    ...told,
    ...pull,
    state,
    mergedAt,
  });
  return steps;
}

const checkOf = (sha: string, app: string | null, name: string, at: string): PastPull['checks'][number] => ({
  sha,
  name,
  app,
  conclusion: 'success',
  startedAt: at,
  completedAt: at,
  text: null,
});

const keyOf = (id: string): FindingKey =>
  `logic.${'a'.repeat(10)}.${'b'.repeat(16)}.${'c'.repeat(8)}.${id.slice(1)}` as FindingKey;

const markOf = ({
  id,
  rule = 'falsy-zero',
  severity = 'important',
  category = 'logic',
  origin = 'introduced',
  from,
}: Item): KnownMark => ({
  id,
  key: keyOf(id),
  rule,
  severity,
  category,
  origin,
  title: 'A claim',
  path: 'src/cart.ts',
  side: 'RIGHT',
  line: 3,
  height: 1,
  ...(from !== undefined && { from }),
  ...(id.startsWith('Q') && {
    asked: {
      question: 'Is it?',
      reason: '',
      searched: [],
      effects: { yes: 'suppress_finding', no: 'include_finding' } as const,
    },
  }),
});
