import { structuredPatch } from 'diff';
import { runLoop } from '../../../lib/agent/loop.js';
import type { TerminalTool } from '../../../lib/agent/tool.js';
import type { DiffLine, FileDiff } from '../../../lib/core/diff.js';
import { defaultPolicy } from '../../../lib/core/policy.js';
import type { PullRequest } from '../../../lib/core/pull-request.js';
import { labelSecrets } from '../../../lib/core/secret.js';
import type { Snapshot } from '../../../lib/core/snapshot.js';
import { CodeReview } from '../../../lib/core/submission.js';
import type { Transcript } from '../../../lib/core/transcript.js';
import { createMemoryReader } from '../../../lib/forges/memory.js';
import { createRulesModel } from '../../../lib/models/rules.js';
import type { Model } from '../../../lib/ports/model.js';
import { evidenceTools } from '../../../lib/tools/index.js';

export type Tree = Readonly<Record<string, string>>;

/** Before and after; `renamed` maps a head path to the base path it came from. */
export type Edit = {
  readonly base: Tree;
  readonly head: Tree;
  readonly renamed?: Readonly<Record<string, string>>;
};

export type Reviewed = { readonly review: CodeReview; readonly transcript: Transcript };

/** The change from `base` to `head`, reviewed by the fixed rules through the real loop and the real tools. */
export async function reviewChange(
  edit: Edit,
  options: { readonly toolCalls?: number; readonly model?: Model } = {},
): Promise<Reviewed> {
  const terminal: TerminalTool<CodeReview> = {
    name: 'submit_code_review',
    description: 'ends the review',
    schema: CodeReview,
    accept: async (input) => ({ kind: 'accepted', value: CodeReview.parse(input), dropped: [] }),
  };
  const { outcome, transcript } = await runLoop({
    model: options.model ?? createRulesModel(),
    toolset: {
      tools: evidenceTools({ snapshot: snapshotOf(edit), reader: createMemoryReader(edit) }),
      terminal,
    },
    system: 'Review the change.',
    opening: {
      role: 'user',
      content: [{ type: 'text', text: 'Review it; only submit_code_review ends the review.' }],
    },
    budget: {
      turns: 40,
      toolCalls: options.toolCalls ?? 300,
      tokens: 1e9,
      dollars: 1,
      deadline: Date.now() + 600_000,
      submissionTries: 3,
    },
    clock: Date.now,
    signal: new AbortController().signal,
  });
  if (outcome.kind !== 'submitted') throw new Error(`not submitted: ${JSON.stringify(outcome)}`);
  return { review: outcome.value, transcript };
}

/** Every quote of a review as it stands in the tree that it names. */
export function quotesThatDoNotStand(review: CodeReview, edit: Edit): readonly string[] {
  const at = (ref: 'head' | 'base', path: string, start: number, end: number): string =>
    labelSecrets(edit[ref][path] ?? '')
      .text.split('\n')
      .slice(start - 1, end)
      .join('\n');
  return [...review.findings, ...review.humanReviewRequests.map((request) => request.finding)].flatMap(
    (finding) => [
      ...(at('head', finding.path, finding.start_line ?? finding.line, finding.line) === finding.code
        ? []
        : [`${finding.path}:${finding.line}`]),
      ...finding.evidence.flatMap((each) =>
        at(each.ref, each.path, each.start, each.end) === each.quote
          ? []
          : [`${each.ref} ${each.path}:${each.start}`],
      ),
    ],
  );
}

export function snapshotOf(edit: Edit): Snapshot {
  return {
    pullRequest,
    diff: diffOf(edit),
    diffHash: 'none',
    threads: [],
    ownReviews: [],
    passRecords: [],
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
