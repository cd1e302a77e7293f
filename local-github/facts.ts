/**
 * What GitHub does, as far as the app relies on it: the one source of docs/github-facts.md, of the script that looks it
 * up on GitHub (scripts/probe-github.ts), and of the tests that hold the local GitHub to the same answers.
 */
export type Fact = {
  readonly id: string;
  readonly area: (typeof areas)[number];
  readonly fact: string;
  readonly state: FactState;
  /** An address, or `reports`: people met it and wrote it down. */
  readonly source: string;
  /** A probe of the same id looks it up. Absent: it cannot be brought about by a script, or costs too much. */
  readonly probed?: 'by a person' | 'by the app';
};

/**
 * Documented: GitHub says so. Reported: people met it. Believed: nobody here has seen it, and the local GitHub takes the
 * stricter reading, so that what passes here passes there. Seen: the probe found it so on GitHub.
 */
export type FactState = 'documented' | 'reported' | 'believed' | 'seen';

export const areas = [
  'Pull requests and diffs',
  'Reviews and comments',
  'Checks and reactions',
  'Tokens and permissions',
  'GraphQL',
  'Webhooks and limits',
] as const;

const docs = 'https://docs.github.com/en/';
const pulls = `${docs}rest/pulls/pulls`;
const reviews = `${docs}rest/pulls/reviews`;
const comments = `${docs}rest/pulls/comments`;
const checks = `${docs}rest/checks/runs`;
const compare = `${docs}rest/commits/commits#compare-two-commits`;
const limits = `${docs}repositories/creating-and-managing-repositories/repository-limits`;
const graphql = `${docs}graphql/reference`;
const graphqlLimits = `${docs}graphql/overview/rate-limits-and-query-limits-for-the-graphql-api`;
const deliveries = `${docs}webhooks/using-webhooks/best-practices-for-using-webhooks`;
const rateLimits = `${docs}rest/using-the-rest-api/rate-limits-for-the-rest-api`;

