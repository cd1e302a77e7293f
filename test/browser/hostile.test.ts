import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { startLocalGitHub, type LocalGitHub, type LocalRepository } from '../../local-github/index.js';
import { bug, plays, readAll, startWorld, submit } from '../world.js';
import { become, checksOf, says } from './demo-page.js';
import { inBrowser } from './in-browser.js';

/** Each would set `window.__hit` where it runs, or ask another host for something. */
const attacks = [
  '<script>window.__hit = 1</script>',
  '<img src=x onerror="window.__hit = 1">',
  '<svg onload="window.__hit = 1"><script>window.__hit = 1</script></svg>',
  '<iframe srcdoc="<script>parent.__hit = 1</script>"></iframe>',
  '<iframe src="javascript:parent.__hit = 1"></iframe>',
  '<a href="javascript:window.__hit = 1">press</a> [press](javascript:window.__hit=1) [press](JaVaScRiPt:window.__hit=1)',
  '[press](data:text/html,<script>opener.__hit=1</script>) <javascript:window.__hit=1>',
  '![x](https://pictures.invalid/a.png) <img src="https://pictures.invalid/b.png">',
  '<details ontoggle="window.__hit = 1" open><summary onclick="window.__hit = 1">open</summary>x</details>',
  '<form action="https://forms.invalid"><input autofocus onfocus="window.__hit = 1"><button>press</button></form>',
  '<style>@import "https://styles.invalid/a.css"; * { display: none }</style><link rel=stylesheet href=https://styles.invalid/b.css>',
  '<meta http-equiv="refresh" content="0; url=https://else.invalid"><base href="https://else.invalid/">',
  '<math><mtext></form><form><mglyph><style></math><img src onerror="window.__hit = 1">',
  '</textarea></details></article></main></body><script>window.__hit = 1</script>',
  '"><script>window.__hit = 1</script> \' onmouseover=window.__hit=1 "',
  '<p id="announce" data-part="x"><p id="content"><form id="location"><input name="body"></form>',
  '`<script>window.__hit = 1</script>` ```\n<script>window.__hit = 1</script>\n```',
  '{{constructor.constructor("window.__hit=1")()}} ${window.__hit=1} <!-- --!><script>window.__hit=1</script> -->',
].join('\n\n');

/** What a file may be called on most systems; no slash. */
const hostileName = 'a"><img src=x onerror=window.__hit=1>.ts';

