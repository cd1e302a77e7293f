import { existsSync } from 'node:fs';
import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { LoopEvent } from '../../lib/agent/loop-event.js';
import type { Env } from '../../lib/config/env.js';
import { readVersion } from '../../lib/config/version.js';
import { ConfigError } from '../../lib/core/errors.js';
import type { Ref } from '../../lib/core/evidence.js';
import { keepPasses, keepResult, type KeptTranscript } from '../../lib/core/kept-transcript.js';
import { emptyLedger, type Ledger } from '../../lib/core/ledger.js';
import { draft, draftEnding, type DraftInput } from '../../lib/core/publication.js';
import { sarif } from '../../lib/core/render/sarif.js';
import { isOpenQuestion, money, plural } from '../../lib/core/render/words.js';
import {
  exitCode,
  paragraph,
  plain,
  terminalEnding,
  terminalHeading,
  terminalQuestion,
  terminalReview,
  terminalStanding,
  type TerminalInput,
} from '../../lib/core/render/terminal.js';
import type { ReviewResult } from '../../lib/core/review-result.js';
import type { Snapshot } from '../../lib/core/snapshot.js';
import { jobKey } from '../../lib/core/trigger.js';
import { openLocalGit } from '../../lib/forges/local-git.js';
import type { Reviewed } from '../../lib/modes/run-review.js';
import type { RepoReader } from '../../lib/ports/forge.js';
import { silentLog } from '../../lib/ports/log.js';
import type { Model } from '../../lib/ports/model.js';
import { readAnswersFile, type WrittenAnswer } from '../answers-file.js';
import { createWordsReader, goOn, withAnswers, withSpend, type WordsReader } from '../answered-review.js';
import { findQuestion } from '../answers.js';
import { askQuestions, hear, nothingSaid, whyNot } from '../ask-questions.js';
import type { Asker } from '../asker.js';
import type { Io } from '../io.js';
import { readModelFlags } from '../model-flags.js';
import { openPull, type OpenedChange } from '../opened-change.js';
import { reviewOnce } from '../review-once.js';
import { createSentLedger, type Sent } from '../sent.js';
import { createTrace } from '../trace.js';
import { wrapped } from '../wrapped.js';

const usage = `evident review [options]

Reviews what would be in the pull request: from the merge base with the default
branch to the working tree, uncommitted files included. Nothing is posted. In a
terminal each question is asked, with what each answer does.

  --repo DIR     the repository (this folder)
  --base REF     compare with this instead of the default branch
  --head REF     review this commit instead of the working tree
  --staged       review what is staged for the next commit
  --pr URL       a pull request on GitHub (or its number, or OWNER/REPO#N), read
                 with GITHUB_TOKEN or GH_TOKEN; nothing is written there
  --model NAME   a model, or rules: the fixed rules, no key, no cost
  --limit USD    most it may cost (EVIDENT_MAX_DOLLARS, 0.60)
  --all          nits, old code and what was dropped, too
  --json         the result as JSON
  --markdown     as it would stand on the pull request
  --sarif        as SARIF 2.1.0, for editors and code scanning
  --answers F    answers to its questions, one a line: Q1 no because ...
                 Where the number is not known beforehand, name the question by
                 place or rule: src/Promo.tsx:18 yes. Or write one JSON object:
                 {"Q1": "no because ..."}
  --no-input     ask nothing: questions are listed and stay open
  --sent         list what was sent to the model's endpoint
  --transcript F write what was read, claimed and refused to the file F, for
                 evident replay F
  --trace        show everything that goes to the model, on standard error

Exit codes: 0 nothing to fix, 1 important findings, 2 wrong use, 3 not finished.
`;

