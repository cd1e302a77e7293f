import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { ConfigError } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import type { GateMode, ReviewSettings } from '../core/policy.js';
import { parsePrivateKey, readPrivateKey } from './private-key.js';
import { readWebhookSecret } from './webhook-secret.js';

type Source = Readonly<Record<string, string | undefined>>;

/** What the GitHub App needs. `apiUrl` has no trailing slash. */
export type GitHubEnv = {
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly apiUrl: string;
};

/** The variables that choose and reach a model. */
export type ModelVariables = Readonly<Record<(typeof modelNames)[number], string | undefined>>;

const modelNames = [
  'EVIDENT_MODEL',
  'EVIDENT_EFFORT',
  'EVIDENT_PRICE',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
] as const;

/** All settings of the environment, checked. Holds secrets: never log it whole, see `describeEnv`. */
export type Env = {
  /** Null in the terminal, which needs no app. */
  readonly github: GitHubEnv | null;
  /** Under their own names: `chooseModel` judges them. */
  readonly model: { readonly variables: ModelVariables };
  readonly gate: GateMode;
  /** Whether reviews start by themselves where no settings file says so. */
  readonly start: ReviewSettings['start'];
  /** Globs of files that no model is ever shown. */
  readonly neverSend: readonly string[];
  /** US dollars a run may cost. */
  readonly maxDollars: number;
  /** Minutes a run may take, as set by a person; undefined: what the host allows. */
  readonly maxMinutes: number;
  /** Keys of the signed hidden comments: the first signs, all verify. Empty in the terminal. */
  readonly signingKeys: readonly string[];
  readonly journalDir: string | undefined;
  /** The host ends the process soon after the event that woke it. */
  readonly shortLived: boolean;
  readonly port: number;
  readonly host: string | undefined;
  readonly logLevel: LogLevel;
  /** Sentences for the operator: settings that look wrong and stop nothing. */
  readonly warnings: readonly string[];
};

const LogLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { error: oneOf });
export type LogLevel = z.infer<typeof LogLevel>;

/** Names of ours; anything else that begins with EVIDENT_ is taken for a slip. */
const evidentNames = [
  'EVIDENT_APP_ID',
  'EVIDENT_MODEL',
  'EVIDENT_EFFORT',
  'EVIDENT_PRICE',
  'EVIDENT_GATE',
  'EVIDENT_START',
  'EVIDENT_NEVER_SEND',
  'EVIDENT_MAX_DOLLARS',
  'EVIDENT_MAX_MINUTES',
  'EVIDENT_SECRET',
  'EVIDENT_JOURNAL_DIR',
] as const;

/** Below the 300 seconds of vercel.json: the rest is for finalizing and publishing. */
const minutesOnVercel = 4;
const minutesElsewhere = 12;

/**
 * Reads the settings. `app` needs everything the GitHub App needs and throws `ConfigError` for what is missing;
 * `terminal` leaves the app's variables alone, because other programs use the same names.
 */
export function readEnv(source: Source, use: 'app' | 'terminal' = 'app'): Env {
  const read = (name: string): string | undefined => {
    const value = source[name]?.trim();
    return value === undefined || value === '' ? undefined : value;
  };
  const github = use === 'app' ? readGitHub(source, read) : null;
  const variables = Object.fromEntries(modelNames.map((name) => [name, read(name)])) as ModelVariables;
  return {
    github,
    model: { variables },
    gate: parse(
      'EVIDENT_GATE',
      read('EVIDENT_GATE') ?? 'advisory',
      z.enum(['advisory', 'blocking'], { error: oneOf }),
    ),
    start: parse(
      'EVIDENT_START',
      read('EVIDENT_START') ?? 'on_request',
      z.enum(['on_request', 'automatic'], { error: oneOf }),
    ),
    neverSend: list(read('EVIDENT_NEVER_SEND'), /[\n,]/),
    maxDollars: parse('EVIDENT_MAX_DOLLARS', read('EVIDENT_MAX_DOLLARS') ?? '0.60', amount(0.01, 1000)),
    maxMinutes: parse(
      'EVIDENT_MAX_MINUTES',
      read('EVIDENT_MAX_MINUTES') ??
        String(read('VERCEL') === undefined ? minutesElsewhere : minutesOnVercel),
      amount(0.1, 24 * 60),
    ),
    signingKeys: readSigningKeys(read('EVIDENT_SECRET'), github),
    journalDir: read('EVIDENT_JOURNAL_DIR'),
    shortLived: read('VERCEL') !== undefined,
    port: parse('PORT', read('PORT') ?? '3000', amount(0, 65_535).pipe(z.int())),
    host: read('HOST'),
    logLevel: parse('LOG_LEVEL', read('LOG_LEVEL')?.toLowerCase() ?? 'info', LogLevel),
    warnings: warningsOf(source, github),
  };
}

/** What may be shown of the settings: no secret, no address. The model is told by whoever chose it. */
export function describeEnv(env: Env): Readonly<Record<string, string | number | boolean>> {
  return {
    gate: env.gate,
    start: env.start,
    maxDollars: env.maxDollars,
    maxMinutes: env.maxMinutes,
    neverSend: env.neverSend.length,
    journal: env.journalDir !== undefined,
  };
}

type Read = (name: string) => string | undefined;

