import { setMaxListeners } from 'node:events';
import { remaining, timeLimit, type Budget } from '../core/budget.js';
import { ModelError, SupersededError } from '../core/errors.js';
import type {
  Accepted,
  Block,
  Message,
  Outcome,
  StopReason,
  ToolCall,
  Transcript,
  Turn,
} from '../core/transcript.js';
import type { Wanted } from '../ports/forge.js';
import type { Model, ModelTurn, ToolDefinition } from '../ports/model.js';
import { assistantMessage, waitsForServerTool, type Call } from './assistant-message.js';
import { executeTools, type ToolLimits, type ToolResult } from './execute-tools.js';
import { judgeSubmissions } from './judge-submission.js';
import type { LoopEvent } from './loop-event.js';
import type { RunJournal } from './run-journal.js';
import { afterTurn, beginRun, goingOn, type RunState } from './run-state.js';
import { toolDefinition } from './tool-definition.js';
import type { Tool, Toolset } from './tool.js';
import { wellFormed } from './well-formed.js';
import { withinTime } from './within-time.js';

/** One run: a task for a model, with read-only tools and one way to end. */
export type Run<Value> = {
  readonly model: Model;
  readonly toolset: Toolset<Value>;
  readonly system: string;
  readonly opening: Message;
  readonly budget: Budget;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** A `SupersededError` as its reason ends the run superseded, any other reason failed. */
  readonly signal: AbortSignal;
  readonly journal?: RunJournal;
  /** Asked between turns, at most every 30 seconds. */
  readonly stillWanted?: () => Promise<Wanted>;
  readonly emit?: (event: LoopEvent) => void;
  /** Per tool call; 20 seconds and 60,000 characters when absent. */
  readonly toolLimits?: ToolLimits;
};

/** In a row: texts without a call, answers cut off at the output limit, pauses. One more ends the run. */
const patience = { idle: 2, cutOff: 2, paused: 5 } as const;
const wantedEveryMs = 30_000;

/**
 * Model turn, tool turn, ... until the terminal tool accepts, the budget is out or the run is stopped. A terminal tool
 * may ask one thing more about what it accepted; that stands then, however the run goes on and wherever it dies. The
 * conversation is append-only: system, tools and earlier messages of a request are those of the one before, byte for
 * byte. Every expected ending is an outcome. Throws for defects of the caller alone: tools of one name.
 */
export async function runLoop<Value>(
  given: Run<Value>,
): Promise<{ readonly outcome: Outcome<Value>; readonly transcript: Transcript }> {
  const run = prepare(given);
  let state = beginRun(run.opening);
  for (const turn of await journaled(run)) state = afterTurn(state, turn);
  const resumed = state.turns.length;
  if (resumed > 0) run.emit({ kind: 'resumed', turns: resumed });
  // A run that was closing for want of time and has time again may look further, also if it had to submit.
  const isCutOff = state.closing === timeLimit && (state.ended === null || state.ended.kind === 'submitted');
  let wentOn = isCutOff && remaining(run.budget, state.spend, run.clock()).kind === 'enough';
  if (wentOn) state = goingOn(state);

  let sent = 0;
  for (;;) {
    const stop = (state.ended as Outcome<Value> | null) ?? (await mustStop(run, state));
    if (stop !== null) return end(run, state, stop);

    const turn = state.turns.length;
    run.emit({
      kind: 'request_sent',
      turn,
      added: state.messages.slice(sent),
      ...(sent === 0 ? { prefix: { system: run.system, tools: run.definitions } } : {}),
    });
    sent = state.messages.length;
    const from = run.clock();
    const answer = await ask(run, state.messages);
    if (answer.kind === 'stopped') return end(run, state, answer.outcome);
    const ms = run.clock() - from;
    const { content, stop: reason, usage } = answer.turn;
    run.emit({ kind: 'turn_received', turn, content, stop: reason, usage, ms });

    const finished = marked(
      wentOn,
      whatStands(run, state.held, await finishTurn(run, state, answer.turn, ms)),
    );
    wentOn = false;
    if (finished.turn !== undefined) state = afterTurn(state, finished.turn);
    if (finished.kind === 'stopped') return end(run, state, finished.outcome);
    await keep(run, finished.turn);
  }
}

