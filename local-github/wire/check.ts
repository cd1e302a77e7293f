import type { Commit } from '../objects.js';
import type { Annotation, CheckRun, CheckSuite, Pull, Repository, World } from '../state.js';
import { writeApp } from './account.js';
import { pullUrl } from './pull.js';
import { writeSimpleCommit } from './git.js';
import { htmlUrl, repositoryUrl, writeRepository } from './repository.js';

export const writeCheckRun = (world: World, repository: Repository, run: CheckRun) => {
  const url = `${repositoryUrl(world, repository)}/check-runs/${run.id}`;
  return {
    id: run.id,
    name: run.name,
    node_id: run.nodeId,
    head_sha: run.headSha,
    external_id: run.externalId ?? '',
    url,
    html_url: `${htmlUrl(world, repository)}/runs/${run.id}`,
    details_url: run.detailsUrl ?? `${world.url}/apps/${run.app.slug}`,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      title: run.title,
      summary: run.summary,
      text: run.text,
      annotations_count: run.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: run.suite.id },
    app: writeApp(world, run.app),
    pull_requests: pullsOf(world, repository, run.headSha),
  };
};

/** Pull requests from forks are left out, as on GitHub. */
const pullsOf = (world: World, repository: Repository, sha: string) =>
  [...repository.pulls.values()]
    .filter((pull) => pull.headSha === sha && pull.headRepository === repository && pull.state === 'open')
    .map((pull) => writeMinimalPull(world, repository, pull));

const writeMinimalPull = (world: World, repository: Repository, pull: Pull) => {
  const repo = { id: repository.id, url: repositoryUrl(world, repository), name: repository.name };
  return {
    url: pullUrl(world, repository, pull),
    id: pull.id,
    number: pull.number,
    head: { ref: pull.headRef, sha: pull.headSha, repo },
    base: { ref: pull.baseRef, sha: pull.baseSha, repo },
  };
};

/** The webhook shows the whole suite and a run that has never started as just started. */
export const writeCheckRunEvent = (world: World, repository: Repository, run: CheckRun) => ({
  ...writeCheckRun(world, repository, run),
  check_suite: writeSuite(world, repository, run.suite),
});

export const writeCheckSuiteEvent = (
  world: World,
  repository: Repository,
  suite: CheckSuite,
  commit: Commit,
) => ({
  ...writeSuite(world, repository, suite),
  latest_check_runs_count: repository.checkRuns.filter((run) => run.suite === suite).length,
  check_runs_url: `${repositoryUrl(world, repository)}/check-suites/${suite.id}/check-runs`,
  head_commit: writeSimpleCommit(commit),
});

/** As the API shows it. */
export const writeCheckSuite = (world: World, repository: Repository, suite: CheckSuite, commit: Commit) => ({
  ...writeCheckSuiteEvent(world, repository, suite, commit),
  repository: writeRepository(world, repository),
});

const writeSuite = (world: World, repository: Repository, suite: CheckSuite) => {
  const runs = repository.checkRuns.filter((run) => run.suite === suite);
  const done = runs.length > 0 && runs.every((run) => run.status === 'completed') && !suite.reset;
  const queued = runs.every((run) => run.status === 'queued');
  const worst = ['failure', 'timed_out', 'action_required', 'cancelled', 'success', 'neutral'].find((word) =>
    runs.some((run) => run.conclusion === word),
  );
  const pull = [...repository.pulls.values()].find((entry) => entry.headSha === suite.headSha);
  return {
    id: suite.id,
    node_id: suite.nodeId,
    head_branch: pull?.headRepository === repository ? pull.headRef : null,
    head_sha: suite.headSha,
    status: done ? 'completed' : queued || suite.reset ? 'queued' : 'in_progress',
    conclusion: done ? (worst ?? 'neutral') : null,
    url: `${repositoryUrl(world, repository)}/check-suites/${suite.id}`,
    before: pull?.mergeBase ?? null,
    after: suite.headSha,
    pull_requests: pullsOf(world, repository, suite.headSha),
    app: writeApp(world, suite.app),
    created_at: suite.createdAt,
    updated_at: suite.createdAt,
  };
};

export const writeAnnotation = (world: World, repository: Repository, run: CheckRun, given: Annotation) => ({
  ...given,
  blob_href: `${htmlUrl(world, repository)}/blob/${run.headSha}/${given.path}`,
});
