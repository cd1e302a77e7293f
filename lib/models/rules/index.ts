/**
 * The fixed rules. Each is one file: it reads the changed lines, names suspicions, and weighs each with the
 * tools until it is proved, disproved or left alone. Precise over complete: what is not certain is not said, or
 * is asked. A new rule is a new file and one line here.
 */
import { changedSignature } from './changed-signature.js';
import { committedSecret } from './committed-secret.js';
import { invertedCondition } from './inverted-condition.js';
import { reactDomMutation } from './react-dom-mutation.js';
import type { Rule } from './rule.js';
import { unguardedEmpty } from './unguarded-empty.js';

export const rules: readonly Rule[] = [
  committedSecret,
  changedSignature,
  invertedCondition,
  reactDomMutation,
  unguardedEmpty,
];
