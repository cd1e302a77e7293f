import type { PolicyProblem } from '../policy.js';
import { codeSpan, inline } from './markdown.js';

const MAX_SHOWN = 20;

/** What of the settings files could not be used, with its place and why. Empty where all could. */
export const unusableSettings = (problems: readonly PolicyProblem[]): string =>
  problems.length === 0
    ? ''
    : [
        '**Not usable in the settings**, so what stands behind it holds:',
        problems.slice(0, MAX_SHOWN).map(unusableRow).join('\n'),
      ].join('\n\n');

export const unusableRow = ({ file, line, path, reason }: PolicyProblem): string =>
  `- ${codeSpan(file)}, line ${line}${path === '' ? '' : `, ${codeSpan(path)}`}: ${inline(reason)}`;
