import { canWrite } from '../auth.js';
import { latestRuns, mergeability, type Mergeability } from '../checks.js';
import { type CheckRun, fullName, type Pull, type Repository, type Review } from '../state.js';
import { address, markup, type Markup } from './frame.js';
import { markdown } from './markdown.js';
import { showPart } from './part.js';
import { nameOf } from './people.js';
import { hiddenFields, pullAddress, type PullPlace } from './place.js';

/** What holds the merge: reviews, checks with the required ones marked, conflicts; and whether it may be merged. */
export const showMergeBox = async (place: PullPlace): Promise<Markup> => {
  const { repository, pull } = place;
  const rows = checkRows(repository, pull);
  const merge = mergeability(repository, pull);
  const body = markup`<h2>Checks and merging</h2>
    ${showReviews(pull)}
    <div class="box">
      <h3>${headingOf(rows)}</h3>
      <ul class="plain checks">
        ${await Promise.all(rows.map((row) => showRow(repository, row)))}
      </ul>
    </div>
    <p class="merge ${pull.state === 'open' ? merge.kind : 'over'}">
      <strong>${standOf(merge, pull)}.</strong> ${whyOf(merge, repository, pull)}
    </p>
    ${merge.kind === 'mergeable' ? showMerge(place) : null}`;
  return showPart({ tag: 'section', id: 'merge-box', kind: 'merge-box', label: 'Checks and merging' }, body);
};

/** It carries the head that was read, so that no later push is merged unread. */
const showMerge = (place: PullPlace): Markup | null => {
  const { repository, pull, viewer } = place;
  if (viewer === null || !canWrite(repository, viewer.account)) return null;
  return markup`<form method="post" action="${pullAddress(place)}/merge" class="row">
    ${hiddenFields(place)}
    <input type="hidden" name="head" value="${pull.headSha}" />
    <button id="merge">Merge pull request</button>
  </form>`;
};

/** Why it may not be merged now, as a sentence; null when it may. */
export const heldBy = (repository: Repository, pull: Pull): string | null => {
  const merge = mergeability(repository, pull);
  return merge.kind === 'mergeable'
    ? null
    : [`${standOf(merge, pull)}.`, whyOf(merge, repository, pull)].join(' ').trim();
};

type Row =
  | { readonly kind: 'run'; readonly run: CheckRun; readonly required: boolean }
  | { readonly kind: 'missing'; readonly name: string };

/** The newest run of each name at the head, and the required ones that nobody has reported yet. */
const checkRows = (repository: Repository, pull: Pull): Row[] => {
  const required = repository.requiredChecks.map((one) =>
    typeof one === 'string' ? { name: one, app: null } : one,
  );
  const runs = latestRuns(repository.checkRuns.filter((run) => run.headSha === pull.headSha));
  const isFor = (run: CheckRun) => (one: { readonly name: string; readonly app: number | null }) =>
    one.name === run.name && (one.app === null || one.app === run.app.id);
  return [
    ...runs.map((run): Row => ({ kind: 'run', run, required: required.some(isFor(run)) })),
    ...required
      .filter((one) => !runs.some((run) => isFor(run)(one)))
      .map(({ name }): Row => ({ kind: 'missing', name })),
  ];
};

const FINE: ReadonlySet<string> = new Set(['success', 'neutral', 'skipped']);

const headingOf = (rows: readonly Row[]): string => {
  if (rows.length === 0) return 'No checks have been reported';
  const states = rows.map(stateOf);
  if (states.some((state) => state === 'running' || state === 'missing'))
    return 'Some checks are not done yet';
  return states.every((state) => FINE.has(state)) ? 'All checks have passed' : 'Some checks did not pass';
};

/** A conclusion, `running` until there is one, `missing` for what was not reported. */
const stateOf = (row: Row): string =>
  row.kind === 'missing'
    ? 'missing'
    : row.run.status === 'completed'
      ? (row.run.conclusion ?? 'missing')
      : 'running';

