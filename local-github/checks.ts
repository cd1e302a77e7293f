import { readCommit } from './objects.js';
import { invalid, notAccessible } from './refusal.js';
import {
  type Account,
  type Annotation,
  type App,
  CHECK_STATUSES,
  type CheckRun,
  type CheckStatus,
  type CheckSuite,
  CONCLUSIONS,
  type Conclusion,
  inBackground,
  nextId,
  nodeId,
  now,
  type Pull,
  type Repository,
  type RequiredCheck,
  stamp,
  type World,
} from './state.js';

export const OUTPUT_LIMIT = 65_535;
const ANNOTATION_LIMIT = 50;
/** Of an annotation: 64 KB and 255 characters. https://docs.github.com/en/rest/checks/runs#create-a-check-run */
const MESSAGE_LIMIT = 65_536;
const TITLE_LIMIT = 255;

/** A check run as the API's body writes it. */
export type CheckWrite = {
  readonly name?: string;
  readonly status?: string;
  readonly conclusion?: string | null;
  readonly external_id?: string;
  readonly details_url?: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly output?: {
    readonly title?: string;
    readonly summary?: string;
    readonly text?: string;
    readonly annotations?: readonly Partial<Annotation>[];
  };
  readonly actions?: readonly {
    readonly label: string;
    readonly description: string;
    readonly identifier: string;
  }[];
};

export const createCheckRun = (
  world: World,
  repository: Repository,
  app: App,
  headSha: string,
  write: CheckWrite,
): CheckRun => {
  if (write.name === undefined || write.name === '') throw invalid('CheckRun', 'name', 'missing_field');
  const id = nextId(world, 'checkRun');
  const run: CheckRun = {
    id,
    nodeId: nodeId('CR', id),
    app,
    suite: suiteOf(world, repository, app, headSha),
    headSha,
    name: write.name,
    externalId: '',
    detailsUrl: null,
    status: 'queued',
    conclusion: null,
    startedAt: null,
    completedAt: null,
    title: null,
    summary: null,
    text: null,
    annotations: [],
    actions: [],
    born: Date.now(),
  };
  apply(world, run, write);
  run.suite.reset = false;
  run.startedAt ??= now(world);
  repository.checkRuns.push(run);
  world.emit({ kind: 'check_run', action: 'created', repository, run, sender: app.bot });
  if (run.status === 'completed') tellCompleted(world, repository, run);
  return run;
};

export const updateCheckRun = (
  world: World,
  repository: Repository,
  run: CheckRun,
  app: App | undefined,
  write: CheckWrite,
): void => {
  // Nobody but the app that made it, not even another app with checks: write.
  if (app !== run.app) throw notAccessible();
  const before = run.status;
  apply(world, run, write);
  run.suite.reset = false;
  if (run.status === 'completed' && before !== 'completed') tellCompleted(world, repository, run);
};

/** A suite is done when all its runs are. */
const tellCompleted = (world: World, repository: Repository, run: CheckRun): void => {
  const sender = run.app.bot;
  world.emit({ kind: 'check_run', action: 'completed', repository, run, sender });
  const { suite } = run;
  const rest = repository.checkRuns.filter((entry) => entry.suite === suite && entry.status !== 'completed');
  if (rest.length === 0) tellSuite(world, repository, suite, 'completed', sender);
};

export const tellSuite = (
  world: World,
  repository: Repository,
  suite: CheckSuite,
  action: 'completed' | 'rerequested',
  sender: Account,
): void => {
  if (!world.apps.some((app) => app.webhookUrl !== null && app.events.includes('check_suite'))) return;
  inBackground(
    world,
    readCommit(repository.git, suite.headSha).then((commit) =>
      world.emit({ kind: 'check_suite', action, repository, suite, commit, sender }),
    ),
  );
};

