/**
 * Text that somebody else wrote, each line behind a bar, so that no line of it can look as if it stood outside the
 * frame. Cut at `most` characters, and the cut is said.
 */
export function framed(text: string, most: number): string {
  const shown = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
  const lines = shown.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `| ${line}`.trimEnd());
  const left = text.length - shown.length;
  return [...lines, ...(left > 0 ? [`[cut: ${left} more characters]`] : [])].join('\n');
}
