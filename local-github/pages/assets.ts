import { readFile } from 'node:fs/promises';
import type { Reply } from '../http.js';

const TYPES: Readonly<Record<string, string>> = {
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** The style sheet, the script and the icon; null for any other name. */
export const showAsset = async (name: string): Promise<Reply | null> => {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) return null;
  return {
    status: 200,
    headers: {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
    },
    body: await readFile(new URL(`./assets/${name}`, import.meta.url)),
  };
};
