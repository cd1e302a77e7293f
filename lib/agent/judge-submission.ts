import { SubmissionError, ToolError } from '../core/errors.js';
import type { Accepted } from '../core/transcript.js';
import type { Call } from './assistant-message.js';
import type { Seen, Submission, TerminalTool } from './tool.js';

export type Judged<Value> =
  | ({ readonly kind: 'accepted' } & Accepted<Value>)
  /** `id`: the call that is answered with `text`. */
  | ({ readonly kind: 'asked'; readonly id: string; readonly text: string } & Accepted<Value>)
  | { readonly kind: 'sent_back'; readonly reasons: ReadonlyMap<string, readonly string[]> };

/**
 * The submissions of one turn, in call order: the first that is accepted ends the run. A turn is one try however
 * often it submits, because the reasons reach the model only after it; on the last try the last one is taken as it is.
 */
export async function judgeSubmissions<Value>(
  calls: readonly Call[],
  terminal: TerminalTool<Value>,
  seen: Seen<Value>,
  lastTry: boolean,
): Promise<Judged<Value>> {
  const reasons = new Map<string, readonly string[]>();
  for (const call of calls) {
    const verdict = await judge(call, terminal, seen, lastTry && call === calls.at(-1));
    if (verdict.kind === 'accepted') return verdict;
    if (verdict.kind === 'asked') return { ...verdict, id: call.id };
    reasons.set(call.id, verdict.reasons.length > 0 ? verdict.reasons : ['It was not accepted.']);
  }
  return { kind: 'sent_back', reasons };
}

async function judge<Value>(
  call: Call,
  terminal: TerminalTool<Value>,
  seen: Seen<Value>,
  lastTry: boolean,
): Promise<Submission<Value>> {
  if (call.problem !== undefined) return { kind: 'sent_back', reasons: [call.problem] };
  try {
    return await terminal.accept(call.input, seen, lastTry);
  } catch (error) {
    if (error instanceof SubmissionError) return { kind: 'sent_back', reasons: error.reasons };
    if (error instanceof ToolError) return { kind: 'sent_back', reasons: [error.message] };
    throw error;
  }
}
