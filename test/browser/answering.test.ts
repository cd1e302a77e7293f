import type { Page } from 'playwright-core';
import type { Played } from '../../cli/play-demo.js';
import { become, checksOf, playDemoPage, reply, says, threadAt } from './demo-page.js';
import { inBrowser } from './in-browser.js';

const promo = 'src/widgets/Promo.tsx, line 18';

/** Everything that is said here went through signed webhooks to the real handler, and came back to an open page. */
inBrowser('a question on the page', (open) => {
  let played: Played;
  beforeEach(async () => {
    played = await playDemoPage();
  });
  afterEach(() => played.close());

  const firstOf = (page: Page) => threadAt(page, promo).getByRole('article').first();

  test('answered no: the finding and the check change on the page', async () => {
    const page = await open(played.url);
    await says(firstOf(page), 'Question (Q1): is this jQuery change required by a third-party widget?');
    await says(checksOf(page), 'Failed Evident 3 important to fix');

    await reply(threadAt(page, promo), 'no');
    await says(
      firstOf(page),
      /Important \(F\d+, blocks merge\): this jQuery change breaks React[^]*Was Q1; octocat answered no\./,
    );
    await says(
      threadAt(page, promo).getByRole('article').nth(2),
      /Thanks\. So this is a finding now, Important \(F\d+, blocks merge\)/,
    );
    await says(checksOf(page), 'Failed Evident 4 important to fix');
    await says(checksOf(page), 'Merging is blocked.');
    await says(page.getByRole('article', { name: 'Review by evident[bot]' }), '4 important');
  });

  test('answered yes: the first comment is edited, and a push does not raise it again', async () => {
    const page = await open(played.url);
    await reply(threadAt(page, promo), "yes, the partner's script draws into that box");
    await says(
      firstOf(page),
      /Answered yes by octocat \(Q1\)[^]*No finding\.[^]*the partner's script draws into that box/,
    );
    // The plain answer is followed by no comment of ours, so that nobody gets a mail.
    expect(await threadAt(page, promo).getByRole('article').count()).toBe(2);

    await page.getByRole('button', { name: 'Push a fix' }).click();
    await says(checksOf(page), 'Passed Evident Nothing open');
    await says(checksOf(page), 'Can be merged.');
    await says(
      page.getByRole('article', { name: 'Review by evident[bot]' }),
      /Nothing open\.[^]*Q1 answered yes by octocat/,
    );
    expect(await threadAt(page, 'src/widgets/Promo.tsx').count()).toBe(1);
    await says(firstOf(page), 'Answered yes by octocat (Q1)');
    expect(await page.getByText('Question (Q').filter({ visible: true }).count()).toBe(0);
  });

  test("a stranger's answer changes nothing", async () => {
    const page = await open(played.url);
    await become(page, 'hubot');
    await reply(threadAt(page, promo), 'yes');
    await says(
      threadAt(page, promo).getByRole('article').nth(2),
      /Noted, thanks\. octocat or someone with write access decides this one\./,
    );
    await played.settled();
    await page.reload();
    await says(firstOf(page), 'Question (Q1): is this jQuery change required by a third-party widget?');
    await says(checksOf(page), 'Failed Evident 3 important to fix');
    expect(await threadAt(page, promo).getByRole('article').count()).toBe(3);
    expect((await played.known()).questions).toMatchObject([{ id: 'Q1', standing: { kind: 'open' } }]);
  });

  test('a new bug is found on the page, and mended by the next push', async () => {
    const page = await open(played.url);
    await page.getByRole('button', { name: 'Push a new bug' }).click();
    await says(checksOf(page), 'Failed Evident 4 important to fix');
    await says(threadAt(page, 'src/cart/total.ts, line 6'), /Important \(F\d+, blocks merge\)/);
    await page.getByRole('button', { name: 'Push a fix' }).click();
    await says(checksOf(page), 'Can be merged.');
    await says(threadAt(page, 'src/cart/total.ts'), /Fixed in/);
  });

  test('by keyboard alone, from the top of the page to the answered question', async () => {
    const page = await open(played.url);
    const focused = page.locator(':focus');
    const tabTo = async (isThere: () => Promise<boolean>, most: number): Promise<void> => {
      for (let pressed = 0; pressed < most; pressed += 1) {
        await page.keyboard.press('Tab');
        if (!(await isThere())) continue;
        // Where one is must be seen.
        expect(
          await focused.evaluate((one) => one.ownerDocument.defaultView.getComputedStyle(one).outlineStyle),
        ).toMatch(/auto|solid/);
        return;
      }
      throw new Error(`Not reached with ${most} presses of Tab.`);
    };
    const textOf = async (): Promise<string> => (await focused.textContent()) ?? '';

    await tabTo(async () => (await textOf()) === 'Skip to content', 1);
    await page.keyboard.press('Enter');
    await tabTo(async () => (await textOf()) === 'Answer the question', 10);
    await page.keyboard.press('Enter');
    await tabTo(async () => /^reply-\d+$/.test((await focused.getAttribute('id')) ?? ''), 10);
    await page.keyboard.type('no');
    await tabTo(async () => (await textOf()) === 'Reply', 1);
    await page.keyboard.press('Enter');
    await says(firstOf(page), /Important \(F\d+, blocks merge\)/);

    // What has changed is told, and where one was is not lost.
    await says(page.getByRole('status'), 'Evident: Failed, 4 important to fix. Merging is blocked');
  });
});
