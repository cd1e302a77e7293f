/**
 * What the writer of a comment said themself: no quotes, no code blocks, no hidden comments, no mail that is quoted
 * below, no signature. Line by line and bounded; nothing here decides what the words mean.
 */
export type OwnWords = {
  readonly lines: readonly OwnLine[];
  /** Text of the quotes and of the quoted mail, one piece a line. */
  readonly quoted: string;
};

/** `masked` has the same length: inline code is blanked out with `CODE`, so that it is nobody's word. */
export type OwnLine = { readonly text: string; readonly masked: string };

/** Stands for each character of inline code. */
export const CODE = '\ufffc';

/** GitHub's limit for a comment; what is longer is cut. */
const MAX_TEXT = 65_536;

export function readOwnWords(text: string): OwnWords {
  const lines = withoutInvisible(text.slice(0, MAX_TEXT)).replace(/\r\n?/g, '\n').split('\n');
  const own: string[] = [];
  const quoted: string[] = [];
  let fence: string | null = null;
  let htmlEnd: RegExp | null = null;
  let inComment = false;
  /** The comment that is open began in a quote, and ends with it. */
  let isQuoted = false;
  let mayBeCode = true;
  const skip = (): void => {
    own.push('');
    mayBeCode = true;
  };
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (fence !== null) {
      const [, run = ''] = /^\s*(`{3,}|~{3,})\s*$/.exec(line) ?? [];
      if (run.startsWith(fence)) fence = null;
      skip();
      continue;
    }
    if (htmlEnd !== null) {
      if (htmlEnd.test(line)) htmlEnd = null;
      skip();
      continue;
    }
    const isQuote = /^ {0,3}>/.test(line);
    if (inComment && isQuoted) {
      if (isQuote) {
        ({ inComment } = withoutComments(line, true));
        skip();
        continue;
      }
      inComment = false;
    }
    const opening = inComment ? null : /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})/.exec(line);
    if (opening !== null) {
      fence = opening[1] ?? '```';
      skip();
      continue;
    }
    const bare = withoutComments(line, inComment);
    if (!inComment) isQuoted = isQuote;
    inComment = bare.inComment;
    const shown = bare.text;
    if (shown.trim() === '') {
      skip();
      continue;
    }
    if (/^ {0,3}>/.test(shown)) {
      quoted.push(shown.replace(/^[ >]+/, ''));
      skip();
      continue;
    }
    if (mayBeCode && /^(?: {4}|\t)/.test(shown)) {
      own.push('');
      continue;
    }
    const [, html = ''] = /^\s*<(pre|blockquote|code)\b/i.exec(shown) ?? [];
    if (html !== '') {
      const end = new RegExp(`</${html}\\s*>`, 'i');
      if (!end.test(shown)) htmlEnd = end;
      skip();
      continue;
    }
    const tail = mailTail(lines, index);
    if (tail === 'rest') {
      quoted.push(...lines.slice(index));
      break;
    }
    if (tail !== null) {
      index += tail - 1;
      skip();
      continue;
    }
    own.push(shown);
    mayBeCode = false;
  }
  return { lines: masked(own), quoted: quoted.join('\n') };
}

/** Characters that change what is seen and not what is said. */
const withoutInvisible = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g, (char) =>
      // Joins the parts of an emoji.
      char === '\u200d' ? char : '',
    );

function withoutComments(line: string, inComment: boolean): { text: string; inComment: boolean } {
  let text = '';
  let at = 0;
  let inside = inComment;
  const shown = inside ? line : maskCode(line);
  for (;;) {
    if (inside) {
      const end = line.indexOf('-->', at);
      if (end === -1) return { text, inComment: true };
      at = end + 3;
      inside = false;
      continue;
    }
    const start = shown.indexOf('<!--', at);
    if (start === -1) return { text: text + line.slice(at), inComment: false };
    text += line.slice(at, start);
    at = start + 4;
    inside = true;
  }
}

