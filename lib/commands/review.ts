import { codeSpan } from '../core/render/markdown.js';
import { globMatches } from '../core/search.js';
import { wrong, type Command } from './command.js';

export const review: Command = {
  name: 'review',
  usage: '/evident review [paths]',
  help: 'reviews this commit again; of named files or folders first',
  act: 'start_review',
  run({ words }, { diff }) {
    const given = words
      .slice(0, MAX_WORDS)
      .split(/[\s,]+/)
      .map((word) => word.replace(/^[`"'(]+|[`"'),.;:!]+$/g, '').replace(/^\.?\/|\/$/g, ''))
      .filter((word) => word !== '')
      .slice(0, MAX_PATHS);
    const isChanged = (path: string): boolean =>
      diff.some((file) => covers(path, file.path) || covers(path, file.oldPath));
    const unknown = given.find((path) => /[./*]/.test(path) && !isChanged(path));
    if (unknown !== undefined)
      return wrong(
        `No changed file is at ${codeSpan(unknown)}. \`/evident review\` without a path reviews all of it.`,
      );
    // "review again please" names no path.
    const paths = given.filter(isChanged);
    return { kind: 'review', ...(paths.length > 0 && { paths: paths.join(' ') }) };
  },
};

const MAX_WORDS = 1_000;
const MAX_PATHS = 10;

const covers = (given: string, path: string): boolean =>
  path === given || path.startsWith(`${given}/`) || (given.includes('*') && globMatches(given, path));
