import type { BrowserContext } from 'playwright-core';
import { reportPage } from '../cli/report/page.js';
import { plantedReport } from '../test/core/report/planted-history.js';

/** The top of the report of the planted history. */
export async function takeReport(context: BrowserContext, folder: string): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize({ width: 880, height: 1000 });
  await page.setContent(reportPage(plantedReport()));
  await page.screenshot({ path: `${folder}report.png`, animations: 'disabled' });
  process.stdout.write('docs/img/report.png\n');
}
