import { createHash } from 'node:crypto';
import { defaultAuthority, type AuthoritySettings } from './authority.js';
import type { Category } from './finding.js';

/**
 * What a repository and its operator decide. Defaults here; `policy-file.ts` reads the files that change them and says
 * which part comes from where: what costs or guards from the default branch, what a pass reads from the base ref.
 */
export type Policy = {
  readonly gate: GateSettings;
  /** Who may decide what: raises or lowers the rights of the table in `authority.ts`. */
  readonly authority: AuthoritySettings;
  readonly budget: BudgetSettings;
  readonly review: ReviewSettings;
  /** Where these settings come from, in words: shown in the check. */
  readonly source: string;
  /** What could not be used of the files; the default holds in its place. Shown in the check. */
  readonly problems: readonly PolicyProblem[];
  /** Where a key was set, by its path in the file: `paths.skip[0]`. A key that is absent has its default. */
  readonly places: Readonly<Record<string, PolicyPlace>>;
};

export type GateMode = 'advisory' | 'blocking';

export type GateSettings = {
  readonly mode: GateMode;
  /** Clean, differing passes in a row that a diff needs; by whose change it is and how large. At least 1. */
  readonly passes: { readonly person: number; readonly agent: number };
  readonly additive: AdditiveSettings;
  /** So many read side by side, each the whole change and blind to the others: 1 to 3. */
  readonly reviewers: number;
  /** So many of them must find something before it blocks; at most `reviewers` counts. */
  readonly votes: number;
  /** Fix rounds (new diffs after a `fix`) before a person decides. */
  readonly fixRounds: number;
  readonly openQuestionsHold: boolean;
  /** Hours after which those who were asked are reminded, once; 0: never. */
  readonly remindAfterHours: number;
  /** Logins and teams (`octo-org/payments`) that decide what the gate cannot. Empty: the code owners. */
  readonly escalateTo: readonly string[];
};

/** Small changes that only add, behind a feature flag. Without `paths` there are none. */
export type AdditiveSettings = {
  /** Clean, differing passes in a row that they need. */
  readonly passes: number;
  /** Globs of what runs only behind a flag: files may come there, and lines to files that are there. */
  readonly paths: readonly string[];
  /** Globs of files beside them in which lines may change: a list of flags, a changelog. */
  readonly beside: readonly string[];
  /** One of these labels is needed too; empty: none is. */
  readonly labels: readonly string[];
};

/** Ceilings of one run. What is absent is as the operator allows, and nothing here goes above that. */
export type BudgetSettings = {
  readonly dollars?: number;
  readonly turns?: number;
  readonly toolCalls?: number;
  readonly minutes?: number;
};

/** Events that start a review by themselves. */
export type StartingEvent = 'opened' | 'pushed' | 'ready';

export type ReviewSettings = {
  readonly start: 'on_request' | 'automatic';
  readonly when: readonly StartingEvent[];
  /** Globs of base branches; empty: all. */
  readonly baseBranches: readonly string[];
  readonly drafts: boolean;
  /** False: updates that change nothing but versions in manifests, and lock files, are left alone. */
  readonly dependencyBots: boolean;
  /** Whether pull requests of people who are new here start by themselves. */
  readonly outsideAuthors: 'on_request' | 'automatic';
  /** Threads a review may open; the rest are rows. */
  readonly maxThreads: number;
  /** At most three. */
  readonly maxQuestions: number;
  /** Nits that are listed. */
  readonly maxNits: number;
  readonly suggestions: boolean;
  /** Globs that are listed and never read as changed code: generated files, snapshots. */
  readonly skip: readonly string[];
  /** Files that say of themselves, or of which `.gitattributes` says, that they are generated. */
  readonly generated: 'skip' | 'review';
  readonly rules: readonly RuleSetting[];
  readonly answers: readonly KeptAnswer[];
  readonly agents: AgentSettings;
  /** In which the model writes: a language tag such as `de`. */
  readonly language: string;
  /** Models by name, of those that the operator offers: of the first pass, and of those that confirm it. */
  readonly models: { readonly first?: string; readonly confirm?: string };
};

/** What a repository says about a rule, of the catalogue or its own. */
export type RuleSetting = {
  readonly rule: string;
  /** `off`: findings are dropped; the others set the severity. Absent: as the model says. */
  readonly weight?: 'off' | 'nit' | 'important';
  /** Globs; absent: everywhere. */
  readonly paths?: readonly string[];
  /** What breaks, in one line: given to the model. */
  readonly text?: string;
  readonly category?: Category;
  /** Other names of the same rule. */
  readonly aliases?: readonly string[];
  /** Where it stands. */
  readonly at?: PolicyPlace;
};

/** An answer that holds for later pull requests while the line stands as it is and the day has not come. */
export type KeptAnswer = {
  readonly rule: string;
  /** A glob. */
  readonly path: string;
  /** The line of code that it is about; white space is folded. */
  readonly code: string;
  readonly because: string;
  /** The first day on which it does not hold any more: `2027-06-01`, UTC. */
  readonly until: string;
  /** Where it is kept. */
  readonly file: string;
  readonly line: number;
};

/** Whose changes count as an agent's, beside the rules that always hold. */
export type AgentSettings = {
  readonly logins: readonly string[];
  /** Globs of head branches. */
  readonly branches: readonly string[];
  readonly labels: readonly string[];
};

export type PolicyPlace = { readonly file: string; readonly line: number };

/** A part of a settings file that could not be used. `path` is its key: `gate.mode`; empty for the whole file. */
export type PolicyProblem = PolicyPlace & { readonly path: string; readonly reason: string };

export const defaultPolicy: Policy = {
  gate: {
    mode: 'advisory',
    passes: { person: 1, agent: 2 },
    additive: { passes: 1, paths: [], beside: [], labels: [] },
    reviewers: 1,
    votes: 1,
    fixRounds: 3,
    openQuestionsHold: false,
    remindAfterHours: 72,
    escalateTo: [],
  },
  authority: defaultAuthority,
  budget: {},
  review: {
    start: 'on_request',
    when: ['opened', 'pushed', 'ready'],
    baseBranches: [],
    drafts: false,
    dependencyBots: false,
    outsideAuthors: 'on_request',
    maxThreads: 5,
    maxQuestions: 3,
    maxNits: 10,
    suggestions: true,
    skip: [],
    generated: 'skip',
    rules: [],
    answers: [],
    agents: { logins: [], branches: [], labels: [] },
    language: 'en',
    models: {},
  },
  source: 'defaults',
  problems: [],
  places: {},
};

/**
 * Names the rules that a pass was made under, whatever the order of their keys: what it may read and raise, REVIEW.md
 * among them. Gate, authority, budgets and when a review starts are looked up live and are no part of it.
 */
export const policyHash = ({ review }: Pick<Policy, 'review'>, reviewRules: string | null): string => {
  const { skip, generated, maxQuestions } = review;
  const rules = review.rules.map(({ at: _at, ...rule }) => rule);
  const answers = review.answers.map(({ rule, path, code, because, until }) => [
    rule,
    path,
    code,
    because,
    until,
  ]);
  return createHash('sha256')
    .update(canonicalJson({ skip, generated, rules, answers, maxQuestions, reviewRules }))
    .digest('hex');
};

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
