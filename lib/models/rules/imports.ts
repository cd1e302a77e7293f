import { fileOf, folderOf } from './paths.js';
import { isScript } from './source-code.js';
import type { Source } from './source-code.js';

/** One name that a file takes from elsewhere. `imported` is `*` for a whole module. */
export type Import = { readonly module: string; readonly imported: string; readonly local: string };

export function importsOf(source: Source): readonly Import[] {
  const raw = source.lines.join('\n');
  if (isScript(source.language)) return scriptImports(raw);
  return source.language === 'python' ? pythonImports(raw) : goImports(raw);
}

function scriptImports(raw: string): readonly Import[] {
  const found: Import[] = [];
  for (const match of raw.matchAll(
    /(?:^|\n)[ \t]*import\s+(?:type\s+)?([^'"`;()]*?)\s*from\s*(['"])([^'"\n]+)\2/g,
  ))
    found.push(...clause(match[1]!, match[3]!));
  for (const match of raw.matchAll(
    /(?:^|\n)[ \t]*(?:const|let|var)\s+(\{[^}]*\}|[\w$]+)\s*=\s*(?:await\s+import|require)\(\s*(['"])([^'"\n]+)\2\s*\)/g,
  )) {
    const names = match[1]!;
    if (names.startsWith('{')) found.push(...clause(names.replace(/:/g, ' as '), match[3]!));
    else found.push({ module: match[3]!, imported: '*', local: names });
  }
  return found;
}

function clause(text: string, module: string): readonly Import[] {
  const found: Import[] = [];
  const braces = /\{([^}]*)\}/.exec(text);
  for (const part of braces?.[1]?.split(',') ?? []) {
    const names = /^\s*(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(part);
    if (names !== null) found.push({ module, imported: names[1]!, local: names[2] ?? names[1]! });
  }
  const rest = text.replace(/\{[^}]*\}/, '');
  const whole = /\*\s*as\s+([\w$]+)/.exec(rest);
  if (whole !== null) found.push({ module, imported: '*', local: whole[1]! });
  const preset = /^\s*([A-Za-z_$][\w$]*)\s*(?:,|$)/.exec(rest);
  if (preset !== null) found.push({ module, imported: 'default', local: preset[1]! });
  return found;
}

function pythonImports(raw: string): readonly Import[] {
  const found: Import[] = [];
  for (const match of raw.matchAll(
    /(?:^|\n)[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)/g,
  )) {
    for (const part of match[2]!.replace(/[()\\]|#[^\n]*/g, ' ').split(',')) {
      const names = /^\s*(\w+)(?:\s+as\s+(\w+))?\s*$/.exec(part);
      if (names !== null)
        found.push({ module: match[1]!, imported: names[1]!, local: names[2] ?? names[1]! });
    }
  }
  for (const match of raw.matchAll(/(?:^|\n)[ \t]*import[ \t]+([\w.]+)(?:[ \t]+as[ \t]+(\w+))?/g))
    found.push({ module: match[1]!, imported: '*', local: match[2] ?? match[1]! });
  return found;
}

function goImports(raw: string): readonly Import[] {
  const found: Import[] = [];
  const add = (line: string): void => {
    const spec = /^\s*(?:import\s+)?([\w.]+\s+)?"([^"]+)"/.exec(line);
    if (spec === null) return;
    const last =
      spec[2]!
        .split('/')
        .filter((part) => !/^v\d+$/.test(part))
        .at(-1) ?? '';
    found.push({ module: spec[2]!, imported: '*', local: spec[1]?.trim() ?? last });
  };
  for (const block of raw.matchAll(/(?:^|\n)import\s*\(([^)]*)\)/g)) block[1]!.split('\n').forEach(add);
  for (const single of raw.matchAll(/(?:^|\n)(import\s+(?:[\w.]+\s+)?"[^"\n]+")/g)) add(single[1]!);
  return found;
}

const withoutExtension = (path: string): string => path.replace(/\.(?:[cm]?[jt]sx?|py)$/, '');

/** Whether a module named in `from` is the file at `path`, as far as names can tell. */
export function leadsTo(module: string, from: Source, path: string): boolean {
  if (isScript(from.language)) {
    const target = withoutExtension(path);
    const targets = [target, target.replace(/\/index$/, '')];
    if (module.startsWith('.'))
      return targets.includes(withoutExtension(joined(folderOf(from.path), module)));
    const alias = /^(?:@|~|#)\/(.+)$/.exec(module)?.[1] ?? (module.startsWith('src/') ? module : undefined);
    return alias !== undefined && targets.some((each) => `/${each}`.endsWith(`/${withoutExtension(alias)}`));
  }
  if (from.language === 'python') {
    const target = withoutExtension(path).replace(/\/__init__$/, '');
    const dots = /^\.+/.exec(module)?.[0].length ?? 0;
    if (dots > 0) {
      const up = Array.from({ length: dots - 1 }, () => '..').join('/');
      const rest = module.slice(dots).replace(/\./g, '/');
      return joined(folderOf(from.path), [up, rest].filter((part) => part !== '').join('/')) === target;
    }
    const named = module.replace(/\./g, '/');
    return (
      target === named || (named.includes('/') && target.endsWith(`/${named}`)) || target === `src/${named}`
    );
  }
  const folder = folderOf(path);
  return folder !== '' && (module === folder || module.endsWith(`/${folder}`));
}

/** The module of a package that may pass the name on: an index file above the definition. */
export function mayPassOn(module: string, from: Source, path: string): boolean {
  if (!isScript(from.language) || !module.startsWith('.')) return false;
  const target = joined(folderOf(from.path), module).replace(/\/index(?:\.[cm]?[jt]sx?)?$/, '');
  return target !== '' && path.startsWith(`${target}/`) && !/\.[cm]?[jt]sx?$/.test(fileOf(target));
}

function joined(folder: string, relative: string): string {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
