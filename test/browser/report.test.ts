import axe from 'axe-core';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { reportPage } from '../../cli/report/page.js';
import type { PastPull } from '../../lib/core/past-pull.js';
import { bot, history } from '../core/report/history.js';
import { plantedHistory, plantedReport } from '../core/report/planted-history.js';
import { inBrowser } from './in-browser.js';

const made = (pulls?: readonly PastPull[]): string => reportPage(plantedReport(pulls));

/** One word that no line can hold. */
const long = 'a-very-long-name-of-something'.repeat(20);

inBrowser('the page of a report', (open) => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    const pages: Readonly<Record<string, string>> = {
      '/planted': made(),
      '/long': made([
        ...plantedHistory(),
        history(99)
          .push()
          .thread({ by: bot(long) })
          .pass({ items: [{ id: 'F1', rule: long.slice(0, 80), state: 'open' }], model: long.slice(0, 200) })
          .merged(),
      ]),
      '/none': made([]),
    };
    server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(pages[request.url ?? ''] ?? '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const phone = { viewport: { width: 320, height: 640 } };

  test.each(['/planted', '/long', '/none'])('%s fits a phone', async (path) => {
    const page = await open(`${url}${path}`, { ...phone, javaScriptEnabled: true });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });

  test.each([
    ['light', '/planted'],
    ['dark', '/planted'],
    ['dark', '/none'],
  ] as const)('in %s, axe has nothing to say about %s', async (colorScheme, path) => {
    const page = await open(`${url}${path}`, { ...phone, colorScheme });
    await page.evaluate(axe.source);
    const { violations, passes } = await page.evaluate<axe.AxeResults>('axe.run()');
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(passes.map(({ id }) => id)).toContain('color-contrast');
  });

  test('without scripts all is there: figures, charts by name, tables, and links that lead to them', async () => {
    const page = await open(`${url}/planted`, { ...phone, javaScriptEnabled: false });
    expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toHaveLength(12);
    const chart = page.getByRole('img', { name: 'Late findings by class' });
    expect(await chart.isVisible()).toBe(true);
    expect(await chart.locator('desc').textContent()).toBe(
      'security: 25% (1). logic: 3% (1). quality: 0% (0).',
    );
    expect(
      await page.getByRole('table', { name: 'Late findings by class' }).getByRole('row').allTextContents(),
    ).toEqual(['WhichValue', 'security25% (1 of 4)', 'logic3% (1 of 30)', 'quality0% (0 of 10)']);
    await page.getByRole('table').first().getByRole('link', { name: 'Late findings' }).click();
    expect(page.url()).toBe(`${url}/planted#late`);
  });

  test('the policy lets the style in, and colours follow the reader', async () => {
    const shown = async (colorScheme: 'light' | 'dark') => {
      const page = await open(`${url}/planted`, { colorScheme });
      const refused: string[] = [];
      page.on('console', (message) => void refused.push(message.text()));
      await page.reload();
      return {
        refused,
        bars: await fills(page),
        back: await page.evaluate('getComputedStyle(document.body).backgroundColor'),
      };
    };
    const [light, dark] = [await shown('light'), await shown('dark')];
    expect([light.refused, dark.refused]).toEqual([[], []]);
    expect(light.back).toBe('rgb(255, 255, 255)');
    expect(dark.back).toBe('rgb(20, 24, 29)');
    expect(light.bars).toEqual(expect.arrayContaining(['rgb(31, 111, 67)', 'rgb(179, 89, 0)']));
    expect(dark.bars).toEqual(expect.arrayContaining(['rgb(87, 185, 131)', 'rgb(224, 149, 74)']));
  });
});

/** Of the bars of the first chart. */
const fills = (page: Page): Promise<unknown> =>
  page.evaluate(
    "[...new Set([...document.querySelector('svg').querySelectorAll('path')].map((path) => getComputedStyle(path).fill))]",
  );
