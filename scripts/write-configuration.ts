/** Writes docs/CONFIGURATION.md and docs/evident.schema.json anew from the code. */
import { writeFileSync } from 'node:fs';
import { configurationPage, settingsSchema } from './configuration/page.js';

writeFileSync(new URL('../docs/CONFIGURATION.md', import.meta.url), await configurationPage());
writeFileSync(new URL('../docs/evident.schema.json', import.meta.url), await settingsSchema());
