import { z } from 'zod';
import { foldSpace } from './evidence.js';
import { Category } from './finding.js';
import { checkGlob } from './search.js';

/** A sentence for a wrong value, and one for a missing one. */
const sentence =
  (what: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? `It is missing: expected ${what}.` : `Expected ${what}.`;

const choice = <const T extends readonly [string, ...string[]]>(...words: T) =>
  z.enum(words, { error: sentence(words.map((word) => `\`${word}\``).join(' or ')) });

const yesOrNo = () => z.boolean({ error: sentence('true or false, without quotes') });

const whole = (least: number, most: number) => {
  const error = sentence(`a whole number from ${least} to ${most}`);
  return z.int({ error }).min(least, { error }).max(most, { error });
};

const amount = (least: number, most: number) => {
  const error = sentence(`a number from ${least} to ${most}`);
  return z.number({ error }).min(least, { error }).max(most, { error });
};

const oneLine = (most: number) => {
  const error = sentence(`one line of text of at most ${most} characters (in quotes where YAML needs them)`);
  return z
    .string({ error })
    .max(most, { error })
    .regex(/^[^\p{Cc}\u2028\u2029]*\S[^\p{Cc}\u2028\u2029]*$/u, { error });
};

const worded = (pattern: RegExp, most: number, what: string) => {
  const error = sentence(what);
  return z.string({ error }).max(most, { error }).regex(pattern, { error });
};

const list = <T extends z.ZodType>(item: T, most: number) => {
  const error = sentence(`a list of at most ${most} entries`);
  return z.array(item, { error }).max(most, { error });
};

const group = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape, { error: sentence('a group of keys') });

export const MAX_SETTING_GLOB = 200;
const MAX_BRACES = 64;
const MAX_STARS = 3;
const MAX_DEEP = 3;

/**
 * Null when a glob of a settings file can be used. Stricter than those that a model searches with: these meet every
 * path of every pull request, and their time grows with each star.
 */
