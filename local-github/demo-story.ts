import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Paths to contents; null deletes. */
export type Files = Readonly<Record<string, string>>;
export type Changes = Readonly<Record<string, string | null>>;

/** A repository and one pull request against it, as data: everything that the demo shows follows from these files. */
export type DemoStory = {
  readonly owner: string;
  readonly name: string;
  readonly title: string;
  readonly body: string;
  /** Login of who opens the pull request. */
  readonly author: string;
  readonly branch: string;
  readonly baseFiles: () => Files;
  /** What the branch changes against the base. */
  readonly headChanges: () => Changes;
  /** The commits of the branch in order; together they carry every path of `headChanges` once. */
  readonly commits: readonly { readonly message: string; readonly paths: readonly string[] }[];
};

/** "Promo box and refunds" on octo-org/shop: small, plausible, and wrong in a few ways that the code itself shows. */
export const demoStory: DemoStory = {
  owner: 'octo-org',
  name: 'shop',
  title: 'Promo box and refunds',
  body: `Marketing can put their own markup into the promo box, promo codes take percents off, and refunds carry a reason.

- \`Promo\` takes \`content\` from the campaign tool
- \`total\` takes \`percentOff\`
- \`refund\` takes a reason and uses the refund key of the provider
`,
  author: 'octocat',
  branch: 'promo-and-refunds',
  baseFiles: () => readFolder('base'),
  headChanges: () => readFolder('head'),
  commits: [
    { message: 'Take markup from the campaign tool', paths: ['src/widgets/Promo.tsx'] },
    { message: 'Take percents off a cart', paths: ['src/cart/total.ts'] },
    {
      message: 'Give a reason with each refund',
      paths: ['config/payments.ts', 'src/billing/refund.ts', 'src/checkout/cancel-order.ts'],
    },
  ],
};

/** "Promo codes take percents off" on the same shop: a change with nothing wrong, so that a review ends without a word. */
export const cleanStory: DemoStory = {
  ...demoStory,
  title: 'Promo codes take percents off',
  body: '`total` takes `percentOff`; without it nothing changes.\n',
  branch: 'percents-off',
  headChanges: () => {
    const path = 'src/cart/total.ts';
    return { [path]: demoStory.headChanges()[path] ?? null };
  },
  commits: [{ message: 'Take percents off a cart', paths: ['src/cart/total.ts'] }],
};

/** Nobody refuses an empty cart any more, before and after the change. */
export const withoutGuard = (story: DemoStory): DemoStory =>
  editBoth(story, 'src/cart/validate.ts', (text) =>
    without(text, "  if (cart.items.length === 0) throw new CartError('the cart is empty');\n"),
  );

/** The branch also moves `src/billing/refund.ts` to `src/billing/give-back.ts`, and its importers follow. */
export function withRename(story: DemoStory): DemoStory {
  const from = 'src/billing/refund.ts';
  const to = 'src/billing/give-back.ts';
  const importers = ['src/checkout/cancel-order.ts', 'src/support/cases/close-case.ts'];
  return {
    ...story,
    headChanges: () => {
      const base = story.baseFiles();
      const head = story.headChanges();
      const follow = (path: string): string =>
        replaced(head[path] ?? base[path] ?? '', 'billing/refund.js', 'billing/give-back.js');
      return {
        ...head,
        [from]: null,
        [to]: head[from] ?? base[from] ?? '',
        ...Object.fromEntries(importers.map((path) => [path, follow(path)])),
      };
    },
    commits: [
      ...story.commits.map((commit) => ({
        ...commit,
        paths: commit.paths.filter((path) => path !== from && !importers.includes(path)),
      })),
      {
        message: 'Give a reason with each refund, and name the file by what it does',
        paths: [from, to, ...importers],
      },
    ].filter((commit) => commit.paths.length > 0),
  };
}

/** The branch tests `order.refunded` the right way round. */
export const withBugFixed = (story: DemoStory): DemoStory =>
  editHead(story, 'src/billing/refund.ts', (text) =>
    replaced(text, 'if (!order.refunded) {', 'if (order.refunded) {'),
  );

/** Archives leave the folder out in which the guard stands; the repository still has it. */
export const withGuardFolderExportIgnored = (story: DemoStory): DemoStory =>
  editBoth(story, '.gitattributes', (text) => `${text}src/cart export-ignore\nsrc/cart/** export-ignore\n`);

function editBoth(story: DemoStory, path: string, edit: (text: string) => string): DemoStory {
  return {
    ...story,
    baseFiles: () => {
      const files = story.baseFiles();
      return { ...files, [path]: edit(files[path] ?? '') };
    },
    headChanges: () => {
      const changes = story.headChanges();
      const text = changes[path];
      return typeof text === 'string' ? { ...changes, [path]: edit(text) } : changes;
    },
  };
}

function editHead(story: DemoStory, path: string, edit: (text: string) => string): DemoStory {
  return {
    ...story,
    headChanges: () => {
      const changes = story.headChanges();
      return { ...changes, [path]: edit(changes[path] ?? story.baseFiles()[path] ?? '') };
    },
  };
}

/** An edit that finds nothing to edit would be a test, or a push, of nothing. */
export function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`The demo repository no longer holds: ${from.trim()}`);
  // A `$` of code is no sign of a replacement.
  return text.replace(from, () => to);
}

const without = (text: string, part: string): string => replaced(text, part, '');

/**
 * Made up and worth nothing. They are put together here so that no file of this repository holds anything that looks
 * like a key: hosts refuse pushes for less.
 */
const madeUp: Readonly<Record<string, readonly string[]>> = {
  'refund key': ['sk', 'live', '4fXq82mTzKw07hRbYv9cLs3d'],
  'webhook secret': ['whs', 'Zk3vQ0xT7bLm9RpW2yHc5NfJ'],
};

function readFolder(folder: 'base' | 'head'): Files {
  const root = fileURLToPath(new URL(`./demo-repository/${folder}/`, import.meta.url));
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const files = entries.map((entry) => {
    const file = `${entry.parentPath}/${entry.name}`;
    const path = file.slice(root.length).replace(/\\/g, '/').replace(/^\/+/, '');
    return [path, withMadeUp(readFileSync(file, 'utf8').replace(/\r\n/g, '\n'))] as const;
  });
  return Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const withMadeUp = (text: string): string =>
  text.replace(/\{\{([a-z ]+)\}\}/g, (whole, name: string) => madeUp[name]?.join('_') ?? whole);
