/** Writes docs/AUTHORITY.md anew from lib/core/authority.ts. */
import { writeFileSync } from 'node:fs';
import { authorityPage } from './authority-page.js';

writeFileSync(new URL('../docs/AUTHORITY.md', import.meta.url), authorityPage());