type Prepared<Value> = Run<Value> & {
  readonly definitions: readonly ToolDefinition[];
  readonly tools: ReadonlyMap<string, Tool>;
  readonly limits: ToolLimits;
  readonly emit: (event: LoopEvent) => void;
  /** When `stillWanted` was asked last; whether turns are still kept. */
  readonly now: { asked: number; journaling: boolean };
};

function prepare<Value>(run: Run<Value>): Prepared<Value> {
  // Each call of a parallel turn listens on it; Node takes more than ten listeners for a leak.
  setMaxListeners(0, run.signal);
  const { tools, terminal } = run.toolset;
  const names = [...tools.map((tool) => tool.name), terminal.name];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`Two tools are named ${twice}.`);
  return {
    ...run,
    definitions: toolDefinitions(run.toolset),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    limits: run.toolLimits ?? { ms: 20_000, chars: 60_000 },
    emit: run.emit ?? (() => {}),
    now: { asked: run.clock(), journaling: run.journal !== undefined },
  };
}

/** The tools of a run as every request of it carries them; also what the identity of its journal is made of. */
export const toolDefinitions = <Value>(toolset: Toolset<Value>): readonly ToolDefinition[] =>
  [...toolset.tools, toolset.terminal].map(toolDefinition);

/** The turns of a killed run; those after a gap are of no use. */
async function journaled<Value>(run: Prepared<Value>): Promise<readonly Turn[]> {
  if (run.journal === undefined) return [];
  try {
    const turns = await run.journal.load();
    const gap = turns.findIndex((turn, i) => turn.index !== i);
    if (turns.length > 0) run.now.asked = 0;
    return gap === -1 ? turns : turns.slice(0, gap);
  } catch (error) {
    run.emit({ kind: 'journal_failed', detail: messageOf(error) });
    return [];
  }
}

/** Before the next request. A turn that cannot be kept does not stop the run: it is paid again if this one dies. */
async function keep<Value>(run: Prepared<Value>, turn: Turn): Promise<void> {
  if (run.journal === undefined || !run.now.journaling) return;
  try {
    await run.journal.append(turn);
  } catch (error) {
    run.now.journaling = false;
    run.emit({ kind: 'journal_failed', detail: messageOf(error) });
  }
}

function end<Value>(
  run: Prepared<Value>,
  state: RunState,
  ending: Outcome<Value>,
): { readonly outcome: Outcome<Value>; readonly transcript: Transcript } {
  const outcome = unlessHeld(run, state.held, ending);
  run.emit({ kind: 'ended', outcome });
  const { system, opening } = run;
  return {
    outcome,
    transcript: { model: run.model.name, system, opening, turns: state.turns, spend: state.spend },
  };
}

/** What was accepted stands, whatever became of what was asked after it, unless nobody wants the run any more. */
function unlessHeld<Value>(
  run: Prepared<Value>,
  held: RunState['held'],
  outcome: Outcome<Value>,
): Outcome<Value> {
  if (held === null || outcome.kind === 'submitted' || outcome.kind === 'superseded' || run.signal.aborted)
    return outcome;
  run.emit({ kind: 'follow_up_unanswered', outcome });
  return { kind: 'submitted', value: held.value as Value, dropped: held.dropped };
}

/** The same for a turn that ends the run: as it is kept. */
function whatStands<Value>(
  run: Prepared<Value>,
  held: RunState['held'],
  finished: Finished<Value>,
): Finished<Value> {
  if (finished.kind === 'stopped' || finished.turn.ended === undefined) return finished;
  const ended = unlessHeld(run, held, finished.turn.ended as Outcome<Value>);
  return { ...finished, turn: { ...finished.turn, ended } };
}

/** That the run was told before it that there is time again: a resumed one is told it at the same place. */
const marked = <Value>(wentOn: boolean, finished: Finished<Value>): Finished<Value> =>
  wentOn && finished.turn !== undefined ? { ...finished, turn: { ...finished.turn, wentOn } } : finished;

async function mustStop<Value>(run: Prepared<Value>, state: RunState): Promise<Outcome<Value> | null> {
  if (run.signal.aborted) return aborted(run.signal);
  const left = remaining(run.budget, state.spend, run.clock());
  if (left.kind === 'out') return { kind: 'out_of_budget', limit: left.limit };
  return await overtaken(run);
}

