/**
 * Serves one emitted function as Vercel's runtime would, in a process of its own, so that nothing but the bundle is at
 * hand. Prints its address, and `settled` after each piece of work that was handed to `waitUntil`.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = process.argv[2];
const config = JSON.parse(await readFile(join(folder, '.vc-config.json'), 'utf8'));
const waitUntil = (work) => void work.finally(() => process.stdout.write('settled\n'));
globalThis[Symbol.for('@vercel/request-context')] = { get: () => ({ waitUntil }) };

let listener = await import(pathToFileURL(join(folder, config.handler)).href);
for (let depth = 0; depth < 5 && listener.default; depth += 1) listener = listener.default;
const server = createServer(listener);
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/\n`));
