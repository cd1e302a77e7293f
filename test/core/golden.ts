import { readFileSync, writeFileSync } from 'node:fs';

/** Holds a text equal to a file of test/golden; `UPDATE_GOLDEN=1` writes the file anew. */
export function expectGolden(name: string, text: string): void {
  const file = new URL(`../golden/${name}`, import.meta.url);
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, whole);
  expect(whole).toBe(readFileSync(file, 'utf8'));
}
