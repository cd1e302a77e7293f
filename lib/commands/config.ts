import { loweredPasses } from '../core/lowered-passes.js';
import type { Policy } from '../core/policy.js';
import { codeSpan, inline } from '../core/render/markdown.js';
import { unusableRow } from '../core/render/unusable-settings.js';
import { plural } from '../core/render/words.js';
import type { Command } from './command.js';

export const config: Command = {
  name: 'config',
  usage: '/evident config',
  help: 'says which settings hold here and where each comes from',
  act: 'command',
  run: (_said, { policy }) => ({ kind: 'reply', body: configText(policy) }),
};

function configText(policy: Policy): string {
  const rows = settingsOf(policy).map(([key, value]) => ({ key, value, place: placeOf(policy, key) }));
  const set = rows.flatMap(({ key, value, place }) =>
    place === undefined ? [] : [`- ${codeSpan(key)}: ${value} (${place})`],
  );
  const others = rows.filter(({ place }) => place === undefined);
  const problems = policy.problems.map(unusableRow);
  return [
    `**Settings in force**, from ${inline(policy.source)}.`,
    ...(set.length === 0 ? ['No file sets anything.'] : [set.join('\n')]),
    ...(problems.length === 0 ? [] : ['Not usable, so what stands behind it holds:', problems.join('\n')]),
    ...loweredPasses(policy),
    folded(others),
  ].join('\n\n');
}

/** What nobody set, a line for each group: it is long, and most who ask look for what was set. */
function folded(others: readonly { readonly key: string; readonly value: string }[]): string {
  const groups = new Map<string, readonly string[]>();
  for (const { key, value } of others) {
    const group = key.includes('.') ? key.slice(0, key.indexOf('.')) : '';
    groups.set(group, [...(groups.get(group) ?? []), `${codeSpan(key)} ${value}`]);
  }
  return [
    `<details><summary>From the defaults, because no file sets them: ${plural(others.length, 'setting')}</summary>`,
    [...groups.values()].map((group) => `- ${group.join(', ')}`).join('\n'),
    '</details>',
  ].join('\n\n');
}

/** By their names in the file, in its order. */
function settingsOf({ gate, authority, budget, review }: Policy): readonly (readonly [string, string])[] {
  const entries = (all: readonly unknown[]): string =>
    all.length === 0 ? 'none' : `${all.length} ${all.length === 1 ? 'entry' : 'entries'}`;
  return [
    ['gate.mode', word(gate.mode)],
    ['gate.passes.person', word(gate.passes.person)],
    ['gate.passes.agent', word(gate.passes.agent)],
    ['gate.additive.paths', list(gate.additive.paths)],
    ['gate.additive.beside', list(gate.additive.beside)],
    ['gate.additive.labels', list(gate.additive.labels)],
    ['gate.additive.passes', word(gate.additive.passes)],
    ['gate.reviewers', word(gate.reviewers)],
    ['gate.votes', word(gate.votes)],
    ['gate.fix_rounds', word(gate.fixRounds)],
    ['gate.open_questions_hold', word(gate.openQuestionsHold)],
    ['gate.remind_after_hours', word(gate.remindAfterHours)],
    ['gate.escalate_to', list(gate.escalateTo, 'the code owners')],
    ['authority.answer', word(authority.answer)],
    ['authority.dismiss', word(authority.dismiss)],
    ['authority.override', word(authority.override)],
    ['budget.dollars', word(budget.dollars)],
    ['budget.turns', word(budget.turns)],
    ['budget.tool_calls', word(budget.toolCalls)],
    ['budget.minutes', word(budget.minutes)],
    ['start', word(review.start)],
    ['when', list(review.when)],
    ['base_branches', list(review.baseBranches, 'all')],
    ['drafts', word(review.drafts)],
    ['dependency_bots', word(review.dependencyBots)],
    ['outside_authors', word(review.outsideAuthors)],
    ['agents.logins', list(review.agents.logins)],
    ['agents.branches', list(review.agents.branches)],
    ['agents.labels', list(review.agents.labels)],
    ['paths.skip', list(review.skip)],
    ['paths.generated', word(review.generated)],
    ['rules', entries(review.rules)],
    ['answers', entries(review.answers)],
    ['max_threads', word(review.maxThreads)],
    ['max_questions', word(review.maxQuestions)],
    ['max_nits', word(review.maxNits)],
    ['suggestions', word(review.suggestions)],
    ['language', word(review.language)],
    ['models.first', word(review.models.first)],
    ['models.confirm', word(review.models.confirm)],
  ];
}

/** Budgets and models that no file names are the operator's. */
const word = (value: string | number | boolean | undefined): string =>
  value === undefined ? "the operator's" : codeSpan(String(value));

const MAX_SHOWN = 8;

const list = (values: readonly string[], none = 'none'): string =>
  values.length === 0
    ? none
    : `${values.slice(0, MAX_SHOWN).map(codeSpan).join(', ')}${values.length > MAX_SHOWN ? ` and ${values.length - MAX_SHOWN} more` : ''}`;

/** Where a key was set: itself, the group it is in, or the first of its entries. */
function placeOf({ places }: Policy, key: string): string | undefined {
  const place = places[key] ?? places[`${key}[0]`];
  return place === undefined ? undefined : `${codeSpan(place.file)} line ${place.line}`;
}
