/**
 * The browser of the tests and of the pictures: one that the machine has, never one that is downloaded. It reaches
 * loopback and nothing else, however a page asks.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** Starts it without a screen. */
export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      // Chromium refuses root its sandbox; what it opens here is our own.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-dev-shm-usage',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  });

/** What a page asked of another host; nothing of it was sent. */
export type Strayed = readonly string[];

/** A visitor with cookies of its own. */
export async function newVisitor(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ readonly context: BrowserContext; readonly strayed: Strayed }> {
  const strayed: string[] = [];
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  await context.route(
    ({ protocol, hostname }) => protocol !== 'data:' && !isLoopback(hostname),
    (route) => {
      strayed.push(route.request().url());
      return route.abort('blockedbyclient');
    },
  );
  return { context, strayed };
}

const isLoopback = (hostname: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);

/**
 * `CHROMIUM_PATH`, else one of the usual names, else the one that Playwright has installed for somebody; null where there
 * is none.
 * @throws Error when `CHROMIUM_PATH` names nothing.
 */
export function findChromium(env: Readonly<Record<string, string | undefined>> = process.env): string | null {
  const told = (env['CHROMIUM_PATH'] ?? '').trim();
  if (told !== '' && !existsSync(told))
    throw new Error(
      `CHROMIUM_PATH is "${told}", and there is nothing. Name the browser's program, or unset it.`,
    );
  if (told !== '') return told;
  const folders = ['/usr/bin', ...(env['PATH'] ?? '').split(delimiter)].filter((folder) => folder !== '');
  const usual = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return (
    [...usual, ...places, chromium.executablePath()].find((path) => path !== '' && existsSync(path)) ?? null
  );
}

const names = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser'];

const places = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
