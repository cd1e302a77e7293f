/** What becomes of a proposed replacement of the lines `start` to `end` of a file. */
export type SuggestionCheck =
  /** May be applied as it is; `text` may differ from the proposal in line endings and repeated edges. */
  | { readonly kind: 'applies'; readonly text: string }
  /** Shows the fix, but cannot be applied to exactly this range. */
  | { readonly kind: 'plain'; readonly text: string; readonly why: string }
  | { readonly kind: 'useless'; readonly why: string };

/**
 * A suggestion replaces exactly its range and keeps the file's line endings. Neighbouring lines that it repeats are
 * taken off, where that is certain; otherwise it is only shown. An empty proposal deletes the range.
 */
export function checkSuggestion(
  proposal: string,
  file: readonly string[],
  { start, end }: { readonly start: number; readonly end: number },
): SuggestionCheck {
  const old = file.slice(start - 1, end).map(withoutReturn);
  const proposed =
    proposal === ''
      ? []
      : proposal
          .replace(/\r?\n$/, '')
          .split('\n')
          .map(withoutReturn);
  if (sameLines(proposed, old)) return { kind: 'useless', why: 'the suggestion is the same as the code' };

  const above = file.slice(Math.max(0, start - 1 - MAX_EDGE), start - 1).map(withoutReturn);
  const below = file.slice(end, end + MAX_EDGE).map(withoutReturn);
  const stripped = withoutEdges(proposed, old, above, below);
  const ending = file.slice(start - 1, end).some((line) => line.endsWith('\r')) ? '\r\n' : '\n';
  const write = (lines: readonly string[]): string =>
    lines.length === 0 ? '' : `${lines.join(ending)}${ending === '\r\n' ? '\r' : ''}`;
  switch (stripped.kind) {
    case 'clean':
      return { kind: 'applies', text: write(proposed) };
    case 'unsure':
      return { kind: 'plain', text: write(proposed), why: 'the suggestion repeats a line next to its range' };
    case 'stripped':
      return sameLines(stripped.lines, old)
        ? {
            kind: 'useless',
            why: 'without the neighbouring lines it repeats, the suggestion is the same as the code',
          }
        : { kind: 'applies', text: write(stripped.lines) };
  }
}

/** Lines of context that a model may have copied along. */
const MAX_EDGE = 5;

type Stripped =
  | { readonly kind: 'clean' }
  | { readonly kind: 'unsure' }
  | { readonly kind: 'stripped'; readonly lines: readonly string[] };

function withoutEdges(
  proposed: readonly string[],
  old: readonly string[],
  above: readonly string[],
  below: readonly string[],
): Stripped {
  const head = repeatedHead(proposed, above, old);
  const tail = repeatedTail(proposed.slice(head), below, old);
  if (head === 0 && tail === 0) return { kind: 'clean' };
  const rest = proposed.slice(head, proposed.length - tail);
  const edges = [...proposed.slice(0, head), ...proposed.slice(proposed.length - tail)];
  // A brace or a blank line may stand there by right: the brackets decide, else a person does.
  const telling = edges.some((line) => /[\p{L}\p{N}]/u.test(line));
  const before = balanceOf(old);
  if (balanceOf(rest) === before) return { kind: 'stripped', lines: rest };
  if (!telling && balanceOf(proposed) === before) return { kind: 'clean' };
  return { kind: 'unsure' };
}

/** How many first lines repeat the lines just above the range, and do not stand in the range too. */
function repeatedHead(proposed: readonly string[], above: readonly string[], old: readonly string[]): number {
  for (let count = Math.min(proposed.length, above.length); count > 0; count--) {
    const edge = proposed.slice(0, count);
    if (sameLines(edge, above.slice(above.length - count)) && !startsWith(old, edge) && hasText(edge))
      return count;
  }
  return 0;
}

function repeatedTail(proposed: readonly string[], below: readonly string[], old: readonly string[]): number {
  for (let count = Math.min(proposed.length, below.length); count > 0; count--) {
    const edge = proposed.slice(proposed.length - count);
    if (sameLines(edge, below.slice(0, count)) && !endsWith(old, edge) && hasText(edge)) return count;
  }
  return 0;
}

const hasText = (lines: readonly string[]): boolean => lines.some((line) => line.trim() !== '');
const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
const sameLine = (a: string, b: string): boolean => a.trimEnd() === b.trimEnd();
const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, index) => sameLine(line, b[index] ?? ''));
const startsWith = (lines: readonly string[], edge: readonly string[]): boolean =>
  sameLines(lines.slice(0, edge.length), edge);
const endsWith = (lines: readonly string[], edge: readonly string[]): boolean =>
  lines.length >= edge.length && sameLines(lines.slice(lines.length - edge.length), edge);

/** Open brackets less closed ones; strings and comments are not told apart, both sides carry the same ones. */
const balanceOf = (lines: readonly string[]): number => {
  let balance = 0;
  for (const char of lines.join('\n')) {
    if ('([{'.includes(char)) balance += 1;
    else if (')]}'.includes(char)) balance -= 1;
  }
  return balance;
};
