import { z } from 'zod';
import { ConfigError } from '../errors.js';
import { Category } from '../finding.js';
import { checkSettingGlob } from '../policy-schema.js';
import type { AttributeRules } from './attribute.js';
import { knownBadges } from './badges.js';
import type { ClassifyRules } from './classify.js';
import { checkKeyword, createFindKeyword } from './keywords.js';
import type { ResolutionRules } from './resolution.js';
import type { SignalRules } from './signals.js';

/** What a settings file of the reward decides; docs/REWARD.md says what each key means. */
export type RewardSettings = ResolutionRules & ClassifyRules & AttributeRules & SignalRules;

/**
 * Reads the text of a settings file; null for none, which is the defaults.
 * @throws ConfigError with a sentence for each value that cannot be used; `where` is the file.
 */
export function readRewardSettings(text: string | null, where: string): RewardSettings {
  const parsed = File.safeParse(text === null ? {} : jsonOf(text, where));
  if (!parsed.success)
    throw new ConfigError(
      [`${where} cannot be used:`, ...parsed.error.issues.slice(0, mostTold).map(told)].join('\n'),
      where,
    );
  const { categories, otherwise, self_resolved, agents, evident, words, badges, signals } = parsed.data;
  return {
    categories: categories.map(({ name, repo, label, path, branch }) => ({
      name,
      ...(repo !== undefined && { repos: repo }),
      ...(label !== undefined && { labels: label }),
      ...(path !== undefined && { paths: path }),
      ...(branch !== undefined && { branches: branch }),
    })),
    otherwise,
    selfResolved: self_resolved,
    agents,
    evident,
    find: createFindKeyword(words),
    badges: [...badges, ...knownBadges],
    signals,
  };
}

function jsonOf(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${where} is no JSON: ${(error as Error).message}.`, where);
  }
}

const mostTold = 10;

function told({ path, message, code, ...issue }: z.core.$ZodIssue): string {
  const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  if (code === 'unrecognized_keys' && 'keys' in issue)
    return `- ${place.slice(1) || 'the top'}: there is no key ${(issue.keys as readonly string[]).map((key) => `\`${key}\``).join(', ')}.`;
  return `- ${place.replace(/^\./, '') || 'the top'}: ${message}`;
}

const says = (what: string) => ({ error: `Expected ${what}.` });

const word = (what: string, most = 100) =>
  z
    .string(says(what))
    .min(1, says(what))
    .max(most, says(what))
    .regex(/^[^\p{Cc}]+$/u, says(what));

/** One or several: any of them. */
const anyOf = <T extends z.ZodType<string>>(item: T) =>
  z.union([item.transform((one) => [one]), z.array(item).min(1).max(100)], {
    error: 'Expected text, or a list of at most 100 texts, each in the form that docs/REWARD.md names.',
  });

const glob = () =>
  z.string(says('a glob such as "src/billing/**"')).superRefine((value, context) => {
    const why = checkSettingGlob(value);
    if (why !== null) context.addIssue({ code: 'custom', message: why });
  });

const globs = () =>
  z
    .union([z.string(), z.array(z.string()).min(1).max(100)], says('a glob, or a list of at most 100'))
    .transform((value) => (typeof value === 'string' ? [value] : value))
    .pipe(z.array(glob()));

const logins = () =>
  z.array(word('a login such as "octocat"')).max(200, says('at most 200 logins')).default([]);

const phrases = () =>
  z
    .array(
      z.string(says('text')).superRefine((phrase, context) => {
        const why = checkKeyword(phrase);
        if (why !== null) context.addIssue({ code: 'custom', message: why });
      }),
      says('a list of words'),
    )
    .max(500, says('at most 500 words'))
    .default([]);

const CategoryRule = z
  .strictObject(
    {
      name: word('a name'),
      repo: globs().optional(),
      label: anyOf(word('a label')).optional(),
      path: globs().optional(),
      branch: globs().optional(),
    },
    says('a rule with a name'),
  )
  .refine(
    ({ repo, label, path, branch }) => [repo, label, path, branch].some((one) => one !== undefined),
    'A rule needs at least one of `repo`, `label`, `path` and `branch`; `otherwise` names the rest.',
  );

const weight = () =>
  z
    .number(says('a number from 0 to 1'))
    .min(0, says('a number from 0 to 1'))
    .max(1, says('a number from 0 to 1'))
    .optional();

const agentsKeys = z.strictObject(
  {
    logins: logins(),
    branches: globs()
      .optional()
      .transform((list) => list ?? []),
    labels: logins(),
  },
  says('a group of keys'),
);

const File = z.strictObject(
  {
    categories: z
      .array(CategoryRule, says('a list of rules'))
      .max(200, says('at most 200 rules'))
      .default([]),
    otherwise: word('a name').default('other'),
    self_resolved: z
      .enum(['lines', 'commit', 'trust'], says('`lines`, `commit` or `trust`'))
      .default('lines'),
    agents: agentsKeys.default({ logins: [], branches: [], labels: [] }),
    evident: logins(),
    words: z
      .strictObject(
        { security: phrases(), logic: phrases(), quality: phrases(), ignore: phrases() },
        says('a group of keys'),
      )
      .optional(),
    badges: z
      .array(
        z.strictObject(
          {
            reviewer: word('the beginning of a login'),
            text: word('the text of the sign'),
            says: z.enum(
              [...Category.options, 'defect', 'minor'],
              says('`security`, `logic`, `quality`, `defect` or `minor`'),
            ),
          },
          says('a badge'),
        ),
        says('a list of badges'),
      )
      .max(100, says('at most 100 badges'))
      .default([]),
    signals: z
      .strictObject(
        {
          missing_tests: weight(),
          closed_unmerged: weight(),
          long_waiting: weight(),
          waiting_days: z
            .number(says('a number of days'))
            .min(0.1, says('a number of days'))
            .max(3650, says('a number of days'))
            .default(14),
        },
        says('a group of keys'),
      )
      .default({ waiting_days: 14 }),
  },
  says('one object'),
);
