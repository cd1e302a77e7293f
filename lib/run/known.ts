import type { Conversation } from '../core/conversation.js';
import { foldLedger } from '../core/fold-ledger.js';
import { marksOf, shortDiff, type Ledger } from '../core/ledger.js';
import type { MarkerTrust } from '../core/marker.js';
import type { Reading } from '../core/reading.js';
import type { Snapshot } from '../core/snapshot.js';
import { createReadings, type Readings } from '../modes/readings.js';
import type { RepoReader } from '../ports/forge.js';
import type { Given } from './given.js';
import { deadlineOf, limitsOf } from './limits.js';

/** Somebody pressed the button: the comment that asks people keeps it. */
export function withWish(ledger: Ledger, by: string, { diffHash }: Snapshot): Ledger {
  const diff = shortDiff(diffHash);
  return ledger.escalations.some((one) => one.diff === diff)
    ? ledger
    : { ...ledger, escalations: [...ledger.escalations, { diff, at: 0, by }] };
}

/** What this run reads of people's words, each once. */
export const readingsOf = ({
  snapshot,
  reader,
  deps,
  began,
  signal,
  trust,
}: Given & { readonly reader: RepoReader }): Readings =>
  createReadings({
    snapshot,
    reader,
    fold: (now, readings) => ledgerOf(snapshot, now, trust, readings),
    model: deps.model,
    limits: limitsOf(deps, snapshot),
    clock: deps.clock,
    deadline: deadlineOf(began, deps, snapshot),
    signal,
    journal: deps.journal,
    ...(deps.emit !== undefined && { emit: deps.emit }),
  });

export const ledgerOf = (
  snapshot: Snapshot,
  now: Partial<Conversation>,
  trust: MarkerTrust | undefined,
  readings: readonly Reading[] = [],
): Ledger =>
  foldLedger(
    { ...snapshot, ...now },
    {
      pullRequest: snapshot.pullRequest,
      policy: snapshot.policy,
      diffHash: snapshot.diffHash,
      readings,
      ...(trust !== undefined && { trust }),
    },
  );

/** As it will be read once what a run knows is written there: a fold gives no number of it to anything else. */
export const knowing = (
  conversation: Conversation,
  { passes, attempts = [], ...ledger }: Ledger,
): Conversation => ({
  ...conversation,
  attempts: [...(conversation.attempts ?? []), ...attempts],
  passRecords: [...conversation.passRecords, ...passes],
  marks: [...conversation.marks, ...marksOf(ledger)],
});
