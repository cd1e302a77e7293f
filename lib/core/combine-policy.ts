import type { BudgetSettings, Policy, PolicyPlace, PolicyProblem, ReviewSettings } from './policy.js';
import type { PolicySettings, ReadPolicy } from './policy-file.js';
import { readFromBase } from './policy-schema.js';

/** A file that was read, with where in words: `.github/evident.yml at main@77aa0e2`. */
export type PolicyLayer = ReadPolicy & { readonly source: string };

export type PolicyLayers = {
  /** Defaults with what the operator set. */
  readonly deployment: Policy;
  /** Of the organization's `.github` repository; null when there is none. */
  readonly organization: PolicyLayer | null;
  /** As it stands on the default branch now. */
  readonly repositoryDefault: PolicyLayer | null;
  /** As it stood where the pull request branched off. */
  readonly repositoryBase: PolicyLayer | null;
  /** Whether the repository has a CODEOWNERS file; absent when nobody looked. */
  readonly codeOwners?: boolean;
};

/**
 * The settings that hold: repository over organization over deployment, key by key. What guards or costs (gate,
 * authority, budgets, what is reviewed when) comes from the default branch, what a pass reads from the base. Budgets
 * only ever get lower; rules and kept answers of all files hold, those of the repository last.
 */
export function combinePolicy(layers: PolicyLayers): Policy {
  const { deployment, organization, repositoryDefault, repositoryBase } = layers;
  const guards = [organization, repositoryDefault].filter(isThere);
  const reads = [organization, repositoryBase].filter(isThere);
  const set = guards.map(({ settings }) => settings);
  const gates = set.flatMap(({ gate }) => gate ?? []);
  const policy: Policy = {
    ...deployment,
    gate: {
      ...deployment.gate,
      ...over(gates.map(({ passes: _passes, additive: _additive, ...gate }) => gate)),
      passes: { ...deployment.gate.passes, ...over(gates.map(({ passes }) => passes ?? {})) },
      additive: { ...deployment.gate.additive, ...over(gates.map(({ additive }) => additive ?? {})) },
    },
    authority: { ...deployment.authority, ...over(set.map(({ authority }) => authority ?? {})) },
    budget: lowest([deployment.budget, ...set.map(({ budget }) => budget ?? {})]),
    review: reviewOf(
      deployment.review,
      set,
      reads.map(({ settings }) => settings),
    ),
    source: sourceOf(layers),
    problems: [],
    places: placesOf(guards, reads),
  };
  return {
    ...policy,
    problems: [
      ...deployment.problems,
      ...problemsOf(guards, reads),
      ...noDecider(policy, layers),
      ...tooManyVotes(policy),
    ],
  };
}

/** Later ones over earlier ones. */
const over = <T extends object>(parts: readonly Partial<T>[]): Partial<T> =>
  parts.reduce<Partial<T>>((all, part) => ({ ...all, ...part }), {});

const isThere = <T>(layer: T | null): layer is T => layer !== null;

/** What each ref decides of a review. */
type Guarding = 'start' | 'when' | 'baseBranches' | 'drafts' | 'dependencyBots' | 'outsideAuthors' | 'agents';

function reviewOf(
  deployment: ReviewSettings,
  guards: readonly PolicySettings[],
  reads: readonly PolicySettings[],
): ReviewSettings {
  const guarding = (one: PolicySettings): Partial<Pick<ReviewSettings, Guarding>> => {
    const { start, when, baseBranches, drafts, dependencyBots, outsideAuthors } = one.review ?? {};
    return withoutAbsent({ start, when, baseBranches, drafts, dependencyBots, outsideAuthors });
  };
  const reading = (one: PolicySettings): Partial<Omit<ReviewSettings, Guarding>> => {
    const { maxThreads, maxQuestions, maxNits, suggestions, skip, generated, language } = one.review ?? {};
    return withoutAbsent({ maxThreads, maxQuestions, maxNits, suggestions, skip, generated, language });
  };
  return {
    ...deployment,
    ...over(guards.map(guarding)),
    ...over(reads.map(reading)),
    agents: { ...deployment.agents, ...over(guards.map(({ review }) => review?.agents ?? {})) },
    models: { ...deployment.models, ...over(reads.map(({ review }) => review?.models ?? {})) },
    rules: [...deployment.rules, ...reads.flatMap(({ review }) => review?.rules ?? [])],
    answers: [...deployment.answers, ...reads.flatMap(({ review }) => review?.answers ?? [])],
  };
}

