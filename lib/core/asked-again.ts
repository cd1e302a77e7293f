import { partsOfKey, shareLandmark, type Finding } from './finding.js';
import { isOtherRule } from './ledger.js';
import type { Question, QuestionId } from './question.js';
import { ruleName } from './rules-catalogue.js';

/** A question without its number. */
type Asked = Pick<Question, 'finding'>;

/** One that was answered and whose code is not there any more. */
type Over = Pick<Question, 'id' | 'finding'>;

/**
 * Which of the questions that are over each of the `wanted` asks again, by its index: in the same file (through renames),
 * of the same category, and near, by what stands around it or by its line. The likest pair comes first, and each is asked
 * again once.
 */
export function askedAgain(wanted: readonly Asked[], over: readonly Over[]): ReadonlyMap<number, QuestionId> {
  const pairs = wanted.flatMap(({ finding }, index) =>
    over.flatMap((one) => {
      const unlike = unlikeness(finding, one.finding);
      return unlike === null ? [] : [{ index, id: one.id, unlike }];
    }),
  );
  const again = new Map<number, QuestionId>();
  const taken = new Set<QuestionId>();
  // Of two that are as like, the one that was asked last.
  for (const { index, id } of pairs.toSorted(
    (a, b) => a.unlike - b.unlike || Number(b.id.slice(1)) - Number(a.id.slice(1)),
  )) {
    if (again.has(index) || taken.has(id)) continue;
    again.set(index, id);
    taken.add(id);
  }
  return again;
}

type Claim = Omit<Finding, 'id'>;

/** Null: not the same thing. */
function unlikeness(a: Claim, b: Claim): number | null {
  const [one, other] = [partsOfKey(a.key), partsOfKey(b.key)];
  if (one === null || other === null || one.category !== other.category || isOtherRule(a.rule, b.rule))
    return null;
  if (one.path !== other.path && a.anchor.path !== b.anchor.path) return null;
  const isRenamed = ruleName(a.rule) !== ruleName(b.rule);
  const lines = Math.abs(a.anchor.line - b.anchor.line);
  const stands = one.lines === other.lines;
  const isAmid =
    one.neighbours === other.neighbours ||
    (a.landmarks !== undefined && b.landmarks !== undefined && shareLandmark(a.landmarks, b.landmarks));
  if (!stands && !isAmid && lines > (isRenamed ? MOST_LINES_RENAMED : MOST_LINES)) return null;
  return (
    (stands ? 0 : 4_000_000) +
    (isAmid ? 0 : 2_000_000) +
    (isRenamed ? 1_000_000 : 0) +
    Math.min(lines, 999_999)
  );
}

/** A push puts something above, and what was asked is that much further down. */
const MOST_LINES = 20;
/** Under a name of the model's own that is another one now. */
const MOST_LINES_RENAMED = 3;
