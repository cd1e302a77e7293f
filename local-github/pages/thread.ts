import { canWrite } from '../auth.js';
import type { ReviewComment, Thread } from '../state.js';
import { markup, type Markup } from './frame.js';
import { markdown } from './markdown.js';
import { nameOf, showEdited, showReactions, showTime } from './people.js';
import { hiddenFields, pullAddress, type PullPlace } from './place.js';
import { showPart } from './part.js';

/** A conversation on lines: the code, what was said, a reply, resolve. Resolved ones are folded. */
export const showThread = async (place: PullPlace, thread: Thread): Promise<Markup> => {
  const [first] = thread.comments;
  if (first === undefined) return markup``;
  const replaces = replacedLines(thread);
  const comments = await Promise.all(thread.comments.map((comment) => showComment(comment, replaces)));
  const lines = linesOf(thread);
  const where = markup`<bdi>${thread.path}</bdi>${lines}`;
  const inside = markup`${place.tab === 'files' ? null : showHunk(thread)}
    ${comments}
    ${place.viewer === null ? null : showForms(place, thread, first.id)}`;
  const heading: Markup = { safe: place.tab === 'files' ? 'h3' : 'h4' };
  const marks = thread.outdated ? markup` <span class="pill">Outdated</span>` : null;
  const body =
    thread.resolvedBy === null
      ? markup`<${heading} class="bar">${where}${marks}</${heading}>${inside}`
      : markup`<details>
          <summary>
            <${heading}>${where}${marks} <span class="pill done">Resolved</span></${heading}>
            <span class="muted">by ${nameOf(thread.resolvedBy)}, ${said(thread)}</span>
          </summary>
          ${inside}
        </details>`;
  return showPart(
    { tag: 'div', id: `thread-${first.id}`, kind: 'thread', label: `Conversation on ${thread.path}${lines}` },
    body,
  );
};

const said = ({ comments }: Thread): string =>
  comments.length === 1 ? '1 comment' : `${comments.length} comments`;

/** `, line 12`, after the path. */
const linesOf = (thread: Thread): string => {
  const end = thread.line ?? thread.originalLine;
  if (thread.subject === 'file' || end === null) return '';
  const start = thread.line === null ? thread.originalStartLine : thread.startLine;
  const lines = start === null ? `line ${end}` : `lines ${start} to ${end}`;
  return `, ${lines}${thread.side === 'LEFT' ? ' before the change' : ''}`;
};

const HUNK_ROWS = 6;

/** The end of the hunk: the lines the conversation is about and a few before them. */
const showHunk = (thread: Thread): Markup | null => {
  if (thread.diffHunk === '') return null;
  const spoken = (thread.originalLine ?? 0) - (thread.originalStartLine ?? thread.originalLine ?? 0) + 1;
  const rows = thread.diffHunk
    .split('\n')
    .slice(1)
    .slice(-Math.max(HUNK_ROWS, Math.min(spoken, 60)));
  return markup`<table class="code">
    <caption class="unseen">The lines it stands on</caption>
    <tbody>
      ${rows.map(
        (row) =>
          markup`<tr class="${kindOf(row)}"><td class="sign">${row.slice(0, 1)}</td><td>${row.slice(1)}</td></tr>`,
      )}
    </tbody>
  </table>`;
};

const kindOf = (row: string): string => (row.startsWith('+') ? 'add' : row.startsWith('-') ? 'del' : '');

/** The lines that a suggestion would replace, as they were when the conversation began. */
const replacedLines = (thread: Thread): readonly string[] | null => {
  if (thread.side === 'LEFT' || thread.originalLine === null) return null;
  const count = thread.originalLine - (thread.originalStartLine ?? thread.originalLine) + 1;
  const rows = thread.diffHunk.split('\n').slice(1);
  return rows
    .filter((row) => row.startsWith('+') || row.startsWith(' '))
    .slice(-count)
    .map((row) => row.slice(1));
};

const showComment = async (comment: ReviewComment, replaces: readonly string[] | null): Promise<Markup> => {
  const body = markup`<div class="text" dir="auto">${await markdown(comment.body, { under: 4, replaces })}</div>
    ${showReactions(comment.reactions)}`;
  return markup`<article class="comment" id="discussion_r${comment.id}" aria-label="${nameOf(comment.author)}">
    <p class="by">
      <strong>${nameOf(comment.author)}</strong>
      <a href="#discussion_r${comment.id}">${showTime(comment.createdAt)}</a>
      ${showEdited(comment)}
    </p>
    ${comment.minimized === null ? body : hidden(comment.minimized, body)}
  </article>`;
};

const hidden = (why: string, body: Markup): Markup =>
  markup`<details><summary>Hidden: ${why}</summary>${body}</details>`;

const showForms = (place: PullPlace, thread: Thread, id: number): Markup => {
  const url = pullAddress(place);
  const account = place.viewer?.account;
  const maySettle =
    account !== undefined && (account === place.pull.author || canWrite(place.repository, account));
  const resolved = thread.resolvedBy !== null;
  // Its form cannot stand inside of the other one; the button can.
  const settle = markup`<button
    id="resolve-${id}"
    form="settle-${id}"
    name="resolved"
    value="${resolved ? 'no' : 'yes'}"
  >
    ${resolved ? 'Unresolve conversation' : 'Resolve conversation'}
  </button>`;
  return markup`<div class="forms">
    <form method="post" action="${url}/reply">
      ${hiddenFields(place)}<input type="hidden" name="thread" value="${id}" />
      <label for="reply-${id}">Reply as ${account?.login}</label>
      <textarea id="reply-${id}" name="body" rows="2" dir="auto" required maxlength="65536"></textarea>
      <div class="row">
        <button id="reply-${id}-send">Reply</button>
        ${maySettle ? settle : null}
      </div>
    </form>
    ${
      maySettle
        ? markup`<form id="settle-${id}" class="settle" method="post" action="${url}/resolve">
            ${hiddenFields(place)}<input type="hidden" name="thread" value="${id}" />
          </form>`
        : null
    }
  </div>`;
};
