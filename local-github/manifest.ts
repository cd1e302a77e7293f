import type { Permissions } from './state.js';

/** The manifest of an app as GitHub takes it, as far as it decides what the app hears and may do. */
export type Manifest = {
  readonly name?: string;
  readonly url: string;
  readonly hook_attributes?: { readonly url: string; readonly active?: boolean };
  readonly redirect_url?: string;
  readonly default_events?: readonly string[];
  readonly default_permissions?: Permissions;
};

/**
 * Events and the permissions that open them: one of each list suffices.
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads (what "To subscribe to this event" says of each)
 */
const OPENED_BY: Readonly<Record<string, readonly string[]>> = {
  check_run: ['checks'],
  check_suite: ['checks'],
  commit_comment: ['contents'],
  create: ['contents'],
  delete: ['contents'],
  deployment: ['deployments'],
  deployment_status: ['deployments'],
  discussion: ['discussions'],
  discussion_comment: ['discussions'],
  fork: ['contents'],
  gollum: ['contents'],
  issue_comment: ['issues'],
  issues: ['issues'],
  label: ['issues', 'pull_requests'],
  member: ['members'],
  membership: ['members'],
  merge_group: ['merge_queues'],
  meta: ['metadata'],
  milestone: ['issues', 'pull_requests'],
  organization: ['members'],
  public: ['metadata'],
  pull_request: ['pull_requests'],
  pull_request_review: ['pull_requests'],
  pull_request_review_comment: ['pull_requests'],
  pull_request_review_thread: ['pull_requests'],
  push: ['contents'],
  release: ['contents'],
  repository: ['metadata'],
  repository_dispatch: ['contents'],
  star: ['metadata'],
  status: ['statuses'],
  team: ['members'],
  team_add: ['members'],
  watch: ['metadata'],
  workflow_dispatch: ['contents'],
  workflow_job: ['actions'],
  workflow_run: ['actions'],
};

/** Sent to every app without being asked for. */
const UNASKED = [
  'installation',
  'installation_repositories',
  'installation_target',
  'github_app_authorization',
];

const READ_WRITE = ['read', 'write'];
const PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  actions: READ_WRITE,
  administration: READ_WRITE,
  checks: READ_WRITE,
  contents: READ_WRITE,
  deployments: READ_WRITE,
  discussions: READ_WRITE,
  issues: READ_WRITE,
  members: READ_WRITE,
  merge_queues: READ_WRITE,
  metadata: ['read'],
  pull_requests: READ_WRITE,
  repository_hooks: READ_WRITE,
  secrets: READ_WRITE,
  security_events: READ_WRITE,
  single_file: READ_WRITE,
  statuses: READ_WRITE,
  workflows: ['write'],
};

/** What GitHub would refuse in a parsed manifest, a sentence each; empty when it takes it. */
export const validateManifest = (given: unknown): readonly string[] => {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return ['The manifest must be an object.'];
  const manifest = given as Record<string, unknown>;
  return [
    ...webAddress('url', manifest.url, true),
    ...hookFaults(manifest.hook_attributes),
    ...webAddress('redirect_url', manifest.redirect_url, false),
    ...nameFaults(manifest.name),
    ...permissionFaults(manifest.default_permissions),
    ...eventFaults(manifest.default_events, manifest.default_permissions),
  ];
};

const webAddress = (field: string, value: unknown, required: boolean): string[] => {
  if (value === undefined) return required ? [`"${field}" wasn't supplied.`] : [];
  const isAddress = typeof value === 'string' && URL.canParse(value) && /^https?:/.test(value);
  return isAddress ? [] : [`${field} must be an http or https address.`];
};

const nameFaults = (name: unknown): string[] => {
  if (name === undefined) return [];
  if (typeof name !== 'string' || name.trim() === '') return ['name must be a text.'];
  return name.length > 34 ? ['name is too long (maximum is 34 characters).'] : [];
};

const hookFaults = (hook: unknown): string[] => {
  if (hook === undefined) return [];
  if (typeof hook !== 'object' || hook === null) return ['hook_attributes must be an object.'];
  return webAddress('hook_attributes.url', (hook as { url?: unknown }).url, true);
};

const permissionFaults = (given: unknown): string[] => {
  if (given === undefined) return [];
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return ['default_permissions must be an object.'];
  return Object.entries(given).flatMap(([name, access]) => {
    const known = PERMISSIONS[name];
    if (known === undefined) return [`default_permissions: there is no permission ${name}.`];
    return access === 'none' || known.includes(String(access))
      ? []
      : [`default_permissions: ${name} can be ${known.join(' or ')}, not ${String(access)}.`];
  });
};

const eventFaults = (events: unknown, permissions: unknown): string[] => {
  if (events === undefined) return [];
  if (!Array.isArray(events)) return ['default_events must be a list.'];
  const granted = (typeof permissions === 'object' && permissions !== null ? permissions : {}) as Record<
    string,
    unknown
  >;
  const has = (name: string) => name === 'metadata' || ['read', 'write'].includes(String(granted[name]));
  return events.flatMap((event: unknown) => {
    const name = String(event);
    if (UNASKED.includes(name))
      return [`default_events: ${name} is sent to every app and cannot be asked for.`];
    const openers = OPENED_BY[name];
    if (openers === undefined) return [`default_events: there is no event ${name}.`];
    return openers.some(has)
      ? []
      : [`default_events: ${name} needs the permission ${openers.join(' or ')}: read.`];
  });
};