/** Inline code may go over the lines of a paragraph. */
function masked(own: readonly string[]): readonly OwnLine[] {
  const out: OwnLine[] = [];
  let paragraph: string[] = [];
  const end = (): void => {
    const hidden = maskCode(paragraph.join('\n')).split('\n');
    for (const [index, text] of paragraph.entries()) out.push({ text, masked: hidden[index] ?? '' });
    paragraph = [];
  };
  for (const line of own) {
    if (line !== '') {
      paragraph.push(line);
      continue;
    }
    end();
    out.push({ text: '', masked: '' });
  }
  end();
  return out;
}

/** Code spans with their backticks blanked out, line ends kept. */
function maskCode(text: string): string {
  const runs = [...text.matchAll(/`+/g)];
  let out = '';
  let at = 0;
  for (let index = 0; index < runs.length; index++) {
    const open = runs[index];
    if (open === undefined || open.index < at) continue;
    // No closing run of this length is looked for twice, so that many lonely runs cost no more than one look each.
    const close = runs.slice(index + 1, index + 1 + MAX_RUNS).find((run) => run[0].length === open[0].length);
    if (close === undefined) continue;
    const end = close.index + close[0].length;
    out += text.slice(at, open.index) + text.slice(open.index, end).replace(/[^\n]/g, CODE);
    at = end;
  }
  return out + text.slice(at);
}

const MAX_RUNS = 200;

/**
 * How many lines of a mail's head begin here (what is quoted below it has its own marks, and an answer may stand
 * under it); `rest` where everything below is not the writer's; null where no mail begins.
 */
function mailTail(lines: readonly string[], index: number): number | 'rest' | null {
  const line = (lines[index] ?? '').trim();
  if (line.length > 300) return null;
  const next = lines.slice(index + 1, index + 5).map((one) => one.trim());
  if (
    /^--$/.test(line) ||
    /^_{10,}$/.test(line) ||
    forwarded.test(line) ||
    (sentFrom.test(line) && line.length <= 80) ||
    /^\W{0,3}reply to this email directly\b/i.test(line) ||
    /^you are receiving this because\b/i.test(line) ||
    (/^[\u2014\u2013-]$/.test(line) && /^reply to this email directly\b/i.test(next[0] ?? '')) ||
    (/^\**(?:from|von|de|da|差出人)\s*[:：]\**\s*\S/i.test(line) &&
      next.slice(0, 3).some((one) => headField.test(one)))
  )
    return 'rest';
  for (let height = 1; height <= 3; height++) {
    const head = [line, ...next.slice(0, height - 1)].join(' ');
    if (!wrote.test(head)) continue;
    const below = lines.slice(index + height).find((one) => one.trim() !== '') ?? '';
    return /^\s*>/.test(below) || below === '' ? height : 'rest';
  }
  return null;
}

const wrote =
  /^(?:on|am|le|el|em|il|op)\s(?=.{0,120}\d).{3,250}\b(?:wrote|schrieb|a écrit|escribió|escreveu|ha scritto|schreef)(?=[\s:]).{0,120}:$|^\d{4}(?:年|[-/.]\d).{3,200}(?:>|[:：])\s*[:：]?$|^.{1,200}のメール[:：]$/i;

const forwarded =
  /^-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|original-nachricht|weitergeleitete nachricht|message d'origine|message transféré|mensaje original|mensagem original|元のメッセージ)\b/i;

const sentFrom =
  /^(?:sent (?:from|via|with) (?:my|the|outlook|mail|gmail|yahoo|proton|mobile|android|ios|samsung|github|an?)\b|get outlook for\b|(?:diese nachricht wurde )?von meinem .{1,40} gesendet|gesendet (?:von|mit|aus) (?:meinem|meiner|der|outlook|mail|gmail|yahoo|mobile)\b|envoyé (?:de|depuis|à partir de) (?:mon|ma|outlook|l'|mail|yahoo|gmail)|télécharger outlook|obtenir outlook|enviado (?:desde|do|de|a partir do|a partir de) (?:mi|meu|minha|outlook|gmail|yahoo|correo)\b|obtener outlook|obter o outlook|inviato da )|から送信$/i;

const headField =
  /^\**(?:sent|date|to|subject|cc|gesendet|datum|an|betreff|envoyé|à|objet|enviado|para|asunto|fecha|assunto|data|送信日時|日時|宛先|件名)\s*[:：]/i;
