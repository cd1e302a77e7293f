import { Readable } from 'node:stream';
import { Parser, type ReadEntry } from 'tar';
import { at, listAt, numberAt, saidBy, textAt } from './speaker.js';
import { dryReview, type AppSpeaker, type Stage } from './stage.js';

/** What a probe saw, and whether the fact holds. */
export type Seen = { readonly holds: boolean; readonly saw: string };

/** By the id of the fact that it looks up. */
export const probes: Readonly<Record<string, (stage: Stage) => Promise<Seen>>> = {
  'diff-from-merge-base': async (stage) => {
    const names = (await filesOf(stage)).map((file) => textAt(file, 'filename'));
    return seen(names.includes('src/a.ts') && !names.includes('later.txt'), `files: ${names.join(', ')}`);
  },
  'base-sha-stays': async (stage) => {
    const { number, baseSha } = await stage.main();
    const pull = await stage.person.rest('GET', `${stage.route}/pulls/${number}`);
    const named = textAt(pull.data, 'base', 'sha');
    return seen(
      named === baseSha,
      named === baseSha ? 'base.sha stayed' : 'base.sha moved with the base branch',
    );
  },
  'compare-merge-base': async (stage) => {
    const { base, headSha, forkSha } = await stage.main();
    const tip = await stage.person.rest('GET', `${stage.route}/git/ref/heads/${base}`);
    const answer = await stage.person.rest(
      'GET',
      `${stage.route}/compare/${textAt(tip.data, 'object', 'sha')}...${headSha}?per_page=1`,
    );
    const merge = textAt(answer.data, 'merge_base_commit', 'sha');
    const names = listAt(answer.data, 'files').map((file) => textAt(file, 'filename'));
    return seen(
      merge === forkSha && names.includes('src/a.ts') && !names.includes('later.txt'),
      `merge base ${merge === forkSha ? 'as expected' : merge || saidBy(answer)}, ${names.length} files`,
    );
  },
  'compare-first-page': async (stage) => {
    const { baseSha, headSha } = await stage.large();
    const route = `${stage.route}/compare/${baseSha}...${headSha}?per_page=1`;
    const first = listAt((await stage.person.rest('GET', route)).data, 'files').length;
    const second = listAt((await stage.person.rest('GET', `${route}&page=2`)).data, 'files').length;
    return seen(first === 300 && second === 0, `${first} files on page 1, ${second} on page 2`);
  },
  'compare-unknown': async (stage) => {
    const { forkSha } = await stage.main();
    const answer = await stage.person.rest('GET', `${stage.route}/compare/${forkSha}...${'0'.repeat(40)}`);
    return seen(answer.status === 404, saidBy(answer));
  },
  'files-by-page': async (stage) => {
    const { number } = await stage.large();
    const answer = await stage.person.rest('GET', `${stage.route}/pulls/${number}/files?per_page=300`);
    const count = listAt(answer.data).length;
    const link = answer.headers.get('link') ?? '';
    return seen(
      count === 100 && /rel="next"/.test(link),
      `${count} on a page, Link ${link === '' ? 'absent' : 'there'}`,
    );
  },
  'files-without-patch': async (stage) => {
    const files = await filesOf(stage);
    const of = (name: string) => files.find((file) => textAt(file, 'filename') === name);
    const without = ['pic.bin', 'new/name.txt', 'bin/tool.sh', 'empty.txt'].filter(
      (name) => of(name) !== undefined && at(of(name), 'patch') === undefined,
    );
    const before = textAt(of('new/name.txt'), 'previous_filename');
    return seen(
      without.length === 4 && before === 'old/name.txt' && textAt(of('src/a.ts'), 'patch') !== '',
      `without: ${without.join(', ')}; previous_filename ${before}`,
    );
  },
  'type-change-one-entry': async (stage) => {
    const entries = (await filesOf(stage)).filter((file) => textAt(file, 'filename') === 'turned.txt');
    const patch = textAt(entries[0], 'patch');
    return seen(
      entries.length === 1 &&
        textAt(entries[0], 'status') === 'changed' &&
        /^-/m.test(patch) &&
        /^\+/m.test(patch),
      `${entries.length} entries, ${textAt(entries[0], 'status')}, patch ${patch === '' ? 'absent' : 'there'}`,
    );
  },
  'diff-too-large': async (stage) => {
    const { number } = await stage.large();
    const answer = await stage.person.rest(
      'GET',
      `${stage.route}/pulls/${number}`,
      undefined,
      'application/vnd.github.v3.diff',
    );
    return seen(
      answer.status === 406 && textAt(answer.data, 'errors', 0, 'code') === 'too_large',
      saidBy(answer),
    );
  },
  'archive-redirects': async (stage) => {
    const { status, location, bytes } = await archiveOf(stage);
    return seen(
      status === 302 && location !== '' && bytes !== null,
      `${status}, then ${bytes === null ? 'refused' : 'given without a token'}`,
    );
  },
  'archive-attributes': async (stage) => {
    const { bytes } = await archiveOf(stage);
    const names = bytes === null ? [] : await namesIn(bytes);
    const has = (name: string) => names.some((one) => one.endsWith(`/${name}`));
    return seen(
      has('src/a.ts') && !has('hidden/in-archive.txt'),
      `${names.length} entries, ${has('hidden/in-archive.txt') ? 'with' : 'without'} the ignored file`,
    );
  },
  'tree-recursive': async (stage) => {
    const { headSha } = await stage.main();
    const answer = await stage.person.rest('GET', `${stage.route}/git/trees/${headSha}?recursive=1`);
    const link = listAt(answer.data, 'tree').find((entry) => textAt(entry, 'path') === 'turned.txt');
    const hidden = listAt(answer.data, 'tree').some(
      (entry) => textAt(entry, 'path') === 'hidden/in-archive.txt',
    );
    return seen(
      at(answer.data, 'truncated') === false && textAt(link, 'mode') === '120000' && hidden,
      `truncated ${String(at(answer.data, 'truncated'))}, the link has mode ${textAt(link, 'mode')}`,
    );
  },
  'closed-push': async (stage) => {
    const { forcedSha, closed } = await stage.moving();
    return seen(
      closed.namedSha === forcedSha && closed.reopenedSha === closed.pushedSha,
      `closed: head ${closed.namedSha === forcedSha ? 'stayed' : 'moved'}; opened again: ${closed.reopenedSha === closed.pushedSha ? 'head followed' : closed.reopenedSha}`,
    );
  },

  'anchor-rows': async (stage) => {
    const answer = await tried(stage, [
      comment(5, 'RIGHT'),
      comment(30, 'RIGHT'),
      comment(3, 'RIGHT'),
      comment(10, 'LEFT'),
    ]);
    return seen(answer.status === 200, saidBy(answer));
  },
  'anchor-range': async (stage) => {
    const answer = await tried(stage, [{ ...comment(6, 'RIGHT'), start_line: 3, start_side: 'RIGHT' }]);
    return seen(answer.status === 200, saidBy(answer));
  },
  'anchor-left-context': (stage) => refused(stage, [comment(3, 'LEFT')]),
  'anchor-outside': (stage) => refused(stage, [comment(20, 'RIGHT')]),
  'all-or-nothing': async (stage) => {
    const { number } = await stage.main();
    const before = listAt((await stage.person.rest('GET', reviewsOf(stage, number))).data).length;
    const answer = await tried(stage, [comment(5, 'RIGHT'), comment(20, 'RIGHT')]);
    const after = listAt((await stage.person.rest('GET', reviewsOf(stage, number))).data).length;
    return seen(
      answer.status === 422 && after === before && !/\b20\b|src\/a\.ts/.test(saidBy(answer)),
      `${saidBy(answer)}; reviews before ${before}, after ${after}`,
    );
  },
  'range-order': async (stage) => {
    const after = await tried(stage, [{ ...comment(4, 'RIGHT'), start_line: 6, start_side: 'RIGHT' }]);
    const same = await tried(stage, [{ ...comment(5, 'RIGHT'), start_line: 5, start_side: 'RIGHT' }]);
    return seen(
      after.status === 422 && same.status === 422,
      `after: ${saidBy(after)}; the same: ${saidBy(same)}`,
    );
  },
  'range-one-hunk': (stage) =>
    refused(stage, [{ ...comment(30, 'RIGHT'), start_line: 5, start_side: 'RIGHT' }]),
  'no-patch-no-comment': (stage) => refused(stage, [{ ...comment(1, 'RIGHT'), path: 'new/name.txt' }]),
  'one-pending-review': async (stage) => {
    const { number, headSha } = await stage.main();
    const reviews = reviewsOf(stage, number);
    const first = await stage.person.rest('POST', reviews, { commit_id: headSha, body: 'pending' });
    const second = await stage.person.rest('POST', reviews, { commit_id: headSha, body: 'and another' });
    await stage.person.rest('DELETE', `${reviews}/${numberAt(first.data, 'id')}`);
    if (second.status < 300) await stage.person.rest('DELETE', `${reviews}/${numberAt(second.data, 'id')}`);
    return seen(second.status === 422 && /pending review/i.test(saidBy(second)), saidBy(second));
  },
  'delete-only-pending': async (stage) => {
    const { number, headSha } = await stage.main();
    const reviews = reviewsOf(stage, number);
    const pending = await stage.person.rest('POST', reviews, { commit_id: headSha, body: 'pending' });
    const gone = await stage.person.rest('DELETE', `${reviews}/${numberAt(pending.data, 'id')}`);
    const { review } = await conversation(stage);
    const stays = await stage.person.rest('DELETE', `${reviews}/${review}`);
    return seen(
      gone.status === 200 && stays.status === 422,
      `pending: ${gone.status}; submitted: ${saidBy(stays)}`,
    );
  },
  'own-verdict': async (stage) => {
    const { number } = await stage.main();
    const said = [];
    for (const event of ['APPROVE', 'REQUEST_CHANGES'])
      said.push(await stage.person.rest('POST', reviewsOf(stage, number), { event, body: 'of my own' }));
    return seen(
      said.every(({ status }) => status === 422),
      said.map(saidBy).join('; '),
    );
  },
  'empty-comment': async (stage) => {
    const { number } = await stage.main();
    const answer = await stage.person.rest('POST', reviewsOf(stage, number), { event: 'COMMENT' });
    return seen(answer.status === 422, saidBy(answer));
  },
  'body-limit': async (stage) => {
    const { number, headSha } = await stage.main();
    const trial = (length: number) =>
      dryReview(stage.person, reviewsOf(stage, number), { commit_id: headSha, body: 'x'.repeat(length) });
    const most = await trial(65_536);
    const more = await trial(65_537);
    return seen(
      most.status === 200 && more.status === 422,
      `65,536: ${most.status}; 65,537: ${saidBy(more)}`,
    );
  },
  'edit-review-body': async (stage) => {
    const { number } = await stage.main();
    const { review } = await conversation(stage);
    const route = `${reviewsOf(stage, number)}/${review}`;
    const before = await stage.person.rest('GET', route);
    const answer = await stage.person.rest('PUT', route, { body: 'edited' });
    const after = await stage.person.rest('GET', route);
    const same = (key: string) => textAt(before.data, key) === textAt(after.data, key);
    return seen(
      answer.status === 200 && textAt(after.data, 'body') === 'edited' && same('state') && same('commit_id'),
      `${saidBy(answer)}, ${textAt(after.data, 'state')}`,
    );
  },
  'reply-is-a-review': async (stage) => {
    const { number } = await stage.main();
    const { reply } = await conversation(stage);
    const reviews = listAt((await stage.person.rest('GET', reviewsOf(stage, number))).data);
    const own = reviews.find(
      (review) => numberAt(review, 'id') === numberAt(reply, 'pull_request_review_id'),
    );
    return seen(
      own !== undefined && textAt(own, 'body') === '' && textAt(own, 'state') === 'COMMENTED',
      own === undefined
        ? 'no review of its own'
        : `a review, ${textAt(own, 'state')}, body "${textAt(own, 'body')}"`,
    );
  },
  'foreign-commit': async (stage) => {
    const { headSha } = await stage.large();
    const { number } = await stage.main();
    const answer = await dryReview(stage.person, reviewsOf(stage, number), {
      commit_id: headSha,
      body: 'of another branch',
      comments: [comment(5, 'RIGHT')],
    });
    return seen(answer.status === 422, saidBy(answer));
  },
  'forced-away-commit': async (stage) => {
    const { forcedAway } = await stage.moving();
    return seen(forcedAway.status === 422, forcedAway.said);
  },
  'earlier-head': async (stage) => {
    const { late } = await stage.moving();
    return seen(
      late.status === 200 && at(late.comment, 'line') === null,
      late.status === 200 ? `taken, line ${String(at(late.comment, 'line'))}` : late.said,
    );
  },
  'outdated-comment': async (stage) => {
    const { comment: one, thread } = await stage.moving();
    return seen(
      at(one, 'line') === null &&
        at(one, 'position') === null &&
        numberAt(one, 'original_line') === 5 &&
        at(thread, 'isOutdated') === true &&
        at(thread, 'line') === null &&
        numberAt(thread, 'originalLine') === 5,
      `REST line ${String(at(one, 'line'))}, position ${String(at(one, 'position'))}, original ${numberAt(one, 'original_line')}; GraphQL outdated ${String(at(thread, 'isOutdated'))}, line ${String(at(thread, 'line'))}`,
    );
  },

  'checks-by-apps-only': async (stage) => {
    const { headSha } = await stage.main();
    const answer = await stage.person.rest('POST', `${stage.route}/check-runs`, {
      name: 'probe',
      head_sha: headSha,
    });
    return seen(answer.status === 403, saidBy(answer));
  },
  'check-creator-only': async (stage) => {
    const { first } = await checkRuns(stage);
    const answer = await stage.person.rest('PATCH', `${stage.route}/check-runs/${first}`, {
      status: 'completed',
      conclusion: 'success',
    });
    return seen(answer.status === 403, saidBy(answer));
  },
  'check-output-limits': async (stage) => {
    const { app, first } = await checkRuns(stage);
    const route = `${stage.route}/check-runs/${first}`;
    const annotation = {
      path: 'src/a.ts',
      start_line: 5,
      end_line: 5,
      annotation_level: 'notice',
      message: 'x',
    };
    const output = { title: 'probe', summary: 'x' };
    const most = await app.rest('PATCH', route, { output: { ...output, summary: 'x'.repeat(65_535) } });
    const long = await app.rest('PATCH', route, { output: { ...output, summary: 'x'.repeat(65_536) } });
    const many = await app.rest('PATCH', route, {
      output: { ...output, annotations: Array(51).fill(annotation) },
    });
    return seen(
      most.status === 200 && long.status === 422 && many.status === 422,
      `65,535: ${most.status}; 65,536: ${saidBy(long)}; 51 annotations: ${saidBy(many)}`,
    );
  },
  'conclusion-completes': async (stage) => {
    const { app, first } = await checkRuns(stage);
    const answer = await app.rest('PATCH', `${stage.route}/check-runs/${first}`, { conclusion: 'neutral' });
    return seen(
      textAt(answer.data, 'status') === 'completed' && textAt(answer.data, 'conclusion') === 'neutral',
      `${answer.status}, ${textAt(answer.data, 'status')}`,
    );
  },
  'check-completed-edited': async (stage) => {
    const { app, first } = await checkRuns(stage);
    const route = `${stage.route}/check-runs/${first}`;
    await app.rest('PATCH', route, { status: 'completed', conclusion: 'neutral' });
    const answer = await app.rest('PATCH', route, {
      status: 'completed',
      conclusion: 'failure',
      output: { title: 'probe again', summary: 'x' },
    });
    return seen(
      numberAt(answer.data, 'id') === first &&
        textAt(answer.data, 'conclusion') === 'failure' &&
        textAt(answer.data, 'output', 'title') === 'probe again',
      `${answer.status}, ${textAt(answer.data, 'conclusion')}`,
    );
  },
  'check-actions': async (stage) => {
    const { app, first } = await checkRuns(stage);
    const route = `${stage.route}/check-runs/${first}`;
    const action = { label: 'x'.repeat(20), description: 'x'.repeat(40), identifier: 'x'.repeat(20) };
    const most = await app.rest('PATCH', route, { actions: [action, action, action] });
    const four = await app.rest('PATCH', route, { actions: [action, action, action, action] });
    const long = await app.rest('PATCH', route, { actions: [{ ...action, label: 'x'.repeat(21) }] });
    return seen(
      most.status === 200 && four.status === 422 && long.status === 422,
      `three: ${most.status}; four: ${saidBy(four)}; a label of 21: ${saidBy(long)}`,
    );
  },
  'check-external-id': async (stage) => {
    const { all } = await checkRuns(stage);
    const one = all.find((run) => textAt(run, 'external_id') === 'first: ü');
    return seen(
      textAt(one, 'output', 'text') === 'kept\n<!-- as it is -->',
      one === undefined
        ? 'external_id did not come back'
        : `text ${JSON.stringify(textAt(one, 'output', 'text'))}`,
    );
  },
  'check-same-name': async (stage) => {
    const { latest, all } = await checkRuns(stage);
    return seen(
      latest.length === 1 && all.length === 2 && textAt(latest[0], 'external_id') === 'second',
      `latest ${latest.length}, all ${all.length}`,
    );
  },
  'reaction-201-200': async (stage) => {
    const { first, second } = await reactions(stage);
    return seen(
      first.status === 201 &&
        second.status === 200 &&
        numberAt(first.data, 'id') === numberAt(second.data, 'id'),
      `${first.status}, then ${second.status}`,
    );
  },
  'reaction-deleted': async (stage) => {
    const { deleted, again } = await reactions(stage);
    return seen(deleted.status === 204 && again.status === 404, `${deleted.status}, then ${again.status}`);
  },

  'token-names-permissions': async (stage) => {
    const answer = await appOf(stage).askToken({ repositories: [stage.repo] });
    const names = Object.keys((at(answer.data, 'permissions') as object | undefined) ?? {});
    return seen(answer.status === 201 && names.includes('metadata'), `${answer.status}: ${names.join(', ')}`);
  },
  'token-not-more': async (stage) => {
    const answer = await appOf(stage).askToken({ permissions: { administration: 'write' } });
    return seen(answer.status === 422, saidBy(answer));
  },
  'missing-permission': async (stage) => {
    const { number } = await stage.main();
    const narrow = await appOf(stage).narrowed({ metadata: 'read' });
    const answer = await narrow.rest('POST', reviewsOf(stage, number), { event: 'COMMENT', body: 'x' });
    const accepted = answer.headers.get('x-accepted-github-permissions') ?? '';
    return seen(
      answer.status === 403 &&
        /not accessible by integration/i.test(saidBy(answer)) &&
        /pull_requests=write/.test(accepted),
      `${saidBy(answer)}; accepted: ${accepted}`,
    );
  },
  'resolve-needs-contents': async (stage) => {
    const { thread } = await conversation(stage);
    const narrow = await appOf(stage).narrowed({ pull_requests: 'write', contents: 'read' });
    const read = await narrow.graphql(
      'query ($id: ID!) { node(id: $id) { ... on PullRequestReviewThread { viewerCanResolve } } }',
      { id: thread },
    );
    const { errors } = await narrow.graphql(
      'mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }',
      { id: thread },
    );
    const can = at(read.data, 'node', 'viewerCanResolve');
    return seen(
      can === false && errors.includes('FORBIDDEN'),
      `viewerCanResolve ${String(can)}; ${errors.join(', ') || 'resolved'}`,
    );
  },

  'graphql-200-errors': async (stage) => {
    const { owner, repo, person } = stage;
    const answer = await person.graphql(
      'query ($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) { name pullRequest(number: 999999) { id } } }',
      { owner, repo },
    );
    return seen(
      answer.status === 200 &&
        answer.errors.includes('NOT_FOUND') &&
        textAt(answer.data, 'repository', 'name') !== '' &&
        at(answer.data, 'repository', 'pullRequest') === null,
      `${answer.status}, ${answer.errors.join(', ')}, the name ${textAt(answer.data, 'repository', 'name') === '' ? 'absent' : 'there'}`,
    );
  },
  'viewer-did-author': async (stage) => {
    const { comment: id, nodeId } = await conversation(stage);
    const query =
      'query ($id: ID!) { node(id: $id) { ... on PullRequestReviewComment { viewerDidAuthor editor { login } } } }';
    const before = await stage.person.graphql(query, { id: nodeId });
    await stage.person.rest('PATCH', `${stage.route}/pulls/comments/${id}`, { body: 'edited' });
    const after = await stage.person.graphql(query, { id: nodeId });
    const editor = textAt(after.data, 'node', 'editor', 'login');
    return seen(
      at(before.data, 'node', 'viewerDidAuthor') === true &&
        at(before.data, 'node', 'editor') === null &&
        editor === stage.login,
      `viewerDidAuthor ${String(at(before.data, 'node', 'viewerDidAuthor'))}, editor ${String(at(before.data, 'node', 'editor'))}, then ${editor === stage.login ? 'who edited it' : editor}`,
    );
  },
  'person-resolves': async (stage) => {
    const { thread } = await conversation(stage);
    const read = await stage.person.graphql(
      'query ($id: ID!) { node(id: $id) { ... on PullRequestReviewThread { viewerCanResolve } } }',
      { id: thread },
    );
    const done = await stage.person.graphql(
      'mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved resolvedBy { login } } } }',
      { id: thread },
    );
    await stage.person.graphql(
      'mutation ($id: ID!) { unresolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }',
      { id: thread },
    );
    const by = textAt(done.data, 'resolveReviewThread', 'thread', 'resolvedBy', 'login');
    return seen(
      at(read.data, 'node', 'viewerCanResolve') === true && by === stage.login,
      `viewerCanResolve ${String(at(read.data, 'node', 'viewerCanResolve'))}, resolved by ${by === stage.login ? 'the person' : by || done.errors.join(', ')}`,
    );
  },
  'bot-login': async (stage) => {
    const app = appOf(stage);
    const { number, headSha } = await stage.main();
    const made = await app.rest('POST', reviewsOf(stage, number), {
      commit_id: headSha,
      event: 'COMMENT',
      body: 'as an app',
    });
    const read = await app.graphql(
      'query ($id: ID!) { node(id: $id) { ... on PullRequestReview { author { __typename login } } } }',
      { id: textAt(made.data, 'node_id') },
    );
    const rest = textAt(made.data, 'user', 'login');
    const author = at(read.data, 'node', 'author');
    return seen(
      rest === `${app.slug}[bot]` &&
        textAt(author, 'login') === app.slug &&
        textAt(author, '__typename') === 'Bot',
      `REST ${rest || saidBy(made)}, GraphQL ${textAt(author, 'login')} (${textAt(author, '__typename')})`,
    );
  },
  'full-database-id': async (stage) => {
    const { comment: id, nodeId } = await conversation(stage);
    const read = await stage.person.graphql(
      'query ($id: ID!) { node(id: $id) { ... on PullRequestReviewComment { fullDatabaseId databaseId } } }',
      { id: nodeId },
    );
    const full = at(read.data, 'node', 'fullDatabaseId');
    const short = at(read.data, 'node', 'databaseId');
    return seen(
      full === String(id) && (short === id || (short === null && id > 2 ** 31 - 1)),
      `fullDatabaseId is ${typeof full}, databaseId ${short === null ? 'null' : typeof short}`,
    );
  },
  'page-bounds': async (stage) => {
    const { owner, repo, person } = stage;
    const { number } = await stage.main();
    const ask = (bounds: string) =>
      person.graphql(
        `query ($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) { pullRequest(number: $number) { reviews${bounds} { totalCount nodes { id } } } } }`,
        { owner, repo, number },
      );
    const none = (await ask('')).errors;
    const many = (await ask('(first: 101)')).errors;
    return seen(
      none.includes('MISSING_PAGINATION_BOUNDARIES') && many.includes('EXCESSIVE_PAGINATION'),
      `without: ${none.join(', ') || 'answered'}; 101: ${many.join(', ') || 'answered'}`,
    );
  },
  'thread-sides': async (stage) => {
    const { thread } = await conversation(stage);
    const read = await stage.person.graphql(
      'query ($id: ID!) { node(id: $id) { ... on PullRequestReviewThread { diffSide line startLine path } } }',
      { id: thread },
    );
    const node = at(read.data, 'node');
    return seen(
      textAt(node, 'diffSide') === 'LEFT' && numberAt(node, 'line') === 10 && at(node, 'startLine') === null,
      `${textAt(node, 'diffSide')} ${numberAt(node, 'line')}, start ${String(at(node, 'startLine'))}`,
    );
  },

  'rate-limit-headers': async (stage) => {
    const before = await stage.person.rest('GET', stage.route);
    for (let asked = 0; asked < 3; asked += 1) await stage.person.rest('GET', '/rate_limit');
    const after = await stage.person.rest('GET', stage.route);
    const left = (answer: typeof before) => Number(answer.headers.get('x-ratelimit-remaining') ?? NaN);
    const cost = left(before) - left(after);
    return seen(
      cost === 1 && after.headers.has('x-ratelimit-reset'),
      `five requests, three of them free, cost ${cost} after the first`,
    );
  },
};

