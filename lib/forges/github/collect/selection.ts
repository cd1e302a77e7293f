/** Which pull requests of a repository are collected. They are taken newest first, by when they were opened. */
export type Selection = {
  readonly owner: string;
  readonly repo: string;
  /** How many at most; null for all. */
  readonly last: number | null;
  readonly state: PullState;
  /** Logins, with or without `[bot]`; any of them. Empty for everybody. */
  readonly authors: readonly string[];
  /** All of them must be there. */
  readonly labels: readonly string[];
  /** Opened at or after that moment; ISO 8601. */
  readonly since: string | null;
  /** Whether review threads are read: most of the requests are for them. */
  readonly threads: boolean;
};

export const pullStates = ['open', 'merged', 'closed', 'all'] as const;
export type PullState = (typeof pullStates)[number];

/** For GraphQL; null is every state. */
export const statesOf = (state: PullState): readonly string[] | null =>
  state === 'all' ? null : [state.toUpperCase()];

type Listed = {
  readonly createdAt: string;
  readonly author: { readonly login: string } | null;
  readonly labels: readonly string[];
};

/** What the list of GitHub cannot choose by itself. Its list goes on where `since` does not end it. */
export function isSelected(
  selection: Pick<Selection, 'authors' | 'labels'>,
  pull: Pick<Listed, 'author' | 'labels'>,
): boolean {
  const login = pull.author === null ? null : folded(pull.author.login);
  const isTheirs =
    selection.authors.length === 0 ||
    (login !== null && selection.authors.some((author) => folded(author) === login));
  const labels = new Set(pull.labels.map((label) => label.toLowerCase()));
  return isTheirs && selection.labels.every((label) => labels.has(label.toLowerCase()));
}

export const isTooOld = (selection: Pick<Selection, 'since'>, pull: Pick<Listed, 'createdAt'>): boolean =>
  selection.since !== null && Date.parse(pull.createdAt) < Date.parse(selection.since);

/** GraphQL names a bot without the `[bot]` that people read. */
const folded = (login: string): string => login.toLowerCase().replace(/\[bot\]$/, '');
