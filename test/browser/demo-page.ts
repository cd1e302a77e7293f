import type { Locator, Page } from 'playwright-core';
import { offerPushes, preparePage } from '../../cli/demo-guide.js';
import { playDemo, type Played } from '../../cli/play-demo.js';
import { silentLog } from '../../lib/ports/log.js';
import { demoStory } from '../../local-github/demo-story.js';

/** The demo as `npm run demo` shows it: a required check, three people, pushes that the page offers. */
export const playDemoPage = (): Promise<Played> =>
  playDemo({
    story: demoStory,
    environment: { EVIDENT_GATE: 'blocking' },
    log: silentLog,
    onOpened: ({ repository }) => {
      preparePage(repository, 'story');
      offerPushes(repository, demoStory);
    },
  });

/** A conversation on lines, by a part of its place: `Promo.tsx, line 18`. */
export const threadAt = (page: Page, place: string): Locator =>
  page.getByRole('group', { name: `Conversation on ${place}` });

export const checksOf = (page: Page): Locator => page.getByRole('region', { name: 'Checks and merging' });

/** Replies as whoever the page says one is. */
export async function reply(thread: Locator, words: string): Promise<void> {
  await thread.getByRole('textbox').fill(words);
  await thread.getByRole('button', { name: 'Reply', exact: true }).click();
}

export async function become(page: Page, login: string): Promise<void> {
  await page.getByLabel('You are', { exact: true }).selectOption(login);
  await page.getByRole('button', { name: 'Switch' }).click();
  await page.getByLabel(`Comment as ${login}`).waitFor();
}

/** Waits until an element shows this; a string however its lines are broken. */
export const says = (where: Locator, words: string | RegExp): Promise<void> =>
  where.filter({ hasText: words }).first().waitFor();
