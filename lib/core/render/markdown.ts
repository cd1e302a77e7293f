/**
 * Text of models and strangers made safe for GitHub's Markdown without changing how it looks: no live mention, no HTML,
 * no comment end, no picture or hidden link, no fence that ends early.
 */

/** GitHub takes 65,536 characters in a comment and 65,535 in a field of a check; counted in bytes we stay below both. */
export const MAX_COMMENT_BYTES = 64_000;

/** Stands after an `@` or before the digits of `#12`: invisible, and no mention or reference any more. */
const BREAK = '\u200b';

/** One line of prose: inline code stays code, everything else stays text. */
export function inline(text: string): string {
  return inlineOf(printable(text).replace(/\s+/g, ' ').trim());
}

/** Inline prose that stands between `**` and `**`, with nothing in it that could end them. */
export function bold(text: string): string {
  const inside = splitCode(printable(text).replace(/\s+/g, ' ').trim())
    .map((part) => (part.kind === 'code' ? part.text : escapeStars(escapeText(part.text))))
    .join('');
  const endsInEscape = /(?<!\\)(\\\\)*\\$/.test(inside);
  return `**${inside}${endsInEscape ? '\\' : ''}**`;
}

const escapeStars = (text: string): string =>
  text.replace(/\\[!-/:-@[-`{-~]|\*/g, (found) => (found === '*' ? '\\*' : found));

/** Paragraphs, lists and code blocks of a model. Fences are written anew, so that none can stay open. */
export function prose(text: string): string {
  const out: string[] = [];
  let block: { readonly run: string; readonly info: string; readonly lines: string[] } | null = null;
  const close = (): void => {
    if (block === null) return;
    out.push(fence(block.lines.join('\n'), block.info));
    block = null;
  };
  for (const line of printable(text).replace(/\r\n?/g, '\n').split('\n')) {
    const mark: RegExpExecArray | null = /^\s*(`{3,}|~{3,})(.*)$/.exec(line);
    if (block !== null) {
      const open: { run: string; lines: string[] } = block;
      if (
        mark !== null &&
        mark[1]?.startsWith(open.run[0] ?? '') === true &&
        mark[1].length >= open.run.length &&
        mark[2]?.trim() === ''
      )
        close();
      else open.lines.push(line);
      continue;
    }
    if (mark !== null && !(mark[1]?.startsWith('`') === true && mark[2]?.includes('`') === true)) {
      block = { run: mark[1] ?? '```', info: infoOf(mark[2] ?? ''), lines: [] };
      continue;
    }
    out.push(proseLine(line));
  }
  close();
  return out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** A code block whose fence is longer than any run of backticks in it. */
export function fence(code: string, info = ''): string {
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const run = '`'.repeat(Math.max(3, longest + 1));
  return `${run}${info}\n${code === '' || code.endsWith('\n') ? code : `${code}\n`}${run}`;
}

/** A code span that may hold backticks. */
export function codeSpan(text: string): string {
  const line = printable(text).replace(/[\r\n\t]+/g, ' ');
  if (line.trim() === '') return '` `';
  const runs = new Set((line.match(/`+/g) ?? []).map((run) => run.length));
  let length = 1;
  while (runs.has(length)) length += 1;
  const run = '`'.repeat(length);
  const pad =
    line.startsWith('`') || line.endsWith('`') || (line.startsWith(' ') && line.endsWith(' ')) ? ' ' : '';
  return `${run}${pad}${line}${pad}${run}`;
}

/** A link to a place of ours; the text is code. `url` is encoded already, but for what would end a Markdown link. */
export const link = (text: string, url: string): string =>
  `[${text}](${url.replace(/[()<>\s\\]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`)})`;

/** A cell of a table: a pipe would end it, even inside code. */
export const cell = (markdown: string): string => markdown.replaceAll('|', '\\|');

/**
 * At most `limit` bytes, cut at the end of a line, with what is open closed again and a sentence that says so. The
 * caller adds markers afterwards and leaves room for them.
 */
export function clip(
  markdown: string,
  limit: number,
  note = 'The rest is left out: too long for one comment.',
): string {
  if (Buffer.byteLength(markdown) <= limit) return markdown;
  const room = limit - Buffer.byteLength(note) - 200;
  const kept: string[] = [];
  let size = 0;
  let open: string | null = null;
  let folds = 0;
  for (const line of markdown.split('\n')) {
    size += Buffer.byteLength(line) + 1;
    if (size > room) break;
    kept.push(line);
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (mark !== null) {
      const [, run = '', rest = ''] = mark;
      if (open === null) open = run.startsWith('`') && rest.includes('`') ? null : run;
      else if (run[0] === open[0] && run.length >= open.length && rest.trim() === '') open = null;
    }
    if (open === null) folds += count(line, '<details') - count(line, '</details>');
  }
  const closing = [
    ...(open === null ? [] : [open]),
    ...Array<string>(Math.max(0, folds)).fill('\n</details>'),
  ];
  return [...kept, ...closing, '', note].join('\n');
}

/** 65,536 characters: GitHub's limit for a comment, less room for what stands after the text. */
export const withMarkers = (markdown: string, markers: readonly string[]): string => {
  const tail = markers.length === 0 ? '' : `\n\n${markers.join('\n')}`;
  return `${clip(markdown, MAX_COMMENT_BYTES - Buffer.byteLength(tail))}${tail}`;
};

type Part = { readonly kind: 'text' | 'code'; readonly text: string };

/**
 * The code spans of one line. A run of backticks that nothing closes on its line is escaped, so that no later line can
 * close it: what is code here is code for GitHub.
 */
function splitCode(line: string): readonly Part[] {
  const parts: Part[] = [];
  let text = '';
  for (let at = 0; at < line.length;) {
    const char = line[at] ?? '';
    if (char === '\\' && /[!-/:-@[-`{-~]/.test(line[at + 1] ?? '')) {
      text += line.slice(at, at + 2);
      at += 2;
      continue;
    }
    if (char !== '`') {
      text += char;
      at += 1;
      continue;
    }
    let run = 1;
    while (line[at + run] === '`') run += 1;
    const end = closingRun(line, at + run, run);
    if (end === -1) text += '\\`'.repeat(run);
    else {
      parts.push({ kind: 'text', text }, { kind: 'code', text: line.slice(at, end + run) });
      text = '';
    }
    at = end === -1 ? at + run : end + run;
  }
  return [...parts, { kind: 'text', text }];
}

