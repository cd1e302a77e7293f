/** What people see of a text of ours, and the hidden comments at its very end: those are state and are never cut. */
export function splitHidden(text: string): { readonly visible: string; readonly hidden: readonly string[] } {
  const lines = text.split('\n');
  let end = lines.length;
  while (end > 0 && isHidden((lines[end - 1] ?? '').trim())) end -= 1;
  return {
    visible: lines.slice(0, end).join('\n'),
    hidden: lines
      .slice(end)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  };
}

const isHidden = (line: string): boolean =>
  line === '' || (line.startsWith('<!-- evident:') && line.endsWith('-->'));