/** A review in the terminal, with the core that reviews pull requests. */
export async function runReviewCommand(
  args: readonly string[],
  io: Io,
  given: { readonly model?: Model; readonly clock?: () => number } = {},
): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      repo: { type: 'string' },
      base: { type: 'string' },
      head: { type: 'string' },
      staged: { type: 'boolean' },
      pr: { type: 'string' },
      model: { type: 'string' },
      limit: { type: 'string' },
      all: { type: 'boolean' },
      json: { type: 'boolean' },
      markdown: { type: 'boolean' },
      sarif: { type: 'boolean' },
      answers: { type: 'string' },
      'no-input': { type: 'boolean' },
      sent: { type: 'boolean' },
      transcript: { type: 'string' },
      trace: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (flags.help === true) {
    io.stdout(usage);
    return 0;
  }
  const chosen = (['json', 'markdown', 'sarif'] as const).filter((name) => flags[name] === true);
  if (chosen.length > 1)
    throw new ConfigError(
      `${chosen.map((name) => `--${name}`).join(' and ')} exclude each other.`,
      `--${chosen[0]}`,
    );
  const local = (['repo', 'base', 'head', 'staged'] as const).filter((name) => flags[name] !== undefined);
  if (flags.pr !== undefined && local.length > 0)
    throw new ConfigError(
      `--pr and --${local[0]} exclude each other: a pull request has its own base and head.`,
      '--pr',
    );
  const { env, log, model } = readModelFlags(flags, io, given.model);
  const clock = given.clock ?? Date.now;
  const dir = resolve(io.cwd, flags.repo ?? '.');
  if (!existsSync(dir)) throw new ConfigError(`There is no folder ${dir}. Name one with --repo.`, '--repo');

  const keep =
    flags.transcript === undefined ? null : await openTranscript(resolve(io.cwd, flags.transcript));

  const written =
    flags.answers === undefined
      ? []
      : await readAnswersFile(resolve(io.cwd, flags.answers), plain(flags.answers));

  const opened =
    flags.pr === undefined
      ? await openLocalGit({
          dir,
          base: flags.base,
          head: flags.head,
          staged: flags.staged,
          neverSend: env.neverSend,
          log: silentLog,
        })
      : await openPull(flags.pr, io, { neverSend: env.neverSend, log, clock, sleep: delay });
  try {
    const quiet = chosen.length > 0;
    const heading = terminalHeading({
      snapshot: opened.snapshot,
      run: { model, ...(model.kind === 'language_model' && { dollars: env.maxDollars }) },
      uncommitted: opened.comparison.uncommitted,
    });
    if (!quiet) io.stdout(`\n${heading}\n`);

    const sent = createSentLedger();
    const trace = flags.trace === true ? createTrace(io.stderr) : () => {};
    const note = (event: LoopEvent): void => {
      trace(event);
      sent.note(event);
    };
    const began = clock();
    let elapsedMs = 0;
    const pass = async (known: Ledger, dollars: number): Promise<Reviewed> => {
      const progress = createProgress(opened, io, quiet, clock);
      const start = clock();
      const emit = (event: LoopEvent): void => {
        note(event);
        progress.note(event);
      };
      const passed = await reviewOnce(opened, { env, model, clock, known, dollars, emit });
      progress.end();
      // What a person takes to answer is not counted.
      elapsedMs += clock() - start;
      return passed;
    };
    const reviewed = await pass(emptyLedger, env.maxDollars);
    await keep?.(reviewed, opened, model);
    const { snapshot, reader } = opened;
    const words = createWordsReader({
      ...{ snapshot, reader, model, clock },
      dollars: { most: env.maxDollars, spent: reviewed.spend.usage.dollars },
      maxMs: env.maxMinutes * 60_000,
      emit: note,
    });
    const left = ({ spend }: Reviewed): number =>
      env.maxDollars - (spend.usage.dollars ?? 0) - (words.spent()?.usage.dollars ?? 0);
    const desk: Desk = {
      ...{ snapshot, clock, words },
      goOn: async (now) =>
        (await goOn(now, snapshot, (known) => pass(known, Math.max(0.01, left(now))))) ?? now,
    };
    const answered = await applyWritten(reviewed, written, desk);
    for (const line of answered.notApplied) io.stderr(`${wrapped(plain(line), 2).join('\n')}\n`);
    const asker = quiet || flags['no-input'] === true ? undefined : io.asker;
    const shown = await show(answered, opened, {
      io,
      ...(asker !== undefined && { asker }),
      desk,
      model,
      env,
      began,
      elapsedMs: () => elapsedMs,
      sent: () => (model.sendsTo === null ? null : { host: model.sendsTo, ...sent.total() }),
      all: flags.all === true,
      form: chosen[0] ?? 'text',
    });
    if (flags.sent === true) (quiet ? io.stderr : io.stdout)(sentList(model, sent));
    if (
      !quiet &&
      model.kind === 'rules' &&
      env.model.variables.EVIDENT_MODEL === undefined &&
      given.model === undefined
    )
      io.stdout(noKey);
    return shown;
  } finally {
    await opened.close();
  }
}

export { runReviewCommand as runReview };

const noKey = `
No key is set, so the fixed rules were used, not a language model.
  with a model   export ANTHROPIC_API_KEY=...   then the same command again
`;

/**
 * Whether there is a place for it is asked before anything is paid for; it is written only afterwards, because a file
 * made in the working tree would be reviewed. It holds code: nobody else may read it.
 */
