import { canWrite } from '../auth.js';
import { type CheckRun, fullName, type Pull, type Repository } from '../state.js';
import { address, markup, type Markup } from './frame.js';
import { markdown } from './markdown.js';
import { wordOf } from './merge-box.js';
import { showPart } from './part.js';
import type { Viewer } from './viewer.js';

/** The pull request that a check run is about: the first one that has had that head. */
export const pullOfRun = (repository: Repository, run: CheckRun): Pull | null =>
  [...repository.pulls.values()].find(({ heads }) => heads.includes(run.headSha)) ?? null;

/** A check run with all that it says, its annotations, and the buttons its app put on it. */
export const showCheck = async (
  repository: Repository,
  run: CheckRun,
  viewer: Viewer | null,
): Promise<Markup> => {
  const pulls = [...repository.pulls.values()].filter((pull) => pull.heads.includes(run.headSha));
  const body = markup`<h1>${run.name} <span class="pill ${run.conclusion ?? 'running'}">${wordOf(run)}</span></h1>
    <p class="muted">
      ${fullName(repository)} at <code>${run.headSha.slice(0, 7)}</code>, by ${run.app.slug}.
      ${pulls.map(
        (pull) =>
          markup`<a href="${address(fullName(repository), 'pull', pull.number)}">${pull.title} #${pull.number}</a> `,
      )}
    </p>
    <h2>${run.title ?? 'No title'}</h2>
    <div class="text">${await markdown(run.summary ?? '', { under: 2 })}</div>
    <div class="text">${await markdown(run.text ?? '', { under: 2 })}</div>
    ${showAnnotations(repository, run)}`;
  return markup`<div id="run">${showPart({ tag: 'section', id: 'check', kind: 'check-run', label: run.name }, body)}</div>
    ${viewer === null ? null : showButtons(repository, run, viewer)}`;
};

const showAnnotations = (repository: Repository, run: CheckRun): Markup | null =>
  run.annotations.length === 0
    ? null
    : markup`<h2>Annotations</h2>
        <ul class="plain">
          ${run.annotations.map(
            (one) =>
              markup`<li>
                <strong>${one.annotation_level}</strong>
                <a href="${address(fullName(repository), 'blob', run.headSha, one.path)}#L${one.start_line}"
                  >${one.path}:${one.start_line}</a
                >
                ${one.title} <span class="words">${one.message}</span>
              </li>`,
          )}
        </ul>`;

const showButtons = (repository: Repository, run: CheckRun, viewer: Viewer): Markup | null => {
  if (run.status !== 'completed' || !canWrite(repository, viewer.account)) return null;
  const url = address(fullName(repository), 'runs', run.id);
  const as = markup`<input type="hidden" name="as" value="${viewer.account.login}" />`;
  return markup`<section aria-label="Act on this check" class="row">
    <form method="post" action="${url}/rerequest">${as}<button>Re-run</button></form>
    ${run.actions.map(
      (action) =>
        markup`<form method="post" action="${url}/action">
          ${as}
          <button name="identifier" value="${action.identifier}" title="${action.description}">${action.label}</button>
        </form>`,
    )}
  </section>`;
};
