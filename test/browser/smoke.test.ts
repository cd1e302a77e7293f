import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, launchChromium, newVisitor } from './chromium.js';
import { inBrowser } from './in-browser.js';

/** What the other tests rely on, so that a new playwright-core or Chromium that does not fit the other is named as that. */
inBrowser('the pair of playwright-core and the installed Chromium', (open) => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const policy = request.url === '/strict' ? { 'content-security-policy': "default-src 'none'" } : {};
      response.writeHead(200, { 'content-type': 'text/html', ...policy });
      response.end(page);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const page = `<!doctype html><html lang="en"><title>Smoke</title><h1>A page</h1>
    <label>Name <input></label><button>Press</button>
    <script>document.querySelector('button').onclick = (event) => { event.target.textContent = 'Pressed'; window.ran = true; }</script>`;

  test('a page opens, is found by role, and its script runs', async () => {
    const shown = await open(url);
    await shown.getByLabel('Name').fill('octocat');
    await shown.getByRole('button').click();
    expect(await shown.getByRole('button').textContent()).toBe('Pressed');
    expect(await shown.evaluate('window.ran')).toBe(true);
  });

  test('a strict policy and a visitor without scripts both keep it from running', async () => {
    for (const [path, options] of [
      ['/strict', {}],
      ['/', { javaScriptEnabled: false }],
    ] as const) {
      const shown = await open(`${url}${path}`, options);
      await shown.getByRole('button').click();
      expect(await shown.getByRole('button').textContent()).toBe('Press');
    }
  });

  test('what would leave loopback is stopped, and told', async () => {
    const browser = await launchChromium(findChromium() ?? '');
    try {
      const { context, strayed } = await newVisitor(browser);
      const shown = await context.newPage();
      await shown.goto(url);
      const ask = (to: string) =>
        shown.evaluate(
          `fetch(${JSON.stringify(to)}, { mode: 'no-cors' }).then(() => 'sent', () => 'stopped')`,
        );
      expect(await ask('https://pictures.invalid/a.png')).toBe('stopped');
      expect(await ask('http://192.0.2.1/')).toBe('stopped');
      expect(await ask('/')).toBe('sent');
      expect(strayed).toEqual(['https://pictures.invalid/a.png', 'http://192.0.2.1/']);
    } finally {
      await browser.close();
    }
  });
});

describe('finding a browser', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'browsers '))));
  afterEach(() => rmSync(folder, { recursive: true }));

  test('the one that is named comes before all others', () => {
    const mine = join(folder, 'mine');
    writeFileSync(mine, '');
    expect(findChromium({ CHROMIUM_PATH: mine, PATH: '' })).toBe(mine);
  });

  test('a name that leads nowhere is an error, not another browser', () => {
    expect(() => findChromium({ CHROMIUM_PATH: join(folder, 'none') })).toThrow(
      /^CHROMIUM_PATH is ".*none", and there is nothing\. Name the browser's program, or unset it\.$/,
    );
  });
});
