/** Writes the tables of docs/REWARD.md, docs/img/reward-replay.svg and the example history anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { chart, historyOf, replayOf } from './reward/figures.js';
import { withFigures } from './reward/page.js';

const page = new URL('../docs/REWARD.md', import.meta.url);
const history = historyOf('chatty');
writeFileSync(page, withFigures(readFileSync(page, 'utf8')));
writeFileSync(new URL('../docs/img/reward-replay.svg', import.meta.url), chart(replayOf(history)));
writeFileSync(
  new URL('../examples/reward/history.jsonl', import.meta.url),
  history.map((pull) => `${JSON.stringify(pull)}\n`).join(''),
);
