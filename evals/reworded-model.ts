import { createHash } from 'node:crypto';
import { noUsage } from '../lib/core/budget.js';
import type { Category } from '../lib/core/finding.js';
import { rulesCatalogue } from '../lib/core/rules-catalogue.js';
import { labelSecrets } from '../lib/core/secret.js';
import type { ProposedFinding } from '../lib/core/submission.js';
import type { Block } from '../lib/core/transcript.js';
import type { Model, ModelRequest, ModelTurn } from '../lib/ports/model.js';
import type { BornLine } from './line-lineage.js';

/** One thing that is wrong for good, wherever its line goes. */
export type Spot = {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  readonly category: Category;
};

/** What stands at a head, and which of it this model takes offence at. */
export type Scene = {
  readonly files: ReadonlyMap<string, readonly BornLine[]>;
  readonly spots: readonly Spot[];
  /** Whether a line and the next one stay as they are, side by side, for as long as either stands. */
  readonly stay: (line: BornLine, next: BornLine) => boolean;
};

/** More than these are too many for one review; the rest is passed over. */
const MOST_SPOTS = 50;

/**
 * One of `every` added lines, by a hash of the line's birth, so that a line is chosen at every head or at none. Every
 * sixth of them has two faults of different categories.
 */
export function spotsIn(
  files: Scene['files'],
  { every, seed }: { readonly every: number; readonly seed: number },
): readonly Spot[] {
  const times = new Map<string, number>();
  for (const lines of files.values())
    for (const { name } of lines) times.set(name, (times.get(name) ?? 0) + 1);
  const spots: Spot[] = [];
  for (const [path, lines] of files)
    for (const [index, { name, isAdded, text }] of lines.entries()) {
      const drawn = numberFrom(seed, 'spot', name);
      // A line that was copied is two; which of them is meant is nobody's to tell.
      if (!isAdded || times.get(name) !== 1 || drawn % every !== 0 || !isSayable(text)) continue;
      const first = drawn % categories.length;
      const chosen = numberFrom(seed, 'twin', name) % 6 === 0 ? [first, first + 1] : [first];
      for (const one of chosen) {
        const category = categories[one % categories.length] ?? 'logic';
        spots.push({ name: `${name}|${category}`, path, line: index + 1, category });
      }
    }
  // The same ones are left out at every head.
  return spots.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MOST_SPOTS);
}

const categories = ['logic', 'quality', 'security'] as const;

const isSayable = (text: string): boolean =>
  /[\p{L}\p{N}]/u.test(text) && text.length <= 400 && labelSecrets(text).text === text;

export type RewordedModel = Model & {
  /** What the next reviews look at. */
  readonly show: (scene: Scene) => void;
  /** The spot that a title is about. */
  readonly spotOf: (title: string) => string | undefined;
  /** Claims that were sent back and left out. */
  readonly refused: () => readonly string[];
};

/**
 * Reports every spot that stands, in every review, in another order, with other words, under another name of the rule,
 * sometimes with a line more. What it says is a function of the seed and of how many reviews there were.
 */
export function createRewordedModel(seed: number): RewordedModel {
  let scene: Scene = { files: new Map(), spots: [], stay: () => false };
  let review = 0;
  let findings: readonly ProposedFinding[] = [];
  let asks: readonly (readonly Block[])[] = [];
  const numbers = new Map<string, number>();
  const refused: string[] = [];

  const next = (request: ModelRequest): ModelTurn => {
    const turn = request.messages.filter(({ role }) => role === 'assistant').length;
    const last = request.messages.at(-1)?.content ?? [];
    if (turn === 0) {
      review += 1;
      for (const { name } of scene.spots) if (!numbers.has(name)) numbers.set(name, numbers.size + 1);
      findings = claims(scene, { seed, review, numbers });
      asks = reads(scene, findings);
      return called([call('d0', 'get_pr_diff', {})]);
    }
    const cursor = last
      .flatMap((block) =>
        block.type === 'tool_result' ? [/go on with cursor "([\d.]+)"/.exec(block.text)] : [],
      )
      .find((found) => found !== null);
    if (cursor !== undefined && turn < 40)
      return called([call(`d${turn}`, 'get_pr_diff', { cursor: cursor[1] })]);
    const [now, ...later] = asks;
    if (now !== undefined) {
      asks = later;
      return called(now);
    }
    const sentBack = last.find((block) => block.type === 'tool_result' && block.isError);
    if (sentBack?.type === 'tool_result') {
      const bad = new Set([...sentBack.text.matchAll(/findings\[(\d+)\]/g)].map((found) => Number(found[1])));
      refused.push(sentBack.text);
      findings = findings.filter((_, index) => !bad.has(index));
    }
    const isAsked = last.some(
      (block) => block.type === 'tool_result' && !block.isError && block.toolUseId.startsWith('s'),
    );
    const input = isAsked
      ? { prior: [] }
      : { findings, humanReviewRequests: [], disproved: [], summary: 'A change.' };
    return called([call(`s${turn}`, 'submit_code_review', input)]);
  };

  return {
    name: 'reworded',
    kind: 'language_model',
    sendsTo: null,
    next: async (request) => next(request),
    show: (shown) => {
      scene = shown;
    },
    spotOf: (title) => {
      const number = Number(/\bcase (\d+)$/.exec(title)?.[1]);
      return [...numbers].find(([, one]) => one === number)?.[0];
    },
    refused: () => refused,
  };
}