const seen = (holds: boolean, saw: string): Seen => ({ holds, saw });

const reviewsOf = (stage: Stage, number: number): string => `${stage.route}/pulls/${number}/reviews`;

type NewComment = Readonly<Record<string, unknown>>;
const comment = (line: number, side: 'LEFT' | 'RIGHT'): NewComment => ({
  path: 'src/a.ts',
  line,
  side,
  body: 'probe',
});

/** Whether GitHub would take these comments: they stay pending and are deleted. */
async function tried(stage: Stage, comments: readonly NewComment[]) {
  const { number, headSha } = await stage.main();
  return dryReview(stage.person, reviewsOf(stage, number), { commit_id: headSha, body: 'probe', comments });
}

async function refused(stage: Stage, comments: readonly NewComment[]): Promise<Seen> {
  const answer = await tried(stage, comments);
  return seen(answer.status === 422, saidBy(answer));
}

async function filesOf(stage: Stage): Promise<readonly unknown[]> {
  const { number } = await stage.main();
  return listAt((await stage.person.rest('GET', `${stage.route}/pulls/${number}/files?per_page=100`)).data);
}

function appOf({ app }: Stage): AppSpeaker {
  if (app === null) throw new Error('This probe needs the app.');
  return app;
}

const remembered = new WeakMap<Stage, Map<string, Promise<unknown>>>();

