import { startLocalGitHub, type LocalGitHub, type LocalRepository } from '../../local-github/index.js';
import { reply, says, threadAt } from './demo-page.js';
import { inBrowser } from './in-browser.js';

const count = 200;

inBrowser('200 conversations', (open) => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  beforeAll(async () => {
    github = await startLocalGitHub();
    const lines = Array.from({ length: count }, (_, at) => `export const row${at} = ${at};\n`);
    repository = await github.createRepository({ owner: 'octo-org', name: 'shop', files: { 'a.ts': '' } });
    repository.addCollaborator('octocat', 'write');
    await repository.commit({
      branch: 'rows',
      from: 'main',
      files: { 'a.ts': lines.join('') },
      message: 'Rows',
    });
    await repository.openPullRequest({ head: 'rows', title: 'Rows', author: 'octocat' });
    for (let at = 0; at < count; at += 25)
      await repository.as('monalisa').review(1, {
        body: `**25 important.** From line ${at + 1} on.`,
        comments: Array.from({ length: 25 }, (_, nth) => ({
          path: 'a.ts',
          line: at + nth + 1,
          body: `**Important (F${at + nth + 1}): a row too many**\n\nSee \`a.ts:${at + nth + 1}\`.\n\n\`\`\`suggestion\n\`\`\``,
        })),
      });
  });
  afterAll(() => github.close());

  test.each(['', '/files'])('are all on the page%s, and the last one can be answered', async (tab) => {
    const page = await open(`${repository.pull(1).url}${tab}`);
    expect(await page.getByRole('group', { name: /^Conversation on a\.ts/ }).count()).toBe(count);
    const last = threadAt(page, `a.ts, line ${count}`);
    const words = `It goes with the next change${tab}.`;
    await reply(last, words);
    await says(last.getByRole('article').last(), words);
    expect(repository.pull(1).threads.at(-1)?.comments.at(-1)?.body).toBe(words);
  });

  test('what one has begun to write in the last one outlives a change to the first', async () => {
    const page = await open(repository.pull(1).url);
    const last = threadAt(page, `a.ts, line ${count}`).getByRole('textbox');
    await last.fill('Half a sent');
    repository.as('monalisa').reply(repository.pull(1).threads[0]?.id ?? '', 'Seen.');
    await says(page.getByRole('group', { name: 'Conversation on a.ts, line 1', exact: true }), 'Seen.');
    expect(await last.inputValue()).toBe('Half a sent');
    await last.pressSequentially('ence');
    expect(await last.inputValue()).toBe('Half a sentence');
  });
});