async function overtaken<Value>(run: Prepared<Value>): Promise<Outcome<Value> | null> {
  if (run.stillWanted === undefined || run.clock() - run.now.asked < wantedEveryMs) return null;
  run.now.asked = run.clock();
  try {
    const wanted = await run.stillWanted();
    switch (wanted.kind) {
      case 'wanted':
        return null;
      case 'superseded':
        return { kind: 'superseded', detail: `overtaken by ${wanted.by}` };
      case 'closed':
        return { kind: 'superseded', detail: 'closed' };
    }
  } catch (error) {
    run.emit({ kind: 'wanted_unknown', detail: messageOf(error) });
    return null;
  }
}

function aborted<Value>(signal: AbortSignal): Outcome<Value> {
  const reason: unknown = signal.reason;
  return reason instanceof SupersededError
    ? { kind: 'superseded', detail: reason.message }
    : { kind: 'failed', detail: `Stopped: ${messageOf(reason)}`, retryable: true };
}

/** An ending that is not kept: `turn` was paid for and stands in the transcript, a resumed run asks for it again. */
type Stopped<Value> = { readonly kind: 'stopped'; readonly outcome: Outcome<Value>; readonly turn?: Turn };

/** One model turn, or why there is none. Ends at the deadline and on abort even if the adapter does not. */
async function ask<Value>(
  run: Prepared<Value>,
  messages: readonly Message[],
): Promise<{ readonly kind: 'answered'; readonly turn: ModelTurn } | Stopped<Value>> {
  const { budget, clock, definitions, model, system } = run;
  const stop = (outcome: Outcome<Value>): Stopped<Value> => ({ kind: 'stopped', outcome });
  try {
    const answer = await withinTime(budget.deadline - clock(), run.signal, (signal) =>
      model.next(
        { system, tools: definitions, messages: [...messages] },
        { signal, deadline: budget.deadline },
      ),
    );
    switch (answer.kind) {
      case 'done':
        return { kind: 'answered', turn: answer.value };
      case 'late':
        return stop(outOfTime(run, messages));
      case 'aborted':
        return stop(aborted(run.signal));
    }
  } catch (error) {
    if (run.signal.aborted) return stop(aborted(run.signal));
    if (clock() >= budget.deadline) return stop(outOfTime(run, messages));
    const detail = messageOf(error);
    return error instanceof ModelError
      ? stop({ kind: 'failed', detail, retryable: error.retryable })
      : stop({ kind: 'failed', detail, retryable: false, defect: true });
  }
}

/** An endpoint that has answered nothing at all is named: more time alone would not help. */
function outOfTime<Value>({ model }: Prepared<Value>, messages: readonly Message[]): Outcome<Value> {
  if (messages.length > 1 || model.sendsTo === null) return { kind: 'out_of_budget', limit: timeLimit };
  const detail = `${model.sendsTo} gave no answer at all before the time was up`;
  return { kind: 'failed', detail, retryable: true };
}

type Finished<Value> = { readonly kind: 'finished'; readonly turn: Turn } | Stopped<Value>;

/** What follows from a model turn: tools run, a submission judged, an answer for the next request, or the end. */
async function finishTurn<Value>(
  run: Prepared<Value>,
  state: RunState,
  answer: ModelTurn,
  ms: number,
): Promise<Finished<Value>> {
  const index = state.turns.length;
  const { message, calls } = assistantMessage(answer, index, state.usedIds);
  const turn: Turn = {
    index,
    assistant: message,
    stop: answer.stop,
    usage: answer.usage,
    ms,
    served: [],
    calls: [],
  };
  const ended = (outcome: Outcome): Finished<Value> => ({
    kind: 'finished',
    turn: { ...turn, ended: outcome },
  });
  switch (answer.stop.kind) {
    case 'refusal':
      return ended({
        kind: 'refused',
        detail: answer.stop.detail ?? (textOf(answer.content) || 'no reason was given'),
      });
    case 'context_exceeded':
      return ended({ kind: 'out_of_budget', limit: "the model's context" });
    case 'unknown':
      return {
        kind: 'stopped',
        turn,
        outcome: {
          kind: 'failed',
          detail: `The model stopped for a reason that is not known: "${answer.stop.word}".`,
          retryable: false,
        },
      };
    case 'end_turn':
    case 'tool_use':
    case 'max_tokens':
    case 'pause_turn':
      break;
  }
  if (calls.length > 0) return await toolTurn(run, state, turn, calls);
  return goOn(run, state, turn, answer.stop);
}

