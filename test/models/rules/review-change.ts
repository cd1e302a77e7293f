import { noConversation } from '../../../lib/core/conversation.js';
import { structuredPatch } from 'diff';
import { runLoop } from '../../../lib/agent/loop.js';
import type { DiffLine, FileDiff } from '../../../lib/core/diff.js';
import { defaultPolicy } from '../../../lib/core/policy.js';
import type { PullRequest } from '../../../lib/core/pull-request.js';
import { labelSecrets } from '../../../lib/core/secret.js';
import type { Snapshot } from '../../../lib/core/snapshot.js';
import { CodeReview } from '../../../lib/core/submission.js';
import type { AcceptedReview } from '../../../lib/core/review-result.js';
import type { Dropped, Transcript } from '../../../lib/core/transcript.js';
import { createMemoryReader } from '../../../lib/forges/memory.js';
import { createRulesModel } from '../../../lib/models/rules.js';
import type { Model } from '../../../lib/ports/model.js';
import { reviewTask } from '../../../lib/modes/review.js';

export type Tree = Readonly<Record<string, string>>;

/** Before and after; `renamed` maps a head path to the base path it came from. */
export type Edit = {
  readonly base: Tree;
  readonly head: Tree;
  readonly renamed?: Readonly<Record<string, string>>;
};

/** What the rules submitted first, what code accepted of it, and the way there. */
export type Reviewed = {
  readonly review: CodeReview;
  readonly accepted: AcceptedReview;
  readonly dropped: readonly Dropped[];
  readonly transcript: Transcript;
};

/** The change from `base` to `head`, reviewed by the fixed rules through the real loop, tools and checks of claims. */
export async function reviewChange(
  edit: Edit,
  options: { readonly toolCalls?: number; readonly model?: Model } = {},
): Promise<Reviewed> {
  const model = options.model ?? createRulesModel();
  const task = reviewTask({
    snapshot: snapshotOf(edit),
    reader: createMemoryReader(edit),
    lens: 'correctness',
    order: 'as_shown',
    limits: { turns: 60, toolCalls: options.toolCalls ?? 5_000 },
    clock: Date.now,
    deadline: Date.now() + 600_000,
    modelKind: model.kind,
  });
  const { outcome, transcript } = await runLoop({
    model,
    toolset: task.toolset,
    system: task.system,
    opening: task.opening,
    budget: task.budget,
    clock: Date.now,
    signal: new AbortController().signal,
  });
  if (outcome.kind !== 'submitted') throw new Error(`not submitted: ${JSON.stringify(outcome)}`);
  return {
    review: firstSubmission(transcript),
    accepted: outcome.value,
    dropped: outcome.dropped,
    transcript,
  };
}

function firstSubmission(transcript: Transcript): CodeReview {
  for (const turn of transcript.turns)
    for (const block of turn.assistant.content)
      if (block.type === 'tool_use' && block.name === 'submit_code_review')
        return CodeReview.parse(block.input);
  throw new Error('nothing was submitted');
}

export function snapshotOf(edit: Edit): Snapshot {
  return {
    pullRequest,
    diff: diffOf(edit),
    diffHash: 'none',
    ...noConversation,
    policy: defaultPolicy,
    policyHash: 'none',
    reviewRules: null,
    lacks: [],
  };
}

const sha = (digit: string) => digit.repeat(40) as PullRequest['mergeBase'];
const pullRequest: PullRequest = {
  repo: { owner: 'octo-org', name: 'shop', htmlUrl: 'http://127.0.0.1/octo-org/shop' },
  number: 1,
  htmlUrl: 'http://127.0.0.1/octo-org/shop/pull/1',
  title: 'A change',
  body: '',
  author: { login: 'octocat', kind: 'person' },
  state: 'open',
  draft: false,
  labels: [],
  base: { ref: 'main', sha: sha('a') },
  head: { ref: 'change', sha: sha('b'), repo: 'octo-org/shop' },
  mergeBase: sha('a'),
  changedFiles: 1,
  commits: 1,
};

function diffOf({ base, head, renamed = {} }: Edit): readonly FileDiff[] {
  const cameFrom = new Set(Object.values(renamed));
  const paths = [...new Set([...Object.keys(base), ...Object.keys(head)])]
    .filter((path) => !cameFrom.has(path))
    .sort();
  return paths.flatMap((path): FileDiff[] => {
    const oldPath = renamed[path] ?? path;
    const [before, after] = [base[oldPath], head[path]];
    if (before === after && oldPath === path) return [];
    const patch = structuredPatch(
      oldPath,
      path,
      labelSecrets(before ?? '').text,
      labelSecrets(after ?? '').text,
      '',
      '',
      { context: 3 },
    );
    const hunks = patch.hunks.map((hunk) => ({
      oldStart: hunk.oldStart,
      oldCount: hunk.oldLines,
      newStart: hunk.newStart,
      newCount: hunk.newLines,
      lines: rows(hunk.lines, hunk.oldStart, hunk.newStart),
    }));
    const count = (kind: DiffLine['kind']): number =>
      hunks.flatMap((hunk) => hunk.lines).filter((line) => line.kind === kind).length;
    return [
      {
        path,
        oldPath,
        status:
          before === undefined
            ? 'added'
            : after === undefined
              ? 'deleted'
              : oldPath === path
                ? 'modified'
                : 'renamed',
        symlink: false,
        additions: count('added'),
        deletions: count('removed'),
        content: { kind: 'text', hunks },
      },
    ];
  });
}

function rows(lines: readonly string[], oldStart: number, newStart: number): readonly DiffLine[] {
  let old = oldStart;
  let next = newStart;
  return lines.flatMap((line): DiffLine[] => {
    const text = line.slice(1);
    if (line.startsWith('+')) return [{ kind: 'added', new: next++, text }];
    if (line.startsWith('-')) return [{ kind: 'removed', old: old++, text }];
    if (line.startsWith(' ')) return [{ kind: 'context', old: old++, new: next++, text }];
    return [];
  });
}

/** Lines as one file. */
export const file = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;
