import { readDiffText } from '../diff.js';
import {
  created,
  fieldsOf,
  ok,
  page,
  pullOf,
  type Reply,
  type RepositoryCall,
  requiredString,
  type Route,
  stringField,
  stringsField,
} from '../http.js';
import { readCommits } from '../objects.js';
import { changeOf, closePull, editPull, openPull, reopenPull, retargetPull } from '../pulls.js';
import { invalid, Refusal } from '../refusal.js';
import { accountOf, inTurn, now, type Pull } from '../state.js';
import { writeUser } from '../wire/account.js';
import { writeCommit, writeFile } from '../wire/git.js';
import { askMergeable, writeFullPull, writePull, writeTeam } from '../wire/pull.js';
import { DIFF_TYPE, raw, wants } from './contents.js';

const READ = ['pull_requests=read'] as const;
const WRITE = ['pull_requests=write'] as const;

/** Pull requests themselves: what they are and what they change. */
export const pullRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/pulls',
    for: 'repository',
    needs: READ,
    handle: (call) => {
      const state = call.query.get('state') ?? 'open';
      const head = call.query.get('head');
      const base = call.query.get('base');
      const pulls = [...call.repository.pulls.values()]
        .filter((pull) => state === 'all' || pull.state === state)
        .filter((pull) => head === null || `${pull.headOwner.login}:${pull.headRef}` === head)
        .filter((pull) => base === null || pull.baseRef === base)
        .reverse();
      if (call.query.get('sort') === 'updated')
        pulls.sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt));
      if (call.query.get('direction') === 'asc') pulls.reverse();
      return page(call, pulls, (pull) => writePull(call.world, call.repository, pull));
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/pulls',
    for: 'repository',
    needs: WRITE,
    handle: async (call) => {
      const fields = fieldsOf(call);
      const body = stringField(fields, 'body');
      const wanted = {
        title: requiredString(fields, 'title', 'PullRequest'),
        head: requiredString(fields, 'head', 'PullRequest').replace(/^[^:]+:/, ''),
        base: requiredString(fields, 'base', 'PullRequest'),
        author: call.actor.account,
        draft: fields.draft === true,
        ...(body === undefined ? {} : { body }),
      };
      const pull = await inTurn(call.repository, () => openPull(call.world, call.repository, wanted));
      return created(writeFullPull(call.world, call.repository, pull));
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/pulls/:number',
    for: 'repository',
    needs: READ,
    handle: async (call) => {
      const pull = pullOf(call);
      if (wants(call, 'diff')) return diffText(call, pull);
      if (wants(call, 'patch'))
        return raw(
          await call.repository.git.run([
            'format-patch',
            '--stdout',
            '--no-signature',
            `${pull.baseSha}..${pull.headSha}`,
          ]),
          'application/vnd.github.v3.patch; charset=utf-8',
        );
      const written = writeFullPull(call.world, call.repository, pull);
      askMergeable(call.world, pull);
      return ok(written);
    },
  },
  {
    method: 'PATCH',
    pattern: '/repos/:owner/:repo/pulls/:number',
    for: 'repository',
    needs: WRITE,
    handle: async (call) => {
      const pull = pullOf(call);
      const fields = fieldsOf(call);
      const { world, repository } = call;
      const sender = call.actor.account;
      const title = stringField(fields, 'title');
      const body = stringField(fields, 'body');
      const base = stringField(fields, 'base');
      const state = stringField(fields, 'state');
      if (state !== undefined && state !== 'open' && state !== 'closed')
        throw invalid('PullRequest', 'state', 'invalid');
      return inTurn(repository, async () => {
        editPull(
          world,
          repository,
          pull,
          { ...(title === undefined ? {} : { title }), ...(body === undefined ? {} : { body }) },
          sender,
        );
        if (base !== undefined && base !== pull.baseRef)
          await retargetPull(world, repository, pull, base, sender);
        if (state === 'closed' && pull.state === 'open')
          await closePull(world, repository, pull, sender, false);
        if (state === 'open' && pull.state === 'closed') await reopenPull(world, repository, pull, sender);
        return ok(writeFullPull(world, repository, pull));
      });
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/pulls/:number/files',
    for: 'repository',
    needs: READ,
    handle: async (call) => {
      const pull = pullOf(call);
      const change = await changeOf(call.world, call.repository, pull);
      return page(call, change.files.slice(0, call.world.limits.listedFiles), (file) =>
        writeFile(call.world, call.repository, pull.headSha, file),
      );
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/pulls/:number/commits',
    for: 'repository',
    needs: READ,
    handle: async (call) => {
      const pull = pullOf(call);
      // GitHub shows at most 250 here.
      const commits = await readCommits(call.repository.git, [
        '--reverse',
        `${pull.baseSha}..${pull.headSha}`,
      ]);
      return page(call, commits.slice(0, 250), (commit) => writeCommit(call.world, call.repository, commit));
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/pulls/:number/requested_reviewers',
    for: 'repository',
    needs: READ,
    handle: (call) => {
      const pull = pullOf(call);
      return ok({
        users: [...pull.requestedReviewers].map((login) =>
          writeUser(call.world, accountOf(call.world, login)),
        ),
        teams: [...pull.requestedTeams].map((slug) => ({
          ...writeTeam(call.world, call.repository, slug),
          type: 'organization',
          parent: null,
        })),
      });
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/pulls/:number/requested_reviewers',
    for: 'repository',
    needs: WRITE,
    handle: (call) => requestReviewers(call),
  },
  {
    method: 'DELETE',
    pattern: '/repos/:owner/:repo/pulls/:number/requested_reviewers',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const pull = pullOf(call);
      const fields = fieldsOf(call);
      for (const login of stringsField(fields, 'reviewers') ?? [])
        if (pull.requestedReviewers.delete(login.toLowerCase()))
          call.world.emit({
            kind: 'pull_request',
            action: 'review_request_removed',
            repository: call.repository,
            pull,
            reviewer: accountOf(call.world, login),
            sender: call.actor.account,
          });
      for (const slug of stringsField(fields, 'team_reviewers') ?? []) pull.requestedTeams.delete(slug);
      return ok(writePull(call.world, call.repository, pull));
    },
  },
];

const requestReviewers = (call: RepositoryCall): Reply => {
  const { world, repository } = call;
  const pull = pullOf(call);
  const fields = fieldsOf(call);
  const people = (stringsField(fields, 'reviewers') ?? []).map((login) => {
    const account = world.accounts.get(login.toLowerCase());
    if (account === pull.author)
      throw new Refusal(422, 'Review cannot be requested from pull request author.');
    const known =
      account !== undefined &&
      !account.gone &&
      (account === repository.owner || repository.collaborators.has(login.toLowerCase()));
    if (!known)
      throw new Refusal(
        422,
        `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${repository.owner.login}/${repository.name} repository.`,
      );
    return account;
  });
  for (const account of people) {
    const key = account.login.toLowerCase();
    if (pull.requestedReviewers.has(key)) continue;
    pull.requestedReviewers.add(key);
    pull.updatedAt = now(world);
    world.emit({
      kind: 'pull_request',
      action: 'review_requested',
      repository,
      pull,
      reviewer: account,
      sender: call.actor.account,
    });
  }
  for (const slug of stringsField(fields, 'team_reviewers') ?? []) {
    if (pull.requestedTeams.has(slug)) continue;
    pull.requestedTeams.add(slug);
    world.emit({
      kind: 'pull_request',
      action: 'review_requested',
      repository,
      pull,
      team: slug,
      sender: call.actor.account,
    });
  }
  return created(writePull(world, repository, pull));
};

/** The merge-base diff as text; 406 above 300 files or 20,000 lines, context lines counted. */
const diffText = async (call: RepositoryCall, pull: Pull): Promise<Reply> => {
  const { limits } = call.world;
  const tooLarge = (what: string): Refusal =>
    new Refusal(
      406,
      `Sorry, the diff exceeded the maximum number of ${what}. Consider using 'List pull requests files' API or locally cloning the repository instead.`,
      { errors: [{ resource: 'PullRequest', field: 'diff', code: 'too_large' }] },
    );
  if (pull.stats.changedFiles > limits.diffFiles) throw tooLarge(`files (${limits.diffFiles})`);
  const bytes = await readDiffText(call.repository.git, pull.mergeBase, pull.headSha);
  let lines = 0;
  for (const byte of bytes) if (byte === 10) lines += 1;
  if (lines > limits.diffLines) throw tooLarge(`lines (${limits.diffLines})`);
  return raw(bytes, DIFF_TYPE);
};