export function checkSettingGlob(glob: string): string | null {
  if (glob.length > MAX_SETTING_GLOB) return `A glob has at most ${MAX_SETTING_GLOB} characters.`;
  if (/[`\p{Cc}\u2028\u2029]/u.test(glob)) return 'A glob has no backticks and no line ends in it.';
  if (glob.startsWith('!')) return 'A glob says what is meant: leave the `!` out and name those paths.';
  if (/[?*+@!]\(/.test(glob)) return 'Groups such as `@(a|b)` are not read here: write `{a,b}`.';
  if ((glob.match(/\{/g) ?? []).length > 4) return 'A glob has at most 4 groups in braces.';
  if (/\{[^}]*\.\.[^}]*\}/.test(glob)) return 'Ranges such as `{1..9}` are not read here: use `*`.';
  if (/\{[^}]*\{/.test(glob)) return 'Braces do not stand in braces: write the alternatives out.';
  const alternatives = [...glob.matchAll(/\{([^}]*)\}/g)].reduce(
    (product, [, inside = '']) => product * inside.split(',').length,
    1,
  );
  if (alternatives > MAX_BRACES) return `The braces make more than ${MAX_BRACES} patterns: use \`*\`.`;
  const parts = glob.split('/');
  if (parts.some((part) => (part.match(/\*+/g) ?? []).length > MAX_STARS))
    return `Between two slashes stand at most ${MAX_STARS} stars.`;
  if (parts.filter((part) => part.includes('**')).length > MAX_DEEP)
    return `A glob has at most ${MAX_DEEP} \`**\`.`;
  return checkGlob(glob);
}

const glob = () =>
  z
    .string({ error: sentence('a glob such as `"dist/**"` (in quotes where it begins with a star)') })
    .superRefine((value, context) => {
      const why = checkSettingGlob(value);
      if (why !== null) context.addIssue({ code: 'custom', message: why });
    })
    .meta({ maxLength: MAX_SETTING_GLOB });

const globs = (most = 100) => list(glob(), most);

const login = () =>
  worded(/^@?[A-Za-z0-9][A-Za-z0-9_-]*(?:\[bot\])?$/, 110, 'a login such as `octocat` or `a-bot[bot]`');

const personOrTeam = () =>
  worded(
    /^@?[A-Za-z0-9][A-Za-z0-9_-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)?$/,
    200,
    'a login such as `monalisa` or a team such as `octo-org/payments`',
  );

const ruleName = () =>
  worded(
    /^[a-z][a-z0-9-]{1,60}$/,
    61,
    'the name of a rule: lower-case words with hyphens, such as `falsy-zero`',
  );

const modelName = () => worded(/^[A-Za-z0-9][\w.:/@-]*$/, 100, 'the name of a model');

const day = () => {
  const error = sentence('a day such as 2027-06-01');
  return z
    .string({ error })
    .regex(/^\d{4}-\d{2}-\d{2}$/, { error })
    .refine((text) => new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true, { error });
};

const codeLine = () =>
  oneLine(500).refine((text) => /[\p{L}\p{N}]/u.test(foldSpace(text)), {
    error: 'Expected the whole line of code, as it stands in the file, in quotes.',
  });

const gate = group({
  mode: choice('advisory', 'blocking').optional().meta({
    default: 'advisory',
    description: '`blocking` lets the check hold a merge, once it is a required check',
  }),
  passes: group({
    person: whole(1, 3)
      .optional()
      .meta({ default: 1, description: "clean reviews in a row that a person's small change needs" }),
    agent: whole(1, 3)
      .optional()
      .meta({ default: 2, description: 'the same for changes of agents, and for large ones' }),
  }).optional(),
  additive: group({
    paths: globs(50)
      .optional()
      .meta({
        default: [],
        examples: [['src/experiments/**']],
        description:
          'globs of what runs only behind a feature flag: small changes that only add there need fewer reviews; empty: none do',
      }),
    beside: globs(50)
      .optional()
      .meta({
        default: [],
        examples: [['config/flags.json', 'CHANGELOG.md']],
        description: 'files beside them in which such a change may also change and remove lines',
      }),
    labels: list(oneLine(50), 20)
      .optional()
      .meta({
        default: [],
        examples: [['behind a flag']],
        description: 'one of these labels is needed on top; empty: none is',
      }),
    passes: whole(1, 3)
      .optional()
      .meta({ default: 1, description: 'clean reviews in a row that such a change needs' }),
  }).optional(),
  reviewers: whole(1, 3).optional().meta({
    default: 1,
    description:
      'reviewers that read side by side, each the whole change, in its own way and blind to the others; each costs a review and counts as one',
  }),
  votes: whole(1, 3).optional().meta({
    default: 1,
    description:
      'of these reviewers, so many must find something before it blocks; what fewer find is listed',
  }),
  fix_rounds: whole(1, 10)
    .optional()
    .meta({ default: 3, description: 'new versions after a "to fix" before a person decides' }),
  open_questions_hold: yesOrNo()
    .optional()
    .meta({ default: false, description: 'whether a question without an answer holds the merge' }),
  remind_after_hours: whole(0, 720).optional().meta({
    default: 72,
    description:
      'hours after which people who were asked for a decision, or for an answer that holds the merge, are reminded once; 0: never',
  }),
  escalate_to: list(personOrTeam(), 20)
    .optional()
    .meta({
      default: [],
      examples: [['octo-org/payments', 'monalisa']],
      description: 'who decides what the gate cannot; without it the code owners',
    }),
});

const authority = group({
  answer: choice('author', 'write', 'maintain').optional().meta({
    default: 'author',
    description:
      'who answers questions: `author` also the author, whose answer a maintainer confirms where they may not write',
  }),
  dismiss: choice('write', 'maintain', 'admin')
    .optional()
    .meta({ default: 'write', description: 'who may dismiss an important finding' }),
  override: choice('write', 'maintain', 'admin')
    .optional()
    .meta({ default: 'maintain', description: 'who may let a pull request pass in spite of the check' }),
});

const budget = group({
  dollars: amount(0.01, 1000)
    .optional()
    .meta({ examples: [0.3], description: 'most a review may cost, where the price of the model is known' }),
  turns: whole(4, 500)
    .optional()
    .meta({ examples: [30], description: 'requests to the model in a review' }),
  tool_calls: whole(10, 5000)
    .optional()
    .meta({ examples: [100], description: 'look-ups in a review' }),
  minutes: amount(1, 1440)
    .optional()
    .meta({ examples: [8], description: 'most a review may take' }),
});

const agents = group({
  logins: list(login(), 50)
    .optional()
    .meta({ default: [], examples: [['hubot']], description: 'accounts of agents' }),
  branches: globs(50)
    .optional()
    .meta({ default: [], examples: [['bots/**']], description: 'globs of the branches that agents push to' }),
  labels: list(oneLine(100), 50)
    .optional()
    .meta({ default: [], examples: [['generated']], description: "labels of agents' pull requests" }),
});

const paths = group({
  skip: globs()
    .optional()
    .meta({
      default: [],
      examples: [['dist/**', '*.snap']],
      description: 'files that are listed and not read as changed code',
    }),
  generated: choice('skip', 'review').optional().meta({
    default: 'skip',
    description:
      'files that `.gitattributes` marks as `linguist-generated`, or whose first lines say that they are generated; both as the base has them',
  }),
});

const rule = group({
  rule: ruleName().meta({ description: 'its name: of the catalogue, or one of your own' }),
  weight: choice('off', 'nit', 'important')
    .optional()
    .meta({ description: '`off` drops its findings, `nit` and `important` set how much they weigh' }),
  paths: globs().optional().meta({ description: 'where this holds; everywhere when it is left out' }),
  text: oneLine(300).optional().meta({ description: 'what breaks, in one line: the model is given it' }),
  category: z
    .enum(Category.options, { error: sentence('`security`, `logic` or `quality`') })
    .optional()
    .meta({ description: 'of a rule of your own' }),
  aliases: list(ruleName(), 20).optional().meta({ description: 'other names of the same rule' }),
});

const answer = group({
  rule: ruleName().meta({ description: 'the rule that was asked about' }),
  path: glob().meta({ description: 'a glob of the files it holds for' }),
  code: codeLine().meta({ description: 'the line of code; when it changes, it is asked again' }),
  because: oneLine(300).meta({ description: 'why, and who says so' }),
  until: day().meta({ description: 'the first day on which it does not hold any more, in UTC' }),
});

export const PolicyFile = group({
  gate: gate.optional(),
  authority: authority.optional().meta({ description: 'live rights in the repository that an act takes' }),
  budget: budget.optional().meta({
    description: 'ceilings of one review; what the operator allows is never raised by them',
  }),
  start: choice('on_request', 'automatic').optional().meta({
    default: 'on_request',
    description:
      'whether reviews start by themselves, or are asked for once with `/evident review`; later pushes are then followed',
  }),
  when: list(choice('opened', 'pushed', 'ready'), 3)
    .optional()
    .meta({ default: ['opened', 'pushed', 'ready'], description: 'what starts a review by itself' }),
  base_branches: globs(50)
    .optional()
    .meta({
      default: [],
      examples: [['main', 'release/*']],
      description: 'only pull requests into these are reviewed; all when it is empty',
    }),
  drafts: yesOrNo().optional().meta({ default: false, description: 'whether drafts are reviewed' }),
  dependency_bots: yesOrNo().optional().meta({
    default: false,
    description:
      'whether updates of dependencies are reviewed that change nothing but versions in manifests, and lock files; others always are',
  }),
  outside_authors: choice('on_request', 'automatic').optional().meta({
    default: 'on_request',
    description: 'whether reviews start by themselves for people who are new to the repository',
  }),
  agents: agents.optional(),
  paths: paths.optional(),
  rules: list(rule, 100)
    .optional()
    .meta({
      default: [],
      examples: [[{ rule: 'falsy-zero', weight: 'nit', paths: ['scripts/**'] }]],
      description: 'what rules weigh, and rules of your own; where two entries meet, the later one holds',
    }),
  answers: list(answer, 200)
    .optional()
    .meta({
      default: [],
      examples: [
        [
          {
            rule: 'react-dom-mutation',
            path: 'src/widgets/Promo.tsx',
            code: "$('#promo').html(content)",
            because: "the partner's script owns the node (octocat, #482)",
            until: '2027-06-01',
          },
        ],
      ],
      description: 'answers that are kept for later pull requests',
    }),
  max_threads: whole(0, 25)
    .optional()
    .meta({ default: 5, description: 'threads that one review opens; the rest are rows' }),
  max_questions: whole(0, 3).optional().meta({ default: 3, description: 'questions that one review asks' }),
  max_nits: whole(0, 50).optional().meta({ default: 10, description: 'nits that one review lists' }),
  suggestions: yesOrNo()
    .optional()
    .meta({ default: true, description: 'fixes as suggestions that GitHub can apply; else as plain code' }),
  language: worded(
    /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/,
    20,
    'a language tag such as `en`, `de` or `pt-BR`',
  )
    .optional()
    .meta({ default: 'en', description: 'in which findings and questions are written' }),
  models: group({
    first: modelName()
      .optional()
      .meta({ examples: ['claude-sonnet-5-5'], description: 'of the first review' }),
    confirm: modelName()
      .optional()
      .meta({ examples: ['claude-opus-5'], description: 'of the reviews that confirm it' }),
  })
    .optional()
    .meta({ description: 'by name, of those that the operator offers' }),
});
export type PolicyFile = z.infer<typeof PolicyFile>;

/** Keys that the base of a pull request decides; all others are read live from the default branch. */
export const readFromBase: ReadonlySet<string> = new Set([
  'paths',
  'rules',
  'answers',
  'max_threads',
  'max_questions',
  'max_nits',
  'suggestions',
  'language',
  'models',
]);

/** How other programs call what is a key here. */
export const otherNames: Readonly<Record<string, string>> = {
  lang: 'language',
  locale: 'language',
  ignore: 'paths.skip',
  exclude: 'paths.skip',
  skip: 'paths.skip',
  path_filters: 'paths.skip',
  max_comments: 'max_threads',
  branches: 'base_branches',
  enabled: 'start',
  auto_review: 'start',
  mode: 'gate.mode',
  escalate_to: 'gate.escalate_to',
  generated: 'paths.generated',
};
