import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Played } from '../../cli/play-demo.js';
import { playDemoPage, says, threadAt } from './demo-page.js';
import { inBrowser } from './in-browser.js';

type Fault = {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
};

/** What axe finds serious or critical, by all of its rules that are not experiments. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const faults = await page.evaluate<readonly Fault[]>('axe.run().then(({ violations }) => violations)');
  return faults
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

inBrowser('the pages can be read', (open) => {
  let played: Played;
  let pages: Readonly<Record<string, string>>;
  beforeAll(async () => {
    played = await playDemoPage();
    const pull = played.repository.pull(played.number);
    // Answered and open ones, a stranger's words, an approval: all that a conversation may hold.
    await played.reply('octocat', 'Q1', 'no');
    await played.reply(
      'hubot',
      'F1',
      'Is `sk_live` a **real** key?\n\n```ts\nconst a = 1;\n```\n\n> quoted\n\n- [ ] a task',
    );
    played.repository.as('monalisa').comment(played.number, 'A comment on the whole.');
    played.repository.as('octocat').resolve(pull.threads[1]?.id ?? '');
    await played.settled();
    pages = {
      conversation: pull.url,
      files: `${pull.url}/files`,
      check: `${played.repository.url}/runs/${played.repository.pull(1).checks.find(({ name }) => name === 'Evident')?.id}`,
      repository: played.repository.url,
      'all repositories': played.github.url,
      file: `${played.repository.url}/blob/${pull.head.sha}/src/billing/refund.ts`,
      'nothing there': `${played.repository.url}/pull/99`,
    };
  });
  afterAll(() => played.close());

  const looks: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
    ['light', { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
    ['on a phone', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
    ['on a phone, dark', { colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
  ];

  test.each(looks)(
    '%s: no barrier that axe knows, and nothing to scroll sideways',
    async (_name, options) => {
      const page = await open(played.github.url, options);
      const faults: string[] = [];
      for (const [name, url] of Object.entries(pages)) {
        await page.goto(url);
        faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`));
        const wider = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        if (Number(wider) > 0) faults.push(`${name}: ${String(wider)} pixels too wide`);
      }
      expect(faults).toEqual([]);
    },
  );

  test('without scripts all of it is there to read and to answer', async () => {
    const page = await open(pages['conversation'] ?? '', { javaScriptEnabled: false });
    const thread = threadAt(page, 'src/widgets/Promo.tsx, line 18');
    await says(thread, 'Was Q1; octocat answered no.');
    await thread.locator('summary').first().click();
    await says(thread, 'dropped, and not raised again while these lines stay as they are');
    await thread.getByRole('textbox').fill('Thanks, this goes out tomorrow.');
    await thread.getByRole('button', { name: 'Reply', exact: true }).click();
    await says(thread.getByRole('article').last(), 'Thanks, this goes out tomorrow.');
    for (const [name, words] of [
      ['files', "$('#promo').html(content);"],
      ['check', '4 important to fix'],
      ['repository', 'Promo box and refunds'],
      ['file', 'export async function refund'],
    ] as const) {
      await page.goto(pages[name] ?? '');
      await says(page.getByRole('main'), words);
    }
  });
});
