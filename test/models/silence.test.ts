import { watchSilence } from '../../lib/models/anthropic/silence.js';

/** The whole process stands still. */
const freeze = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('silence is told once', async () => {
  let told = 0;
  await new Promise<void>((resolve) => {
    watchSilence(10, () => {
      told += 1;
      resolve();
    });
  });
  for (let turn = 0; turn < 20; turn += 1) await turnOfTheLoop();
  expect(told).toBe(1);
});

test('a process that stood still gets to read what came meanwhile', async () => {
  const order: string[] = [];
  const watch = watchSilence(100, () => void order.push('silence'));
  freeze(400);
  await turnOfTheLoop();
  order.push('read');
  watch.heard();
  watch.stop();
  expect(order).toEqual(['read']);
});

test('what is stopped tells nothing more', async () => {
  let told = false;
  const watch = watchSilence(10, () => void (told = true));
  watch.heard();
  watch.stop();
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(told).toBe(false);
});