function withoutAbsent<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function lowest(budgets: readonly BudgetSettings[]): BudgetSettings {
  const names = ['dollars', 'turns', 'toolCalls', 'minutes'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const limits = budgets.flatMap((budget) => budget[name] ?? []);
      return limits.length === 0 ? [] : [[name, Math.min(...limits)]];
    }),
  );
}

function sourceOf({ deployment, organization, repositoryDefault, repositoryBase }: PolicyLayers): string {
  const files = [repositoryDefault, repositoryBase, organization].filter(isThere).map(({ source }) => source);
  return files.length === 0 ? deployment.source : [...new Set(files)].join(', ');
}

const topOf = (path: string): string => /^[^.[]*/.exec(path)?.[0] ?? '';

/** The base has a say in some keys, the default branch in all the others. */
const decides = (path: string, side: 'guards' | 'reads'): boolean =>
  path === '' || readFromBase.has(topOf(path)) === (side === 'reads');

function placesOf(guards: readonly PolicyLayer[], reads: readonly PolicyLayer[]): Policy['places'] {
  const places: Record<string, PolicyPlace> = {};
  for (const [side, layers] of [
    ['guards', guards],
    ['reads', reads],
  ] as const)
    for (const { file, lines } of layers) {
      // A list is replaced as a whole: entries of the one before it stand nowhere any more.
      for (const path of Object.keys(places))
        if (/\[/.test(path) && Object.hasOwn(lines, path.slice(0, path.indexOf('[')))) delete places[path];
      for (const [path, line] of Object.entries(lines))
        if (path !== '' && decides(path, side)) places[path] = { file, line };
    }
  return places;
}

function problemsOf(guards: readonly PolicyLayer[], reads: readonly PolicyLayer[]): readonly PolicyProblem[] {
  const all = [
    ...guards.flatMap(({ problems }) => problems.filter(({ path }) => decides(path, 'guards'))),
    ...reads.flatMap(({ problems }) => problems.filter(({ path }) => decides(path, 'reads'))),
  ];
  const once = all.filter(
    (one, index) =>
      all.findIndex(
        ({ file, line, path, reason }) =>
          file === one.file && line === one.line && path === one.path && reason === one.reason,
      ) === index,
  );
  return once.toSorted((a, b) => a.line - b.line);
}

/** A gate that may hold a merge needs somebody who can let it pass. */
function noDecider(policy: Policy, { codeOwners }: PolicyLayers): readonly PolicyProblem[] {
  if (policy.gate.mode !== 'blocking' || policy.gate.escalateTo.length > 0 || codeOwners !== false) return [];
  // Where the operator asks for it, no file is wrong: whoever has write access is asked.
  const place = policy.places['gate.mode'] ?? policy.places['gate'];
  if (place === undefined) return [];
  return [
    {
      ...place,
      path: 'gate.escalate_to',
      reason:
        'The gate is blocking and nobody is named who decides when it cannot. Name people or teams in `gate.escalate_to`, or add a CODEOWNERS file.',
    },
  ];
}

/** More votes than there are reviewers to give them. */
function tooManyVotes({ gate: { reviewers, votes }, places }: Policy): readonly PolicyProblem[] {
  const place = places['gate.votes'] ?? places['gate.reviewers'];
  if (votes <= reviewers || place === undefined) return [];
  return [
    {
      ...place,
      path: 'gate.votes',
      reason: `\`gate.votes\` is ${votes} and \`gate.reviewers\` is ${reviewers}: ${reviewers} is used. Raise \`gate.reviewers\`, or lower \`gate.votes\`.`,
    },
  ];
}