/** All is looked at before anything is changed. */
const apply = (world: World, run: CheckRun, write: CheckWrite): void => {
  const status = statusOf(write);
  const conclusion = conclusionOf(write);
  const { output } = write;
  if (output !== undefined) checkOutput(output);
  const annotations = (output?.annotations ?? []).map(annotationOf);
  if (write.actions !== undefined) checkActions(write.actions);
  if (status === 'completed' && conclusion === null && run.conclusion === null)
    throw invalid('CheckRun', 'conclusion', 'missing_field');
  if (write.name !== undefined) run.name = write.name;
  if (write.external_id !== undefined) run.externalId = write.external_id;
  if (write.details_url !== undefined) run.detailsUrl = write.details_url;
  if (write.started_at !== undefined) run.startedAt = wholeSeconds(write.started_at);
  if (status !== null) run.status = status;
  if (conclusion !== null) {
    run.status = 'completed';
    run.conclusion = conclusion;
  }
  if (run.status === 'completed')
    run.completedAt =
      write.completed_at === undefined ? (run.completedAt ?? now(world)) : wholeSeconds(write.completed_at);
  else {
    run.conclusion = null;
    run.completedAt = null;
  }
  if (output !== undefined) {
    run.title = output.title ?? run.title;
    run.summary = output.summary ?? run.summary;
    run.text = output.text ?? run.text;
    run.annotations.push(...annotations);
  }
  if (write.actions !== undefined) run.actions = write.actions;
};

/** https://docs.github.com/en/rest/checks/runs#create-a-check-run (label 20, description 40, identifier 20 characters) */
const checkActions = (actions: NonNullable<CheckWrite['actions']>): void => {
  if (actions.length > 3) throw invalid('CheckRun', 'actions', 'invalid', 'Only 3 actions are allowed');
  const most = { label: 20, description: 40, identifier: 20 } as const;
  for (const action of actions)
    for (const field of ['label', 'description', 'identifier'] as const) {
      const value: unknown = action[field];
      if (typeof value !== 'string' || value === '')
        throw invalid('CheckRun', `actions.${field}`, 'missing_field');
      if ([...value].length > most[field]) throw invalid('CheckRun', `actions.${field}`, 'too_long');
    }
};

/** All that GitHub keeps of a time. */
const wholeSeconds = (time: string): string => {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? time : stamp(ms);
};

const statusOf = (write: CheckWrite): CheckStatus | null => {
  if (write.status === undefined) return null;
  const status = CHECK_STATUSES.find((entry) => entry === write.status);
  if (status === undefined) throw invalid('CheckRun', 'status', 'invalid');
  return status;
};

const conclusionOf = (write: CheckWrite): Conclusion | null => {
  if (write.conclusion === undefined || write.conclusion === null) return null;
  const conclusion = CONCLUSIONS.find((entry) => entry === write.conclusion);
  if (conclusion === undefined) throw invalid('CheckRun', 'conclusion', 'invalid');
  return conclusion;
};

const checkOutput = (output: NonNullable<CheckWrite['output']>): void => {
  if (output.summary === undefined) throw invalid('CheckRun', 'summary', 'missing_field');
  for (const field of ['title', 'summary', 'text'] as const) {
    const value = output[field];
    if (value !== undefined && [...value].length > OUTPUT_LIMIT)
      throw invalid(
        'CheckRun',
        field,
        'too_long',
        `Only ${OUTPUT_LIMIT} characters are allowed; ${[...value].length} were supplied.`,
      );
  }
  if ((output.annotations ?? []).length > ANNOTATION_LIMIT)
    throw invalid(
      'CheckRun',
      'annotations',
      'invalid',
      `No more than ${ANNOTATION_LIMIT} annotations a request`,
    );
};

const annotationOf = (given: Partial<Annotation>): Annotation => {
  const { path, start_line, end_line, annotation_level, message } = given;
  if (
    path === undefined ||
    start_line === undefined ||
    end_line === undefined ||
    annotation_level === undefined ||
    message === undefined
  )
    throw invalid('CheckRun', 'annotations', 'missing_field');
  if (!['notice', 'warning', 'failure'].includes(annotation_level))
    throw invalid('CheckRun', 'annotations.annotation_level', 'invalid');
  if (!Number.isInteger(start_line) || !Number.isInteger(end_line) || start_line < 1 || end_line < start_line)
    throw invalid('CheckRun', 'annotations.end_line', 'invalid');
  if (start_line !== end_line && (given.start_column != null || given.end_column != null))
    throw invalid('CheckRun', 'annotations.start_column', 'invalid');
  if (Buffer.byteLength(message) > MESSAGE_LIMIT)
    throw invalid('CheckRun', 'annotations.message', 'too_long');
  if ([...(given.title ?? '')].length > TITLE_LIMIT)
    throw invalid('CheckRun', 'annotations.title', 'too_long');
  return {
    path,
    start_line,
    end_line,
    annotation_level,
    message,
    start_column: given.start_column ?? null,
    end_column: given.end_column ?? null,
    title: given.title ?? null,
    raw_details: given.raw_details ?? null,
  };
};

