import type { Reply } from '../http.js';
import { entryAt, readBlob, resolveCommit } from '../objects.js';
import { Refusal } from '../refusal.js';
import type { Repository } from '../state.js';
import { markup, type Markup } from './frame.js';

const SHOWN_BYTES = 1024 * 1024;

const bytesOf = async (repository: Repository, ref: string, path: string): Promise<Buffer> => {
  const sha = await resolveCommit(repository.git, ref);
  const entry = sha === null || path === '' ? null : await entryAt(repository.git, sha, path);
  if (entry?.type !== 'blob') throw new Refusal(404, 'Not Found');
  return readBlob(repository.git, entry.sha);
};

/** A file at a commit, each line with the anchor that permalinks use (`#L12`). */
export const showFile = async (repository: Repository, ref: string, path: string): Promise<Markup> => {
  const bytes = await bytesOf(repository, ref, path);
  if (bytes.includes(0))
    return markup`<h1>${path}</h1>
      <p class="muted">A binary file of ${bytes.length} bytes.</p>`;
  const lines = bytes.subarray(0, SHOWN_BYTES).toString('utf8').replace(/\n$/, '').split('\n');
  return markup`<h1>${path}</h1>
    <p class="muted">at ${ref}</p>
    <table class="code">
      ${lines.map(
        (line, at) =>
          markup`<tr id="L${at + 1}"><td class="n"><a href="#L${at + 1}">${at + 1}</a></td><td>${line}</td></tr>`,
      )}
    </table>
    ${bytes.length > SHOWN_BYTES ? markup`<p class="muted">Cut after 1 MB.</p>` : null}`;
};

export const showRaw = async (repository: Repository, ref: string, path: string): Promise<Reply> => ({
  status: 200,
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
  },
  body: await bytesOf(repository, ref, path),
});