async function openTranscript(
  file: string,
): Promise<(reviewed: Reviewed, opened: OpenedChange, model: Model) => Promise<void>> {
  const taken = await stat(file).catch(() => null);
  try {
    if (taken?.isDirectory() === true) throw new Error('it is a folder');
    await access(taken === null ? dirname(file) : file, constants.W_OK);
  } catch (error) {
    throw new ConfigError(
      `--transcript cannot write ${file}: ${error instanceof Error ? error.message : String(error)}. Name a file in a folder that is there.`,
      '--transcript',
    );
  }
  return async ({ result, transcripts, failed, verdict }, { snapshot: { pullRequest } }, model) => {
    const kept: KeptTranscript = {
      version: 1,
      evident: readVersion(),
      model: { name: model.name, kind: model.kind },
      reviewed: {
        repository: pullRequest.repo.name,
        base: pullRequest.base.ref,
        head: pullRequest.head.ref,
      },
      passes: keepPasses(transcripts, failed),
      result: result === null ? null : keepResult(result, verdict),
    };
    await writeFile(file, `${JSON.stringify(kept, null, 1)}\n`, { mode: 0o600 });
  };
}

/** A review with the answers of a file. */
type Answered = {
  readonly reviewed: Reviewed;
  /** Answers that had no effect, each with why. */
  readonly notApplied: readonly string[];
};

/** The answers of a file, applied to the questions that were asked. */
async function applyWritten(
  reviewed: Reviewed,
  written: readonly WrittenAnswer[],
  desk: Desk,
): Promise<Answered> {
  const { snapshot, clock, words } = desk;
  const notApplied: string[] = [];
  let { ledger } = reviewed;
  for (const { where, key, words: text } of written) {
    const question = findQuestion(key, ledger.questions);
    if (typeof question === 'string') {
      notApplied.push(`${where}: ${question}. Not applied.`);
      continue;
    }
    const heard = await hear(ledger, question, text, nothingSaid, {
      snapshot,
      clock,
      read: words.read,
      print: () => {},
    });
    ledger = heard.ledger;
    if (heard.ruling?.outcome.kind !== 'applied')
      notApplied.push(`${where}: ${question.id} stays open. ${whyNot(heard)}`);
  }
  return { reviewed: await desk.goOn(withAnswers(reviewed, ledger, snapshot)), notApplied };
}

/** What answering needs beside the review. */
type Desk = {
  readonly snapshot: Snapshot;
  readonly clock: () => number;
  readonly words: WordsReader;
  /** The review again, where an answer wants that; as it is, where none does. */
  readonly goOn: (reviewed: Reviewed) => Promise<Reviewed>;
};

type Shown = {
  readonly io: Io;
  /** Who is asked what is open; absent: nobody. */
  readonly asker?: Asker;
  readonly model: Model;
  readonly env: Env;
  readonly desk: Desk;
  /** Epoch milliseconds. */
  readonly began: number;
  readonly elapsedMs: () => number;
  readonly sent: () => { readonly host: string; readonly files: number; readonly bytes: number } | null;
  readonly all: boolean;
  readonly form: 'text' | 'json' | 'markdown' | 'sarif';
};

async function show(answered: Answered, opened: OpenedChange, how: Shown): Promise<number> {
  const { snapshot } = opened;
  if (how.form === 'text' && answered.reviewed.result !== null)
    return showText(answered.reviewed, opened, how);
  const reviewed = withSpend(answered.reviewed, how.desk.words.spent());
  const { result, pass, verdict } = reviewed;
  if (result === null || pass === null) return showFailure(reviewed, opened, how);
  const run = {
    model: { name: how.model.name, kind: how.model.kind },
    elapsedMs: how.elapsedMs(),
    ...(how.model.kind === 'language_model' && { dollars: how.env.maxDollars }),
  };
  const code = exitCode({ result, verdict });
  switch (how.form) {
    case 'json':
      how.io.stdout(`${JSON.stringify(asJson({ ...answered, reviewed }, opened, how, code), null, 2)}\n`);
      return code;
    case 'markdown':
      how.io.stdout(
        asMarkdown({
          snapshot,
          before: reviewed.before,
          ledger: reviewed.ledger,
          verdict,
          pass,
          run,
        }),
      );
      return code;
    case 'sarif':
      how.io.stdout(await asSarif(reviewed, opened, how, { code, notices: [] }));
      return code;
    case 'text':
      throw new Error('A review as text is shown as it is asked about.');
  }
}

