import type { Category } from '../finding.js';
import { readBadge, type Badge } from './badges.js';
import type { FindKeyword } from './keywords.js';
import { ownStanding } from './own-thread.js';
import type { ReviewedThread } from './reviewed-pull.js';
import { saidText } from './said-text.js';

export type Classified = {
  readonly category: Category;
  /** What it rests on: our hidden line, a reviewer's sign, a word of the text, or nothing, which is quality. */
  readonly because:
    | { readonly kind: 'ours' }
    | { readonly kind: 'badge'; readonly text: string }
    | { readonly kind: 'word'; readonly word: string }
    | { readonly kind: 'nothing' };
};

export type ClassifyRules = {
  readonly find: FindKeyword;
  readonly badges: readonly Badge[];
  readonly evident: readonly string[];
};

/**
 * What a thread is about, by rules that are shown and never by a model: our own by their category, others by their
 * reviewer's sign and by words, security before logic before quality.
 */
export function classify(thread: Pick<ReviewedThread, 'author' | 'body'>, rules: ClassifyRules): Classified {
  const own = ownStanding(thread, rules.evident);
  if (own !== null) return { category: own.category, because: { kind: 'ours' } };
  const badge = readBadge(thread, rules.badges);
  if (badge !== null && badge.says !== 'defect' && badge.says !== 'minor')
    return { category: badge.says, because: { kind: 'badge', text: badge.text } };
  const found = rules.find(saidText(thread.body));
  if (badge?.says === 'defect' && found?.category !== 'security')
    return { category: 'logic', because: { kind: 'badge', text: badge.text } };
  if (found !== null) return { category: found.category, because: { kind: 'word', word: found.word } };
  if (badge !== null) return { category: 'logic', because: { kind: 'badge', text: badge.text } };
  return { category: 'quality', because: { kind: 'nothing' } };
}
