/**
 * What the installation has granted, as the answer to the request for a token says: a feature that cannot work is
 * switched off with a sentence before anything is tried. New permissions of an app wait until an owner accepts them.
 */
export type Capabilities = {
  /** Without these two nothing can be reviewed. */
  readonly readCode: boolean;
  readonly readPulls: boolean;
  readonly writeReviews: boolean;
  readonly readChecks: boolean;
  readonly writeChecks: boolean;
  /** Reactions on a pull request: the lease between instances. */
  readonly react: boolean;
  readonly missing: readonly MissingPermission[];
};

export type MissingPermission = {
  /** As GitHub writes it: `pull_requests=write`. */
  readonly permission: string;
  /** What does not work for want of it: part of a sentence. */
  readonly costs: string;
};

/** An answer that names no permission at all says nothing: everything is tried then, and a 403 names what is missing. */
export function capabilitiesOf(permissions: Readonly<Record<string, string>>): Capabilities {
  const silent = Object.keys(permissions).length === 0;
  const may = (name: string, access: 'read' | 'write'): boolean =>
    silent || rank(permissions[name]) >= rank(access);
  const capabilities = {
    readCode: may('contents', 'read'),
    readPulls: may('pull_requests', 'read'),
    writeReviews: may('pull_requests', 'write'),
    readChecks: may('checks', 'read'),
    writeChecks: may('checks', 'write'),
    react: may('pull_requests', 'write') || may('issues', 'write'),
  };
  const missing = wanted
    .filter(({ feature }) => !capabilities[feature])
    .map(({ permission, costs }) => ({ permission, costs }));
  return { ...capabilities, missing: missing.filter((one, at) => firstOf(missing, one) === at) };
}

/** The order of weight: what stops everything comes first. */
const wanted = [
  { feature: 'readCode', permission: 'contents=read', costs: 'nothing can be reviewed' },
  { feature: 'readPulls', permission: 'pull_requests=read', costs: 'nothing can be reviewed' },
  {
    feature: 'writeReviews',
    permission: 'pull_requests=write',
    costs: 'what was found stands in the check only, without threads',
  },
  {
    feature: 'writeChecks',
    permission: 'checks=write',
    costs: 'there is no result in the merge box, and what was reviewed before is not known',
  },
] as const;

/** `pull_requests=write` is not listed beside `pull_requests=read`: the first stop is enough to name. */
const firstOf = (missing: readonly MissingPermission[], { permission }: MissingPermission): number =>
  missing.findIndex((one) => nameOf(one.permission) === nameOf(permission));

const nameOf = (permission: string): string => permission.split('=')[0] ?? permission;

const rank = (access: string | undefined): number =>
  access === 'write' || access === 'admin' ? 2 : access === 'read' ? 1 : 0;

/** Who mends it and where. `where`: the page of the installation, when it is known. */
export const acceptSentence = (permission: string, where: string | undefined): string =>
  `An owner accepts "${permission}" ${where === undefined ? 'in the settings of the installation' : `at ${where}`}.`;
