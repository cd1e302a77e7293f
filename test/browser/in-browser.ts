import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findChromium, launchChromium, newVisitor } from './chromium.js';

/** A page of a visitor's own; everything that went wrong on it is kept until the test has ended. */
export type Open = (url: string, options?: BrowserContextOptions) => Promise<Page>;

/**
 * Tests in a real browser, one for all of them. Without one they are told as skipped; in CI that is a failure. After each
 * test nothing may have left loopback, and no script of a page may have failed.
 */
export function inBrowser(title: string, body: (open: Open) => void): void {
  const executable = findChromium();
  if (executable === null) {
    if (isCi(process.env))
      test(title, () => {
        throw new Error(`No browser is installed, and CI runs every test. ${mend}`);
      });
    else test.skip(`${title} (no browser is installed: ${mend})`, () => {});
    return;
  }
  describe(title, () => {
    let browser: Browser;
    const visits: {
      readonly strayed: readonly string[];
      readonly failed: readonly string[];
      end(): Promise<void>;
    }[] = [];
    beforeAll(async () => {
      browser = await launchChromium(executable);
    });
    afterAll(() => browser.close());
    afterEach(async () => {
      const over = visits.splice(0);
      await Promise.all(over.map((visit) => visit.end()));
      expect(over.flatMap(({ strayed, failed }) => [...strayed, ...failed])).toEqual([]);
    });
    body(async (url, options) => {
      const { context, strayed } = await newVisitor(browser, options);
      const failed: string[] = [];
      context.on('weberror', (error) => void failed.push(error.error().message));
      visits.push({ strayed, failed, end: () => context.close() });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(url);
      return page;
    });
  });
}

const mend = '`apt-get install chromium`, or name one by CHROMIUM_PATH';

const isCi = (env: Readonly<Record<string, string | undefined>>): boolean =>
  !['', '0', 'false'].includes((env['CI'] ?? '').trim().toLowerCase());
