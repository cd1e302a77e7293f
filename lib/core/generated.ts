import { minimatch } from 'minimatch';
import type { FileDiff } from './diff.js';
import { checkSettingGlob } from './policy-schema.js';

/** The lines of a file at the base; null when there is none that can be read. */
export type ReadBase = (path: string) => Promise<readonly string[] | null>;

/**
 * Says of each changed file whether it is generated, and by what. Only the base is asked, its `.gitattributes`
 * (`linguist-generated`) and its first lines: a pull request cannot mark its own code so that nobody reads it.
 */
export async function markGenerated(
  diff: readonly FileDiff[],
  readBase: ReadBase,
): Promise<readonly FileDiff[]> {
  const attributes = await readAttributes(
    diff.map(({ path }) => path),
    readBase,
  );
  const marked: FileDiff[] = [];
  for (const file of diff) {
    const generated =
      by(file, attributes) ??
      ((await saysGenerated(file, attributes, readBase)) ? 'it says so in its first lines' : undefined);
    marked.push(generated === undefined ? file : { ...file, generated });
  }
  return marked;
}

/** Renamed to a name that is marked, code would go unread: both names have to be. */
const by = ({ path, oldPath }: FileDiff, rules: readonly Attribute[]): string | undefined =>
  [path, oldPath].every((name) => attributeOf(name, rules) === true) ? '`.gitattributes`' : undefined;

type Attribute = { readonly folder: string; readonly pattern: string; readonly generated: boolean };

const MAX_FOLDERS = 200;
const MAX_RULES = 500;

/** Those of the root first: a folder's own come later and go before them. */
async function readAttributes(paths: readonly string[], readBase: ReadBase): Promise<readonly Attribute[]> {
  const folders = new Set<string>(['']);
  for (const path of paths)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      if (folders.size < MAX_FOLDERS) folders.add(path.slice(0, at + 1));
  const rules: Attribute[] = [];
  for (const folder of [...folders].sort((a, b) => a.length - b.length))
    for (const line of (await readBase(`${folder}.gitattributes`)) ?? []) {
      if (rules.length >= MAX_RULES) return rules;
      const rule = ruleOf(line, folder);
      if (rule !== null) rules.push(rule);
    }
  return rules;
}

/** https://git-scm.com/docs/gitattributes. Quoted patterns and those of too many stars are passed over: their files are read. */
function ruleOf(line: string, folder: string): Attribute | null {
  const [pattern = '', ...words] = line.trim().slice(0, 1_000).split(/\s+/);
  if (pattern === '' || /^[#"]/.test(pattern) || pattern.endsWith('/') || checkSettingGlob(pattern) !== null)
    return null;
  const word = words.findLast((one) => /^[-!]?linguist-generated(?:=|$)/.test(one));
  if (word === undefined) return null;
  return { folder, pattern, generated: /^linguist-generated(?:=true)?$/.test(word) };
}

function attributeOf(path: string, rules: readonly Attribute[]): boolean | undefined {
  return rules.findLast(({ folder, pattern }) => {
    if (!path.startsWith(folder)) return false;
    const inside = path.slice(folder.length);
    const options = { dot: true, nocomment: true, nonegate: true, noext: true, nobrace: true };
    const glob = pattern.replace(/^\//, '');
    return pattern.includes('/')
      ? minimatch(inside, glob, options)
      : minimatch(inside.slice(inside.lastIndexOf('/') + 1), glob, options);
  })?.generated;
}

const HEAD_LINES = 20;

async function saysGenerated(
  { path, oldPath, status }: FileDiff,
  rules: readonly Attribute[],
  readBase: ReadBase,
): Promise<boolean> {
  if (status === 'added' || path !== oldPath || attributeOf(path, rules) === false) return false;
  const lines = (await readBase(path))?.slice(0, HEAD_LINES) ?? [];
  return lines.some((line) => line.length < 500 && isMark(line));
}

/** Go's rule (https://go.dev/s/generatedcode), and the word that other generators write into a comment. */
const isMark = (line: string): boolean =>
  /^\s*(?:\/\/|#|--|;|\/?\*+|<!--)\s*Code generated\b.*\bDO NOT EDIT\b/i.test(line) ||
  /^\s*(?:\/\/|#|--|;|\/?\*+|<!--)(?:.*\s)?@generated\b/.test(line);
