import { noUsage } from '../../lib/core/budget.js';
import {
  noConversation,
  type Comment,
  type Conversation,
  type Permission,
} from '../../lib/core/conversation.js';
import { findingKey, type Finding, type FindingId, type FindingKey } from '../../lib/core/finding.js';
import { foldLedger } from '../../lib/core/fold-ledger.js';
import { addPass, blockingKeys, matchKnown, type Ledger, type PassRecord } from '../../lib/core/ledger.js';
import { readState, type MarkerTrust } from '../../lib/core/marker.js';
import { draft, type Publication } from '../../lib/core/publication.js';
import { decide, type Verdict } from '../../lib/core/gate.js';
import { Sha, type Author, type PullRequest } from '../../lib/core/pull-request.js';
import type { Question, QuestionId } from '../../lib/core/question.js';
import type { Snapshot } from '../../lib/core/snapshot.js';
import { policy, pullRequest, snapshot } from './shop.js';

export const trust: MarkerTrust = { keys: ['secret'], scope: 'github.test/1/octo-org/shop/482' };

/** A fault of the code by its number: where it stands, and whether only a person can tell. */
export type Fault = { readonly line: number; readonly asks?: boolean; readonly security?: boolean };

const file = Array.from({ length: 30 }, (_, line) => `line ${line}`);
export const keyAt = ({ line, security }: Fault): FindingKey =>
  findingKey({
    lineage: 'src/a.ts',
    category: security === true ? 'security' : 'logic',
    file,
    start: line,
    end: line,
    nth: 0,
  });

const claimOf = (fault: Fault): Omit<Finding, 'id' | 'standing'> => ({
  key: keyAt(fault),
  anchor: { kind: 'line', path: 'src/a.ts', side: 'RIGHT', line: fault.line },
  rule: 'falsy-zero',
  severity: 'important',
  category: fault.security === true ? 'security' : 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: `fault at line ${fault.line}`,
  body: `What breaks at line ${fault.line}.`,
  evidence: [],
});

type Check = { readonly sha: Sha; readonly since: number; readonly text: string };
type Thread = { readonly id: string; readonly line: number; comments: Comment[]; resolved: boolean };
type Review = { readonly databaseId: number; body: string };

