/**
 * What somebody reads in a Markdown text, without blanks: signs of Markdown gone, code as it stands. Written for the
 * texts that this project renders, apart from the parser that the page uses, so that one checks the other.
 */
export const wordsOf = (markdown: string): string =>
  blocksOf(markdown.replace(/<!--[^]*?-->/g, ''))
    .map((block) => (block.kind === 'code' ? block.text : block.text.split('\n').map(wordsOfLine).join('\n')))
    .join('\n')
    .replace(/\s+/g, '');

type Block = { readonly kind: 'code' | 'text'; readonly text: string };

/** Fenced code, with a longer fence around a shorter one, and what stands between. */
function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let kept: string[] = [];
  let fence: string | null = null;
  const end = (kind: Block['kind']): void => {
    blocks.push({ kind, text: kept.join('\n') });
    kept = [];
  };
  for (const line of markdown.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && mark !== undefined) {
      end('text');
      fence = mark;
    } else if (fence !== null && mark !== undefined && mark.length >= fence.length && line.trim() === mark) {
      end('code');
      fence = null;
    } else kept.push(line);
  }
  end(fence === null ? 'text' : 'code');
  return blocks;
}

const wordsOfLine = (line: string): string => {
  // A line across the page, and the one below the head of a table.
  if (/^\s*(---+|\*\*\*+)\s*$/.test(line)) return '';
  if (/^\s*\|?(\s*:?-+:?\s*\|)+\s*:?-*:?\s*$/.test(line)) return '';
  const isRow = /^\s*\|/.test(line);
  const text = line
    .replace(/<\/?(details|summary|b|sub|br)[^<>]*>/g, '')
    .replace(/^(\s*>)+ ?/, '')
    .replace(/^\s*([-*]|\d+\.|#{1,6}) /, '');
  return text
    .split(/(`[^`]+`)/)
    .map((part, at) => (at % 2 === 1 ? code(part, isRow) : prose(part, isRow)))
    .join('')
    .replace(/\[([^\]]*)\]\([^()\s]*\)/g, '$1');
};

const code = (part: string, isRow: boolean): string => {
  const inside = part.slice(1, -1);
  return isRow ? inside.replaceAll('\\|', '|') : inside;
};

const prose = (part: string, isRow: boolean): string =>
  (isRow ? part.replace(/(?<!\\)\|/g, '') : part)
    .replace(/\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)/g, '')
    .replace(/\\([\\`*_{}[\]()#+.!|<>~-])/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
