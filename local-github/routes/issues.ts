import { addIssueComment, deleteIssueComment, editIssueComment } from '../comments.js';
import {
  created,
  fieldsOf,
  gone,
  ok,
  page,
  pullOf,
  type RepositoryCall,
  requiredString,
  type Route,
  stringField,
} from '../http.js';
import { invalid, notFound } from '../refusal.js';
import { addLabel, labelOf, removeLabel } from '../labels.js';
import type { IssueComment, Pull } from '../state.js';
import { labelsOf, writeIssue } from '../wire/pull.js';
import { writeLabel } from '../wire/repository.js';
import { writeIssueComment } from '../wire/review.js';
import { mayEdit, reactionRoutes } from './reviews.js';

// A pull request is an issue too: either permission opens its comments.
const READ = ['issues=read', 'pull_requests=read'] as const;
const WRITE = ['issues=write', 'pull_requests=write'] as const;

/** The conversation of a pull request beside its lines: comments, labels, reactions. */
export const issueRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/issues/:number',
    for: 'repository',
    needs: READ,
    handle: (call) => ok(writeIssue(call.world, call.repository, pullOf(call))),
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/issues/:number/comments',
    for: 'repository',
    needs: READ,
    handle: (call) => {
      const pull = pullOf(call);
      const since = call.query.get('since');
      const seen = pull.comments.filter(
        (comment) => since === null || Date.parse(comment.updatedAt) >= Date.parse(since),
      );
      return page(call, seen, (comment) => writeIssueComment(call.world, call.repository, pull, comment));
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/issues/:number/comments',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const pull = pullOf(call);
      const body = requiredString(fieldsOf(call), 'body', 'IssueComment');
      const comment = addIssueComment(call.world, call.repository, pull, body, call.actor);
      return created(writeIssueComment(call.world, call.repository, pull, comment));
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/issues/comments/:comment',
    for: 'repository',
    needs: READ,
    handle: (call) => {
      const { pull, comment } = commentOf(call);
      return ok(writeIssueComment(call.world, call.repository, pull, comment));
    },
  },
  {
    method: 'PATCH',
    pattern: '/repos/:owner/:repo/issues/comments/:comment',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const { pull, comment } = commentOf(call);
      mayEdit(call, comment);
      const body = requiredString(fieldsOf(call), 'body', 'IssueComment');
      editIssueComment(call.world, call.repository, pull, comment, body, call.actor.account);
      return ok(writeIssueComment(call.world, call.repository, pull, comment));
    },
  },
  {
    method: 'DELETE',
    pattern: '/repos/:owner/:repo/issues/comments/:comment',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const { pull, comment } = commentOf(call);
      mayEdit(call, comment);
      deleteIssueComment(call.world, call.repository, pull, comment, call.actor.account);
      return gone();
    },
  },
  ...reactionRoutes(
    '/repos/:owner/:repo/issues/comments/:comment/reactions',
    READ,
    WRITE,
    (call) => commentOf(call).comment.reactions,
  ),
  ...reactionRoutes(
    '/repos/:owner/:repo/issues/:number/reactions',
    READ,
    WRITE,
    (call) => pullOf(call).reactions,
  ),
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/issues/:number/labels',
    for: 'repository',
    needs: READ,
    handle: (call) => page(call, labelsOf(call.world, call.repository, pullOf(call)), (label) => label),
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/issues/:number/labels',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const pull = pullOf(call);
      const given = Array.isArray(call.body) ? (call.body as unknown[]) : fieldsOf(call).labels;
      if (!Array.isArray(given) || given.length === 0) throw invalid('Label', 'labels', 'missing_field');
      for (const entry of given as unknown[]) {
        const name = typeof entry === 'string' ? entry : (entry as { name?: unknown } | null)?.name;
        if (typeof name !== 'string' || name.trim() === '') throw invalid('Label', 'name', 'invalid');
        addLabel(call.world, call.repository, pull, name, call.actor.account);
      }
      return ok(labelsOf(call.world, call.repository, pull));
    },
  },
  {
    method: 'DELETE',
    pattern: '/repos/:owner/:repo/issues/:number/labels/:name',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const pull = pullOf(call);
      if (!removeLabel(call.world, call.repository, pull, call.params.name ?? '', call.actor.account))
        throw notFound();
      return ok(labelsOf(call.world, call.repository, pull));
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/labels',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const fields = fieldsOf(call);
      const name = requiredString(fields, 'name', 'Label');
      if (call.repository.labels.has(name.toLowerCase())) throw invalid('Label', 'name', 'already_exists');
      const label = labelOf(
        call.world,
        call.repository,
        name,
        stringField(fields, 'color'),
        stringField(fields, 'description'),
      );
      return created(writeLabel(call.world, call.repository, label));
    },
  },
];

const commentOf = (call: RepositoryCall): { readonly pull: Pull; readonly comment: IssueComment } => {
  const id = Number(call.params.comment);
  for (const pull of call.repository.pulls.values()) {
    const comment = pull.comments.find((entry) => entry.id === id);
    if (comment !== undefined) return { pull, comment };
  }
  throw notFound();
};
