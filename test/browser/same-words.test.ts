import { readdirSync, readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import type { Played } from '../../cli/play-demo.js';
import { startLocalGitHub, type LocalGitHub, type LocalRepository } from '../../local-github/index.js';
import { checksOf, playDemoPage, threadAt } from './demo-page.js';
import { inBrowser } from './in-browser.js';
import { wordsOf } from './words-of.js';

const folder = new URL('../golden/', import.meta.url);
const goldens = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);

/** What stands in a text on the page, without blanks; of a suggestion the lines that it puts there. */
const wordsIn = async (text: Locator): Promise<string> => {
  const shown = await text.evaluate((one) => {
    const copy = one.cloneNode(true);
    for (const extra of copy.querySelectorAll('table.suggestion :is(caption, tr.del, td.sign)'))
      extra.remove();
    return String(copy.textContent);
  });
  return shown.replace(/\s+/g, '');
};

/** The renderers' blocks reach a reader word for word: nothing lost, nothing added, nothing in another order. */
inBrowser('the page says what was rendered', (open) => {
  describe('each golden block', () => {
    let github: LocalGitHub;
    let repository: LocalRepository;
    const ids = new Map<string, string>();
    beforeAll(async () => {
      github = await startLocalGitHub();
      repository = await github.createRepository({
        owner: 'octo-org',
        name: 'shop',
        files: { 'a.ts': 'a\n' },
      });
      await repository.commit({ branch: 'b', from: 'main', files: { 'a.ts': 'b\n' }, message: 'b' });
      await repository.openPullRequest({ head: 'b', title: 'Blocks' });
      for (const [name, body] of goldens)
        if (name.startsWith('thread-')) {
          await repository.as('monalisa').review(1, { comments: [{ path: 'a.ts', line: 1, body }] });
          ids.set(name, `discussion_r${repository.pull(1).threads.at(-1)?.comments[0]?.id}`);
        } else ids.set(name, `issuecomment-${repository.as('monalisa').comment(1, body).id}`);
    });
    afterAll(() => github.close());

    test('stands on the page', async () => {
      const page = await open(repository.pull(1).url);
      expect(goldens.length).toBeGreaterThan(30);
      const read: Record<string, string> = {};
      for (const [name] of goldens) read[name] = await wordsIn(page.locator(`#${ids.get(name)} .text`));
      expect(read).toEqual(Object.fromEntries(goldens.map(([name, body]) => [name, wordsOf(body)])));
    });
  });

  describe('a review as it was written', () => {
    let played: Played;
    beforeAll(async () => {
      played = await playDemoPage();
      await played.reply('octocat', 'Q1', 'no');
    });
    afterAll(() => played.close());

    test('its threads, its summary and its check', async () => {
      const pull = played.repository.pull(played.number);
      const page = await open(pull.url);
      for (const { comments } of pull.threads)
        for (const { id, body } of comments)
          expect(await wordsIn(page.locator(`#discussion_r${id} .text`))).toBe(wordsOf(body));
      expect(await threadAt(page, '').count()).toBe(4);
      const [summary] = pull.reviews;
      expect(await wordsIn(page.locator(`#pullrequestreview-${summary?.id} .text`))).toBe(
        wordsOf(summary?.body ?? ''),
      );
      const check = pull.checks.find(({ name }) => name === 'Evident');
      expect(await checksOf(page).textContent()).toContain(check?.title);
      await page.goto(`${played.repository.url}/runs/${check?.id}`);
      const texts = page.locator('#check > .text');
      expect(await wordsIn(texts.nth(0))).toBe(wordsOf(check?.summary ?? ''));
      expect(await wordsIn(texts.nth(1))).toBe(wordsOf(check?.text ?? ''));
    });
  });
});
