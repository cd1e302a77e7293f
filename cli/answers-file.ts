import { createReadStream } from 'node:fs';
import { ConfigError } from '../lib/core/errors.js';

/** An answer that was written beforehand. */
export type WrittenAnswer = {
  /** Where it stands, for messages: `answers.txt:3`, or `answers.json "Q1"`. */
  readonly where: string;
  /** What it answers: `Q1`, `src/Promo.tsx:18`, `react-dom-mutation`. */
  readonly key: string;
  readonly words: string;
};

/**
 * Answers from a file: one a line (`Q1 no because ...`; empty lines and `#` lines are passed over), or one JSON object
 * (`{"Q1": "no because ..."}`). Throws `ConfigError` that names every line which cannot be used, so that nothing is
 * paid for with a file that is wrong.
 */
export async function readAnswersFile(file: string, shown: string): Promise<readonly WrittenAnswer[]> {
  const wrong = (why: string): ConfigError => new ConfigError(`--answers ${shown}: ${why}`, '--answers');
  const text = await readText(file, wrong);
  const { answers, problems } = parseAnswersFile(text, shown);
  if (problems.length > 0) throw wrong(problems.slice(0, 20).join('\n  '));
  if (answers.length === 0) throw wrong(`it holds no answer. ${example}`);
  return answers;
}

/** Of a pipe, too: at most what answers can be. */
async function readText(file: string, wrong: (why: string) => ConfigError): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of createReadStream(file)) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > MAX_BYTES) break;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw wrong('there is no such file.');
    if (code === 'EISDIR') throw wrong('it is a folder.');
    throw wrong(`it cannot be read (${code}).`);
  }
  if (size > MAX_BYTES) throw wrong(`it is larger than ${MAX_BYTES / 1024} kB; answers are a few words.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw wrong('it is not UTF-8 text.');
  }
}

const MAX_BYTES = 65_536;
const MAX_ANSWERS = 200;
const example =
  'A line is the question and the answer, such as `Q1 no` or `src/Promo.tsx:18 yes, because ...`.';

export function parseAnswersFile(
  text: string,
  name: string,
): { readonly answers: readonly WrittenAnswer[]; readonly problems: readonly string[] } {
  const { answers, problems } = /^\s*[{[]/.test(text) ? fromJson(text, name) : fromLines(text, name);
  return answers.length > MAX_ANSWERS
    ? { answers: [], problems: [...problems, `more than ${MAX_ANSWERS} answers.`] }
    : { answers, problems };
}

type Parsed = ReturnType<typeof parseAnswersFile>;

function fromLines(text: string, name: string): Parsed {
  const answers: WrittenAnswer[] = [];
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    // A key with blanks in it stands in quotes.
    const [, quoted, bare = '', words = ''] = /^\s*(?:"([^"]+)"|(\S+?)):?\s+(\S.*)$/.exec(line) ?? [];
    const key = quoted ?? bare;
    if (key === '' || !isAnswer(words)) problems.push(`line ${index + 1} has no answer. ${example}`);
    else answers.push({ where: `${name}:${index + 1}`, key, words: words.trim() });
  }
  return { answers, problems };
}

function fromJson(text: string, name: string): Parsed {
  const wrong = (why: string): Parsed => ({ answers: [], problems: [why] });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return wrong(`it is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return wrong('the JSON must be one object, such as {"Q1": "no because ..."}.');
  const answers: WrittenAnswer[] = [];
  const problems: string[] = [];
  for (const [key, words] of Object.entries(json)) {
    if (typeof words !== 'string' || !isAnswer(words))
      problems.push(`${JSON.stringify(key)} has no answer: write "yes", "no" or "not sure", and why.`);
    else answers.push({ where: `${name} ${JSON.stringify(key)}`, key, words });
  }
  return { answers, problems };
}

const isAnswer = (words: string): boolean => /[\p{L}\p{N}]/u.test(words) && words.length <= 2_000;
