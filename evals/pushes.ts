/**
 * Several pushes of a real pull request, played on a local GitHub: is a finding ever posted twice, are two ever one?
 *
 *   npx tsx evals/pushes.ts --repo PATH --base SHA --heads SHA,SHA,... [--model rules|reworded] [--seed N] [--json]
 *   npx tsx evals/pushes.ts HISTORIES.json [--model ...] [--seed N] [--json]
 *
 * A file holds a list of { "repo", "base", "heads" }. Both models are played unless one is named. Ends with 1 if a
 * figure is not 0, or if a push was not read.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { replayPushes, type Replay, type ReplayedModel } from './replay-pushes.js';

const History = z.strictObject({
  repo: z.string().min(1),
  base: z.string().min(1),
  heads: z.array(z.string().min(1)).min(1),
});

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repo: { type: 'string' },
    base: { type: 'string' },
    heads: { type: 'string' },
    model: { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});

const histories =
  positionals[0] === undefined
    ? [History.parse({ repo: values.repo, base: values.base, heads: values.heads?.split(',') })]
    : z.array(History).parse(JSON.parse(readFileSync(positionals[0], 'utf8')));
const models: readonly ReplayedModel[] =
  values.model === undefined ? ['rules', 'reworded'] : [z.enum(['rules', 'reworded']).parse(values.model)];

const replays: Replay[] = [];
for (const history of histories)
  for (const model of models) {
    const replay = await replayPushes(history, { model, seed: Number(values.seed) });
    replays.push(replay);
    if (!values.json) print(inWords(replay));
  }
if (values.json) print(JSON.stringify(replays, null, 2));
process.exitCode = replays.some(isOff) ? 1 : 0;

function inWords(replay: Replay): string {
  const { repo, base, heads, model, reviews, spots, sightings, findings, threads } = replay;
  return [
    `${repo} at ${base.slice(0, 10)}, ${model}: ${reviews} reviews of ${heads} pushes, ${spots} things seen ${sightings} times, ${findings} findings, ${threads.length} threads, posted twice ${replay.postedTwice.length}, merged ${replay.merged.length}, refused ${replay.refused.length}`,
    ...replay.postedTwice.map((one) => `  posted twice: ${one}`),
    ...replay.merged.map((one) => `  merged: ${one}`),
    ...replay.refused.map((one) => `  refused: ${one}`),
    ...replay.ended.map((one) => `  not reviewed: ${one}`),
    ...replay.warned.map((one) => `  warned: ${one}`),
  ].join('\n');
}

function isOff({ postedTwice, merged, reviews, ended }: Replay): boolean {
  return postedTwice.length > 0 || merged.length > 0 || reviews === 0 || ended.length > 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