function readGitHub(source: Source, read: Read): GitHubEnv {
  const webhookSecret = readWebhookSecret(source);
  const idName =
    read('APP_ID') === undefined && read('EVIDENT_APP_ID') !== undefined ? 'EVIDENT_APP_ID' : 'APP_ID';
  const id = read(idName);
  if (id === undefined) {
    throw new ConfigError(
      'APP_ID is not set. Set it to the number that stands as "App ID" on the settings page of your GitHub App.',
      'APP_ID',
    );
  }
  if (!/^[1-9]\d{0,15}$/.test(id)) {
    throw new ConfigError(
      `${idName} is not a number. Set it to the "App ID" of your GitHub App (digits only), not to its client id or name.`,
      idName,
    );
  }
  return { appId: Number(id), privateKey: readKey(read), webhookSecret, apiUrl: readApiUrl(read) };
}

function readKey(read: Read): string {
  const key = read('PRIVATE_KEY');
  const path = read('PRIVATE_KEY_PATH');
  if (key !== undefined && path !== undefined) {
    throw new ConfigError(
      'PRIVATE_KEY and PRIVATE_KEY_PATH are both set. Keep one of them.',
      'PRIVATE_KEY_PATH',
    );
  }
  if (path !== undefined) return readPrivateKey(path);
  if (key === undefined) {
    throw new ConfigError(
      'PRIVATE_KEY is not set. Set it to the .pem file that the settings page of your GitHub App generates, or ' +
        'PRIVATE_KEY_PATH to where that file is.',
      'PRIVATE_KEY',
    );
  }
  return parsePrivateKey(key);
}

/** For who reads GitHub with a token: the address of its API, and the app's number where it is known. */
export function readGitHubPlace(source: Source): { readonly apiUrl: string; readonly appId: number | null } {
  const read: Read = (name) => source[name]?.trim() || undefined;
  const id = read('APP_ID') ?? read('EVIDENT_APP_ID');
  return {
    apiUrl: readApiUrl(read),
    appId: id !== undefined && /^[1-9]\d{0,15}$/.test(id) ? Number(id) : null,
  };
}

function readApiUrl(read: Read): string {
  const direct = readUrl('GITHUB_API_URL', read('GITHUB_API_URL'));
  const host = read('GHE_HOST');
  if (host === undefined) return direct ?? 'https://api.github.com';
  if (!/^[A-Za-z0-9.-]+(:\d{1,5})?$/.test(host)) {
    throw new ConfigError(
      'GHE_HOST is not a host name. Set it to the name alone, for example "github.example.com".',
      'GHE_HOST',
    );
  }
  const protocol = parse(
    'GHE_PROTOCOL',
    read('GHE_PROTOCOL') ?? 'https',
    z.enum(['https', 'http'], { error: oneOf }),
  );
  const fromHost = apiUrlOfHost(protocol, host);
  if (direct !== undefined && direct !== fromHost) {
    throw new ConfigError(
      'GITHUB_API_URL and GHE_HOST name two different servers. Keep one of them.',
      'GITHUB_API_URL',
    );
  }
  return fromHost;
}

/** Only Enterprise Server has its API below a path: github.com and tenants with their own data residency have a host for it. */
function apiUrlOfHost(protocol: string, host: string): string {
  const name = host.toLowerCase().replace(/^(www|api)\.(?=github\.com$|[^.]+\.ghe\.com$)/, '');
  return name === 'github.com' || /^[^.]+\.ghe\.com$/.test(name)
    ? `https://api.${name}`
    : `${protocol}://${host}/api/v3`;
}

function readUrl(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.search !== ''
  ) {
    throw new ConfigError(
      `${name} is not an address. Set it to one that begins with https:// and has no user, password or query in it.`,
      name,
    );
  }
  return value.replace(/\/+$/, '');
}

function readSigningKeys(value: string | undefined, github: GitHubEnv | null): readonly string[] {
  const keys = list(value, /[\s,]/);
  if (keys.some((key) => key.length < 16)) {
    throw new ConfigError(
      'EVIDENT_SECRET holds a key of fewer than 16 characters. Use long random texts, parted by commas; the first one signs.',
      'EVIDENT_SECRET',
    );
  }
  if (github === null) return keys;
  // What was signed before a key was set can still be read.
  const derived = createHmac('sha256', github.privateKey)
    .update('evident hidden comments v1')
    .digest('base64url');
  return [...keys, derived];
}

function warningsOf(source: Source, github: GitHubEnv | null): readonly string[] {
  const warnings: string[] = [];
  for (const name of Object.keys(source).sort()) {
    if (!name.startsWith('EVIDENT_') || (evidentNames as readonly string[]).includes(name)) continue;
    const near = nearest(name, evidentNames, Math.max(2, Math.floor((name.length - 'EVIDENT_'.length) / 2)));
    warnings.push(
      `${name} is not a setting of Evident and was not read.${near === null ? '' : ` Did you mean ${near}?`}`,
    );
  }
  if (github !== null && isClearText(github.apiUrl)) {
    warnings.push(
      'GitHub is reached over http: tokens and code travel unencrypted. Use https (GHE_PROTOCOL).',
    );
  }
  return warnings;
}

function isClearText(apiUrl: string): boolean {
  const url = new URL(apiUrl);
  return url.protocol === 'http:' && !['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
}

/** Bounds keep a slip of the keyboard from costing money; the sentence gives them. */
const amount = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,6})?$/, `expected a number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `expected a number from ${least} to ${most}`);

function oneOf({ values }: { readonly values?: readonly unknown[] }): string {
  return `expected ${(values ?? []).join(' or ')}`;
}

function parse<T>(name: string, value: string, schema: z.ZodType<T, string>): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues[0]?.message ?? 'not valid';
  throw new ConfigError(`${name} cannot be used: ${lowerFirst(why)}. Change it or remove it.`, name);
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const list = (value: string | undefined, separator: RegExp): readonly string[] =>
  (value ?? '')
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