function claims(
  { files, spots, stay }: Scene,
  said: { readonly seed: number; readonly review: number; readonly numbers: ReadonlyMap<string, number> },
): readonly ProposedFinding[] {
  const { seed, review, numbers } = said;
  return spots
    .toSorted((a, b) => numberFrom(seed, review, a.name) - numberFrom(seed, review, b.name))
    .flatMap((spot): ProposedFinding[] => {
      const draw = (what: string): number => numberFrom(seed, review, what, spot.name);
      const lines = files.get(spot.path) ?? [];
      const range = rangeOf(spot, { spots, lines, stay }, draw('range'));
      const other = evidenceFor(range, lines);
      if (other === undefined) return [];
      const [word, wrong] = [pick(words, draw('word')), pick(wrongs, draw('wrong'))];
      return [
        {
          path: spot.path,
          line: range.end,
          ...(range.start !== range.end && { start_line: range.start }),
          code: quoted(lines, range.start, range.end),
          rule: ruleFor(spot, seed, draw('rule')),
          severity: 'important',
          category: spot.category,
          confidence: 'high',
          title: `the ${word} ${wrong}, case ${numbers.get(spot.name)}`,
          body: `Seen in look ${review}: here the ${word} ${wrong}.`,
          evidence: [
            { path: spot.path, ref: 'head', start: other, end: other, quote: quoted(lines, other, other) },
          ],
          absences: [],
        },
      ];
    });
}

type Range = { readonly start: number; readonly end: number };

/**
 * A line more in one review of three. Never so that it could be the range of another fault near by, and never a line
 * that a later push rewrites: code that was rewritten is another finding by design.
 */
function rangeOf(
  spot: Spot,
  { spots, lines, stay }: Pick<Scene, 'spots' | 'stay'> & { readonly lines: readonly BornLine[] },
  draw: number,
): Range {
  const alone = { start: spot.line, end: spot.line };
  const more = [alone, { start: spot.line - 1, end: spot.line }, { start: spot.line, end: spot.line + 1 }];
  const range = draw % 3 === 0 ? (more[1 + (Math.floor(draw / 3) % 2)] ?? alone) : alone;
  const isCrowded = spots.some(
    (one) =>
      one.path === spot.path &&
      one.name !== spot.name &&
      one.category === spot.category &&
      Math.abs(one.line - spot.line) <= 2,
  );
  const isReadable = [range.start, range.end].every((line) => isSayable(lines[line - 1]?.text ?? ''));
  const [upper, lower] = [lines[range.start - 1], lines[range.end - 1]];
  const stays = upper !== undefined && lower !== undefined && stay(upper, lower);
  return isCrowded || !isReadable || !stays ? alone : range;
}

/** The nearest other line that says something. */
function evidenceFor({ start, end }: Range, lines: readonly BornLine[]): number | undefined {
  return lines
    .map((_, index) => index + 1)
    .filter((line) => (line < start || line > end) && Math.abs(line - start) <= NEAR)
    .toSorted((a, b) => Math.abs(a - start) - Math.abs(b - start))
    .find((line) => isSayable(lines[line - 1]?.text ?? ''));
}

const NEAR = 12;

/** Half of the spots have names that nobody knows; the others one rule of the catalogue under all its names, and such. */
function ruleFor(spot: Spot, seed: number, draw: number): string {
  const rule = pick(rulesCatalogue, numberFrom(seed, 'rule', spot.name));
  const invented = `${pick(words, draw)}-${pick(['lost', 'wrong', 'stale', 'unsafe'], Math.floor(draw / 11))}`;
  if (numberFrom(seed, 'named', spot.name) % 2 === 0 || draw % 3 === 0) return invented;
  return pick([rule.id, ...rule.aliases], draw);
}

const words = ['value', 'total', 'caller', 'result', 'input', 'state', 'order', 'entry', 'count'] as const;
const wrongs = [
  'is lost',
  'is used twice',
  'comes too late',
  'is never checked',
  'has the wrong sign',
] as const;

/** Each spot with its surroundings, as a reader would look at them. */
function reads({ files }: Scene, findings: readonly ProposedFinding[]): readonly (readonly Block[])[] {
  const wanted = new Map<string, Block>();
  for (const { path, line } of findings) {
    // Windows of a grid: what two spots share is read once.
    const of = files.get(path)?.length ?? line;
    for (const window of new Set([Math.floor((line - NEAR - 1) / 50), Math.floor((line + NEAR) / 50)])) {
      const start = Math.max(1, window * 50);
      if (window < 0 || start > of) continue;
      const id = `r${wanted.size}`;
      const key = `${path}:${start}`;
      if (!wanted.has(key))
        wanted.set(key, call(id, 'get_file_content', { path, start, end: Math.min(of, window * 50 + 49) }));
    }
  }
  const all = [...wanted.values()];
  return Array.from({ length: Math.ceil(all.length / 8) }, (_, at) => all.slice(at * 8, at * 8 + 8));
}

const quoted = (lines: readonly BornLine[], start: number, end: number): string =>
  lines
    .slice(start - 1, end)
    .map(({ text }) => text)
    .join('\n');

const call = (id: string, name: string, input: unknown): Block => ({ type: 'tool_use', id, name, input });

const called = (content: readonly Block[]): ModelTurn => ({
  content,
  stop: { kind: 'tool_use' },
  usage: noUsage,
});

const pick = <T>(all: readonly [T, ...T[]] | readonly T[], at: number): T => all[at % all.length] as T;

const numberFrom = (...parts: readonly (string | number)[]): number =>
  createHash('sha256').update(JSON.stringify(parts)).digest().readUInt32BE(0);