const WORDS: Readonly<Record<string, string>> = {
  success: 'Passed',
  failure: 'Failed',
  neutral: 'Neutral',
  cancelled: 'Cancelled',
  skipped: 'Skipped',
  timed_out: 'Timed out',
  action_required: 'Action required',
  running: 'In progress',
  missing: 'Expected, nothing reported yet',
};

/** A conclusion or a status in the words of the merge box. */
export const wordOf = (run: CheckRun): string =>
  run.status === 'completed'
    ? (WORDS[run.conclusion ?? ''] ?? 'Done')
    : run.status === 'queued'
      ? 'Queued'
      : 'In progress';

const showRow = async (repository: Repository, row: Row): Promise<Markup> => {
  const state = stateOf(row);
  if (row.kind === 'missing')
    return markup`<li class="check ${state}"><span class="state">${WORDS[state]}</span> <strong>${row.name}</strong> ${requiredPill}</li>`;
  const { run, required } = row;
  // While it runs the summary says what it does: the phase, what was spent.
  const now =
    run.status === 'completed'
      ? null
      : markup`<div class="text now">${await markdown(run.summary ?? '', { under: 3 })}</div>`;
  return markup`<li class="check ${state}">
    <span class="state">${wordOf(run)}</span>
    <a href="${address(fullName(repository), 'runs', run.id)}"><strong>${run.name}</strong></a>
    <span>${run.title}</span> ${required ? requiredPill : null}${now}
  </li>`;
};

const requiredPill = markup`<span class="pill">Required</span>`;

/** The last word of each reviewer. */
const showReviews = (pull: Pull): Markup | null => {
  const last = new Map<string, Review>();
  for (const review of pull.reviews)
    if (review.state === 'APPROVED' || review.state === 'CHANGES_REQUESTED')
      last.set(review.author.login, review);
    else if (review.state === 'DISMISSED') last.delete(review.author.login);
  if (last.size === 0) return null;
  return markup`<ul class="plain reviewers">
    ${[...last.values()].map(
      (review) =>
        markup`<li class="${review.state === 'APPROVED' ? 'success' : 'failure'}">${nameOf(review.author)} ${
          review.state === 'APPROVED' ? 'approved these changes' : 'requested changes'
        }</li>`,
    )}
  </ul>`;
};

const standOf = (merge: Mergeability, pull: Pull): string => {
  if (pull.state === 'closed') return pull.merged ? 'Merged' : 'Closed';
  return merge.kind === 'mergeable' ? 'Can be merged' : 'Merging is blocked';
};

/** Of one that is over there is no more to say. */
const whyOf = (merge: Mergeability, repository: Repository, pull: Pull): string => {
  if (pull.state === 'closed') return '';
  switch (merge.kind) {
    case 'mergeable':
      return repository.requiredChecks.length === 0
        ? 'No check is required, and there are no conflicts.'
        : 'Every required check has passed, and there are no conflicts.';
    case 'blocked':
      return `${merge.why.map(inWords).join(', ')}.`;
  }
};

/** A reason that ends in a conclusion or a status as GitHub's interface names it, for people. */
const inWords = (reason: string): string =>
  reason.replace(/: ([a-z_]+)$/, (_said, state: string) =>
    state === 'missing'
      ? ': nothing reported yet'
      : `: ${state.replaceAll('_', ' ').replace(/^failure$/, 'failed')}`,
  );

/** How it stands, in a line. */
export const summaryOf = (repository: Repository, pull: Pull): string => {
  const stand = standOf(mergeability(repository, pull), pull);
  return pull.state === 'closed' ? stand : `${headingOf(checkRows(repository, pull))}. ${stand}.`;
};

/** What a screen reader is told when the page changes: each check, and whether it can be merged. */
export const sayChecks = (repository: Repository, pull: Pull): string => {
  const said = checkRows(repository, pull).map((row) =>
    row.kind === 'missing'
      ? `${row.name}: ${WORDS.missing}`
      : `${row.run.name}: ${wordOf(row.run)}${row.run.title === null ? '' : `, ${row.run.title}`}`,
  );
  return [...said, standOf(mergeability(repository, pull), pull)].join('. ');
};
