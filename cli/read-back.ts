import type { Env } from '../lib/config/env.js';
import { foldLedger } from '../lib/core/fold-ledger.js';
import type { Ledger } from '../lib/core/ledger.js';
import { defaultPolicy } from '../lib/core/policy.js';
import { forges } from '../lib/forges/index.js';
import type { Log } from '../lib/ports/log.js';

export type Place = {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  readonly installation: number;
};

/** What is known about an open pull request, from what stands on it: as the next run would read it. Writes nothing. */
export async function readBack(env: Env, place: Place, log: Log): Promise<Ledger> {
  const { github } = env;
  if (github === null) throw new Error('There is no app.');
  const { createAppAuth, createGitHubForge, markerScope } = await forges.github();
  const trust = { keys: env.signingKeys, scope: markerScope(github, place) };
  const forge = createGitHubForge({
    auth: createAppAuth({ ...github, log }),
    appId: github.appId,
    apiUrl: github.apiUrl,
    log,
    policy: defaultPolicy,
    trust: () => trust,
    longestRunMs: 60_000,
  });
  const [trigger] = await forge.locate({ kind: 'conversation', ...place, sender: '', subjects: [] });
  if (trigger === undefined) throw new Error(`${place.owner}/${place.repo}#${place.number} is not open.`);
  const opened = await forge.open(trigger);
  try {
    const { conversation, pullRequest, policy } = await opened.look(trigger);
    return foldLedger(conversation, { pullRequest, policy, trust });
  } finally {
    await opened.release();
  }
}