export const facts: readonly Fact[] = [
  ...inArea('Pull requests and diffs', [
    {
      id: 'diff-from-merge-base',
      fact: 'the files of a pull request are what changed from the merge base to the head; what the base branch gained since is not among them',
      state: 'documented',
      source: `${docs}pull-requests/collaborating-with-pull-requests/proposing-changes-to-your-work-with-pull-requests/about-comparing-branches-in-pull-requests`,
      probed: 'by a person',
    },
    {
      id: 'base-sha-stays',
      fact: '`base.sha` does not move when the base branch grows, only with a push of the head or a new base branch',
      state: 'believed',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'compare-merge-base',
      fact: 'a comparison `base...head` of two commits names the merge base and lists the files between it and the head',
      state: 'documented',
      source: compare,
      probed: 'by a person',
    },
    {
      id: 'compare-first-page',
      fact: 'a comparison lists its files, 300 at most, on the first page only, however many commits a page has',
      state: 'documented',
      source: compare,
      probed: 'by a person',
    },
    {
      id: 'compare-unknown',
      fact: 'a comparison with a name that there is not answers 404',
      state: 'documented',
      source: compare,
      probed: 'by a person',
    },
    {
      id: 'files-by-page',
      fact: 'the list of files has 100 a page at most, whatever is asked for, 3,000 in all, and a `Link` header with `rel="next"` while there is more',
      state: 'documented',
      source: `${pulls}#list-pull-requests-files`,
      probed: 'by a person',
    },
    {
      id: 'files-without-patch',
      fact: 'binary files, pure renames, changed modes and empty files have no `patch`; a rename has `previous_filename`',
      state: 'reported',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'type-change-one-entry',
      fact: 'a file that became a link is one entry, `changed`, its two halves in one `patch`',
      state: 'believed',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'diff-too-large',
      fact: 'the diff as text answers 406 `too_large` above 300 files, or 20,000 lines with the lines of context',
      state: 'reported',
      source: limits,
      probed: 'by a person',
    },
    {
      id: 'patch-limits',
      fact: "a file's diff above 20,000 lines or 500 KB has no `patch`, and takes no comment",
      state: 'documented',
      source: limits,
    },
    {
      id: 'archive-redirects',
      fact: 'an archive is a redirect (302) to an address with its own short-lived key, which wants no token',
      state: 'documented',
      source: `${docs}rest/repos/contents#download-a-repository-archive-tar`,
      probed: 'by a person',
    },
    {
      id: 'archive-attributes',
      fact: 'an archive follows `.gitattributes`: `export-ignore` leaves files out, `export-subst` rewrites them',
      state: 'documented',
      source: 'https://git-scm.com/docs/gitattributes#_creating_an_archive',
      probed: 'by a person',
    },
    {
      id: 'tree-recursive',
      fact: 'a tree read with `recursive` lists every path with its mode and blob, up to 100,000 entries or 7 MB, then `truncated` is true',
      state: 'documented',
      source: `${docs}rest/git/trees#get-a-tree`,
      probed: 'by a person',
    },
    {
      id: 'closed-push',
      fact: "a push to a closed pull request's branch changes nothing of it until it is opened again",
      state: 'believed',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'group-of-queue',
      fact: 'the commit of a merge group is the base with every entry up to that one merged, and a required check has to be reported on it',
      state: 'documented',
      source: `${docs}repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue`,
    },
    {
      id: 'group-base-commit',
      fact: 'GraphQL gives an entry of a merge queue the commit of its group (`headCommit`) and the one it stands on (`baseCommit`): the group before it, or the base',
      state: 'believed',
      source: `${graphql}/objects#mergequeueentry`,
    },
    {
      id: 'pulls-of-commit',
      fact: 'a commit that is not on the default branch names the open pull requests that it is part of (`associatedPullRequests`)',
      state: 'documented',
      source: `${graphql}/objects#commit`,
    },
    {
      id: 'deleted-fork',
      fact: 'a pull request from a fork that was deleted has `head.repo` null',
      state: 'reported',
      source: 'reports',
    },
    {
      id: 'contents-sizes',
      fact: 'contents of 1 to 100 MB have `encoding: none`; links inside the repository are followed; a listing gives submodules as files',
      state: 'documented',
      source: `${docs}rest/repos/contents#get-repository-content`,
    },
  ]),
  ...inArea('Reviews and comments', [
    {
      id: 'anchor-rows',
      fact: 'a comment stands on a row of a hunk: RIGHT for added rows and rows of context, LEFT for removed rows',
      state: 'documented',
      source: comments,
      probed: 'by a person',
    },
    {
      id: 'anchor-range',
      fact: 'a range of rows of one hunk takes a comment (`start_line`, `start_side`)',
      state: 'documented',
      source: comments,
      probed: 'by a person',
    },
    {
      id: 'anchor-left-context',
      fact: 'LEFT on a row of context is refused',
      state: 'believed',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'anchor-outside',
      fact: 'a line that is in no hunk is refused with 422',
      state: 'reported',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'all-or-nothing',
      fact: 'one bad anchor refuses the whole review with 422, nothing of it is created, and the sentence does not tell which one it was',
      state: 'reported',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'range-order',
      fact: '`start_line` must come before `line`: after it, or the same, is refused',
      state: 'reported',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'range-one-hunk',
      fact: 'a range over two hunks is refused',
      state: 'reported',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'no-patch-no-comment',
      fact: 'a file without a `patch` takes no comment on a line',
      state: 'believed',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'submodule-row',
      fact: 'a `Subproject commit` row takes no comment',
      state: 'believed',
      source: 'reports',
    },
    {
      id: 'one-pending-review',
      fact: 'a person has one pending review a pull request: a second one is refused with 422 and a sentence with "pending review"',
      state: 'reported',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'delete-only-pending',
      fact: 'a pending review can be deleted, a submitted one cannot (422)',
      state: 'documented',
      source: `${reviews}#delete-a-pending-review-for-a-pull-request`,
      probed: 'by a person',
    },
    {
      id: 'own-verdict',
      fact: 'nobody approves or requests changes of a pull request of their own (422)',
      state: 'documented',
      source: `${docs}pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/about-pull-request-reviews`,
      probed: 'by a person',
    },
    {
      id: 'empty-comment',
      fact: 'a review of the event COMMENT needs a body or a comment (422)',
      state: 'documented',
      source: `${reviews}#create-a-review-for-a-pull-request`,
      probed: 'by a person',
    },
    {
      id: 'body-limit',
      fact: 'a body has 65,536 characters at most; one more is refused with 422',
      state: 'reported',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'edit-review-body',
      fact: 'PUT on a submitted review changes its body, and only that',
      state: 'documented',
      source: `${reviews}#update-a-review-for-a-pull-request`,
      probed: 'by a person',
    },
    {
      id: 'reply-is-a-review',
      fact: 'a reply makes a review of its own without a body',
      state: 'reported',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'reply-to-first',
      fact: 'a reply is made to the first comment of a thread: replies to replies are not supported',
      state: 'documented',
      source: `${comments}#create-a-reply-for-a-review-comment`,
    },
    {
      id: 'reviewers-refused',
      fact: 'one who is not a collaborator refuses the whole request for reviewers with 422, and so does the author',
      state: 'reported',
      source: 'reports',
    },
    {
      id: 'foreign-commit',
      fact: '`commit_id` must be a commit of the pull request (422)',
      state: 'reported',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'forced-away-commit',
      fact: 'a commit that was force pushed away is no longer part of the pull request (422)',
      state: 'believed',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'earlier-head',
      fact: 'a review of an earlier head is taken, and its comments are outdated where that line has changed since',
      state: 'believed',
      source: 'reports',
      probed: 'by a person',
    },
    {
      id: 'outdated-comment',
      fact: 'a comment whose line was changed is outdated: `line` and `position` null in REST, `line` null in GraphQL, the original ones stay',
      state: 'documented',
      source: comments,
      probed: 'by a person',
    },
    {
      id: 'lines-that-survive',
      fact: 'a comment stays on its line over a push when git carries the line over unchanged and it is still a row of the diff',
      state: 'believed',
      source: 'reports',
    },
    {
      id: 'many-comments-502',
      fact: 'a review of more than about 30 comments may answer 502 and be created all the same',
      state: 'reported',
      source: 'reports',
    },
    {
      id: 'ghost',
      fact: 'a deleted account is `ghost` in REST and null in GraphQL',
      state: 'reported',
      source: 'reports',
    },
  ]),
  ...inArea('Checks and reactions', [
    {
      id: 'checks-by-apps-only',
      fact: 'only an app writes check runs: a person is refused with 403',
      state: 'documented',
      source: checks,
      probed: 'by a person',
    },
    {
      id: 'check-creator-only',
      fact: 'only the app that created a check run can change it, and `rerequested` is sent to that app alone',
      state: 'documented',
      source: checks,
      probed: 'by the app',
    },
    {
      id: 'rerequest-by-the-app',
      fact: 'an app that asks for its own completed run again is sent `rerequested`, with its bot as the sender; the run stays as it is',
      state: 'believed',
      source: `${checks}#rerequest-a-check-run`,
    },
    {
      id: 'check-output-limits',
      fact: 'the output of a check has 65,535 characters a field and 50 annotations a request',
      state: 'documented',
      source: checks,
      probed: 'by the app',
    },
    {
      id: 'conclusion-completes',
      fact: 'a conclusion without a status completes a check run',
      state: 'documented',
      source: `${checks}#update-a-check-run`,
      probed: 'by the app',
    },
    {
      id: 'check-external-id',
      fact: '`external_id` and the text of a check come back as they were written, also in the list of a commit',
      state: 'documented',
      source: checks,
      probed: 'by the app',
    },
    {
      id: 'check-same-name',
      fact: 'two runs of one name on one commit are two: `filter=latest`, the default, lists the newest, `filter=all` both',
      state: 'documented',
      source: `${checks}#list-check-runs-for-a-git-reference`,
      probed: 'by the app',
    },
    {
      id: 'check-whole-seconds',
      fact: 'times of a check run are kept in whole seconds',
      state: 'believed',
      source: 'reports',
    },
    {
      id: 'rerun-of-a-fork',
      fact: 'a re-run on the commit of a fork names no pull request (`pull_requests` empty, `head_branch` null)',
      state: 'reported',
      source: 'reports',
    },
    {
      id: 'check-completed-edited',
      fact: 'a completed run takes another conclusion and other texts, and stays the same run',
      state: 'believed',
      source: 'reports',
      probed: 'by the app',
    },
    {
      id: 'check-not-back',
      fact: 'a completed run is not surely shown as in progress again, so each attempt is a new run',
      state: 'reported',
      source: 'reports',
    },
    {
      id: 'check-actions',
      fact: 'a run has three actions at most: a label of 20 characters, a description of 40, an identifier of 20',
      state: 'documented',
      source: `${checks}#create-a-check-run`,
      probed: 'by the app',
    },
    {
      id: 'check-of-commit',
      fact: 'a check belongs to a commit: open pull requests of the same head show and count the same runs',
      state: 'reported',
      source: 'reports',
    },
    {
      id: 'neutral-passes',
      fact: '`success`, `neutral` and `skipped` satisfy a required check',
      state: 'documented',
      source: `${docs}pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/troubleshooting-required-status-checks`,
    },
    {
      id: 'reaction-201-200',
      fact: 'a reaction answers 201 when it is new and 200 when it was there: one writer of two knows that it was first',
      state: 'documented',
      source: `${docs}rest/reactions/reactions#create-reaction-for-an-issue`,
      probed: 'by a person',
    },
    {
      id: 'reaction-deleted',
      fact: 'a reaction is deleted with 204, and with 404 when it is gone already',
      state: 'documented',
      source: `${docs}rest/reactions/reactions#delete-an-issue-reaction`,
      probed: 'by a person',
    },
  ]),
  ...inArea('Tokens and permissions', [
    {
      id: 'token-names-permissions',
      fact: 'the answer with an installation token names the permissions that it has',
      state: 'documented',
      source: `${docs}rest/apps/apps#create-an-installation-access-token-for-an-app`,
      probed: 'by the app',
    },
    {
      id: 'token-reads-public',
      fact: 'a token that is narrowed to one repository still reads public ones by their name in GraphQL',
      state: 'reported',
      source: 'reports',
    },
    {
      id: 'token-not-more',
      fact: 'a token with more than the installation has granted is refused with 422',
      state: 'documented',
      source: `${docs}rest/apps/apps#create-an-installation-access-token-for-an-app`,
      probed: 'by the app',
    },
    {
      id: 'missing-permission',
      fact: 'a missing permission answers 403 "Resource not accessible by integration", and `x-accepted-github-permissions` names those that would do',
      state: 'documented',
      source: `${docs}rest/using-the-rest-api/troubleshooting-the-rest-api`,
      probed: 'by the app',
    },
    {
      id: 'comments-under-issues',
      fact: 'an app is told of comments on pull requests (`issue_comment`) with `issues: read`; it writes them with `pull_requests: write`',
      state: 'documented',
      source: `${docs}webhooks/webhook-events-and-payloads#issue_comment`,
    },
    {
      id: 'queue-needs-merge-queues',
      fact: 'an app is told of merge groups (`merge_group`) with `merge_queues: read`',
      state: 'documented',
      source: `${docs}webhooks/webhook-events-and-payloads#merge_group`,
    },
    {
      id: 'rights-by-metadata',
      fact: 'who may do what in a repository is asked for by login with `metadata: read`; `role_name` tells maintain and triage, which `permission` does not',
      state: 'documented',
      source: `${docs}rest/collaborators/collaborators#get-repository-permissions-for-a-user`,
    },
    {
      id: 'resolve-needs-contents',
      fact: 'an app resolves threads only with `contents: write`; without it `viewerCanResolve` is false and the mutation is FORBIDDEN',
      state: 'reported',
      source: 'reports',
      probed: 'by the app',
    },
  ]),
  ...inArea('GraphQL', [
    {
      id: 'check-runs-of-a-commit',
      fact: 'the check runs of a commit are read by app and name (`filterBy`), older ones of the same name too (`checkType: ALL`), with `externalId` and `text`; without `checks: read` that is FORBIDDEN',
      state: 'documented',
      source: `${graphql}/objects#commit`,
    },
    {
      id: 'forced-push-timeline',
      fact: 'the timeline names the commit that a forced push took away (`beforeCommit`), and its check runs can still be read',
      state: 'believed',
      source: `${graphql}/objects#headrefforcepushedevent`,
    },
    {
      id: 'graphql-200-errors',
      fact: 'a failure answers 200 with `errors`; what could be read stands beside them in `data`',
      state: 'documented',
      source: `${docs}graphql/guides/forming-calls-with-graphql`,
      probed: 'by a person',
    },
    {
      id: 'viewer-did-author',
      fact: '`viewerDidAuthor` is true of what the token wrote, and `editor` is null until somebody edits it, then names who did',
      state: 'documented',
      source: `${graphql}/interfaces#comment`,
      probed: 'by a person',
    },
    {
      id: 'person-resolves',
      fact: 'a person with write access resolves a thread (`viewerCanResolve`), and is named in `resolvedBy`',
      state: 'documented',
      source: `${graphql}/mutations#resolvereviewthread`,
      probed: 'by a person',
    },
    {
      id: 'resolving-moves-no-time',
      fact: 'resolving a thread leaves `updatedAt` of the pull request and of its comments as it was',
      state: 'reported',
      source: 'reports',
    },
    {
      id: 'nodes-in-part',
      fact: 'an id of `nodes(ids:)` that leads nowhere is null in its place, with an error of its own beside the others',
      state: 'believed',
      source: `${graphql}/queries#nodes`,
    },
    {
      id: 'rollup-of-a-commit',
      fact: '`statusCheckRollup` lists the newest check run of each name and the commit statuses; it is null where nothing ran, and FORBIDDEN without `checks: read`',
      state: 'believed',
      source: `${graphql}/objects#statuscheckrollup`,
    },
    {
      id: 'bot-login',
      fact: 'GraphQL names a bot without `[bot]` and of the type Bot, REST with it',
      state: 'reported',
      source: 'reports',
      probed: 'by the app',
    },
    {
      id: 'full-database-id',
      fact: '`fullDatabaseId` is the id of REST as text; `databaseId` is empty above 32 bits',
      state: 'documented',
      source: `${graphql}/objects#pullrequestreviewcomment`,
      probed: 'by a person',
    },
    {
      id: 'page-bounds',
      fact: 'a list needs `first` or `last` (MISSING_PAGINATION_BOUNDARIES), 100 at most (EXCESSIVE_PAGINATION)',
      state: 'documented',
      source: graphqlLimits,
      probed: 'by a person',
    },
    {
      id: 'thread-sides',
      fact: 'a thread knows its side and its lines: `diffSide`, `line`, `startLine`',
      state: 'documented',
      source: `${graphql}/objects#pullrequestreviewthread`,
      probed: 'by a person',
    },
  ]),
  ...inArea('Webhooks and limits', [
    {
      id: 'state-letters',
      fact: 'review events write the state in small letters, the API in capitals',
      state: 'documented',
      source: `${docs}webhooks/webhook-events-and-payloads#pull_request_review`,
    },
    {
      id: 'ten-seconds',
      fact: 'a receiver has ten seconds; nothing is sent again by itself',
      state: 'documented',
      source: deliveries,
    },
    {
      id: 'redelivery-keeps-id',
      fact: 'a redelivery keeps `X-GitHub-Delivery` and its payload',
      state: 'documented',
      source: deliveries,
    },
    {
      id: 'secondary-limits',
      fact: 'a secondary limit answers 403 or 429, with `retry-after` or without; a request that was refused so has not happened',
      state: 'documented',
      source: rateLimits,
    },
    {
      id: 'rate-limit-headers',
      fact: 'answers carry `x-ratelimit-remaining` and `x-ratelimit-reset`; asking for `/rate_limit` costs nothing',
      state: 'documented',
      source: rateLimits,
      probed: 'by a person',
    },
  ]),
];

function inArea(area: Fact['area'], rows: readonly Omit<Fact, 'area'>[]): readonly Fact[] {
  return rows.map((row) => ({ ...row, area }));
}