inBrowser('nothing that strangers wrote runs', (open) => {
  const watch = async (
    url: string,
  ): Promise<{ readonly page: Page; readonly refused: () => Promise<unknown> }> => {
    const page = await open('about:blank');
    await page.addInitScript(`
      window.__refused = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        window.__refused.push(effectiveDirective + ' ' + blockedURI));`);
    page.on('dialog', (dialog) => void dialog.dismiss());
    await page.goto(url);
    return { page, refused: () => page.evaluate('window.__refused') };
  };

  /** Presses what could be pressed, opens what is folded. */
  const provoke = async (page: Page): Promise<void> => {
    await page.evaluate("document.querySelectorAll('main details').forEach((one) => (one.open = true))");
    for (const one of await page.getByText('press', { exact: true }).all())
      await one.click({ noWaitAfter: true, timeout: 2000 }).catch(() => undefined);
    await page.mouse.move(200, 200);
  };

  const expectNothing = async (
    { page, refused }: Awaited<ReturnType<typeof watch>>,
    where: string,
  ): Promise<void> => {
    const at = page.url();
    // It is there, as text.
    if (where !== 'nothing there') await says(page.getByRole('main'), '__hit');
    await provoke(page);
    expect({
      where,
      hit: await page.evaluate('window.__hit ?? null'),
      url: page.url(),
      // The text is made harmless before the policy would have to stop anything.
      refused: await refused(),
      tags: await page.evaluate(
        "[...document.querySelectorAll('main :is(script, img, svg, iframe, style, link, meta, base, math, object, embed), [onerror], [onload], [onclick], [ontoggle], [onfocus], [onmouseover], [href^=javascript i], [href^=data i]')].map((one) => one.outerHTML)",
      ),
      ids: await page.evaluate("document.querySelectorAll('#announce, #content').length"),
    }).toEqual({ where, hit: null, url: at, refused: [], tags: [], ids: 2 });
  };

  describe('in what people write', () => {
    let github: LocalGitHub;
    let repository: LocalRepository;
    beforeAll(async () => {
      github = await startLocalGitHub();
      repository = await github.createRepository({
        owner: 'octo-org',
        name: 'shop',
        files: { [hostileName]: 'one\n' },
      });
      repository.addCollaborator('octocat', 'write');
      await repository.commit({
        branch: 'feature"><script>window.__hit=1',
        from: 'main',
        files: {
          [hostileName]: `${attacks}\n`,
          'b.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>window.__hit=1</script></svg>',
        },
        message: attacks,
      });
      await repository.openPullRequest({
        head: 'feature"><script>window.__hit=1',
        title: attacks.slice(0, 250),
        body: attacks,
        author: 'octocat',
      });
      await repository.as('monalisa').review(1, {
        body: attacks,
        comments: [
          { path: hostileName, line: 1, body: `${attacks}\n\n\`\`\`suggestion\n${attacks}\n\`\`\`` },
        ],
      });
      repository.as('monalisa').comment(1, attacks);
      repository.as('monalisa').label(1, '<script>window.__hit=1</script>');
      repository.reportCheck(1, { name: '<img src=x onerror=window.__hit=1>', conclusion: 'failure' });
    });
    afterAll(() => github.close());

    test('on any page', async () => {
      const pull = repository.pull(1);
      const name = encodeURIComponent(hostileName);
      for (const [where, url] of Object.entries({
        conversation: pull.url,
        files: `${pull.url}/files`,
        repository: repository.url,
        check: `${repository.url}/runs/${pull.checks[0]?.id}`,
        file: `${repository.url}/blob/${pull.head.sha}/${name}`,
        'raw file': `${repository.url}/raw/${pull.head.sha}/b.svg`,
        'nothing there': `${repository.url}/pull/<script>window.__hit=1</script>`,
      })) {
        const visit = await watch(url);
        if (where === 'raw file')
          expect(await visit.page.evaluate('document.contentType')).toBe('text/plain');
        else await expectNothing(visit, where);
      }
    });

    test('nor when it arrives on an open page', async () => {
      const visit = await watch(repository.pull(1).url);
      repository.as('monalisa').reply(repository.pull(1).threads[0]?.id ?? '', `Late. ${attacks}`);
      await says(visit.page.getByRole('main'), 'Late.');
      await expectNothing(visit, 'live');
    });

    test('the policy is there all the same: an inline script is refused, and told', async () => {
      const { page, refused } = await watch(repository.pull(1).url);
      await page.evaluate(`
        const script = document.createElement('script');
        script.textContent = 'window.__hit = 1';
        document.body.append(script);
        const picture = document.createElement('img');
        picture.src = 'https://pictures.invalid/a.png';
        document.body.append(picture);`);
      await page.waitForFunction('window.__refused.length >= 2');
      expect(await refused()).toEqual(['script-src-elem inline', 'img-src https://pictures.invalid/a.png']);
      expect(await page.evaluate('window.__hit ?? null')).toBe(null);
    });

    test('a page of another origin can neither frame these nor press their buttons', async () => {
      const { url } = repository.pull(1);
      const before = repository.pull(1).comments.length;
      const elsewhere = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(`<!doctype html><title>Elsewhere</title><iframe title="theirs" src="${url}"></iframe>
          <form method="post" action="${url}/comment"><input name="body" value="from elsewhere"><button>Win</button></form>`);
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
      try {
        const page = await open(url);
        await become(page, 'monalisa');
        await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`);
        expect(await page.frameLocator('iframe').getByText('Conversation').count()).toBe(0);
        const pressed = page.waitForResponse((answer) => answer.request().method() === 'POST');
        await page.getByRole('button', { name: 'Win' }).click();
        expect((await pressed).status()).toBe(403);
        expect(repository.pull(1).comments).toHaveLength(before);
      } finally {
        elsewhere.closeAllConnections();
        await new Promise((resolve) => elsewhere.close(resolve));
      }
    });
  });

  test('in what a model writes', async () => {
    const world = await startWorld();
    try {
      const hostile = { ...bug, title: `a refund ${attacks.slice(0, 60)}`, body: `Look. ${attacks}` };
      const place = await world.open({
        gate: 'blocking',
        model: plays(({ step }) => (step === 0 ? readAll() : submit([hostile]))),
      });
      await place.settled();
      const visit = await watch(place.repository.pull(place.number).url);
      await says(checksOf(visit.page), '1 important to fix');
      await expectNothing(visit, 'a finding');
      const check = place.repository.pull(place.number).checks[0]?.id;
      await expectNothing(await watch(`${place.repository.url}/runs/${check}`), 'a check');
      await place.close();
    } finally {
      await world.close();
    }
  });
});
