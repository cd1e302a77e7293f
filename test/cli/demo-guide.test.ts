import { preparePage } from '../../cli/demo-guide.js';
import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { createBrowser } from '../local-github/browser.js';

describe('what the page of the demo says to look at', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let number: number;
  beforeEach(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({ owner: 'local', name: 'shop', files: { 'a.ts': 'one\n' } });
    repository.addCollaborator('you', 'write');
    await repository.commit({ branch: 'feature', files: { 'a.ts': 'two\n' }, message: 'Two' });
    number = await repository.openPullRequest({ head: 'feature', title: 'Two', author: 'you' });
  });
  afterEach(() => github.close());

  const page = async (): Promise<string> =>
    (await createBrowser(github).get(`/local/shop/pull/${number}`)).text.replace(/\s+/g, ' ');
  const names = async (): Promise<readonly string[]> =>
    [...((/id="guide".*?<ol>(.*?)<\/ol>/.exec(await page()) ?? [])[1] ?? '').matchAll(/>([^<]+)<\/a>/g)].map(
      ([, name = '']) => name,
    );

  test('an own branch: in good grammar, and how a fix is brought in', async () => {
    preparePage(repository, 'own branch');
    expect(await page()).toContain('<strong>you</strong> want to merge 1 commit into');
    expect(await names()).toEqual(['Watch the check', 'Bring in a fix']);
    expect(await page()).toContain('commit it in your repository and run npm run demo -- --repo again.');
  });

  test.each(['story', 'clean story'] as const)('a %s of ours is not committed to', async (of) => {
    preparePage(repository, of);
    expect(await names()).toEqual(['Watch the check']);
  });

  test.each([
    '**Answered yes by octocat (Q1): is it?** No finding.',
    '**Important (F3, blocks merge): it breaks.** Was Q1; octocat answered no.',
    '**Possible (Q1, does not block): it breaks.** octocat is not sure.',
    '**octocat says yes (Q1), a maintainer confirms.**',
  ])('the question is to be answered until it is: %s', async (answered) => {
    preparePage(repository, 'story');
    await repository
      .as('hubot')
      .review(number, { comments: [{ path: 'a.ts', line: 1, body: '**Question (Q1): is it?**' }] });
    expect(await names()).toContain('Answer the question');
    const [first] = repository.pull(number).threads[0]?.comments ?? [];
    repository.as('hubot').editComment(first?.id ?? 0, answered);
    expect(await names()).not.toContain('Answer the question');
  });
});
