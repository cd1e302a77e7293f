import {
  type CheckWrite,
  createCheckRun,
  latestRuns,
  rerequest,
  rerequestSuite,
  updateCheckRun,
} from '../checks.js';
import {
  created,
  type Fields,
  fieldsOf,
  ok,
  page,
  pageOf,
  type Reply,
  type RepositoryCall,
  requiredString,
  type Route,
  wrongType,
} from '../http.js';
import { readCommit, resolveCommit } from '../objects.js';
import { notAccessible, notFound, Refusal } from '../refusal.js';
import type { CheckRun, CheckSuite } from '../state.js';
import { writeAnnotation, writeCheckRun, writeCheckSuite } from '../wire/check.js';

const READ = ['checks=read'] as const;
const WRITE = ['checks=write'] as const;

/** Check runs: only apps write them, and each app only its own. */
export const checkRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/check-runs',
    for: 'repository',
    needs: WRITE,
    handle: async (call) => {
      const { app } = call.actor;
      if (app === undefined) throw new Refusal(403, 'You must authenticate via a GitHub App.');
      const fields = fieldsOf(call);
      const asked = requiredString(fields, 'head_sha', 'CheckRun');
      const sha = /^[0-9a-f]{40}$/.test(asked) ? await resolveCommit(call.repository.git, asked) : null;
      if (sha === null) throw new Refusal(422, `No commit found for SHA: ${asked}`);
      const run = createCheckRun(call.world, call.repository, app, sha, checkWriteOf(fields));
      return created(writeCheckRun(call.world, call.repository, run));
    },
  },
  {
    method: 'PATCH',
    pattern: '/repos/:owner/:repo/check-runs/:id',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const run = runOf(call);
      updateCheckRun(call.world, call.repository, run, call.actor.app, checkWriteOf(fieldsOf(call)));
      return ok(writeCheckRun(call.world, call.repository, run));
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/check-runs/:id',
    for: 'repository',
    needs: READ,
    handle: (call) => ok(writeCheckRun(call.world, call.repository, runOf(call))),
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/check-runs/:id/annotations',
    for: 'repository',
    needs: READ,
    handle: (call) => {
      const run = runOf(call);
      return page(call, run.annotations, (given) => writeAnnotation(call.world, call.repository, run, given));
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/check-runs/:id/rerequest',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const run = runOf(call);
      if (call.actor.app !== undefined && call.actor.app !== run.app) throw notAccessible();
      rerequest(call.world, call.repository, run, call.actor.account);
      return created({});
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/check-suites/:id',
    for: 'repository',
    needs: READ,
    handle: async (call) => ok(await writtenSuite(call, suiteAt(call))),
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/check-suites/:id/check-runs',
    for: 'repository',
    needs: READ,
    handle: (call) => {
      const suite = suiteAt(call);
      return listRuns(
        call,
        call.repository.checkRuns.filter((run) => run.suite === suite),
      );
    },
  },
  {
    method: 'POST',
    pattern: '/repos/:owner/:repo/check-suites/:id/rerequest',
    for: 'repository',
    needs: WRITE,
    handle: (call) => {
      const suite = suiteAt(call);
      if (call.actor.app !== undefined && call.actor.app !== suite.app) throw notAccessible();
      rerequestSuite(call.world, call.repository, suite, call.actor.account);
      return created({});
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/commits/*ref/check-suites',
    for: 'repository',
    needs: READ,
    handle: async (call) => {
      const ref = call.params.ref ?? '';
      const sha = await resolveCommit(call.repository.git, ref);
      if (sha === null) throw new Refusal(422, `No commit found for SHA: ${ref}`);
      const app = call.query.get('app_id');
      const suites = call.repository.checkSuites.filter(
        (suite) => suite.headSha === sha && (app === null || suite.app.id === Number(app)),
      );
      const { slice, headers } = pageOf(call, suites);
      const written = await Promise.all(slice.map((suite) => writtenSuite(call, suite)));
      return { status: 200, headers, body: { total_count: suites.length, check_suites: written } };
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/commits/*ref/check-runs',
    for: 'repository',
    needs: READ,
    handle: async (call) => {
      const ref = call.params.ref ?? '';
      const sha = await resolveCommit(call.repository.git, ref);
      if (sha === null) throw new Refusal(422, `No commit found for SHA: ${ref}`);
      return listRuns(
        call,
        call.repository.checkRuns.filter((run) => run.headSha === sha),
      );
    },
  },
];

const listRuns = (call: RepositoryCall, all: readonly CheckRun[]): Reply => {
  const name = call.query.get('check_name');
  const status = call.query.get('status');
  const app = call.query.get('app_id');
  const runs = all.filter(
    (run) =>
      (name === null || run.name === name) &&
      (status === null || run.status === status) &&
      (app === null || run.app.id === Number(app)),
  );
  const shown = call.query.get('filter') === 'all' ? runs : latestRuns(runs);
  const newestFirst = [...shown].sort((a, b) => b.id - a.id);
  const answer = page(call, newestFirst, (run) => writeCheckRun(call.world, call.repository, run));
  return { ...answer, body: { total_count: shown.length, check_runs: answer.body } };
};

const writtenSuite = async (call: RepositoryCall, suite: CheckSuite) =>
  writeCheckSuite(call.world, call.repository, suite, await readCommit(call.repository.git, suite.headSha));

const suiteAt = (call: RepositoryCall): CheckSuite => {
  const suite = call.repository.checkSuites.find((entry) => entry.id === Number(call.params.id));
  if (suite === undefined) throw notFound();
  return suite;
};

const runOf = (call: RepositoryCall): CheckRun => {
  const run = call.repository.checkRuns.find((entry) => entry.id === Number(call.params.id));
  if (run === undefined) throw notFound();
  return run;
};

const TEXT_FIELDS = [
  'name',
  'status',
  'conclusion',
  'external_id',
  'details_url',
  'started_at',
  'completed_at',
];

const checkWriteOf = (fields: Fields): CheckWrite => {
  for (const name of TEXT_FIELDS) {
    const value = fields[name];
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw wrongType(name, value, 'a string');
  }
  const { output, actions } = fields;
  if (output !== undefined) {
    if (typeof output !== 'object' || output === null) throw wrongType('output', output, 'an object');
    for (const name of ['title', 'summary', 'text'])
      if (!['string', 'undefined'].includes(typeof (output as Fields)[name]))
        throw wrongType(`output/${name}`, (output as Fields)[name], 'a string');
    const { annotations } = output as Fields;
    if (annotations !== undefined && !Array.isArray(annotations))
      throw wrongType('output/annotations', annotations, 'an array');
  }
  if (actions !== undefined && !Array.isArray(actions)) throw wrongType('actions', actions, 'an array');
  return fields;
};