/** A turn without a call: the model is told how to go on, a bounded number of times. */
function goOn<Value>(
  run: Prepared<Value>,
  state: RunState,
  turn: Turn,
  stop: Exclude<StopReason, { kind: 'refusal' | 'context_exceeded' | 'unknown' }>,
): Finished<Value> {
  const terminal = run.toolset.terminal.name;
  const finished = (more: Partial<Turn>): Finished<Value> => ({
    kind: 'finished',
    turn: { ...turn, ...more },
  });
  const noSubmission = (detail: string): Finished<Value> =>
    finished({ ended: { kind: 'no_submission', detail } });
  const say = (text: string): Finished<Value> => finished(reply(run, state, turn, [], [text]));
  switch (stop.kind) {
    case 'pause_turn':
      if (state.paused >= patience.paused)
        return noSubmission(`The model paused ${state.paused + 1} times in a row.`);
      return waitsForServerTool(turn.assistant) ? finished({}) : say('Go on.');
    case 'max_tokens':
      if (state.cutOff >= patience.cutOff) return noSubmission(cutOffTooOften(state));
      return say(
        `Your answer was cut off at the output limit. Go on in smaller steps, and end with ${terminal}.`,
      );
    case 'end_turn':
    case 'tool_use':
      if (state.held !== null) return noSubmission(`It ended its turn without calling ${terminal} again.`);
      if (state.idle >= patience.idle)
        return noSubmission(
          `The model ended its turn ${state.idle + 1} times in a row without calling ${terminal}.`,
        );
      return say(
        `Nothing was submitted: text alone does not end this task. ${
          state.closing === null ? 'Go on with the tools, or end it' : 'End it'
        } with ${terminal}.`,
      );
  }
}

async function toolTurn<Value>(
  run: Prepared<Value>,
  state: RunState,
  turn: Turn,
  calls: readonly Call[],
): Promise<Finished<Value>> {
  const { budget, clock, signal, toolset } = run;
  const { terminal } = toolset;
  const submissions = calls.filter((call) => call.name === terminal.name);
  const ran = await executeTools(
    calls.filter((call) => call.name !== terminal.name),
    {
      tools: run.tools,
      terminal: terminal.name,
      turn: turn.index,
      closing: state.closing,
      allowance: budget.toolCalls - state.spend.toolCalls,
      answered: state.answered,
      limits: { ...run.limits, ms: Math.max(1, Math.min(run.limits.ms, budget.deadline - clock())) },
      signal,
      clock,
      emit: run.emit,
    },
  );
  if (signal.aborted) return { kind: 'stopped', turn, outcome: aborted(signal) };
  const done: Turn = {
    ...turn,
    served: ran.served,
    calls: ran.calls,
    ...(ran.repeated.length > 0 ? { repeated: ran.repeated } : {}),
  };
  const finished = (more: Partial<Turn>): Finished<Value> => ({
    kind: 'finished',
    turn: { ...done, ...more },
  });
  const results = new Map(ran.results);

  const judged: Call[] = [];
  for (const call of submissions) {
    const early = whyNotJudged(call, turn.stop, ran.calls);
    if (early === undefined) judged.push(call);
    else results.set(call.id, errorResult(call.id, early));
  }
  if (judged.length > 0) {
    const tryNumber = state.spend.submissions + 1;
    const seen = {
      served: state.served,
      calls: state.calls,
      ...(state.held !== null && { held: state.held as Accepted<Value> }),
    };
    try {
      const judging = await withinTime(budget.deadline - clock(), signal, () =>
        judgeSubmissions(judged, terminal, seen, tryNumber >= budget.submissionTries),
      );
      if (judging.kind !== 'done')
        return {
          kind: 'stopped',
          turn: done,
          outcome: judging.kind === 'late' ? { kind: 'out_of_budget', limit: timeLimit } : aborted(signal),
        };
      const verdict = judging.value;
      if (verdict.kind === 'asked' && mayAsk(run, state, done)) {
        const { id, text, value, dropped } = verdict;
        run.emit({ kind: 'follow_up_asked', turn: turn.index });
        results.set(id, { type: 'tool_result', toolUseId: id, text: wellFormed(text), isError: false });
        const held = { held: { value, dropped } };
        return finished({ ...held, ...reply(run, state, done, inOrder(calls, results), []) });
      }
      if (verdict.kind !== 'sent_back')
        return finished({
          submitted: true,
          ended: { kind: 'submitted', value: verdict.value, dropped: verdict.dropped },
        });
      const reasons = [...verdict.reasons.values()].flat();
      run.emit({
        kind: 'submission_sent_back',
        turn: turn.index,
        tryNumber,
        tries: budget.submissionTries,
        reasons,
      });
      if (tryNumber >= budget.submissionTries)
        return finished({
          submitted: true,
          ended: {
            kind: 'no_submission',
            detail: `${terminal.name} was sent back ${tryNumber} times, last for: ${reasons.join('; ')}`,
          },
        });
      for (const [id, why] of verdict.reasons)
        results.set(id, errorResult(id, sentBack(why, budget.submissionTries - tryNumber)));
    } catch (error) {
      return {
        kind: 'stopped',
        turn: done,
        outcome: {
          kind: 'failed',
          detail: `${terminal.name} failed: ${messageOf(error)}`,
          retryable: false,
          defect: true,
        },
      };
    }
  }
  if (turn.stop.kind === 'max_tokens' && state.cutOff >= patience.cutOff)
    return finished({ ended: { kind: 'no_submission', detail: cutOffTooOften(state) } });
  const submitted = judged.length > 0 ? ({ submitted: true } as const) : {};
  return finished({
    ...submitted,
    ...reply(run, state, { ...done, ...submitted }, inOrder(calls, results), []),
  });
}