function closingRun(line: string, from: number, length: number): number {
  for (let at = from; at < line.length; at++) {
    if (line[at] !== '`') continue;
    let run = 1;
    while (line[at + run] === '`') run += 1;
    if (run === length) return at;
    at += run - 1;
  }
  return -1;
}

const inlineOf = (line: string): string =>
  splitCode(line)
    .map(({ kind, text }) => (kind === 'code' ? text : escapeText(text)))
    .join('');

function proseLine(line: string): string {
  const indented = line.replace(/^\s+/, (space) =>
    ' '.repeat(Math.min(3, space.replaceAll('\t', '    ').length)),
  );
  const said = inlineOf(indented.trimEnd());
  // Headings, rules and tables would shout; they stay as text.
  if (/^ {0,3}#{1,6}(\s|$)/.test(said)) return said.replace('#', '\\#');
  if (/^ {0,3}[-=|:_*][-=|:_* ]*$/.test(said) && said.replace(/\s/g, '').length > 1)
    return said.replace(/\S/, (char) => `\\${char}`);
  return said;
}

/** Text outside code. Pairs of a backslash and a punctuation mark are kept, because they are one character. */
function escapeText(text: string): string {
  return text.replace(
    /\\[!-/:-@[-`{-~]|<|&(?=#?\w+;)|\[|@(?=\S)|#(?=\d)|\bGH-(?=\d)|~{3,}/g,
    (found, at: number, whole: string) => {
      if (found === '<') return '&lt;';
      if (found === '&') return '&amp;';
      if (found === '[') return '\\[';
      if (found === 'GH-') return `GH-${BREAK}`;
      if (found.startsWith('~~~')) return '\\~'.repeat(found.length);
      const isMark =
        found.endsWith('@') || (found.endsWith('#') && /\d/.test(whole[at + found.length] ?? ''));
      return isMark ? `${found}${BREAK}` : found;
    },
  );
}

/** Control and direction characters change what people see: they are left out. */
const printable = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, '');

/**
 * The language of a block. `suggestion` is ours alone: it puts an Apply button beside what nothing has checked. The
 * others are drawn instead of shown: https://docs.github.com/get-started/writing-on-github/working-with-advanced-formatting/creating-diagrams
 */
const infoOf = (info: string): string => {
  const word = /^\s*([A-Za-z0-9+#._-]{1,20})/.exec(info)?.[1] ?? '';
  return ['suggestion', 'mermaid', 'geojson', 'topojson', 'stl', 'math'].includes(word.toLowerCase())
    ? ''
    : word;
};

const count = (text: string, part: string): number => text.split(part).length - 1;
