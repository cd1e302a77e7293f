import type { Category } from './finding.js';

/** What unresolved threads teach, per category of work: severity-weighted and capped to [-1, 0]. */
export type RewardSignal = { readonly category: Category; readonly reward: number; readonly threads: number };