/** Once a run, of a turn that arrived whole, and while there is room for looking further. */
const mayAsk = <Value>(run: Prepared<Value>, state: RunState, turn: Turn): boolean =>
  state.held === null &&
  state.closing === null &&
  turn.stop.kind !== 'max_tokens' &&
  remaining(run.budget, afterTurn(state, turn).spend, run.clock()).kind === 'enough';

const inOrder = (calls: readonly Call[], results: ReadonlyMap<string, ToolResult>): readonly ToolResult[] =>
  calls.map((call) => results.get(call.id) ?? errorResult(call.id, 'Not run.'));

/** Why a submission is no try: the model meant more than arrived, or has not read the answers it asked for with it. */
function whyNotJudged(call: Call, stop: StopReason, ran: readonly ToolCall[]): string | undefined {
  if (stop.kind === 'max_tokens' && call.problem !== undefined) return call.problem;
  return ran.some(({ failed }) => !failed)
    ? 'Not looked at: it came together with look-ups whose answers you had not read. Read them, then submit alone.'
    : undefined;
}

/** The user message after a turn: results first, then what the loop has to say, the closing message once. */
function reply<Value>(
  run: Prepared<Value>,
  state: RunState,
  turn: Turn,
  results: readonly ToolResult[],
  words: readonly string[],
): { readonly reply: Message; readonly closing?: string } {
  const left = remaining(run.budget, afterTurn(state, turn).spend, run.clock());
  const limit = state.closing === null && left.kind === 'near' ? left.limit : undefined;
  if (limit !== undefined) run.emit({ kind: 'closing', turn: turn.index, limit });
  const texts = [
    ...words,
    ...(limit === undefined ? [] : [closingMessage(limit, run.toolset.terminal.name)]),
  ];
  const content: Block[] = [...results, ...texts.map((text): Block => ({ type: 'text', text }))];
  return { reply: { role: 'user', content }, ...(limit === undefined ? {} : { closing: limit }) };
}

const closingMessage = (limit: string, terminal: string): string =>
  `Nearly used up: ${limit}. From here on only ${terminal} is accepted; any other call is answered with an error. Call it now with what you can show, and leave out what you cannot.`;

const sentBack = (reasons: readonly string[], left: number): string =>
  `Not accepted:\n${reasons.map((reason) => `- ${reason}`).join('\n')}\nMend it and submit the whole again. ${
    left === 1 ? 'This is the last try: what is still wrong then is left out.' : `${left} tries are left.`
  }`;

const cutOffTooOften = (state: RunState): string =>
  `The model's answer was cut off at its output limit ${state.cutOff + 1} times in a row.`;

const errorResult = (id: string, text: string): ToolResult => ({
  type: 'tool_result',
  toolUseId: id,
  text,
  isError: true,
});

const textOf = (content: readonly Block[]): string =>
  content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