/** Made once a stage: several probes look at the same thing. */
function shared<T>(name: string, make: (stage: Stage) => Promise<T>): (stage: Stage) => Promise<T> {
  return (stage) => {
    const all = remembered.get(stage) ?? new Map<string, Promise<unknown>>();
    remembered.set(stage, all);
    const made = all.get(name) ?? make(stage);
    all.set(name, made);
    return made as Promise<T>;
  };
}

/** A review with a comment on a removed line, and a reply to it. */
const conversation = shared('conversation', async (stage) => {
  const { number, headSha } = await stage.main();
  const { owner, repo, person } = stage;
  const review = await person.rest('POST', reviewsOf(stage, number), {
    commit_id: headSha,
    event: 'COMMENT',
    body: 'as it was',
    comments: [comment(10, 'LEFT')],
  });
  const listed = await person.rest('GET', `${stage.route}/pulls/${number}/comments?per_page=100`);
  const first = listAt(listed.data).find(
    (one) => numberAt(one, 'pull_request_review_id') === numberAt(review.data, 'id'),
  );
  const reply = await person.rest(
    'POST',
    `${stage.route}/pulls/${number}/comments/${numberAt(first, 'id')}/replies`,
    { body: 'a reply' },
  );
  const read = await person.graphql(
    `query ($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
      reviewThreads(first: 50) { nodes { id comments(first: 1) { nodes { id } } } } } } }`,
    { owner, repo, number },
  );
  const nodeId = textAt(first, 'node_id');
  const thread = listAt(read.data, 'repository', 'pullRequest', 'reviewThreads', 'nodes').find(
    (one) => textAt(one, 'comments', 'nodes', 0, 'id') === nodeId,
  );
  return {
    review: numberAt(review.data, 'id'),
    comment: numberAt(first, 'id'),
    nodeId,
    reply: reply.data,
    thread: textAt(thread, 'id'),
  };
});

