/** Writes docs/github-facts.md anew from local-github/facts.ts. */
import { writeFileSync } from 'node:fs';
import { factsPage } from './probe/facts-page.js';

writeFileSync(new URL('../docs/github-facts.md', import.meta.url), factsPage());
