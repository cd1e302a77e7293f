import { canWrite } from '../auth.js';
import { type Account, fullName, type IssueComment, type Pull, type Review } from '../state.js';
import { showCaptions } from './captions.js';
import { address, markup, type Markup } from './frame.js';
import { markdown } from './markdown.js';
import { showMergeBox, summaryOf } from './merge-box.js';
import { showPart } from './part.js';
import { nameOf, showEdited, showReactions, showTime } from './people.js';
import { hiddenFields, pullAddress, type PullPlace } from './place.js';
import { showThread } from './thread.js';
import { type Entry, timelinePage } from './timeline.js';

/** The conversation: description, reviews with their threads, comments; then the checks, and what one may do. */
export const showPull = async (place: PullPlace): Promise<Markup> => {
  const { pull } = place;
  const { entries, page, pages } = timelinePage(pull, Number(place.call.query.get('page') ?? 1));
  const parts = await Promise.all(entries.map((entry) => showEntry(place, entry)));
  return markup`${showHead(place)}${showCaptions(place)}
    <div class="columns">
      <section aria-labelledby="said">
        <h2 id="said">Conversation</h2>
        <div id="timeline">${page === 1 ? await showDescription(pull) : null}${parts}</div>
        ${pages === 1 ? null : showPages(pullAddress(place), page, pages)}
      </section>
      <div id="state">${await showMergeBox(place)}${showOffers(place)}</div>
      ${showForms(place)}
    </div>`;
};

const showEntry = (place: PullPlace, entry: Entry): Promise<Markup> => {
  switch (entry.kind) {
    case 'review':
      return showReview(entry.review);
    case 'thread':
      return showThread(place, entry.thread);
    case 'comment':
      return showComment(entry.comment);
  }
};

const showPages = (url: string, page: number, pages: number): Markup =>
  markup`<nav aria-label="Pages of the conversation" class="row">
    ${page === 1 ? null : markup`<a href="${url}?page=${page - 1}">Earlier</a>`}
    <span>Page ${page} of ${pages}</span>
    ${page === pages ? null : markup`<a href="${url}?page=${page + 1}">Later</a>`}
  </nav>`;

/** Title, state, branches, labels, how it stands, and the two tabs. */
export const showHead = (place: PullPlace): Markup => {
  const { pull } = place;
  const url = pullAddress(place);
  const state = stateOf(pull);
  const labels = [...pull.labels].map((key) => place.repository.labels.get(key)?.name ?? key);
  const tab = (name: PullPlace['tab'], to: string, text: string): Markup =>
    markup`<li>
      <a id="tab-${name}" href="${to}" ${place.tab === name ? markup`aria-current="page"` : null}>${text}</a>
    </li>`;
  const body = markup`<h1><bdi>${pull.title}</bdi> <span class="muted">#${pull.number}</span></h1>
    <p>
      <span class="pill ${state}">${state}</span> <strong>${nameOf(pull.author)}</strong> ${wants(pull.author)} to merge
      ${counted(pull.stats.commits, 'commit')} into <code>${pull.baseRef}</code> from <code>${pull.headRef}</code>
      at <code>${pull.headSha.slice(0, 7)}</code>
    </p>
    ${
      labels.length === 0
        ? null
        : markup`<ul class="labels" aria-label="Labels">${labels.map((name) => markup`<li class="pill">${name}</li>`)}</ul>`
    }
    <p><a id="how" href="${url}#merge-box">${summaryOf(place.repository, pull)}</a></p>
    <nav class="tabs" aria-label="Views">
      <ul>
        ${tab('conversation', url, 'Conversation')}
        ${tab('files', `${url}/files`, `Files changed (${pull.stats.changedFiles})`)}
      </ul>
    </nav>`;
  return markup`<div id="head">
    ${showPart({ tag: 'section', id: 'pull-head', kind: 'head', label: 'Pull request' }, body)}
  </div>`;
};

/** Of a branch of one's own the author is called `you`. */
const wants = ({ login }: Account): string => (login === 'you' ? 'want' : 'wants');

export const stateOf = (pull: Pull): string =>
  pull.merged ? 'merged' : pull.state === 'closed' ? 'closed' : pull.draft ? 'draft' : 'open';

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const showDescription = async (pull: Pull): Promise<Markup> =>
  showPart(
    { tag: 'article', id: 'description', kind: 'comment', label: `Description by ${nameOf(pull.author)}` },
    markup`<h3 class="by">${nameOf(pull.author)} opened this ${showTime(pull.createdAt)}</h3>
      <div class="text" dir="auto">${await markdown(pull.body ?? '*No description.*', { under: 3 })}</div>
      ${showReactions(pull.reactions)}`,
  );