export const suiteOf = (world: World, repository: Repository, app: App, headSha: string): CheckSuite => {
  const known = repository.checkSuites.find((suite) => suite.app === app && suite.headSha === headSha);
  if (known !== undefined) return known;
  const id = nextId(world, 'checkSuite');
  const suite: CheckSuite = {
    id,
    nodeId: nodeId('CS', id),
    app,
    headSha,
    createdAt: now(world),
    reset: false,
  };
  repository.checkSuites.push(suite);
  return suite;
};

/** Somebody presses "Re-run": the run is told to its app, which must start a new one. */
export const rerequest = (
  world: World,
  repository: Repository,
  run: CheckRun,
  sender: CheckRun['app']['bot'],
): void => {
  if (run.status !== 'completed')
    throw invalid('CheckRun', 'status', 'invalid', 'This check run is not rerequestable');
  world.emit({ kind: 'check_run', action: 'rerequested', repository, run, sender });
  run.suite.reset = true;
};

export const rerequestSuite = (
  world: World,
  repository: Repository,
  suite: CheckSuite,
  sender: Account,
): void => {
  suite.reset = true;
  tellSuite(world, repository, suite, 'rerequested', sender);
};

/** Somebody presses a button that the app put on its run. */
export const requestAction = (
  world: World,
  repository: Repository,
  run: CheckRun,
  identifier: string,
  sender: Account,
): void => {
  if (!run.actions.some((action) => action.identifier === identifier))
    throw invalid('CheckRun', 'identifier', 'invalid', 'This check run has no such action');
  world.emit({ kind: 'check_run', action: 'requested_action', repository, run, sender, identifier });
};

/** The newest run of each name and app. */
export const latestRuns = (runs: readonly CheckRun[]): CheckRun[] => {
  const newest = new Map<string, CheckRun>();
  for (const run of runs) {
    const key = `${run.app.id}/${run.name}`;
    const known = newest.get(key);
    if (known === undefined || known.id < run.id) newest.set(key, run);
  }
  return [...newest.values()];
};

export type Mergeability =
  { readonly kind: 'mergeable' } | { readonly kind: 'blocked'; readonly why: readonly string[] };

/**
 * GitHub's rule for required checks: success, neutral and skipped satisfy; queued, in progress, missing and any
 * other conclusion do not. With several apps under one name the newest run counts, unless the rule names the app.
 * https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches
 */
export const mergeability = (
  repository: Repository,
  pull: Pull,
  required: readonly RequiredCheck[] = repository.requiredChecks,
): Mergeability => {
  const why: string[] = [];
  if (pull.state !== 'open') why.push('closed');
  if (pull.draft) why.push('draft');
  if (pull.stats.mergeable === false) why.push('conflicts');
  for (const one of required) {
    const { name, app } = typeof one === 'string' ? { name: one, app: null } : one;
    const runs = repository.checkRuns
      .filter((run) => run.headSha === pull.headSha && run.name === name)
      .filter((run) => app === null || run.app.id === app)
      .sort((a, b) => a.id - b.id);
    const run = runs.at(-1);
    if (run === undefined) why.push(`${name}: missing`);
    else if (run.status !== 'completed') why.push(`${name}: ${run.status}`);
    else if (!SATISFIES.has(run.conclusion ?? '')) why.push(`${name}: ${run.conclusion ?? 'no conclusion'}`);
  }
  return why.length === 0 ? { kind: 'mergeable' } : { kind: 'blocked', why };
};

const SATISFIES: ReadonlySet<string> = new Set(['success', 'neutral', 'skipped']);
