/**
 * Takes the pictures of the README and the docs from the real pages of the demo: node --import tsx scripts/take-screenshots.ts
 * Needs a Chromium (see test/browser/chromium.ts). Times and commits in them are those of the run.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { findChromium, launchChromium, newVisitor } from '../test/browser/chromium.js';
import { checksOf, playDemoPage, says, threadAt } from '../test/browser/demo-page.js';
import { takeReport } from './report-picture.js';

const folder = fileURLToPath(new URL('../docs/img/', import.meta.url));

async function takeScreenshots(): Promise<void> {
  const executable = findChromium();
  if (executable === null)
    throw new Error('No browser is installed: `apt-get install chromium`, or name one by CHROMIUM_PATH.');
  await mkdir(folder, { recursive: true });
  const played = await playDemoPage();
  const browser = await launchChromium(executable);
  try {
    const { context } = await newVisitor(browser, {
      colorScheme: 'light',
      viewport: { width: 980, height: 1000 },
      deviceScaleFactor: 1.5,
    });
    const page = await context.newPage();
    await page.goto(played.url);

    const thread = threadAt(page, 'src/widgets/Promo.tsx, line 18');
    await thread.getByRole('textbox').fill('no');
    await thread.getByRole('button', { name: 'Reply', exact: true }).click();
    await says(thread, 'So this is a finding now');
    await says(checksOf(page), '4 important to fix');
    // The question as it was asked, what each answer would do, the answer, and what it became, in one picture.
    await thread.locator('details > summary').first().click();
    await takeOf(page, thread, 'question.png');

    await page.setViewportSize({ width: 700, height: 1000 });
    await takeOf(page, checksOf(page), 'check.png');
    await takeReport(context, folder);
  } finally {
    await browser.close();
    await played.close();
  }
}

/** Nothing is focused or pointed at, and the form below is left out. */
async function takeOf(page: Page, what: Locator, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await page.evaluate(
    "document.activeElement?.blur(); document.querySelectorAll('.forms').forEach((form) => form.remove())",
  );
  await what.screenshot({ path: `${folder}${name}`, animations: 'disabled' });
  process.stdout.write(`docs/img/${name}\n`);
}

await takeScreenshots();
