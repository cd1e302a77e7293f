/**
 * Where jobs run and where their turns are kept. `inline` runs them in this process; a queue or a database is one
 * file beside it and one line here. A journal may be lost at any time: the run is then paid again, never wrong.
 */
export { createInlineRunner, type InlineRunner, type JobEnd, type Timer } from './inline.js';
export { createFileJournal, createMemoryJournal } from './journal.js';