/** In front of a person, questions are asked between the findings and the end. */
async function showText(reviewed: Reviewed, { reader }: OpenedChange, how: Shown): Promise<number> {
  const { io, asker, desk } = how;
  const { snapshot, clock, words } = desk;
  let now = reviewed;
  let shown: ReadonlySet<string> = new Set();
  for (;;) {
    const input = await inputOf(now, reader, how);
    const open = input.result.questions.filter((one) => isOpenQuestion(one) && !shown.has(one.id));
    const isLast = asker === undefined || open.length === 0;
    if (isLast && shown.size === 0) {
      io.stdout(terminalReview(input));
      return exitCode(input);
    }
    // What a review found that went on with an answer; before that, everything.
    const standing = terminalStanding(withoutShown(input, shown));
    io.stdout(standing === '' ? '' : `${standing}\n\n`);
    if (isLast) {
      io.stdout(`${terminalEnding(input)}\n`);
      return exitCode(input);
    }
    const ledger = await askQuestions(now.ledger, open, {
      ...{ snapshot, asker, clock },
      read: words.read,
      print: io.stdout,
      show: (question, nth) =>
        terminalQuestion(
          question,
          { nth, of: open.length, readsWords: how.model.kind === 'language_model' },
          input,
        ),
    });
    shown = new Set([
      ...shown,
      ...ledger.findings.map(({ id }) => id),
      ...ledger.questions.map(({ id }) => id),
    ]);
    now = await desk.goOn(withAnswers(now, ledger, snapshot));
  }
}

async function inputOf(
  reviewed: Reviewed,
  reader: RepoReader,
  how: Shown,
): Promise<TerminalInput & { readonly result: ReviewResult }> {
  const { result, verdict } = withSpend(reviewed, how.desk.words.spent());
  if (result === null) throw new Error('A review without a result is shown as a failure.');
  return {
    snapshot: how.desk.snapshot,
    result,
    verdict,
    run: {
      model: { name: how.model.name, kind: how.model.kind },
      elapsedMs: how.elapsedMs(),
      ...(how.model.kind === 'language_model' && { dollars: how.env.maxDollars }),
    },
    all: how.all,
    color: how.io.isTerminal,
    sentTo: how.sent(),
    linesOf: await readLines(result, reader),
    ...((how.asker !== undefined || how.all) && { today: how.desk.clock() }),
  };
}

const withoutShown = (input: TerminalInput, shown: ReadonlySet<string>): TerminalInput => ({
  ...input,
  result: {
    ...input.result,
    findings: input.result.findings.filter(({ id }) => !shown.has(id)),
    questions: input.result.questions.filter(({ id }) => !shown.has(id)),
  },
});

/** The files that a result quotes, read again. */
async function readLines(
  { findings, questions }: ReviewResult,
  reader: RepoReader,
): Promise<(ref: Ref, path: string) => readonly string[] | null> {
  const lines = new Map<string, readonly string[]>();
  for (const finding of [...findings, ...questions.map((question) => question.finding)]) {
    for (const one of finding.evidence) {
      if (one.kind !== 'quote') continue;
      const read = await reader.read(one.ref, one.path);
      if (read.kind === 'text') lines.set(`${one.ref}:${one.path}`, read.lines);
    }
  }
  return (ref, path) => lines.get(`${ref}:${path}`) ?? null;
}

async function asSarif(
  { result }: Reviewed,
  { snapshot, reader }: OpenedChange,
  how: Shown,
  { code, notices }: { readonly code: number; readonly notices: readonly string[] },
): Promise<string> {
  const log = sarif({
    version: readVersion(),
    pullRequest: snapshot.pullRequest,
    result,
    finished: code !== 3,
    exitCode: code,
    notices,
    began: how.began,
    ended: how.began + how.elapsedMs(),
    model: { name: how.model.name, kind: how.model.kind },
    linesOf: result === null ? () => null : await readLines(result, reader),
  });
  return `${JSON.stringify(log, null, 2)}\n`;
}

