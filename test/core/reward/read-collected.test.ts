import { pullKey } from '../../../lib/core/reward/reviewed-pull.js';
import { readReviews } from '../../../lib/core/reward/read-reviews.js';
import { score } from '../../../lib/core/reward/score.js';
import { readRewardSettings } from '../../../lib/core/reward/settings.js';
import { startCollecting } from '../../forges/github/collecting.js';

test('what is collected on the local GitHub is read whole: every open thread counts once', async () => {
  const on = await startCollecting();
  try {
    const { pulls } = await on.collect({});
    const lines = pulls.map((pull) => `${JSON.stringify(pull)}\n`).join('');
    const read = readReviews(lines, 'it').pulls;
    expect(read.map(pullKey)).toEqual(pulls.map(({ repo, number }) => pullKey({ repo, pr: number })));
    const open = pulls.map(({ threads }) => threads.filter(({ isResolved }) => !isResolved).length);
    expect(open.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(20);
    const { prs } = score(read, readRewardSettings('{"self_resolved": "trust"}', 'it'), 0);
    expect(prs.map(({ security, logic, quality }) => security + logic + quality)).toEqual(open);
    const bare = (await on.collect({ 'no-threads': true })).pulls;
    expect(() => readReviews(JSON.stringify(bare), 'it')).toThrow(/collect it without --no-threads/);
  } finally {
    await on.close();
  }
});
