/** Writes docs/CHECKS.md anew from lib/core/check.ts. */
import { writeFileSync } from 'node:fs';
import { checksPage } from './checks-page.js';

writeFileSync(new URL('../docs/CHECKS.md', import.meta.url), checksPage());