/** One pull request as it stands on a forge, with all of the app that writes to it but the model. */
export function createPlay({
  author = { login: 'octocat', kind: 'person' },
  permissions = {},
  settings = policy('blocking'),
}: {
  readonly author?: Author;
  readonly permissions?: Readonly<Record<string, Permission>>;
  readonly settings?: Snapshot['policy'];
} = {}) {
  let clock = 1_800_000_000_000;
  let nextId = 100;
  let head = Sha.parse('1'.repeat(40));
  let change = 'd1'.repeat(8);
  const checks: Check[] = [];
  const threads: Thread[] = [];
  const reviews: Review[] = [];
  const comments: Comment[] = [];
  const peerReviews: Conversation['peerReviews'][number][] = [];
  const oldSummaries: string[] = [];

  const at = (): Snapshot & { readonly pullRequest: PullRequest } => ({
    ...snapshot,
    ...conversation(),
    policy: settings,
    diffHash: change,
    pullRequest: { ...pullRequest, author, head: { ...pullRequest.head, sha: head } },
  });
  const input = () => ({ pullRequest: at().pullRequest, policy: settings, diffHash: change, trust });
  const ledger = (now: Conversation = conversation()): Ledger => foldLedger(now, input());
  const decideOn = (known: Ledger): Verdict => decide(known, { ...at(), realForge: true });

  function conversation(): Conversation {
    const states = checks.map(({ text }) => readState(text, trust));
    return {
      ...noConversation,
      threads: threads.map((thread) => ({
        id: thread.id,
        path: 'src/a.ts',
        line: thread.line,
        originalLine: thread.line,
        resolved: thread.resolved,
        ...(thread.resolved && { resolvedBy: 'octocat' }),
        outdated: false,
        comments: [...thread.comments],
      })),
      ownReviews: reviews.map(({ databaseId, body }) => ({
        id: `r${databaseId}`,
        databaseId,
        body,
        state: 'COMMENTED',
      })),
      comments: [...comments],
      peerReviews: [...peerReviews],
      permissions,
      heads: checks
        .filter(({ sha: one }, index) => checks.findIndex(({ sha: other }) => one === other) === index)
        .map(({ sha: one, since }) => ({ sha: one, since })),
      passRecords: states.flatMap(({ passes }) => passes),
      marks: states.flatMap(({ marks }) => marks),
      heard: states.flatMap(({ heard }) => heard),
    };
  }

  const comment = (by: string, body: string, ours = false): Comment => {
    clock += 1_000;
    nextId += 1;
    return {
      id: `c${nextId}`,
      databaseId: nextId,
      author: by,
      by: ours || by.endsWith('[bot]') ? 'bot' : 'person',
      ours,
      body,
      at: new Date(clock).toISOString(),
    };
  };

  function write(publication: Publication): void {
    const { review, summaryEdit, threadEdits = [], replies = [], check } = publication;
    if (review !== undefined) {
      nextId += 1;
      reviews.push({ databaseId: nextId, body: review.body });
      for (const { anchor, body } of review.threads)
        threads.push({
          id: `t${nextId}-${anchor.line}`,
          line: anchor.line,
          comments: [comment('evident[bot]', body, true)],
          resolved: false,
        });
    }
    const summary = reviews.find(({ databaseId }) => databaseId === summaryEdit?.reviewId);
    if (summary !== undefined && summaryEdit !== undefined) {
      oldSummaries.push(summary.body);
      summary.body = summaryEdit.body;
    }
    for (const { comment: id, body } of threadEdits)
      for (const thread of threads)
        thread.comments = thread.comments.map((one) => (one.databaseId === id ? { ...one, body } : one));
    for (const { to, body } of replies)
      (
        threads.find(({ comments: [first] }) => first?.databaseId === to.threadRoot)?.comments ?? comments
      ).push(comment('evident[bot]', body, true));
    checks.push({ sha: head, since: clock, text: check.text });
  }

  const publish = (before: Ledger, after: Ledger, pass: PassRecord | null): void =>
    write(
      draft({
        snapshot: at(),
        before,
        ledger: after,
        verdict: decideOn(after),
        pass,
        run: { model: { name: 'model', kind: 'language_model' }, elapsedMs: 1, requests: 1 },
        trust,
      }),
    );

  return {
    conversation,
    ledger,
    input,
    verdict: (): Verdict => decideOn(ledger()),
    decideOn,
    threads,
    comments,
    reviews,
    checks,
    oldSummaries,
    head: (): Sha => head,

    /** Another commit; the same `diff` is a rebase. */
    push(sha: string, diff: string): void {
      clock += 60_000;
      head = Sha.parse(sha.repeat(40).slice(0, 40));
      change = diff.repeat(8);
    },

    /** One pass: what it sees, and what of before is fixed now. */
    review(
      sees: readonly Fault[],
      {
        fixed = [],
        lens = 'correctness',
        over = {},
      }: {
        readonly fixed?: readonly Fault[];
        readonly lens?: PassRecord['lens'];
        readonly over?: Partial<PassRecord>;
      } = {},
    ): void {
      clock += 60_000;
      const before = ledger();
      const known = matchKnown(
        sees.map((fault) => ({ key: keyAt(fault), rule: 'falsy-zero' })),
        before.known,
      );
      let { nextFinding, nextQuestion } = before;
      const findings: Finding[] = [];
      const questions: Question[] = [];
      for (const [index, fault] of sees.entries()) {
        const id = known.get(index)?.id;
        // Asked again about what an answer made a finding of: it is listed already.
        if (fault.asks === true && id?.startsWith('F') === true) continue;
        const asked = before.questions.find((one) => one.id === id);
        if (asked !== undefined || (fault.asks === true && id === undefined)) {
          questions.push({
            id: (id ?? `Q${nextQuestion++}`) as QuestionId,
            finding: { ...claimOf(fault), standing: { kind: 'open' } },
            reason: 'nothing says so',
            searched: [],
            question: `Is line ${fault.line} as it should be?`,
            answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
            standing: asked?.standing ?? { kind: 'open' },
          });
          continue;
        }
        const standing = before.findings.find((one) => one.id === id)?.standing ?? { kind: 'open' };
        findings.push({
          ...claimOf(fault),
          id: (id ?? `F${nextFinding++}`) as FindingId,
          standing: standing.kind === 'fixed' || standing.kind === 'obsolete' ? { kind: 'open' } : standing,
        });
      }
      const settled = before.findings
        .filter(
          ({ key, standing }) =>
            standing.kind === 'open' &&
            fixed.some((fault) => keyAt(fault) === key) &&
            !findings.some((one) => one.key === key),
        )
        .map((one): Finding => ({ ...one, standing: { kind: 'fixed', in: head } }));
      const gone = before.questions
        .filter(({ id, standing }) => standing.kind !== 'obsolete' && settled.some(({ from }) => from === id))
        .map((one): Question => ({ ...one, standing: { kind: 'obsolete' } }));
      const pass: PassRecord = {
        v: 2,
        at: clock,
        jobKey: `octo-org/shop#482:${head}:main`,
        head,
        baseRef: 'main',
        diffHash: change,
        policyHash: snapshot.policyHash,
        lens,
        order: 'as_shown',
        model: 'model',
        modelKind: 'language_model',
        finished: true,
        complete: true,
        blocking: blockingKeys(findings),
        findings: findings.map(({ id }) => id),
        questions: questions.map(({ id }) => id),
        settled: [
          ...settled.map(({ id }) => ({ id, kind: 'fixed' as const })),
          ...gone.map(({ id }) => ({ id, kind: 'obsolete' as const })),
        ],
        usage: noUsage,
        ...over,
      };
      publish(before, addPass(before, { findings, questions: [...questions, ...gone], settled }, pass), pass);
    },

    /** What a run without a model does: folds what was said and writes what follows. */
    fold(): void {
      clock += 1_000;
      const now = ledger();
      publish(now, now, null);
    },

    say(by: string, body: string, item?: string): Comment {
      const said = comment(by, body);
      const thread = threads.find(({ comments: [first] }) => first?.body.includes(`(${item}`));
      (item === undefined ? comments : (thread?.comments ?? comments)).push(said);
      return said;
    },

    approve(by: string, state: 'approved' | 'changes_requested' = 'approved', commit = head): void {
      peerReviews.push({ ...comment(by, ''), state, commit });
    },

    /** Somebody changes, or takes away, what stands there. */
    edit(said: Comment, body: string | null, change: Partial<Comment> = {}): void {
      for (const list of [comments, ...threads.map((thread) => thread.comments)]) {
        const index = list.findIndex(({ id }) => id === said.id);
        if (index === -1) continue;
        clock += 1_000;
        if (body === null) list.splice(index, 1);
        else list[index] = { ...said, body, editedAt: new Date(clock).toISOString(), ...change };
      }
    },
  };
}

export type Play = ReturnType<typeof createPlay>;
