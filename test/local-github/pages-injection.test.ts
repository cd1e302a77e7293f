import fc from 'fast-check';
import { type LocalGitHub, type LocalRepository, startLocalGitHub } from '../../local-github/index.js';
import { markdown } from '../../local-github/pages/markdown.js';
import { apiOfApp } from './api.js';
import { type Browser, createBrowser } from './browser.js';

/** What would run or call out, in each of the ways that a text may try. */
const ATTACKS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '"><script>alert(1)</script>',
  "'><iframe src=javascript:alert(1)>",
  '</textarea></form><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '<details ontoggle=alert(1) open>x</details>',
  '<details open onclick="alert(1)">',
  '</details></div></article></main><script>alert(1)</script>',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java&#10;script:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:x)',
  '[x](https://example.com/"onmouseover="alert(1))',
  '![x](javascript:alert(1))',
  '![x](https://example.invalid/p.png)',
  '<https://example.com/"onclick=alert(1)>',
  '<javascript:alert(1)>',
  '<style>*{display:none}</style>',
  '<base href="https://evil.example/">',
  '<form action="https://evil.example/"><button>Go</button></form>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<!--><script>alert(1)</script>-->',
  '<!-- --!><script>alert(1)</script>',
  '<math><mtext><script>alert(1)</script></mtext></math>',
  '```suggestion\n<script>alert(1)</script>\n```',
  '```"><script>alert(1)</script>\nx\n```',
  '| a | b |\n| :- | -: |\n| <script>alert(1)</script> | x |',
  '<sub onclick=alert(1)>x</sub>',
  '<kbd style="position:fixed">x</kbd>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
] as const;

/** Every tag that a page holds; an attribute's value cannot hold `<` or `>`, since both are written as entities. */
const tagsOf = (html: string): string[] => html.match(/<[^>]*>/g) ?? [];

