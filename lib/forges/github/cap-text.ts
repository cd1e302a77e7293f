import { splitHidden } from './hidden-lines.js';

/**
 * Cuts Markdown to `most` characters and `most` bytes of UTF-8, whichever is reached first (GitHub counts one or the
 * other by place). Hidden comments at the end stay whole; the cut falls on a line, an open code fence and open folds are
 * closed and a last line, outside of them, says that something is missing. A net below the renderers, which plan for
 * length themselves.
 */
export function capText(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const { visible, hidden } = splitHidden(text);
  const state = hidden.join('\n');
  // State that leaves no room for words is not worth keeping: it is found anew.
  const tail = state === '' || Buffer.byteLength(state) > most * 0.8 ? note : `${note}\n\n${state}`;
  const forFolds = visible.includes('<details') ? mostFolds * endOfFold.length : 0;
  const room = Math.max(0, most - Buffer.byteLength(tail) - longestFence - 1 - forFolds);
  const { kept, fence, folds } = firstLines(visible, room);
  return `${kept}${fence === null ? '' : `\n${fence}`}${endOfFold.repeat(Math.min(folds, mostFolds))}${tail}`;
}

const note = '\n\n[cut: too long for GitHub]';
/** A block with a longer fence is left out whole, because its end could not be paid for. */
const longestFence = 20;

const endOfFold = '\n\n</details>';
/** Our texts fold once; what is folded deeper stays open. */
const mostFolds = 8;

type Kept = { readonly kept: string; readonly fence: string | null; readonly folds: number };

/** As many whole lines as fit into `room` bytes, and the fence and the folds that are open after the last of them. */
function firstLines(text: string, room: number): Kept {
  const kept: string[] = [];
  let fence: string | null = null;
  let opened = 0;
  let folds = 0;
  let left = room;
  for (const line of text.split('\n', Math.max(1, room))) {
    const size = Buffer.byteLength(line) + 1;
    if (size > left) {
      if (kept.length === 0) kept.push(firstBytes(line, left));
      break;
    }
    left -= size;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && fence === null) {
      fence = mark;
      opened = kept.length;
    } else if (mark !== undefined && fence !== null && mark.startsWith(fence)) {
      fence = null;
    } else if (fence === null) {
      folds = Math.max(0, folds + count(line, '<details') - count(line, '</details>'));
    }
    kept.push(line);
  }
  if (fence === null || fence.length <= longestFence) return { kept: kept.join('\n'), fence, folds };
  return { kept: kept.slice(0, opened).join('\n'), fence: null, folds };
}

const count = (line: string, part: string): number => line.split(part).length - 1;

/** Whole characters only. */
function firstBytes(line: string, most: number): string {
  let cut = line.slice(0, Math.max(0, most));
  while (Buffer.byteLength(cut) > most)
    cut = cut.slice(0, Math.min(cut.length - 1, Math.ceil(cut.length * 0.9)));
  return cut.replace(/[\uD800-\uDBFF]$/, '');
}
