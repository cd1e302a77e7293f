/**
 * What a comment says in its own words: without fenced code, quoted replies, hidden comments, folded sections,
 * pictures and addresses. Linear in the length of the text, of which the first 20,000 characters are read.
 */
export function saidText(body: string): string {
  const text = withoutFolds(withoutHidden(withoutQuotes(body.slice(0, mostText))));
  return text
    .replace(/!\[[^\]\n]{0,300}\]\([^)\s]{0,2000}\)/g, ' ')
    .replace(/\]\([^)\]\s]{0,2000}\)/g, '] ')
    .replace(/<\/?[a-z][^<>\n]{0,2000}>/gi, ' ')
    .replace(/\bhttps?:\/\/\S+/gi, ' ')
    .replaceAll('’', "'")
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, ' ');
}

const mostText = 20_000;

/** Fences that are not closed go on to the end, as on GitHub. */
function withoutQuotes(text: string): string {
  const kept: string[] = [];
  let open: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const [, run = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open !== null) {
      if (run[0] === open[0] && run.length >= open.length && rest.trim() === '') open = null;
      continue;
    }
    if (run !== '' && !(run.startsWith('`') && rest.includes('`'))) open = run;
    else if (!/^ {0,3}>/.test(line)) kept.push(line);
  }
  return kept.join('\n');
}

function withoutHidden(text: string): string {
  let kept = '';
  for (let at = 0; ;) {
    const begin = text.indexOf('<!--', at);
    if (begin === -1) return kept + text.slice(at);
    kept += `${text.slice(at, begin)} `;
    const end = text.indexOf('-->', begin);
    if (end === -1) return kept;
    at = end + 3;
  }
}

/** Logs, prompts and tool output stand in `<details>`, one in another at times. */
function withoutFolds(text: string): string {
  let kept = '';
  let depth = 0;
  let at = 0;
  for (const { 0: tag, index } of text.matchAll(/<(\/?)details\b[^>\n]{0,200}>/gi)) {
    if (depth === 0) kept += `${text.slice(at, index)} `;
    depth = tag.startsWith('</') ? Math.max(0, depth - 1) : depth + 1;
    at = index + tag.length;
  }
  return depth === 0 ? kept + text.slice(at) : kept;
}
