import { clockTime } from '../attempt.js';
import { codeSpan } from './markdown.js';
import { numberWord } from './words.js';

/** What comes by itself after a review that did not finish, as it is told. */
export type GoingOn =
  | {
      readonly kind: 'again';
      readonly how: 'timer' | 'queue' | 'event';
      /** Epoch milliseconds. */
      readonly at: number;
      readonly why: 'time' | 'busy';
    }
  | {
      readonly kind: 'stops';
      readonly after: number;
      readonly because: 'often' | 'no_further';
      readonly why: 'time' | 'busy';
    };

/** Where nothing comes by itself. */
export const startsAgain = 'A push, or `/evident review`, starts a new review.';

/** When it goes on, or why it does not, and what starts it now. `paths`: what was not read. */
export function goingOnWords(going: GoingOn, paths: readonly string[] = []): string {
  switch (going.kind) {
    case 'again':
      return againWords(going, codeSpan(`/evident review${folderOf(paths)}`));
    case 'stops': {
      const times = ['', 'once', 'twice'][going.after] ?? `${numberWord(going.after)} times`;
      const why =
        going.why === 'busy'
          ? `It was tried again ${times} and is not any more.`
          : going.because === 'often'
            ? `It went on by itself ${times} and does not any more.`
            : `It went on by itself ${times} and read nothing further, so it does not any more.`;
      return `${why} ${startsAgain}`;
    }
  }
}

function againWords({ how, at, why }: Extract<GoingOn, { kind: 'again' }>, command: string): string {
  const time = clockTime(at);
  switch (how) {
    case 'timer':
      return why === 'time'
        ? `It goes on by itself at ${time}; ${command} starts it now.`
        : `Tried again at ${time}; ${command} tries it now.`;
    case 'queue':
      return `It goes on by itself in a moment; if it does not, ${command} starts it.`;
    case 'event':
      return `Nothing here runs by a clock: the next event on this pull request after ${time} tries it again, and ${command} does now.`;
  }
}

/** ` src/import` where all that is named lies in one folder whose name can be typed as it is; else nothing. */
function folderOf(paths: readonly string[]): string {
  const [first, ...rest] = paths.map((path) => path.split('/').slice(0, -1));
  if (first === undefined) return '';
  const common = rest.reduce((all, parts) => {
    const end = all.findIndex((part, at) => parts[at] !== part);
    return end === -1 ? all : all.slice(0, end);
  }, first);
  const folder = common.join('/');
  return /^[A-Za-z0-9_][A-Za-z0-9_./-]{0,60}$/.test(folder) ? ` ${folder}` : '';
}
