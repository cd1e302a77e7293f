import { latestRuns, mergeability } from '../checks.js';
import type { ChangedFile } from '../diff.js';
import { changeOf } from '../pulls.js';
import {
  type Account,
  type CheckRun,
  commentsOf,
  fullName,
  type IssueComment,
  type Pull,
  type Reaction,
  type Repository,
  type Review,
  type Thread,
  type World,
} from '../state.js';
import { markup, type Markup } from './frame.js';
import { markdown } from './markdown.js';

export const showRepositories = (world: World): Markup =>
  markup`<h1>Local GitHub</h1>
    <ul>
      ${[...world.repositories.values()].map(
        (repository) => markup`<li><a href="/${fullName(repository)}">${fullName(repository)}</a></li>`,
      )}
    </ul>`;

export const showRepository = (_world: World, repository: Repository): Markup =>
  markup`<h1>${fullName(repository)}</h1>
    <h2>Pull requests</h2>
    <ul>
      ${[...repository.pulls.values()].map(
        (pull) =>
          markup`<li>
            <a href="/${fullName(repository)}/pull/${pull.number}">${pull.title} #${pull.number}</a>
            <span class="state">${stateOf(pull)}</span>
          </li>`,
      )}
    </ul>`;

const stateOf = (pull: Pull): string =>
  pull.merged ? 'merged' : pull.state === 'closed' ? 'closed' : pull.draft ? 'draft' : 'open';

/** The conversation as it stands: description, reviews with their threads, comments, checks, whether it may merge. */
export const showPull = async (_world: World, repository: Repository, pull: Pull): Promise<Markup> => {
  const url = `/${fullName(repository)}/pull/${pull.number}`;
  const spoken = [
    ...pull.reviews.filter((review) => review.state !== 'PENDING' && !isReply(pull, review)),
    ...pull.comments,
  ].sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.born - b.born);
  const parts = await Promise.all(
    spoken.map((entry) => ('state' in entry ? showReview(pull, entry) : showComment(entry))),
  );
  const runs = latestRuns(repository.checkRuns.filter((run) => run.headSha === pull.headSha));
  const merge = mergeability(repository, pull);
  return markup`<h1>${pull.title} <span class="muted">#${pull.number}</span></h1>
    <p>
      <span class="state">${stateOf(pull)}</span> ${nameOf(pull.author)} wants to merge ${pull.stats.commits}
      commits into <code>${pull.baseRef}</code> from <code>${pull.headRef}</code> at
      <code>${pull.headSha.slice(0, 7)}</code>.
      <a href="${url}/files">${pull.stats.changedFiles} files changed</a>
    </p>
    <article>
      <header>${nameOf(pull.author)} ${shown(pull.reactions)}</header>
      <div>${await markdown(pull.body ?? '*No description.*')}</div>
    </article>
    ${parts}
    <h2>Checks</h2>
    <ul class="plain">
      ${runs.map(
        (run) =>
          markup`<li>
            <span class="state">${run.conclusion ?? run.status}</span>
            <a href="/${fullName(repository)}/runs/${run.id}">${run.name}</a> ${run.title}
          </li>`,
      )}
    </ul>
    <p>${merge.kind === 'mergeable' ? 'Can be merged.' : `Cannot be merged: ${merge.why.join(', ')}.`}</p>`;
};

/** A reply stands in its thread; the empty review around it says nothing. */
const isReply = (pull: Pull, review: Review): boolean =>
  review.body === '' &&
  commentsOf(pull).some((comment) => comment.review === review && comment.inReplyTo !== null);

const nameOf = (account: Account): string => (account.gone ? 'ghost' : account.login);

const shown = (reactions: readonly Reaction[]): Markup =>
  markup`${reactions.map((entry) => markup`<span class="muted" title="${nameOf(entry.account)}">${entry.content}</span> `)}`;

