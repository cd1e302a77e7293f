import { addUsage, noUsage, type Usage } from './budget.js';
import type { Served } from './evidence.js';
import type { KeptOutcome, KeptPass, KeptTranscript } from './kept-transcript.js';
import { CodeReview, type ProposedFinding } from './submission.js';
import type { Block } from './transcript.js';

/** One turn of a review, told in the order in which things happened. */
export type ReplayTurn = {
  /** From 1, through all passes. */
  readonly number: number;
  readonly ms: number | null;
  readonly usage: Usage;
  /** What the model wrote beside its calls; empty for nothing. */
  readonly said: string;
  /** It thought: the text of that is bound to its provider, and no claim. */
  readonly thought: boolean;
  readonly steps: readonly ReplayStep[];
  /** Lines that became known in this turn, by file and version. */
  readonly read: readonly ReadRange[];
  /** What the loop told the model beside the results. */
  readonly told: string;
  readonly ended: KeptOutcome | null;
};

export type ReadRange = {
  readonly path: string;
  readonly ref: 'head' | 'base';
  readonly lines: readonly string[];
};

export type ReplayStep =
  | {
      readonly kind: 'look';
      readonly tool: string;
      readonly input: string;
      readonly answer: string;
      readonly refused: boolean;
    }
  | {
      readonly kind: 'submission';
      readonly claims: readonly Claim[];
      /** The arguments as text, when they could not be read as a review. */
      readonly unread: string | null;
      readonly verdict: 'accepted' | 'sent_back' | 'not_judged';
      /** Why it was sent back, as the model was told. */
      readonly reasons: string;
    };

export type Claim = {
  readonly kind: 'finding' | 'question' | 'disproved' | 'prior';
  /** `important, high, falsy-zero` */
  readonly weight: string;
  readonly place: string;
  readonly title: string;
  readonly body: string;
  /** Each place or search that is to prove it. */
  readonly evidence: readonly string[];
};

export type ReplayPass = {
  readonly number: number;
  readonly system: string;
  readonly opening: string;
  readonly turns: readonly ReplayTurn[];
  readonly outcome: KeptOutcome;
  readonly usage: Usage;
};

export type Replay = {
  readonly passes: readonly ReplayPass[];
  readonly usage: Usage;
  readonly lookUps: number;
};

/** A transcript as what was read, claimed, refused and why. */
export function replay({ passes }: KeptTranscript): Replay {
  let before = 0;
  const told = passes.map((pass, index) => {
    const turns = turnsOf(pass, before);
    before += pass.turns.length;
    return {
      number: index + 1,
      system: pass.system,
      opening: textOf(pass.opening.content),
      turns,
      outcome: pass.outcome,
      usage: pass.spend.usage,
    };
  });
  return {
    passes: told,
    usage: told.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    lookUps: told
      .flatMap(({ turns }) => turns.flatMap(({ steps }) => steps))
      .filter(({ kind }) => kind === 'look').length,
  };
}

const turnsOf = ({ turns }: KeptPass, before: number): readonly ReplayTurn[] =>
  turns.map((turn, index) => {
    const results = new Map(
      (turn.reply?.content ?? []).flatMap((block) =>
        block.type === 'tool_result' ? [[block.toolUseId, block] as const] : [],
      ),
    );
    return {
      number: before + index + 1,
      ms: turn.ms ?? null,
      usage: turn.usage,
      said: textOf(turn.assistant.content),
      thought: turn.assistant.content.some(({ type }) => type === 'provider'),
      steps: turn.assistant.content.flatMap((block) =>
        block.type === 'tool_use' ? [stepOf(block, results.get(block.id), turn.ended ?? null)] : [],
      ),
      read: rangesOf(turn.served),
      told: textOf(turn.reply?.content ?? []),
      ended: turn.ended ?? null,
    };
  });

type Use = Extract<Block, { type: 'tool_use' }>;
type Result = Extract<Block, { type: 'tool_result' }>;

