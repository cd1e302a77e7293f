import { z } from 'zod';
import type { Tool, ToolAnswer } from '../agent/tool.js';
import { ToolError } from '../core/errors.js';
import type { Searched } from '../core/search.js';
import type { RepoReader, SearchMatch } from '../ports/forge.js';
import { atRef, wholeNumber } from './arguments.js';
import { longestLine, pageChars, servedRanges, type Place } from './shown-lines.js';
import { shownPath } from './shown-path.js';

const matchesShown = 100;
const mostContext = 5;

const Input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .describe('RE2 expression, matched line by line; no lookaround, no backreferences'),
  glob: z.string().optional().describe('only these files, e.g. src/**/*.ts; leave out for all'),
  ref: atRef,
  context: wholeNumber({ minimum: 0, maximum: mostContext })
    .default(0)
    .describe(`lines to show around each match, 0 to ${mostContext}`),
});

/** Every line of the repository that matches. Counts all, shows the first hundred, says what it could not search. */
export function createSearchCode({ reader }: { readonly reader: RepoReader }): Tool {
  return {
    name: 'search_code',
    description:
      'Lines of the whole repository that match a regular expression, with their numbers: callers, definitions, tests, guards.',
    schema: Input,
    run: async (input) => {
      const { pattern, glob, ref, context: asked } = Input.parse(input);
      const context = Math.min(Math.max(asked, 0), mostContext);
      const result = await reader.search({
        pattern,
        ref,
        limit: matchesShown,
        ...(glob === undefined || glob.trim() === '' ? {} : { glob }),
      });
      if (result.kind !== 'searched') throw new ToolError(result.why);
      const answer = await show(result, { reader, ref, context });
      if (context === asked) return answer;
      const note = `[note: context goes from 0 to ${mostContext}; ${asked} was asked for, ${context} is shown]`;
      return { ...answer, text: `${answer.text}\n${note}` };
    },
  };
}

type Where = {
  readonly reader: RepoReader;
  readonly ref: 'head' | 'base';
  readonly context: number;
};

async function show(result: Searched, where: Where): Promise<ToolAnswer> {
  const byFile = grouped(result.matches);
  const lines: string[] = [];
  const places: Place[] = [];
  let room = pageChars;
  let shownMatches = 0;
  let shownFiles = 0;
  for (const [path, matches] of byFile) {
    const block = await fileBlock(path, matches, where, room);
    if (block.matches === 0) break;
    lines.push(`== ${shownPath(path)}`, ...block.lines);
    places.push(...block.places);
    room -= block.chars + path.length + 4;
    shownMatches += block.matches;
    shownFiles += 1;
    if (block.matches < matches.length) break;
  }
  const left = result.total - shownMatches;
  return {
    text: [
      headLine(result, where.ref, { matches: shownMatches, files: shownFiles }),
      ...lines,
      ...(left > 0 ? [`[cut: ${counted(left, 'more match', 'es')}; narrow the pattern or the glob]`] : []),
      ...notSearched(result),
    ].join('\n'),
    served: servedRanges(places),
  };
}

function headLine(
  { total, files, notSearched: missing, outOfTime }: Searched,
  ref: string,
  shown: { readonly matches: number; readonly files: number },
): string {
  const late = outOfTime > 0;
  const found = `${counted(total, 'match', 'es')}${late ? ' so far' : ''}`;
  const where = `${shown.matches === total ? '' : `, ${shown.matches} shown`} in ${counted(shown.files, 'file')}`;
  if (!late) return `${found}${where} (${counted(files, 'file')} searched at ${ref})`;
  const all = (files + missing.length).toLocaleString('en-US');
  return `Not finished: ${files.toLocaleString('en-US')} of ${all} files searched at ${ref}; ${found}${where}. What is not found here may still be in the rest: search again with a glob of one folder or extension, or a simpler pattern.`;
}

async function fileBlock(
  path: string,
  matches: readonly SearchMatch[],
  { reader, ref, context }: Where,
  room: number,
): Promise<{
  readonly lines: readonly string[];
  readonly places: readonly Place[];
  readonly matches: number;
  readonly chars: number;
}> {
  const read = await reader.read(ref, path);
  const file = read.kind === 'text' ? read.lines : [];
  const matched = new Map(matches.map((match) => [match.line, match.text]));
  const lines: string[] = [];
  const places: Place[] = [];
  let chars = 0;
  let shown = 0;
  let last: number | null = null;
  for (const match of matches) {
    const block: string[] = [];
    const served: Place[] = [];
    const from = Math.max(last === null ? 1 : last + 1, match.line - context);
    // Lines after the next match's own context are that match's to show.
    const to = Math.max(match.line, Math.min(match.line + context, file.length));
    let end: number | null = last;
    for (let line = from; line <= to; line += 1) {
      if (line > match.line && matched.has(line)) break;
      const text = file[line - 1];
      const hit = matched.get(line);
      if (text === undefined && hit === undefined) continue;
      if (end !== null && line > end + 1) block.push('--');
      end = line;
      const whole = text !== undefined && text.length <= longestLine;
      if (whole) served.push({ path, ref, line });
      const shownText = whole ? text : (hit ?? `${(text ?? '').slice(0, 200)} [cut: a long line]`);
      block.push(`${hit === undefined ? ' ' : '>'}${String(line).padStart(5)} | ${shownText}`);
    }
    const size = block.reduce((sum, line) => sum + line.length + 1, 0);
    if (chars + size > room) break;
    lines.push(...block);
    places.push(...served);
    chars += size;
    shown += 1;
    last = end;
  }
  return { lines, places, matches: shown, chars };
}

function notSearched({ notSearched: missing }: Searched): readonly string[] {
  if (missing.length === 0) return [];
  const some = missing.slice(0, 10).map(({ path, why }) => `${shownPath(path)} (${why})`);
  const more = missing.length > 10 ? `, and ${missing.length - 10} more` : '';
  return [`[not searched: ${some.join(', ')}${more}]`];
}

function grouped(matches: readonly SearchMatch[]): Map<string, SearchMatch[]> {
  const byFile = new Map<string, SearchMatch[]>();
  for (const match of matches) {
    const found = byFile.get(match.path);
    if (found === undefined) byFile.set(match.path, [match]);
    else found.push(match);
  }
  return byFile;
}

const counted = (count: number, noun: string, plural = 's'): string =>
  `${count} ${noun}${count === 1 ? '' : plural}`;