const showReview = async (pull: Pull, review: Review): Promise<Markup> => {
  const threads = pull.threads.filter((thread) => thread.comments[0]?.review === review);
  const verb = {
    COMMENTED: 'reviewed',
    APPROVED: 'approved',
    CHANGES_REQUESTED: 'asked for changes',
  } as const;
  const did =
    review.state === 'PENDING' || review.state === 'DISMISSED' ? 'was dismissed' : verb[review.state];
  return markup`<article id="pullrequestreview-${review.id}">
    <header>
      ${nameOf(review.author)} ${did} at <code>${review.commitId.slice(0, 7)}</code>${edited(review)}
    </header>
    <div>${await markdown(review.body)}</div>
    ${await Promise.all(threads.map(showThread))}
  </article>`;
};

const edited = (item: { readonly lastEditedAt: string | null }): Markup | null =>
  item.lastEditedAt === null ? null : markup` <span class="muted">(edited)</span>`;

const showThread = async (thread: Thread): Promise<Markup> => {
  const place = thread.line ?? thread.originalLine;
  const marks = [
    ...(thread.resolvedBy === null ? [] : [`resolved by ${nameOf(thread.resolvedBy)}`]),
    ...(thread.outdated ? ['outdated'] : []),
  ];
  const comments = await Promise.all(
    thread.comments.map(
      async (comment) =>
        markup`<div id="discussion_r${comment.id}">
          <p class="muted">${nameOf(comment.author)}${edited(comment)} ${shown(comment.reactions)}</p>
          ${await markdown(comment.body)}
        </div>`,
    ),
  );
  return markup`<article>
    <header>
      ${thread.path}${place === null ? '' : `:${place}`} ${thread.side === 'LEFT' ? '(before)' : ''}
      ${marks.join(', ')}
    </header>
    <div><pre>${thread.diffHunk.split('\n').slice(-6).join('\n')}</pre></div>
    ${comments}
  </article>`;
};

const showComment = async (comment: IssueComment): Promise<Markup> =>
  markup`<article id="issuecomment-${comment.id}">
    <header>${nameOf(comment.author)}${edited(comment)} ${shown(comment.reactions)}</header>
    <div>${await markdown(comment.body)}</div>
  </article>`;

/** The merge-base diff, file by file. */
export const showFiles = async (world: World, repository: Repository, pull: Pull): Promise<Markup> => {
  const change = await changeOf(world, repository, pull);
  return markup`<h1><a href="/${fullName(repository)}/pull/${pull.number}">${pull.title}</a></h1>
    ${change.files.map(showDiff)}`;
};

const showDiff = (file: ChangedFile): Markup => {
  const name = file.oldPath === file.path ? file.path : `${file.oldPath} to ${file.path}`;
  const rows = file.hunks.flatMap((hunk) => [
    markup`<tr class="hunk">
      <td class="n"></td>
      <td class="n"></td>
      <td>${hunk.header}</td>
    </tr>`,
    ...hunk.rows.map(
      (row) =>
        markup`<tr class="${row.sign === '+' ? 'add' : row.sign === '-' ? 'del' : ''}">
          <td class="n">${row.old}</td>
          <td class="n">${row.new}</td>
          <td>${row.sign}${row.text}</td>
        </tr>`,
    ),
  ]);
  return markup`<div class="file">
    <header>${name} <span class="muted">${file.status}, +${file.additions} -${file.deletions}</span></header>
    <table class="code">
      ${rows}
    </table>
  </div>`;
};

export const showCheck = async (_world: World, repository: Repository, run: CheckRun): Promise<Markup> =>
  markup`<h1>${run.name} <span class="state">${run.conclusion ?? run.status}</span></h1>
    <p class="muted">
      ${fullName(repository)} at <code>${run.headSha.slice(0, 7)}</code>, by ${run.app.slug}
    </p>
    <h2>${run.title}</h2>
    ${await markdown(run.summary ?? '')}${await markdown(run.text ?? '')}`;