/** A run without a submission: never "nothing to fix". */
async function showFailure(reviewed: Reviewed, opened: OpenedChange, how: Shown): Promise<number> {
  const { snapshot } = opened;
  const { failed } = reviewed;
  if (failed === null) throw new Error('A run without a result has failed.');
  const { check } =
    failed.kind === 'superseded'
      ? { check: { title: 'Stopped', summary: failed.detail } }
      : draftEnding(failed, {
          key: jobKey(
            {
              owner: snapshot.pullRequest.repo.owner,
              repo: snapshot.pullRequest.repo.name,
              number: snapshot.pullRequest.number,
              head: snapshot.pullRequest.head.sha,
            },
            snapshot.pullRequest.base.ref,
          ),
          head: snapshot.pullRequest.head.sha,
        });
  if (how.form === 'json') {
    how.io.stdout(
      `${JSON.stringify({ finished: false, ending: failed, title: check.title, spend: reviewed.spend, exit: 3 }, null, 2)}\n`,
    );
    return 3;
  }
  if (how.form === 'sarif') {
    how.io.stdout(
      await asSarif(reviewed, opened, how, { code: 3, notices: [`${check.title}. ${check.summary}`] }),
    );
    return 3;
  }
  how.io.stdout([...wrapped(`${check.title}.`, 2), ...wrapped(`  ${said(check.summary)}`, 2), ''].join('\n'));
  if (failed.kind === 'out_of_budget' && failed.limit.startsWith('$'))
    how.io.stdout(`  go on     evident review --limit ${(how.env.maxDollars * 2).toFixed(2)}\n`);
  how.io.stdout('Nothing was posted.  exit 3\n');
  return 3;
}

/** A summary as people read it on a terminal: its Markdown escapes are for GitHub. */
const said = (markdown: string): string =>
  paragraph(markdown)
    .replace(/\\([[~`])/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');

const asJson = (
  { reviewed, notApplied }: Answered,
  { comparison }: OpenedChange,
  how: Shown,
  code: number,
): object => ({
  finished: code !== 3,
  compared: comparison,
  model: { name: how.model.name, kind: how.model.kind },
  findings: reviewed.result?.findings ?? [],
  questions: reviewed.result?.questions ?? [],
  ...(notApplied.length > 0 && { notApplied }),
  disproved: reviewed.result?.disproved ?? [],
  dropped: reviewed.result?.dropped ?? [],
  coverage: reviewed.result?.coverage,
  summary: reviewed.result?.summary ?? '',
  verdict: reviewed.verdict.kind,
  spend: reviewed.spend,
  elapsedMs: how.elapsedMs(),
  sent: how.sent(),
  exit: code,
});

/** The texts of the threads and the summary, without their hidden comments. */
function asMarkdown(input: DraftInput): string {
  const { review, check } = draft(input);
  const visible = (body: string): string => body.replace(/\n*<!-- evident:[\s\S]*?-->/g, '');
  if (review === undefined) return `**${check.title}**\n\n${visible(check.summary)}\n`;
  const threads = review.threads.map(
    ({ anchor, body }) => `---\n\n\`${anchor.path}:${anchor.line}\`\n\n${visible(body)}`,
  );
  return `${[visible(review.body), ...threads].join('\n\n')}\n`;
}

/** The line that says how far it is: rewritten in place on a terminal, written once elsewhere. */
function createProgress(
  { snapshot, comparison }: OpenedChange,
  io: Io,
  quiet: boolean,
  clock: () => number,
): { readonly note: (event: LoopEvent) => void; readonly end: () => void } {
  const changed = new Set(snapshot.diff.map(({ path }) => path));
  const read = new Set<string>();
  const others = new Set<string>();
  const began = clock();
  let calls = 0;
  let dollars: number | null = 0;
  const text = (): string => {
    const seconds = Math.round((clock() - began) / 1000);
    const time = `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
    const cost = dollars === null || dollars === 0 ? '' : `    ${money(dollars)}`;
    return `reading  ${read.size} of ${comparison.files} changed, ${plural(others.size, 'other')}    ${plural(calls, 'look-up')}${cost}    ${time}`;
  };
  const live = io.isTerminal && !quiet;
  return {
    note: (event) => {
      if (event.kind === 'turn_received')
        dollars = dollars === null || event.usage.dollars === null ? null : dollars + event.usage.dollars;
      if (event.kind === 'tool_finished') {
        calls += 1;
        for (const { path } of event.served) (changed.has(path) ? read : others).add(path);
      }
      if (live) io.stderr(`\r\u001b[K${text()}`);
    },
    end: () => {
      if (live) io.stderr('\r\u001b[K');
      if (!quiet) io.stdout(`${text()}\n\n`);
    },
  };
}

function sentList(model: Model, sent: Sent): string {
  if (model.sendsTo === null) return 'Nothing was sent: the fixed rules run on this machine.\n';
  const { files, bytes } = sent.total();
  return [
    `Sent to ${model.sendsTo}: ${plural(files, 'file')}, ${bytes} bytes in all.`,
    ...sent.files().map(({ path, lines }) => `  ${path}  ${lines}`),
    '',
  ].join('\n');
}