const harmful = (html: string): string[] =>
  tagsOf(html).filter(
    (tag) =>
      (/^<\s*(script|iframe|img|svg|math|style|base|meta|object|embed|link)\b/i.test(tag) &&
        !OWN.includes(tag)) ||
      /\son\w+\s*=/i.test(tag.replace(/"[^"]*"/g, '""')) ||
      /\s(style|srcdoc|formaction)\s*=/i.test(tag.replace(/"[^"]*"/g, '""')) ||
      /(href|src|action)\s*=\s*"?\s*(javascript|data|vbscript):/i.test(tag) ||
      (/^<form\b/i.test(tag) && !/ action="\/[^/]/.test(tag)),
  );

const OWN: readonly string[] = [
  '<meta charset="utf-8" />',
  '<meta name="viewport" content="width=device-width, initial-scale=1" />',
  '<link rel="icon" href="/_pages/icon.svg" />',
  '<link rel="stylesheet" href="/_pages/page.css" />',
  '<script src="/_pages/page.js" defer>',
];

describe('what strangers wrote runs on no page', () => {
  let github: LocalGitHub;
  let repository: LocalRepository;
  let browser: Browser;
  const file = '<img src=x onerror=alert(1)>".ts';
  const branch = 'a"><script>alert(1)</script>';
  const everything = ATTACKS.join('\n\n');
  beforeAll(async () => {
    github = await startLocalGitHub();
    repository = await github.createRepository({
      owner: 'octo-org',
      name: 'shop',
      files: { [file]: 'one\n' },
    });
    repository.addCollaborator('octocat', 'write');
    await repository.commit({ branch, files: { [file]: `${everything}\n` }, message: everything });
    await repository.openPullRequest({
      head: branch,
      title: ATTACKS.slice(0, 4).join(' '),
      body: everything,
      author: 'octocat',
    });
    repository.as('octocat').label(1, '<script>alert(1)</script>');
    repository.as('octocat').comment(1, everything);
    const api = await apiOfApp(github);
    const { sha } = repository.pull(1).head;
    for (const [at, text] of ATTACKS.entries())
      expect(
        (
          await api('POST', '/repos/octo-org/shop/pulls/1/reviews', {
            commit_id: sha,
            event: 'COMMENT',
            body: text,
            comments: [{ path: file, line: at + 1, side: 'RIGHT', body: text }],
          })
        ).status,
      ).toBe(200);
    const [first] = repository.pull(1).threads;
    repository.as('octocat').reply(first?.id ?? '', everything);
    repository.as('octocat').resolve(first?.id ?? '');
    const run = await api('POST', '/repos/octo-org/shop/check-runs', {
      name: '<script>alert(1)</script>',
      head_sha: sha,
      status: 'completed',
      conclusion: 'failure',
      output: {
        title: '<script>alert(1)</script>',
        summary: everything,
        text: everything,
        annotations: [
          {
            path: file,
            start_line: 1,
            end_line: 1,
            annotation_level: 'failure',
            message: everything,
            title: '"><script>',
          },
        ],
      },
      actions: [{ label: '<script>', description: '"><script>alert(1)', identifier: '"><img src=x>' }],
    });
    expect(run.status).toBe(201);
    repository.offers.push({ label: '"><script>alert(1)</script>', branch, push: () => Promise.resolve() });
    repository.requiredChecks = ['<script>alert(2)</script>'];
    browser = createBrowser(github);
  });
  afterAll(() => github.close());

  test.each([
    ['the conversation', () => '/octo-org/shop/pull/1'],
    ['the files', () => '/octo-org/shop/pull/1/files'],
    ['the check', () => `/octo-org/shop/runs/${repository.pull(1).checks[0]?.id}`],
    ['the file', () => `/octo-org/shop/blob/${repository.pull(1).head.sha}/${encodeURIComponent(file)}`],
    ['the repository', () => '/octo-org/shop'],
    ['an address', () => '/octo-org/shop/blob/main/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
    ['a query', () => '/octo-org/shop/pull/1?%22%3E%3Cscript%3E'],
  ])('%s', async (_name, path) => {
    const { text } = await browser.get(path());
    expect(text).toContain('</html>');
    expect(harmful(text)).toEqual([]);
  });

  test('a link to a file of any name leads to it', async () => {
    const { text } = await browser.get('/octo-org/shop/pull/1/files');
    const [, href = ''] = /href="([^"]*)">View file/.exec(text) ?? [];
    const { status, text: shown } = await browser.get(href);
    expect([status, shown.includes('&#60;svg/onload=alert(1)&#62;')]).toEqual([200, true]);
  });

  test('every comment closes what it opens: the parts of the page stand beside each other', async () => {
    const { text } = await browser.get('/octo-org/shop/pull/1');
    expect(nesting(text)).toEqual([]);
    expect(nesting((await browser.get('/octo-org/shop/pull/1/files')).text)).toEqual([]);
  });
});

const VOID = new Set(['meta', 'link', 'br', 'hr', 'input', 'img', '!doctype']);

/** Tags that close nothing, or something else than was opened last. */
const nesting = (html: string): string[] => {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const tag of tagsOf(html)) {
    const [, slash, name = ''] = /^<(\/?)(!?\w+)/.exec(tag) ?? [];
    if (VOID.has(name.toLowerCase())) continue;
    if (slash === '') open.push(name);
    else if (open.at(-1) === name) open.pop();
    else wrong.push(`${tag} in <${open.at(-1) ?? ''}>`);
  }
  return [...wrong, ...open.map((name) => `<${name}> stays open`)];
};

describe('markdown', () => {
  test.each([
    [
      'a fold',
      '<details><summary>More</summary>\n\n**in**\n\n</details>',
      '<details><summary>More</summary>',
    ],
    ['a fold that is open', '<details open>\n\nx\n\n</details>', '<details open>'],
    ['a line break', 'a<br>b', 'a<br>b'],
    ['small letters', 'H<sub>2</sub>O', 'H<sub>2</sub>O'],
    ['a hidden comment', 'a <!-- b --> c', '<p>a  c</p>'],
    ['a comment without an end', '<!-- b', ''],
    ['a tag of code', 'is <Promo> shown', 'is &#60;Promo&#62; shown'],
    [
      'an entity in a fold',
      '<details><summary>a &lt; b & c</summary></details>',
      '<summary>a &lt; b &#38; c</summary>',
    ],
    ['a heading, under that of its comment', '# A', '<h4>A</h4>'],
    ['the lowest heading', '###### A', '<h6>A</h6>'],
    ['a table', '| a |\n| -: |\n| 1 |', '<td class="to-right">1</td>'],
    ['a link', '[a](https://example.com)', '<a href="https://example.com" rel="nofollow noopener">a</a>'],
    ['a link within the site', '[a](/octo-org/shop#L1)', '<a href="/octo-org/shop#L1"'],
    ['a picture', '![the *graph*](https://example.com/a.png)', '[image: the *graph*]'],
    ['a suggestion outside of a thread', '```suggestion\nx\n```', '<pre><code class="language-suggestion">x'],
  ])('shows %s', async (_name, text, shown) => {
    expect((await markdown(text, { under: 3 })).safe).toContain(shown);
  });

  test('a suggestion is a diff of the lines it replaces; an empty one removes them', async () => {
    const options = { under: 4, replaces: ['  a < b', '  c'] };
    const { safe } = await markdown('```suggestion\n  a <= b\n```', options);
    expect(safe.match(/<tr class="\w+">.*?<\/tr>/gs)?.map((row) => row.replace(/<[^>]*>/g, ''))).toEqual([
      '-  a &#60; b',
      '-  c',
      '+  a &#60;= b',
    ]);
    expect((await markdown('```suggestion\n```', options)).safe).not.toContain('class="add"');
  });

  test.each([
    ['a fold that is not closed', '<details>\n\nx', ['<details>', '<p>', '</p>', '</details>']],
    ['one that was not opened', 'x\n\n</details>\n\ny', ['<p>', '</p>', '<p>', '</p>']],
    [
      'one opened in a list',
      '- <details>\n\nx',
      ['<ul>', '<li>', '<details>', '</details>', '</li>', '</ul>', '<p>', '</p>'],
    ],
    ['crossed ones', 'a <b>b <i>c</b> d</i>', ['<p>', '<b>', '<i>', '</i>', '</b>', '</p>']],
  ])('closes %s', async (_name, text, tags) => {
    expect(tagsOf((await markdown(text, { under: 3 })).safe)).toEqual(tags);
  });

  test.each([
    ['tags', '<b>', 65_536, 100],
    ['folds', '<details>\n\n', 65_536, 100],
    ['tags that others close', '<b>x</i>', 65_536, 100],
    ['a few tags', '<b>', 150, 50],
  ])('no more than a hundred of %s stand open at once', async (_name, piece, length, most) => {
    const { safe } = await markdown(piece.repeat(Math.floor(length / piece.length)), { under: 3 });
    expect(safe.match(/<(b|details)>/g)).toHaveLength(most);
    expect(nesting(safe)).toEqual([]);
  });

  test('closes whatever it opens and harms nobody, whatever is written', async () => {
    const piece = fc.constantFrom(
      ...ATTACKS,
      '<details>',
      '</details>',
      '<summary>',
      '</summary>',
      '<b>',
      '</b>',
      '<!--',
      '-->',
      '- ',
      '> ',
      '1. ',
      '\n',
      '\n\n',
      '`',
      '```',
      '    ',
      'word',
      '<',
      '>',
      '"',
      '](',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 25 }), async (pieces) => {
        const { safe } = await markdown(pieces.join(''), { under: 3, replaces: ['x'] });
        expect([harmful(safe), nesting(safe)]).toEqual([[], []]);
      }),
      { seed: 7, numRuns: 1500 },
    );
  });
});
