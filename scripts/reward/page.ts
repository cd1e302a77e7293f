import { readFileSync } from 'node:fs';
import { withTable } from '../table.js';
import { historyOf, posteriorTable, replayOf, separationTable } from './figures.js';
import { readSample, sampleTables } from './sample.js';

/** docs/REWARD.md with its tables and examples written anew. */
export function withFigures(page: string): string {
  const chatty = replayOf(historyOf('chatty'));
  const quiet = replayOf(historyOf('quiet'));
  const written = {
    sample: sampleTables(readSample()),
    separation: separationTable(chatty, quiet),
    posteriors: posteriorTable(chatty),
    'example turn.sh': example('turn.sh', 'sh'),
    'example turn.py': example('turn.py', 'python'),
  };
  return Object.entries(written).reduce((text, [name, part]) => withTable(text, name, part), page);
}

const folder = new URL('../../examples/reward/', import.meta.url);

const example = (file: string, language: string): string =>
  `\`\`\`${language}\n${readFileSync(new URL(file, folder), 'utf8').trimEnd()}\n\`\`\``;
