import { execFileSync } from 'node:child_process';
import { playDemo, type InlineComment, type Played, type Standing } from '../cli/play-demo.js';
import { silentLog } from '../lib/ports/log.js';
import {
  demoStory,
  withBugFixed,
  withGuardFolderExportIgnored,
  withoutGuard,
  withRename,
} from '../local-github/demo-story.js';
import type { DemoStory, Files } from '../local-github/demo-story.js';

/*
 * The main job, whole: a signed webhook to the real handler, a GitHub over HTTP, the review as it stands. Each test edits
 * the repository and says how the review must follow. What is true of the repository is asked of git, not of the product.
 */

const begin = (story: DemoStory): Promise<Played> => playDemo({ story, environment: {}, log: silentLog });

const open: Played[] = [];
const play = async (story: DemoStory): Promise<Played> => {
  const played = await begin(story);
  open.push(played);
  return played;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((played) => played.close()));
});

let whole: Played;
beforeAll(async () => {
  whole = await begin(demoStory);
});
afterAll(() => whole.close());

const places = ({ inline }: Pick<Standing, 'inline'>): readonly string[] =>
  inline.map(({ rule, path, line }) => `${rule} ${path}:${line}`).sort();

const git = (played: Played, ...args: readonly string[]): string =>
  execFileSync('git', ['--git-dir', played.repository.gitDir, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });

/** Lines by number, as git has them. */
function linesAt(played: Played, ref: 'head' | 'base', path: string): readonly string[] {
  const pull = played.repository.pull(played.number);
  const commit = ref === 'head' ? pull.head.sha : (pull.mergeBase ?? '');
  return ['', ...git(played, 'show', `${commit}:${path}`).split('\n')];
}

/** Every line that a hunk of git's own diff shows, as `RIGHT path:line` and `LEFT path:line`. */
function shownLines(played: Played): ReadonlySet<string> {
  const pull = played.repository.pull(played.number);
  const shown = new Set<string>();
  let path = '';
  let left = 0;
  let right = 0;
  for (const row of git(played, 'diff', '-M', `${pull.mergeBase}`, pull.head.sha).split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(row);
    if (row.startsWith('diff --git ')) path = row.replace(/^.* b\//, '');
    else if (hunk !== null) [left, right] = [Number(hunk[1]), Number(hunk[2])];
    else if (/^(---|\+\+\+) /.test(row)) continue;
    else if (/^[ +-]/.test(row)) {
      if (row[0] !== '+') shown.add(`LEFT ${path}:${left++}`);
      if (row[0] !== '-') shown.add(`RIGHT ${path}:${right++}`);
    }
  }
  return shown;
}

/** A quote against the line; a label of a secret stands for characters without white space. */
function stands(quote: string, text: string): boolean {
  const pattern = quote
    .split(/\[secret: [^\]]+\]/)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('[^\\s]+');
  return new RegExp(`^${pattern}$`).test(text);
}

/** What must hold of any review of any repository. */
function expectTrue(played: Played): void {
  const shown = shownLines(played);
  for (const { path, side, line, evidence, rule } of played.inline) {
    expect([...shown]).toContain(`${side} ${path}:${line}`);
    expect(evidence.length).toBeGreaterThan(0);
    for (const one of evidence) {
      if (one.kind === 'absence') continue;
      const text = linesAt(played, one.ref, one.path)
        .slice(one.start, one.end + 1)
        .join('\n');
      expect([rule, one.path, one.start, stands(one.quote, text)]).toEqual([rule, one.path, one.start, true]);
    }
    expect(evidence).toContainEqual(
      expect.objectContaining({ role: 'at', path, end: line, ref: side === 'RIGHT' ? 'head' : 'base' }),
    );
  }
  for (const { path, line, quote } of played.disproved) {
    expect(stands(quote, linesAt(played, 'head', path)[line] ?? '')).toBe(true);
  }
}

/** The story with these files changed in the pull request as well, in a commit of its own. */
function withHead(story: DemoStory, edits: Files): DemoStory {
  const changes = { ...story.headChanges(), ...edits };
  const carried = new Set(story.commits.flatMap(({ paths }) => paths));
  const paths = Object.keys(edits).filter((path) => !carried.has(path));
  return {
    ...story,
    headChanges: () => changes,
    commits: paths.length === 0 ? story.commits : [...story.commits, { message: 'And this', paths }],
  };
}

const headOf = (path: string): string => {
  const text = demoStory.headChanges()[path] ?? demoStory.baseFiles()[path];
  if (typeof text !== 'string') throw new Error(`no ${path}`);
  return text;
};

