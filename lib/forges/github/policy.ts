import { z } from 'zod';
import { combinePolicy, type PolicyLayer, type PolicyLayers } from '../../core/combine-policy.js';
import type { FileDiff } from '../../core/diff.js';
import { ForgeError } from '../../core/errors.js';
import type { Policy } from '../../core/policy.js';
import { readPolicyFile } from '../../core/policy-file.js';
import { Sha, shortSha } from '../../core/pull-request.js';
import { readPolicy, type PolicyRead } from '../../core/read-policy.js';
import { SETTINGS_FILE } from '../../core/review-rules.js';
import type { RepoReader } from '../../ports/forge.js';

/** The settings files that stand now, on the default branch and in the organization's `.github` repository. */
export type SettingsFiles = {
  readonly branch: string;
  readonly sha: Sha;
  /** Null when there is none. */
  readonly text: string | null;
  /** Null when there is no such repository, it is not public, or has no such file. */
  readonly organization: { readonly file: string; readonly text: string } | null;
};

/** On `Repository`, and at the top of a query: they come with another query, so that they cost no request. */
export const settingsFields = `
    defaultBranchRef { name target { oid } }
    settingsFile: object(expression: "HEAD:${SETTINGS_FILE}") { ...EvidentSettingsFile }`;

export const organizationFields = `
  organizationSettings: repository(owner: $owner, name: ".github") @include(if: $wantSettings) {
    nameWithOwner
    atRoot: object(expression: "HEAD:evident.yml") { ...EvidentSettingsFile }
    inFolder: object(expression: "HEAD:${SETTINGS_FILE}") { ...EvidentSettingsFile }
  }`;

export const settingsFragment = `
fragment EvidentSettingsFile on Blob { isTruncated isBinary text }`;

/** Most owners have no such repository, or none that this token is shown. */
export const mayLackOrganization = ['organizationSettings'] as const;

// A folder of that name is no blob and has no text.
const File = z
  .object({ isTruncated: z.boolean().nullish(), isBinary: z.boolean().nullish(), text: z.string().nullish() })
  .nullish()
  .transform((file): string | null => {
    if (file?.isBinary === true) return '\0';
    // Cut off only far above the size that is read at all.
    return file?.text == null ? null : file.isTruncated === true ? file.text.padEnd(1 << 17) : file.text;
  });

const Answer = z.object({
  repository: z.object({
    defaultBranchRef: z.object({ name: z.string(), target: z.object({ oid: Sha }) }),
    settingsFile: File,
  }),
  organizationSettings: z.object({ nameWithOwner: z.string(), atRoot: File, inFolder: File }).nullish(),
});

/** Null when the answer does not carry the fields. */
export function settingsFilesOf(answer: unknown): SettingsFiles | null {
  const read = Answer.safeParse(answer).data;
  if (read === undefined) return null;
  const { repository, organizationSettings: all } = read;
  const { name, target } = repository.defaultBranchRef;
  const [path, text] =
    all?.atRoot != null ? ['evident.yml', all.atRoot] : [SETTINGS_FILE, all?.inFolder ?? null];
  return {
    branch: name,
    sha: target.oid,
    text: repository.settingsFile,
    organization: all == null || text === null ? null : { file: `${all.nameWithOwner} ${path}`, text },
  };
}

export type PolicySource = {
  readonly settings: SettingsFiles | null;
  /** Defaults with what the operator set. */
  readonly deployment: Policy;
};

/** The settings of a review: what guards from the default branch, what is read by from the merge base. */
export const readPullPolicy = (
  source: PolicySource & {
    readonly reader: RepoReader;
    readonly base: { readonly ref: string; readonly mergeBase: Sha };
    readonly diff: readonly FileDiff[];
  },
): Promise<PolicyRead> =>
  readPolicy({
    reader: source.reader,
    diff: source.diff,
    at: `${source.base.ref}@${shortSha(source.base.mergeBase)}`,
    live: guardsOf(source),
    deployment: source.deployment,
  });

/** What guards alone, for a look without the code: the keys that the base decides are the operator's. */
export const guardingPolicy = (source: PolicySource): Policy => combinePolicy(guardsOf(source).layers);

function guardsOf({ settings, deployment }: PolicySource): {
  readonly layers: Omit<PolicyLayers, 'codeOwners'>;
  readonly text: string | null;
} {
  // Defaults in the place of a file that was not read could open a gate.
  if (settings === null)
    throw new ForgeError('GitHub did not say what stands on the default branch.', { retryable: true });
  const { branch, sha, text, organization } = settings;
  const layer = (content: string, file: string, source: string): PolicyLayer => ({
    ...readPolicyFile(content, { file }),
    source,
  });
  const layers: PolicyLayers = {
    deployment,
    organization:
      organization === null ? null : layer(organization.text, organization.file, organization.file),
    repositoryDefault:
      text === null ? null : layer(text, SETTINGS_FILE, `${SETTINGS_FILE} at ${branch}@${shortSha(sha)}`),
    repositoryBase: null,
  };
  return { layers, text };
}
