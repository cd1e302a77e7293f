/**
 * Cuts Markdown to `most` characters and `most` bytes of UTF-8, whichever is reached first (GitHub counts one or the
 * other by place). Hidden comments at the end are state and stay whole; the cut falls on a line, an open code fence is
 * closed and a last line says that something is missing. A net below the renderers, which plan for length themselves.
 */
export function capText(text: string, most: number): string {
  if (fitsIn(text, most)) return text;
  const hidden = /(?:\s*<!--(?:(?!-->)[\s\S])*-->\s*)+$/.exec(text)?.[0].trim() ?? '';
  const note = '\n\n[cut: too long for GitHub]';
  const tail = fitsIn(hidden, most / 2) ? (hidden === '' ? '' : `\n\n${hidden}`) : '';
  const visible = tail === '' ? text : text.slice(0, text.lastIndexOf(hidden));
  const lines = visible.split('\n');
  const kept: string[] = [];
  let room = most - Buffer.byteLength(`${note}${tail}\n\`\`\`\`\`\``);
  let fence: string | null = null;
  for (const line of lines) {
    const size = Buffer.byteLength(line) + 1;
    if (size > room) break;
    room -= size;
    kept.push(line);
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === null ? mark : mark.startsWith(fence) ? null : fence;
  }
  // Longer fences than the six characters that were reserved would not fit: leave their block out.
  if (fence !== null && fence.length > 6) return capText(cutBlock(kept, fence) + tail, most);
  return `${kept.join('\n')}${fence === null ? '' : `\n${fence}`}${note}${tail}`;
}

const fitsIn = (text: string, most: number): boolean =>
  text.length <= most && Buffer.byteLength(text) <= most;

const cutBlock = (lines: readonly string[], fence: string): string =>
  lines
    .slice(
      0,
      lines.findLastIndex((line) => line.trimStart().startsWith(fence)),
    )
    .join('\n');
