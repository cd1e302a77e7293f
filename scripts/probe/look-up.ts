import { facts, type Fact } from '../../local-github/facts.js';
import { probes, type Seen } from './probes.js';
import type { Stage } from './stage.js';

export type LookedUp =
  | ({ readonly kind: 'seen' } & Seen)
  /** The probe itself failed, or was not tried. */
  | { readonly kind: 'unknown'; readonly why: string };

/** Facts that have a probe, in the order of the table. */
export const probedFacts: readonly Fact[] = facts.filter(({ probed }) => probed !== undefined);

/** Looks facts up one after the other; a probe that fails stops no other. */
export async function lookUp(
  stage: Stage,
  wanted: readonly Fact[],
  tell: (fact: Fact, found: LookedUp) => void,
  goOn: () => boolean = () => true,
): Promise<ReadonlyMap<string, LookedUp>> {
  const found = new Map<string, LookedUp>();
  for (const fact of wanted) {
    if (!goOn()) break;
    const one = await lookUpOne(stage, fact);
    found.set(fact.id, one);
    tell(fact, one);
  }
  return found;
}

async function lookUpOne(stage: Stage, fact: Fact): Promise<LookedUp> {
  const probe = probes[fact.id];
  if (probe === undefined) return { kind: 'unknown', why: 'it has no probe' };
  if (fact.probed === 'by the app' && stage.app === null)
    return { kind: 'unknown', why: 'it needs the app (--app, --key)' };
  try {
    return { kind: 'seen', ...(await probe(stage)) };
  } catch (error) {
    return { kind: 'unknown', why: error instanceof Error ? error.message : String(error) };
  }
}