function stepOf(use: Use, result: Result | undefined, ended: KeptOutcome | null): ReplayStep {
  if (!use.name.startsWith('submit_'))
    return {
      kind: 'look',
      tool: use.name,
      input: argumentsOf(use.input),
      answer: result?.text ?? '',
      refused: result?.isError ?? false,
    };
  const read = CodeReview.safeParse(use.input);
  // The reasons of the last try are in the ending: there was no answer any more.
  const refusal =
    result?.isError === true ? result.text : ended?.kind === 'no_submission' ? ended.detail : null;
  return {
    kind: 'submission',
    claims: read.success ? claimsOf(read.data) : [],
    unread: read.success ? null : argumentsOf(use.input),
    // Answered without an error: accepted, and one thing more was asked.
    verdict:
      refusal !== null
        ? 'sent_back'
        : ended?.kind === 'submitted' || result !== undefined
          ? 'accepted'
          : 'not_judged',
    reasons: refusal ?? '',
  };
}

/** `path: src/a.ts, start: 3`; a single value stands alone where its name says nothing. */
function argumentsOf(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return JSON.stringify(input) ?? '';
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function claimsOf(review: CodeReview): readonly Claim[] {
  return [
    ...review.findings.map((finding) => ({ ...claimOf(finding), kind: 'finding' as const })),
    ...review.humanReviewRequests.map(({ finding, question, reason }) => ({
      ...claimOf(finding),
      kind: 'question' as const,
      title: question,
      body: reason,
    })),
    ...review.disproved.map(({ claim, because, path, ref, line }) => ({
      kind: 'disproved' as const,
      weight: '',
      place: `${path}:${line}${ref === 'base' ? ' before' : ''}`,
      title: claim,
      body: because,
      evidence: [],
    })),
    ...review.prior.map(({ id, verdict, evidence }) => ({
      kind: 'prior' as const,
      weight: '',
      place: id,
      title: verdict,
      body: '',
      evidence: evidence.map(quotePlace),
    })),
  ];
}

const claimOf = (finding: ProposedFinding): Omit<Claim, 'kind'> => ({
  weight: [finding.severity, finding.confidence, finding.rule].join(', '),
  place: `${finding.path}:${range(finding.start_line ?? finding.line, finding.line)}${finding.side === 'LEFT' ? ' before' : ''}`,
  title: finding.title,
  body: finding.body,
  evidence: [
    ...finding.evidence.map(quotePlace),
    ...finding.absences.map(
      ({ pattern, glob, ref }) => `nothing matches ${pattern} in ${glob}${ref === 'base' ? ' before' : ''}`,
    ),
  ],
});

const quotePlace = ({
  path,
  ref,
  start,
  end,
}: {
  readonly path: string;
  readonly ref: string;
  readonly start: number;
  readonly end: number;
}): string => `${path}:${range(start, end)}${ref === 'base' ? ' before' : ''}`;

const range = (start: number, end: number): string => (start === end ? `${start}` : `${start}-${end}`);

/** Overlapping and adjoining ranges read as one. */
function rangesOf(served: readonly Served[]): readonly ReadRange[] {
  const files = new Map<string, Served[]>();
  for (const one of served) {
    const key = `${one.ref}:${one.path}`;
    files.set(key, [...(files.get(key) ?? []), one]);
  }
  return [...files.values()].map((ranges) => {
    const joined: { start: number; end: number }[] = [];
    for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
      const last = joined.at(-1);
      if (last !== undefined && start <= last.end + 1) last.end = Math.max(last.end, end);
      else joined.push({ start, end });
    }
    const [first] = ranges;
    return {
      path: first?.path ?? '',
      ref: first?.ref ?? 'head',
      lines: joined.map(({ start, end }) => range(start, end)),
    };
  });
}

const textOf = (content: readonly Block[]): string =>
  content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n\n')
    .trim();
