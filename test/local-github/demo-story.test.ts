import {
  demoStory,
  withBugFixed,
  withGuardFolderExportIgnored,
  withoutGuard,
  withRename,
} from '../../local-github/demo-story.js';
import type { DemoStory } from '../../local-github/demo-story.js';
import { reviewChange } from '../models/rules/review-change.js';
import type { Edit } from '../models/rules/review-change.js';

function editOf(story: DemoStory, renamed: Edit['renamed'] = {}): Edit {
  const base = story.baseFiles();
  const head = Object.fromEntries(
    Object.entries({ ...base, ...story.headChanges() }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    ),
  );
  return { base, head, renamed };
}

/** What code accepted of the review, a line each. */
async function said(edit: Edit): Promise<readonly string[]> {
  const { accepted, dropped } = await reviewChange(edit);
  const place = (path: string, line: number): string => `${path}:${line}`;
  return [
    ...accepted.findings.map(
      (each) => `${each.severity} ${each.origin} ${each.rule} ${place(each.anchor.path, each.anchor.line)}`,
    ),
    ...accepted.questions.map(
      (each) => `question ${each.finding.rule} ${place(each.finding.anchor.path, each.finding.anchor.line)}`,
    ),
    ...accepted.disproved.map((each) => `disproved ${each.claim} ${place(each.path, each.line)}`),
    ...dropped.map((each) => `dropped ${each.what}: ${each.why}`),
  ];
}

const whole = [
  'important pre_existing committed-secret config/payments.ts:6',
  'important introduced committed-secret config/payments.ts:8',
  'important introduced changed-signature src/billing/refund.ts:20',
  'important introduced inverted-condition src/billing/refund.ts:21',
  'question react-dom-mutation src/widgets/Promo.tsx:18',
  'disproved empty cart reaches total() src/cart/validate.ts:12',
];

describe('the rules on the demo', () => {
  test('tell its story', async () => {
    expect(await said(editOf(demoStory))).toEqual(whole);
  });

  test('without the guard two files away the suspicion becomes a finding with an absence', async () => {
    const edit = editOf(withoutGuard(demoStory));
    expect(await said(edit)).toEqual([
      ...whole.slice(0, 4),
      'important introduced unguarded-empty src/cart/total.ts:6',
      whole[4],
    ]);
    const { accepted } = await reviewChange(edit);
    const found = accepted.findings.find((each) => each.rule === 'unguarded-empty');
    expect(found?.evidence.filter((each) => each.kind === 'absence')).toEqual([
      expect.objectContaining({ glob: '{src/checkout/place-order.ts,src/cart/validate.ts}', ref: 'head' }),
    ]);
  });

  test('follow a renamed file', async () => {
    const edit = editOf(withRename(demoStory), { 'src/billing/give-back.ts': 'src/billing/refund.ts' });
    expect(await said(edit)).toEqual(
      whole.map((line) => line.replace('billing/refund.ts', 'billing/give-back.ts')),
    );
  });

  test('say nothing of a bug that is mended', async () => {
    expect(await said(editOf(withBugFixed(demoStory)))).toEqual(
      whole.filter((line) => !line.includes('inverted')),
    );
  });

  test('find the guard in a folder that archives leave out', async () => {
    const edit = editOf(withGuardFolderExportIgnored(demoStory));
    expect(edit.base['.gitattributes']).toContain('src/cart export-ignore');
    expect(await said(edit)).toEqual(whole);
  });
});

test.each([
  ['the story', demoStory],
  ['without the guard', withoutGuard(demoStory)],
  ['with the rename', withRename(demoStory)],
  ['with the bug fixed', withBugFixed(demoStory)],
])('the commits of %s carry each changed path once', (_name, story) => {
  const carried = story.commits.flatMap((commit) => commit.paths);
  expect([...carried].sort()).toEqual(Object.keys(story.headChanges()).sort());
});

test('no file of the demo holds what looks like a key before it is put together', async () => {
  const { readFile, readdir } = await import('node:fs/promises');
  const { labelSecrets } = await import('../../lib/core/secret.js');
  const root = new URL('../../local-github/', import.meta.url);
  const names = await readdir(root, { recursive: true });
  const files = names.filter((name) => name.startsWith('demo-') && /\.(ts|tsx|json|md|html)$/.test(name));
  expect(files.length).toBeGreaterThan(20);
  for (const name of files)
    expect(labelSecrets(await readFile(new URL(name, root), 'utf8')).labels).toEqual([]);
});
