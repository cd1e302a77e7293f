import { createHash } from 'node:crypto';
import type { ChangedFile, Row } from '../diff.js';
import { changeOf } from '../pulls.js';
import { fullName, type Thread } from '../state.js';
import { address, markup, type Markup } from './frame.js';
import { showPart } from './part.js';
import type { PullPlace } from './place.js';
import { showHead } from './pull.js';
import { showThread } from './thread.js';

/** The merge-base diff, file by file, each thread under its line; threads without a line in it stand under the file. */
export const showFiles = async (place: PullPlace): Promise<Markup> => {
  const change = await changeOf(place.call.world, place.repository, place.pull);
  const said = place.pull.threads.filter((thread) => thread.comments[0]?.review.state !== 'PENDING');
  const left = new Set(said.slice(0, MOST_THREADS));
  const files: Markup[] = [];
  let rows = 0;
  for (const file of change.files) {
    const threads = [...left].filter((thread) => thread.path === file.path);
    for (const thread of threads) left.delete(thread);
    rows += file.additions + file.deletions;
    files.push(await showFile(place, file, threads, rows > MOST_ROWS));
  }
  const rest = await Promise.all([...left].map((thread) => showThread(place, thread)));
  return markup`${showHead(place)}
    <div id="files">
      ${files}
      ${
        rest.length === 0
          ? null
          : showPart(
              { tag: 'section', id: 'gone', kind: 'file', label: 'No longer in the diff' },
              markup`<h2>No longer in the diff</h2>${rest}`,
            )
      }
      ${
        said.length > MOST_THREADS
          ? markup`<p class="muted">
              The first ${MOST_THREADS} of ${said.length} conversations are shown here, all of them under Conversation.
            </p>`
          : null
      }
    </div>`;
};

const MOST_THREADS = 300;

/** Past these, files show their conversations without their lines: a browser would not get up again. */
const MOST_ROWS = 6000;

const showFile = async (
  place: PullPlace,
  file: ChangedFile,
  threads: readonly Thread[],
  isLong: boolean,
): Promise<Markup> => {
  const name = markup`${file.oldPath === file.path ? null : markup`<bdi>${file.oldPath}</bdi> to `}<bdi>${file.path}</bdi>`;
  const id = `diff-${createHash('sha256').update(file.path).digest('hex')}`;
  const shown = new Set<Thread>();
  const rows: Markup[] = [];
  if (!isLong)
    for (const hunk of file.hunks) {
      rows.push(markup`<tr class="hunk"><td colspan="4">${hunk.header}</td></tr>`);
      for (const row of hunk.rows) {
        rows.push(showRow(row));
        const here = threads.filter((thread) => standsOn(thread, row));
        for (const thread of here) shown.add(thread);
        if (here.length > 0)
          rows.push(
            markup`<tr class="said"><td colspan="4">${await Promise.all(
              here.map((thread) => showThread(place, thread)),
            )}</td></tr>`,
          );
      }
    }
  const apart = await Promise.all(
    threads.filter((thread) => !shown.has(thread)).map((thread) => showThread(place, thread)),
  );
  const view =
    file.status === 'removed'
      ? null
      : markup`<a href="${address(fullName(place.repository), 'blob', place.pull.headSha, file.path)}">View file</a>`;
  const body = markup`<h2 class="bar">${name}</h2>
    <p class="muted">${file.status}, ${file.additions} added, ${file.deletions} removed. ${view}</p>
    ${rows.length === 0 ? markup`<p class="muted">${whyEmpty(file, isLong)}</p>` : showTable(rows)}${apart}`;
  return showPart({ tag: 'section', id, kind: 'file', label: file.path }, body);
};

const showTable = (rows: readonly Markup[]): Markup =>
  markup`<table class="code diff">
    <thead class="unseen">
      <tr>
        <th scope="col">Line before</th>
        <th scope="col">Line after</th>
        <th scope="col">Change</th>
        <th scope="col">Code</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;

const showRow = (row: Row): Markup =>
  markup`<tr class="${row.sign === '+' ? 'add' : row.sign === '-' ? 'del' : ''}"><td class="n">${row.old}</td><td class="n">${row.new}</td><td class="sign">${row.sign}</td><td>${row.text}</td></tr>`;

const standsOn = (thread: Thread, row: Row): boolean =>
  !thread.outdated &&
  thread.line !== null &&
  (thread.side === 'LEFT' ? row.sign === '-' && row.old === thread.line : row.new === thread.line);

const whyEmpty = (file: ChangedFile, isLong: boolean): string => {
  if (file.binary) return 'A binary file.';
  if (file.submodule) return 'A submodule.';
  if (isLong && file.additions + file.deletions > 0)
    return 'Not shown: this pull request changes too many lines for one page.';
  return file.additions + file.deletions > 0 ? 'Too large to be shown.' : 'No changed lines.';
};
