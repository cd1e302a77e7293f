import { startLocalGitHub, type LocalGitHub, type LocalRepository } from '../../local-github/index.js';
import { become, says, threadAt } from './demo-page.js';
import { inBrowser } from './in-browser.js';

const before = 'one\ntwo\nthree\n';

inBrowser('what somebody has begun', (open) => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  const threadOf = (at: number): string => repository.pull(1).threads[at]?.id ?? '';
  beforeEach(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: { 'a.ts': before },
    });
    repository.addCollaborator('octocat', 'write');
    repository.addCollaborator('monalisa', 'maintain');
    await repository.commit({
      branch: 'b',
      from: 'main',
      files: { 'a.ts': 'ONE\ntwo\nTHREE\n' },
      message: 'b',
    });
    await repository.openPullRequest({ head: 'b', title: 'B', author: 'octocat' });
    await repository.as('monalisa').review(1, {
      body: '<details><summary>All of it</summary>\n\nLine by line.\n\n</details>',
      comments: [
        { path: 'a.ts', line: 1, body: 'Why?\n\n<details><summary>More</summary>\n\nSo.\n\n</details>' },
        { path: 'a.ts', line: 3, body: 'And here?' },
      ],
    });
  });
  afterEach(() => github.close());

  test('outlives another reply, a switch to somebody else and a look at the files; what was sent does not', async () => {
    const page = await open(repository.pull(1).url);
    const box = (line: number) => threadAt(page, `a.ts, line ${line}`).getByRole('textbox');
    await page.getByLabel('Comment as octocat').fill('On the whole');
    await box(3).fill('Because of');
    await box(1).fill('Yes.');
    await threadAt(page, 'a.ts, line 1').getByRole('button', { name: 'Reply', exact: true }).click();
    await says(threadAt(page, 'a.ts, line 1').getByRole('article').nth(1), 'Yes.');
    await become(page, 'monalisa');
    await page.getByRole('link', { name: /^Files changed/ }).click();
    await page.getByRole('link', { name: 'Conversation', exact: true }).click();
    await page.getByLabel('Comment as monalisa').waitFor();
    // The script that brings the words back runs once the page is parsed.
    await page.waitForLoadState();
    expect(await box(3).inputValue()).toBe('Because of');
    expect(await box(1).inputValue()).toBe('');
    expect(await page.getByLabel('Comment as monalisa').inputValue()).toBe('On the whole');
  });

  test('is not sent as somebody who was chosen in another window', async () => {
    const page = await open(repository.pull(1).url);
    const box = threadAt(page, 'a.ts, line 1').getByRole('textbox');
    await box.fill('As the author');
    const other = await page.context().newPage();
    await other.goto(github.url);
    await other.getByLabel('You are', { exact: true }).selectOption('monalisa');
    await other.getByRole('button', { name: 'Switch' }).click();
    await other.close();
    repository.as('monalisa').reply(threadOf(0), 'Well?');
    await says(
      page.getByRole('status'),
      'You are monalisa now, by another window. Reload this page, which was shown to octocat.',
    );
    expect(await threadAt(page, 'a.ts, line 1').getByLabel('Reply as octocat').inputValue()).toBe(
      'As the author',
    );
    await page.reload();
    await page.getByLabel('Comment as monalisa').waitFor();
    expect(await box.inputValue()).toBe('As the author');
    expect(repository.pull(1).reviewComments).toHaveLength(3);
  });

  test('moves along with a conversation whose line is gone', async () => {
    const page = await open(`${repository.pull(1).url}/files`);
    const box = page.locator(`#reply-${repository.pull(1).reviewComments[0]?.id}`);
    await box.fill('Half a');
    await repository.commit({ branch: 'b', files: { 'a.ts': before, 'c.ts': 'c\n' }, message: 'Not here' });
    await says(page.getByRole('region', { name: 'No longer in the diff' }), 'Why?');
    expect(await box.inputValue()).toBe('Half a');
    await box.pressSequentially(' sentence');
    expect(await box.inputValue()).toBe('Half a sentence');
  });

  test('an open fold stays open, and the place of the keyboard, when what stands around is exchanged', async () => {
    const page = await open(`${repository.pull(1).url}/files`);
    const thread = threadAt(page, 'a.ts, line 1');
    const fold = thread.locator('summary').filter({ hasText: 'More' });
    await fold.focus();
    await page.keyboard.press('Enter');
    repository.as('monalisa').resolve(threadOf(1));
    await says(page.getByRole('region', { name: 'a.ts' }), 'Resolved by monalisa');
    expect(await thread.getByText('So.').isVisible()).toBe(true);
    expect(await page.locator(':focus').textContent()).toBe('More');
    await page.keyboard.press('Enter');
    repository.as('monalisa').reply(threadOf(0), 'Well?');
    await says(thread, 'Well?');
    expect(await thread.getByText('So.').isVisible()).toBe(false);
    expect(await page.locator(':focus').textContent()).toBe('More');
  });
});