const reactions = shared('reactions', async (stage) => {
  const { number } = await stage.main();
  const route = `${stage.route}/issues/${number}/reactions`;
  const first = await stage.person.rest('POST', route, { content: 'eyes' });
  const second = await stage.person.rest('POST', route, { content: 'eyes' });
  const one = `${route}/${numberAt(first.data, 'id')}`;
  const deleted = await stage.person.rest('DELETE', one);
  const again = await stage.person.rest('DELETE', one);
  return { first, second, deleted, again };
});

/** Two runs of one name on one commit. */
const checkRuns = shared('checkRuns', async (stage) => {
  const app = appOf(stage);
  const { headSha } = await stage.main();
  const make = (externalId: string) =>
    app.rest('POST', `${stage.route}/check-runs`, {
      name: 'Evident probe',
      head_sha: headSha,
      status: 'in_progress',
      external_id: externalId,
      output: { title: 'probe', summary: 'probe', text: 'kept\n<!-- as it is -->' },
    });
  const first = await make('first: ü');
  const second = await make('second');
  if (first.status !== 201 || second.status !== 201)
    throw new Error(`The app cannot write check runs: ${saidBy(first)}. It needs checks: write.`);
  const list = async (filter: string) =>
    listAt(
      (
        await app.rest(
          'GET',
          `${stage.route}/commits/${headSha}/check-runs?check_name=Evident%20probe&filter=${filter}`,
        )
      ).data,
      'check_runs',
    );
  return { app, first: numberAt(first.data, 'id'), latest: await list('latest'), all: await list('all') };
});

const archiveOf = shared('archive', async (stage) => {
  const { headSha } = await stage.main();
  const first = await stage.person.rest('GET', `${stage.route}/tarball/${headSha}`);
  const location = first.headers.get('location') ?? '';
  if (location === '') return { status: first.status, location, bytes: null };
  await stage.meter.take(false);
  // Without a token, as the app fetches it.
  const answer = await fetch(location, {
    headers: { 'user-agent': 'evident-probe' },
    signal: AbortSignal.timeout(60_000),
  });
  return {
    status: first.status,
    location,
    bytes: answer.ok ? Buffer.from(await answer.arrayBuffer()) : null,
  };
});

async function namesIn(archive: Buffer): Promise<readonly string[]> {
  const names: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const parser = new Parser({
      onReadEntry: (entry: ReadEntry) => {
        names.push(entry.path);
        entry.resume();
      },
    });
    parser.on('end', resolve);
    parser.on('error', reject);
    Readable.from([archive]).pipe(parser);
  });
  return names;
}