const VERBS: Readonly<Record<Review['state'], string>> = {
  PENDING: 'is writing a review',
  COMMENTED: 'reviewed',
  APPROVED: 'approved these changes',
  CHANGES_REQUESTED: 'requested changes',
  DISMISSED: 'gave a review that was dismissed',
};

const showReview = async (review: Review): Promise<Markup> => {
  const author = nameOf(review.author);
  const text = markup`<div class="text" dir="auto">${await markdown(review.body, { under: 3 })}</div>${showReactions(review.reactions)}`;
  const body = markup`<h3 class="by">
      ${author} ${VERBS[review.state]} at <code>${review.commitId.slice(0, 7)}</code>
      <a href="#pullrequestreview-${review.id}">${showTime(review.createdAt)}</a>${showEdited(review)}
    </h3>
    ${review.body === '' ? null : folded(review.minimized, text)}`;
  return showPart(
    {
      tag: 'article',
      id: `pullrequestreview-${review.id}`,
      kind: `comment review ${review.state.toLowerCase()}`,
      label: `Review by ${author}`,
    },
    body,
  );
};

const folded = (minimized: string | null, body: Markup): Markup =>
  minimized === null ? body : markup`<details><summary>Hidden: ${minimized}</summary>${body}</details>`;

const showComment = async (comment: IssueComment): Promise<Markup> => {
  const author = nameOf(comment.author);
  const text = markup`<div class="text" dir="auto">${await markdown(comment.body, { under: 3 })}</div>${showReactions(comment.reactions)}`;
  return showPart(
    { tag: 'article', id: `issuecomment-${comment.id}`, kind: 'comment', label: `Comment by ${author}` },
    markup`<h3 class="by">
        ${author} commented
        <a href="#issuecomment-${comment.id}">${showTime(comment.createdAt)}</a>${showEdited(comment)}
      </h3>
      ${folded(comment.minimized, text)}`,
  );
};

/** Pushes to the branch that somebody has put ready. */
const showOffers = (place: PullPlace): Markup => {
  const { repository, pull, viewer } = place;
  const offers = (place.call.world.offers.get(repository.id) ?? []).filter(
    (one) => one.branch === pull.headRef,
  );
  if (offers.length === 0 || pull.state !== 'open' || viewer === null) return markup``;
  const may = canWrite(repository, viewer.account);
  const body = markup`<h2>Push to <code>${pull.headRef}</code></h2>
    ${
      may
        ? markup`<form method="post" action="${pullAddress(place)}/push" class="row">
            ${hiddenFields(place)}
            ${offers.map(
              ({ label }, at) =>
                markup`<button id="push-${at}" name="offer" value="${label}">${label}</button>`,
            )}
          </form>`
        : markup`<p class="muted">${viewer.account.login} has no write access here and cannot push.</p>`
    }`;
  return showPart({ tag: 'section', id: 'push', kind: 'push', label: 'Push to the branch' }, body);
};

/** A comment on the whole, and a review. They are no part that changes: what one writes stays. */
const showForms = (place: PullPlace): Markup => {
  const { pull, viewer } = place;
  if (viewer === null) return markup`<p class="muted">There is nobody here to write as.</p>`;
  const url = pullAddress(place);
  const { login } = viewer.account;
  return markup`<section class="forms" aria-labelledby="write">
    <h2 id="write">Write</h2>
    <form method="post" action="${url}/comment">
      ${hiddenFields(place)}
      <label for="comment">Comment as ${login}</label>
      <textarea id="comment" name="body" rows="4" dir="auto" required maxlength="65536"></textarea>
      <button id="comment-send" class="first">Comment</button>
    </form>
    ${
      viewer.account === pull.author
        ? markup`<p class="muted">Authors cannot approve their own pull request. Switch to somebody else to review it.</p>`
        : markup`<form method="post" action="${url}/review">
            ${hiddenFields(place)}
            <label for="review">Review as ${login}</label>
            <textarea id="review" name="body" rows="2" dir="auto" maxlength="65536"></textarea>
            <div class="row">
              <button id="approve" name="event" value="APPROVE">Approve</button>
              <button id="request-changes" name="event" value="REQUEST_CHANGES">Request changes</button>
            </div>
          </form>`
    }
  </section>`;
};

export const crumbsOf = ({ repository, pull }: Pick<PullPlace, 'repository' | 'pull'>) => [
  { name: fullName(repository), url: address(fullName(repository)) },
  { name: `#${pull.number}`, url: pullAddress({ repository, pull }) },
];
