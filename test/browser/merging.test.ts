import { bug, plays, readAll, startWorld, submit, type World } from '../world.js';
import { become, checksOf, says } from './demo-page.js';
import { inBrowser } from './in-browser.js';

inBrowser('the merge box', (open) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  test('holds an agent’s change until two clean reviews have read it, and follows them while they run', async () => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const model = plays(async ({ pass, step }) => {
      if (step === 0) return readAll();
      // The second one ends when the page has been looked at.
      if (pass === 2) await held;
      return submit();
    });
    const place = await world.open({ gate: 'blocking', model, pull: { head: 'agent/refunds' } });
    try {
      const page = await open(place.repository.pull(place.number).url);
      await says(checksOf(page), 'In progress Evident');
      await says(checksOf(page), 'Clean once');
      await says(checksOf(page), 'Merging is blocked.');
      goOn();
      await says(checksOf(page), 'Passed Evident Nothing open, two clean reviews');
      await says(checksOf(page), 'Can be merged.');
      await says(page.getByRole('status'), 'Can be merged');
    } finally {
      goOn();
      await place.settled();
      await place.close();
    }
  });

  test('a decision by somebody entitled lets a change with findings through, under their name', async () => {
    const model = plays(({ step }) => (step === 0 ? readAll() : submit([bug])));
    const place = await world.open({
      gate: 'blocking',
      model,
      before: (repository) => repository.addCollaborator('monalisa', 'maintain'),
    });
    try {
      const page = await open(place.repository.pull(place.number).url);
      await says(checksOf(page), '1 important to fix');
      await says(checksOf(page), 'Merging is blocked.');
      await become(page, 'monalisa');
      await page.getByLabel('Comment as monalisa').fill('/evident override a hotfix, see the incident');
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await says(checksOf(page), /Passed[^]*Passed by monalisa/);
      await says(checksOf(page), 'Can be merged.');
      await page.getByRole('button', { name: 'Merge pull request' }).click();
      await says(checksOf(page), 'Merged.');
      expect(place.repository.pull(place.number).merged).toBe(true);
    } finally {
      await place.settled();
      await place.close();
    }
  });
});
