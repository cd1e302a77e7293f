import { canWrite, reaches } from '../auth.js';
import { requestAction, rerequest } from '../checks.js';
import { addIssueComment } from '../comments.js';
import type { PageCall, Reply } from '../http.js';
import { closePull } from '../pulls.js';
import { Refusal } from '../refusal.js';
import { createReview, replyTo, setResolved } from '../reviews.js';
import {
  type Account,
  type CheckRun,
  fullName,
  inTurn,
  type Pull,
  type Repository,
  type Thread,
} from '../state.js';
import { pullOfRun } from './check.js';
import { field } from './field.js';
import { address } from './frame.js';
import { heldBy } from './merge-box.js';
import { pageQuery } from './timeline.js';
import { type Place, type Viewer, viewerOf } from './viewer.js';

/** A form on a pull request: does what the API would do for that person, webhooks included, and leads back to it. */
export const answerPullForm = async (
  call: PageCall,
  repository: Repository,
  pull: Pull,
  action: string,
): Promise<Reply> => {
  const { world } = call;
  const { account } = actingViewer(call, { repository, pull });
  const url = address(fullName(repository), 'pull', pull.number);
  const tab = (thread: Thread): string =>
    field(call, 'tab') === 'files' ? `${url}/files` : `${url}${pageQuery(pull, thread)}`;
  switch (action) {
    case 'comment': {
      const comment = addIssueComment(world, repository, pull, words(call), { account });
      return backTo(`${url}${pageQuery(pull, comment)}#issuecomment-${comment.id}`);
    }
    case 'reply': {
      const thread = threadOf(call, pull);
      const comment = replyTo(world, repository, pull, thread, words(call), account);
      return backTo(`${tab(thread)}#discussion_r${comment.id}`);
    }
    case 'resolve': {
      const thread = threadOf(call, pull);
      if (account !== pull.author && !canWrite(repository, account))
        throw new Refusal(
          403,
          `${account.login} may not resolve conversations here: only the author and people with write access may.`,
        );
      setResolved(world, repository, pull, thread, field(call, 'resolved') === 'yes', account);
      return backTo(`${tab(thread)}#thread-${thread.comments[0]?.id ?? ''}`);
    }
    case 'review': {
      const event = field(call, 'event');
      if (event !== 'APPROVE' && event !== 'REQUEST_CHANGES')
        throw new Refusal(422, 'A review approves or requests changes.');
      const body = field(call, 'body');
      if (event === 'REQUEST_CHANGES' && body.trim() === '')
        throw new Refusal(422, 'Say what should change: a review that requests changes needs words.');
      const review = await inTurn(repository, () =>
        createReview(world, repository, pull, { author: account, event, body, comments: [] }),
      );
      return backTo(`${url}${pageQuery(pull, review)}#pullrequestreview-${review.id}`);
    }
    case 'push':
      await pushOffer(call, repository, pull, account);
      return backTo(url);
    case 'merge':
      await inTurn(repository, () => merge(call, repository, pull, account));
      return backTo(`${url}#merge-box`);
    default:
      throw new Refusal(404, 'There is no such form.');
  }
};

const merge = async (call: PageCall, repository: Repository, pull: Pull, account: Account): Promise<void> => {
  if (!canWrite(repository, account))
    throw new Refusal(403, `${account.login} has no write access here and cannot merge.`);
  const held = heldBy(repository, pull);
  if (held !== null) throw new Refusal(405, held);
  if (field(call, 'head') !== pull.headSha)
    throw new Refusal(
      409,
      'The branch was pushed to since the page was shown. Reload the page and look again.',
    );
  if (repository.queue.some((entry) => entry.pull === pull))
    throw new Refusal(405, 'It is in the merge queue, which merges it once the checks of its group pass.');
  await closePull(call.world, repository, pull, account, true);
};

const pushOffer = async (
  call: PageCall,
  repository: Repository,
  pull: Pull,
  account: Account,
): Promise<void> => {
  if (!canWrite(repository, account))
    throw new Refusal(403, `${account.login} has no write access here and cannot push.`);
  const offer = (call.world.offers.get(repository.id) ?? []).find(
    (one) => one.branch === pull.headRef && one.label === field(call, 'offer'),
  );
  if (offer === undefined || pull.state !== 'open')
    throw new Refusal(422, 'That push is not offered any more.');
  await offer.push(account.login);
};

/** The buttons on a check run. */
export const answerRunForm = (
  call: PageCall,
  repository: Repository,
  run: CheckRun,
  action: string,
): Reply => {
  const { account } = actingViewer(call, { repository, pull: pullOfRun(repository, run) });
  if (!canWrite(repository, account))
    throw new Refusal(403, `${account.login} has no write access here and cannot act on checks.`);
  if (action === 'rerequest') rerequest(call.world, repository, run, account);
  else if (action === 'action')
    requestAction(call.world, repository, run, field(call, 'identifier'), account);
  else throw new Refusal(404, 'There is no such form.');
  return backTo(address(fullName(repository), 'runs', run.id));
};

/** Whom the cookie names; a page that was shown to somebody else is out of date and does nothing. */
const actingViewer = (call: PageCall, place: Place): Viewer => {
  const viewer = viewerOf(call, place);
  if (viewer === null) throw new Refusal(403, 'There is nobody here to act as.');
  const as = field(call, 'as');
  if (as !== '' && as !== viewer.account.login)
    throw new Refusal(
      409,
      `The page was shown to ${as}, and you are ${viewer.account.login} now, so nothing was done. Reload the page.`,
    );
  if (place.repository !== null && !reaches({ account: viewer.account }, place.repository))
    throw new Refusal(403, `${viewer.account.login} has no access to this repository.`);
  return viewer;
};

const words = (call: PageCall): string => {
  const body = field(call, 'body');
  if (body.trim() === '') throw new Refusal(422, 'Write something first.');
  return body;
};

const threadOf = (call: PageCall, pull: Pull): Thread => {
  const id = Number(field(call, 'thread'));
  const thread = pull.threads.find((one) => one.comments.some((comment) => comment.id === id));
  if (thread === undefined) throw new Refusal(404, 'That conversation is not here any more.');
  return thread;
};

const backTo = (location: string): Reply => ({ status: 303, headers: { location } });