/** Fails when there is nothing to replace: such an edit would test nothing. */
function edited(path: string, from: string | RegExp, to: string): Files {
  const text = headOf(path);
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${path} has no ${String(from)}`);
  return { [path]: changed };
}

const keyLine = (): string => {
  const line = headOf('config/payments.ts')
    .split('\n')
    .find((row) => row.includes('refundKey'));
  if (line === undefined) throw new Error('no key');
  return line;
};

const all = [
  'changed-signature src/billing/refund.ts:20',
  'committed-secret config/payments.ts:8',
  'inverted-condition src/billing/refund.ts:21',
  'react-dom-mutation src/widgets/Promo.tsx:18',
];

describe('the demo as it is', () => {
  test('stands as comments on lines of the diff, each with quotes that git has at those lines', () => {
    expect(places(whole)).toEqual(all);
    expectTrue(whole);
  });

  test('quotes both versions, and code that the change does not touch', () => {
    const quotes = whole.inline.flatMap(({ evidence }) => evidence);
    expect(quotes.filter((one) => one.ref === 'base').length).toBeGreaterThan(0);
    expect(quotes).toContainEqual(
      expect.objectContaining({ path: 'src/support/cases/close-case.ts', ref: 'head' }),
    );
  });

  test('lists the suspicion that a guard two files away disproves, and does not raise it', () => {
    expect(whole.disproved).toEqual([
      expect.objectContaining({ path: 'src/cart/validate.ts', claim: 'empty cart reaches total()' }),
    ]);
    expect(whole.inline.map(({ path }) => path)).not.toContain('src/cart/total.ts');
  });

  test('is one review, one check that is neutral, and a summary that names each thread', () => {
    const pull = whole.repository.pull(whole.number);
    expect(pull.reviews).toHaveLength(1);
    expect(pull.comments).toEqual([]);
    expect(pull.allChecks).toHaveLength(1);
    expect(whole.check).toEqual({ conclusion: 'neutral', title: '3 important to fix' });
    for (const { id, path, line } of whole.inline) {
      expect(whole.summary).toContain(`**${id}**`);
      expect(whole.summary).toContain(`${path}:${line}`);
    }
  });

  test('shows the key nowhere: no comment, no summary, no check', () => {
    const secret = /'([^']+)'/.exec(keyLine())?.[1] ?? '';
    expect(secret.length).toBeGreaterThan(20);
    const { threads, reviews, allChecks } = whole.repository.pull(whole.number);
    const written = threads.flatMap(({ comments }) => comments.map(({ body }) => body));
    expect(written).toHaveLength(4);
    expect(JSON.stringify([written, reviews, allChecks])).not.toContain(secret.slice(8));
  });
});

describe('the review follows the repository', () => {
  test('without the guard the suspicion is a finding, with a search that finds nothing', async () => {
    const played = await play(withoutGuard(demoStory));
    expectTrue(played);
    expect(played.disproved).toEqual([]);
    expect(places(played)).toEqual([...all, 'unguarded-empty src/cart/total.ts:6']);
    const found = played.inline.find(({ rule }) => rule === 'unguarded-empty');
    const absence = found?.evidence.find((one) => one.kind === 'absence');
    // Looked up by git: the pattern matches in no file of its scope, and does match elsewhere.
    const head = played.repository.pull(played.number).head.sha;
    const scope = (absence?.glob ?? '').replace(/^\{|\}$/g, '').split(',');
    const grep = (...paths: readonly string[]): string[] => {
      try {
        return git(played, 'grep', '-lP', absence?.pattern ?? '', head, '--', ...paths)
          .trim()
          .split('\n');
      } catch {
        return [];
      }
    };
    expect(scope.length).toBeGreaterThan(0);
    expect(grep(...scope)).toEqual([]);
    expect(grep('.').length).toBeGreaterThan(0);
    expect(played.check.title).toBe('4 important to fix');
  });

  test('a renamed file: anchors and quotes at the new path, the version before at the old one', async () => {
    const played = await play(withRename(demoStory));
    expectTrue(played);
    expect(places(played)).toEqual(
      all.map((place) => place.replace('billing/refund.ts', 'billing/give-back.ts')).sort(),
    );
    const inverted = played.inline.find(({ rule }) => rule === 'inverted-condition');
    expect(inverted?.evidence).toContainEqual(
      expect.objectContaining({ ref: 'base', path: 'src/billing/refund.ts' }),
    );
    expect(played.disproved).toHaveLength(1);
  });

  test('the guard in a folder that archives leave out: still disproved', async () => {
    const played = await play(withGuardFolderExportIgnored(demoStory));
    const head = played.repository.pull(played.number).head.sha;
    const archived = execFileSync('tar', ['-t'], {
      input: execFileSync('git', ['--git-dir', played.repository.gitDir, 'archive', head]),
      encoding: 'utf8',
    });
    expect(archived).toContain('src/billing/refund.ts');
    expect(archived).not.toContain('src/cart/validate.ts');
    expectTrue(played);
    expect(places(played)).toEqual(all);
    expect(played.disproved).toEqual(whole.disproved);
  });

  const without = (rule: string): readonly string[] => all.filter((place) => !place.startsWith(rule));
  const promo = 'src/widgets/Promo.tsx';
  const caller = 'src/support/cases/close-case.ts';
  test.each<[string, () => DemoStory, readonly string[]]>([
    ['the condition the right way round', () => withBugFixed(demoStory), without('inverted')],
    [
      'the third caller follows the signature',
      () => withHead(demoStory, edited(caller, 'complaint.granted);', "complaint.granted, 'goodwill');")),
      without('changed-signature'),
    ],
    [
      'the jQuery line is a state of React',
      () => withHead(demoStory, edited(promo, "$('#promo').html(content);", 'setShown(content.length > 0);')),
      without('react'),
    ],
    [
      'the key comes from the environment',
      () =>
        withHead(demoStory, edited('config/payments.ts', /refundKey: .*,/, "refundKey: process.env['KEY'],")),
      without('committed'),
    ],
    [
      'the key stands in another file',
      () =>
        withHead(demoStory, {
          ...edited('config/payments.ts', /refundKey: .*,/, 'refundKey: keys.refundKey,'),
          'config/keys.ts': `// Keys.\nexport const keys = {\n${keyLine()}\n};\n`,
        }),
      [...without('committed'), 'committed-secret config/keys.ts:3'],
    ],
    [
      'three unrelated lines above',
      () => withHead(demoStory, edited('src/billing/refund.ts', /^/, '// One.\n// Two.\n// Three.\n')),
      all.map((place) => place.replace(/refund\.ts:(\d+)/, (_, line) => `refund.ts:${Number(line) + 3}`)),
    ],
    [
      'all of it mended',
      () =>
        withHead(demoStory, {
          ...edited(caller, 'complaint.granted);', "complaint.granted, 'goodwill');"),
          ...edited(promo, "$('#promo').html(content);", 'setShown(content.length > 0);'),
          ...edited('config/payments.ts', /refundKey: .*,/, "refundKey: process.env['KEY'],"),
          'src/billing/refund.ts': headOf('src/billing/refund.ts').replace(
            '!order.refunded',
            'order.refunded',
          ),
        }),
      [],
    ],
  ])('%s', async (_name, story, expected) => {
    const played = await play(story());
    expectTrue(played);
    expect(places(played)).toEqual([...expected].sort());
    expect(played.disproved).toHaveLength(1);
  });

  test('other names: of the repository, the branch, the author, the function', async () => {
    const renamed = (files: Readonly<Record<string, string | null>>): Record<string, string> =>
      Object.fromEntries(
        Object.entries(files).map(([path, text]) => [
          path,
          (text ?? '').replace(/\brefund\(/g, 'payBack(').replace(/\{ refund \}/g, '{ payBack }'),
        ]),
      );
    const played = await play({
      ...demoStory,
      owner: 'acme',
      name: 'kiosk',
      branch: 'feature/x',
      author: 'hubot',
      title: 'Something else',
      body: '',
      baseFiles: () => renamed(demoStory.baseFiles()),
      headChanges: () => renamed(demoStory.headChanges()),
    });
    expectTrue(played);
    expect(places(played)).toEqual(all);
    const signature = played.inline.find(({ rule }) => rule === 'changed-signature');
    expect(signature?.title).toBe('`payBack` takes 3 parameters now, and a caller still passes 2 arguments');
    expect(played.summary).toContain('/acme/kiosk/blob/');
    expect(played.summary).not.toMatch(/octo|shop/);
  });
});

describe('later pushes to the same pull request', () => {
  const byId = (inline: readonly InlineComment[]): readonly string[] =>
    inline.map(({ id, rule }) => `${id} ${rule}`).sort();
  let played: Played;
  let first: readonly string[];
  const push = async (message: string, files: Files): Promise<Standing> => {
    const { branch, author } = demoStory;
    await played.repository.commit({ branch, files, message, author });
    return played.settled();
  };
  beforeAll(async () => {
    played = await begin(demoStory);
    first = byId(played.inline);
  });
  afterAll(() => played.close());

  test('what is known is not posted again; the first summary is edited and says what is fixed', async () => {
    const now = await push('Test the refund the right way round', {
      'src/billing/refund.ts': headOf('src/billing/refund.ts').replace('!order.refunded', 'order.refunded'),
    });
    const pull = played.repository.pull(played.number);
    expect(pull.reviews).toHaveLength(1);
    expect(pull.threads).toHaveLength(first.length);
    expect(pull.threads.flatMap(({ comments }) => comments)).toHaveLength(first.length);
    expect(byId(now.inline)).toEqual(first);
    expect(pull.reviews[0]?.edited).toBe(true);
    expect(now.summary).toMatch(/\*\*F3\*\* fixed in `[0-9a-f]{7}`/);
    expect(now.check).toEqual({ conclusion: 'neutral', title: '2 important to fix' });
    expect(pull.allChecks).toHaveLength(2);
  });

  test('a new mistake is the only new thread, with the next number', async () => {
    const key = keyLine().replace(/.*'([^']+)'.*/, (_, found: string) =>
      [...found.slice(8)].reverse().join(''),
    );
    const now = await push('Send mail', {
      'config/mail.ts': headOf('config/mail.ts').replace(
        "process.env['MAIL_PASSWORD'] ?? ''",
        `'sk_live_${key}'`,
      ),
    });
    const pull = played.repository.pull(played.number);
    expect(byId(now.inline).filter((one) => !first.includes(one))).toEqual(['F5 committed-secret']);
    expect(pull.threads).toHaveLength(first.length + 1);
    expect(now.check.title).toBe('3 important to fix');
    expect(now.summary).toContain('**F5**');
  });
});
