import {
  buildSchema,
  defaultFieldResolver,
  type DocumentNode,
  execute,
  type FieldNode,
  getOperationAST,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql';
import { canWrite, may, type Need, permissionOf, reaches } from './auth.js';
import { latestRuns } from './checks.js';
import { react } from './comments.js';
import type { GraphqlFault } from './faults.js';
import { text } from './git.js';
import type { Reply } from './http.js';
import { queueState } from './merge-queue.js';
import { branchTip, objectType, readBlob, readTree } from './objects.js';
import { commitAt, commitsBetween } from './known-commits.js';
import { asSeen, noteWrite } from './past.js';
import { changeOf, setDraft } from './pulls.js';
import type { Figures } from './rate-limits.js';
import { Refusal } from './refusal.js';
import { replyTo, setResolved } from './reviews.js';
import {
  type Account,
  type Actor,
  type CheckRun,
  type CheckSuite,
  commentsOf,
  fullName,
  type IssueComment,
  type Pull,
  type QueueEntry,
  type Reaction,
  REACTIONS,
  type ReactionContent,
  type Repository,
  repositoryNamed,
  type Review,
  type ReviewComment,
  stamp,
  type Thread,
  type World,
} from './state.js';
import { nodeIdOf } from './wire/git.js';
import { askMergeable, associationOf, pullHtmlUrl } from './wire/pull.js';
import { htmlUrl } from './wire/repository.js';

/**
 * GraphQL over GitHub's own schema: graphql-js parses, validates and walks the query; here are the objects it walks.
 * A field that the schema knows and these objects do not answers an error, so that nothing missing looks like null.
 */
export const answerGraphql = async (
  world: World,
  actor: Actor,
  body: unknown,
  orders: readonly GraphqlFault[] = [],
  rate: Figures | null = null,
): Promise<Reply> => {
  if (typeof body !== 'object' || body === null)
    throw new Refusal(400, 'A query attribute must be specified and must be a string.');
  const { query, variables, operationName } = body as Record<string, unknown>;
  if (typeof query !== 'string')
    throw new Refusal(400, 'A query attribute must be specified and must be a string.');
  const schema = await githubSchema();
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: 20_000 });
  } catch (error) {
    return { status: 200, body: { errors: [shownError(error as GraphQLError)] } };
  }
  const faults = validate(schema, document);
  if (faults.length > 0) return { status: 200, body: { errors: faults.map(shownError) } };
  const operation = getOperationAST(document, typeof operationName === 'string' ? operationName : undefined);
  const whole = orders.find((order) => order.field === undefined);
  if (whole !== undefined)
    return { status: 200, body: { data: null, errors: [{ type: whole.type, message: sentenceOf(whole) }] } };
  const nodes = countNodes(document, variables);
  if (nodes > NODE_LIMIT)
    return {
      status: 200,
      body: {
        errors: [
          {
            type: 'MAX_NODE_LIMIT_EXCEEDED',
            message: `This query requests up to ${nodes} possible nodes which exceeds the maximum limit of ${NODE_LIMIT}.`,
          },
        ],
      },
    };
  const result = await execute({
    schema,
    document,
    rootValue:
      operation?.operation === OperationTypeNode.MUTATION
        ? mutations(world, actor)
        : queries(world, actor, rate),
    ...(typeof variables === 'object' && variables !== null
      ? { variableValues: variables as Record<string, unknown> }
      : {}),
    ...(typeof operationName === 'string' ? { operationName } : {}),
    contextValue: orders,
    fieldResolver: resolveKnown,
  });
  return {
    status: 200,
    body: {
      ...(result.data === undefined ? {} : { data: result.data }),
      ...(result.errors === undefined ? {} : { errors: result.errors.map(shownError) }),
    },
  };
};

let schema: Promise<GraphQLSchema> | null = null;

// Loaded with the first query: the package reads 6 MB.
const githubSchema = (): Promise<GraphQLSchema> => {
  schema ??= import('@octokit/graphql-schema').then((github) =>
    buildSchema(github.schema.idl, { assumeValid: true, noLocation: true }),
  );
  return schema;
};

const resolveKnown: GraphQLFieldResolver<unknown, unknown> = (source, args, context, info) => {
  const name = `${info.parentType.name}.${info.fieldName}`;
  const order = (context as readonly GraphqlFault[]).find((entry) => entry.field === name);
  if (order !== undefined) throw new GraphQLError(sentenceOf(order), { extensions: { type: order.type } });
  if (typeof source === 'object' && source !== null && !(info.fieldName in source))
    throw new GraphQLError(`The local GitHub does not answer ${name}`, {
      extensions: { type: 'NOT_IMPLEMENTED' },
    });
  return defaultFieldResolver(source, args, context, info);
};

const SENTENCES: Readonly<Record<string, string>> = {
  RATE_LIMITED: 'API rate limit exceeded for installation.',
  FORBIDDEN: 'Resource not accessible by integration',
  NOT_FOUND: 'Could not resolve to a node.',
};

const sentenceOf = (order: GraphqlFault): string =>
  order.message ?? SENTENCES[order.type] ?? 'Something went wrong while executing your query.';

/** https://docs.github.com/en/graphql/overview/rate-limits-and-node-limits-for-the-graphql-api (500,000) */
const NODE_LIMIT = 500_000;

/** As GitHub counts before it reads anything: a connection asks for its size times the sizes around it. */
const countNodes = (document: DocumentNode, variables: unknown): number => {
  const given = (typeof variables === 'object' && variables !== null ? variables : {}) as Record<
    string,
    unknown
  >;
  const fragments = new Map(
    document.definitions.flatMap((entry) =>
      entry.kind === Kind.FRAGMENT_DEFINITION ? [[entry.name.value, entry.selectionSet] as const] : [],
    ),
  );
  const sizeOf = (field: FieldNode): number | null => {
    const size = field.arguments?.find(({ name }) => name.value === 'first' || name.value === 'last')?.value;
    if (size?.kind === Kind.INT) return Number(size.value);
    if (size?.kind === Kind.VARIABLE && typeof given[size.name.value] === 'number')
      return given[size.name.value] as number;
    return null;
  };
  const ofFragment = new Map<string, number>();
  const count = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((sum, entry) => {
      if (entry.kind === Kind.INLINE_FRAGMENT) return sum + count(entry.selectionSet);
      if (entry.kind === Kind.FRAGMENT_SPREAD) {
        const name = entry.name.value;
        const known = ofFragment.get(name) ?? count(fragments.get(name));
        ofFragment.set(name, known);
        return sum + known;
      }
      const size = sizeOf(entry);
      const inside = count(entry.selectionSet);
      return sum + (size === null ? inside : size + size * inside);
    }, 0);
  return document.definitions.reduce(
    (sum, entry) => sum + (entry.kind === Kind.OPERATION_DEFINITION ? count(entry.selectionSet) : 0),
    0,
  );
};

/** GitHub puts the kind of an error beside its message. */
const shownError = (error: GraphQLError): Record<string, unknown> => {
  const { originalError } = error;
  const type =
    originalError instanceof Refusal
      ? (TYPES[originalError.status] ?? 'UNPROCESSABLE')
      : error.extensions.type;
  const reasons: unknown = originalError instanceof Refusal ? originalError.body.errors : undefined;
  const message =
    Array.isArray(reasons) && typeof reasons[0] === 'string' ? reasons.join(', ') : error.message;
  return {
    ...(type === undefined ? {} : { type }),
    ...(error.path === undefined ? {} : { path: error.path }),
    ...(error.locations === undefined ? {} : { locations: error.locations }),
    message,
  };
};

const TYPES: Readonly<Record<number, string>> = { 403: 'FORBIDDEN', 404: 'NOT_FOUND', 422: 'UNPROCESSABLE' };

const notFound = (what: string): GraphQLError =>
  new GraphQLError(what, { extensions: { type: 'NOT_FOUND' } });

const demand = (actor: Actor, repository: Repository, need: Need): void => {
  if (!may(actor, repository, [need]))
    throw new GraphQLError('Resource not accessible by integration', { extensions: { type: 'FORBIDDEN' } });
};

type Window = {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
};

/** A list as GitHub pages it: `first` or `last` is a must, 100 is the most. */
const connection =
  <T>(name: string, items: () => readonly T[], write: (item: T) => unknown) =>
  (args: Window) => {
    if (args.first != null && args.last != null)
      throw new GraphQLError(
        `Passing both \`first\` and \`last\` to paginate the \`${name}\` connection is not supported.`,
        { extensions: { type: 'INVALID_PAGINATION_BOUNDARIES' } },
      );
    const size = args.first ?? args.last;
    if (size === null || size === undefined)
      throw new GraphQLError(
        `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
        { extensions: { type: 'MISSING_PAGINATION_BOUNDARIES' } },
      );
    if (size > 100 || size < 0)
      throw new GraphQLError(
        `Requesting ${size} records on the \`${name}\` connection exceeds the \`${args.first == null ? 'last' : 'first'}\` limit of 100 records.`,
        { extensions: { type: 'EXCESSIVE_PAGINATION' } },
      );
    const all = items();
    const from = args.after == null ? 0 : placeOf(args.after) + 1;
    const to = args.before == null ? all.length : placeOf(args.before);
    const start = args.first == null ? Math.max(from, to - size) : from;
    const end = args.first == null ? to : Math.min(to, from + size);
    const shown = all.slice(start, end);
    const edges = shown.map((item, at) => ({ cursor: cursorOf(start + at), node: write(item) }));
    return {
      totalCount: all.length,
      nodes: edges.map((edge) => edge.node),
      edges,
      pageInfo: {
        hasNextPage: end < all.length,
        hasPreviousPage: start > 0,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
    };
  };

const cursorOf = (at: number): string => Buffer.from(`cursor:v2:${at}`).toString('base64');

const placeOf = (cursor: string): number => {
  const found = /^cursor:v2:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8'));
  if (found === null)
    throw new GraphQLError(`\`${cursor}\` does not appear to be a valid cursor.`, {
      extensions: { type: 'INVALID_CURSOR_ARGUMENTS' },
    });
  return Number(found[1]);
};

/** Ids past 32 bits do not fit GraphQL's Int: `databaseId` is empty for them, `fullDatabaseId` is a string. */
const ids = (item: { readonly id: number; readonly nodeId: string }) => ({
  id: item.nodeId,
  databaseId: item.id > 2_147_483_647 ? null : item.id,
  fullDatabaseId: String(item.id),
});

/** Null for a deleted account. GraphQL names a bot without the `[bot]` that REST adds. */
const writeActor = (world: World, account: Account | null) => {
  if (account === null || account.gone) return null;
  const login = account.type === 'Bot' ? account.login.replace(/\[bot\]$/, '') : account.login;
  return {
    __typename: account.type,
    id: account.nodeId,
    databaseId: account.id,
    login,
    name: login,
    url: `${world.url}/${login}`,
    resourcePath: `/${login}`,
    avatarUrl: () => `${world.url}/avatars/u/${account.id}?v=4`,
  };
};

const queries = (world: World, actor: Actor, rate: Figures | null) => ({
  viewer: () => ({
    id: actor.account.nodeId,
    databaseId: actor.account.id,
    login: actor.account.login,
    url: `${world.url}/${actor.account.login}`,
  }),
  // A request costs one point here, whatever it asks for; this one is not counted yet.
  rateLimit: () =>
    rate === null
      ? null
      : {
          limit: rate.limit,
          cost: 1,
          nodeCount: 1,
          remaining: Math.max(0, rate.remaining - 1),
          used: Math.min(rate.limit, rate.used + 1),
          resetAt: stamp(rate.reset * 1000),
        },
  repository: ({ owner, name }: { owner: string; name: string }) => {
    // GraphQL follows renamed repositories by itself.
    const repository = repositoryNamed(world, `${owner}/${name}`)?.repository;
    // What everybody may read is not hidden from a narrowed token.
    if (repository === undefined || (repository.private && !reaches(actor, repository)))
      throw notFound(`Could not resolve to a Repository with the name '${owner}/${name}'.`);
    return writeRepository(world, actor, asSeen(world, repository));
  },
  node: ({ id }: { id: string }) => findNode(world, actor, id, true),
  // One that is not there is null in its place, with its own error.
  nodes: (args: { ids: string[] }) =>
    args.ids.map((id) => {
      try {
        return findNode(world, actor, id, true);
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      }
    }),
});

const writeRepository = (world: World, actor: Actor, repository: Repository): Record<string, unknown> => ({
  __typename: 'Repository',
  id: repository.nodeId,
  databaseId: repository.id,
  name: repository.name,
  nameWithOwner: fullName(repository),
  owner: writeActor(world, repository.owner),
  url: htmlUrl(world, repository),
  isPrivate: repository.private,
  isFork: repository.fork,
  isArchived: false,
  visibility: repository.private ? 'PRIVATE' : 'PUBLIC',
  // Apps have no role; GitHub answers null for them.
  viewerPermission:
    actor.app === undefined
      ? permissionOf(repository, actor.account).toUpperCase().replace('NONE', '') || null
      : null,
  defaultBranchRef: async () => {
    const sha = await branchTip(repository.git, repository.defaultBranch);
    return sha === null
      ? null
      : {
          id: nodeIdOf('REF', repository.defaultBranch),
          name: repository.defaultBranch,
          prefix: 'refs/heads/',
          target: () => writeObject(world, actor, repository, sha),
        };
  },
  pullRequest: ({ number }: { number: number }) => {
    demand(actor, repository, 'pull_requests=read');
    const pull = repository.pulls.get(number);
    if (pull === undefined)
      throw notFound(`Could not resolve to a PullRequest with the number of ${number}.`);
    return writePull(world, actor, repository, pull);
  },
  pullRequests: (
    args: Window & {
      states?: string[] | null;
      labels?: string[] | null;
      headRefName?: string | null;
      baseRefName?: string | null;
      orderBy?: { field: 'CREATED_AT' | 'UPDATED_AT' | 'COMMENTS'; direction: 'ASC' | 'DESC' } | null;
    },
  ) => {
    demand(actor, repository, 'pull_requests=read');
    return connection(
      'pullRequests',
      () =>
        inOrder([...repository.pulls.values()], args.orderBy ?? null).filter(
          (pull) =>
            (args.labels == null || args.labels.some((name) => pull.labels.has(name.toLowerCase()))) &&
            (args.states == null || args.states.includes(stateOf(pull))) &&
            (args.headRefName == null || pull.headRef === args.headRefName) &&
            (args.baseRefName == null || pull.baseRef === args.baseRefName),
        ),
      (pull) => writePull(world, actor, repository, pull),
    )(args);
  },
  mergeQueue: ({ branch }: { branch?: string | null }) =>
    writeQueue(world, actor, repository, branch ?? repository.defaultBranch),
  object: async ({ oid, expression }: { oid?: string | null; expression?: string | null }) => {
    demand(actor, repository, 'contents=read');
    const name = oid ?? expression;
    if (name == null) return null;
    if (name.startsWith('-') || /[\0\n]/.test(name)) return null;
    const sha = await text(repository.git, ['rev-parse', '--verify', '--quiet', name], { accept: [1, 128] });
    return /^[0-9a-f]{40}$/.test(sha) ? writeObject(world, actor, repository, sha) : null;
  },
});

const inOrder = (
  pulls: readonly Pull[],
  order: { readonly field: string; readonly direction: string } | null,
): readonly Pull[] => {
  if (order === null) return pulls;
  const keyOf = (pull: Pull): string | number =>
    order.field === 'CREATED_AT'
      ? pull.createdAt
      : order.field === 'UPDATED_AT'
        ? pull.updatedAt
        : pull.comments.length;
  const sign = order.direction === 'DESC' ? -1 : 1;
  return pulls.toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    return sign * (left < right ? -1 : left > right ? 1 : a.number - b.number);
  });
};

/** Blobs past this size come cut off. */
const BLOB_TEXT_LIMIT = 512 * 1024;

const writeObject = async (
  world: World,
  actor: Actor,
  repository: Repository,
  sha: string,
): Promise<Record<string, unknown> | null> => {
  const { git } = repository;
  const type = await objectType(git, sha);
  const common = {
    oid: sha,
    abbreviatedOid: sha.slice(0, 7),
    repository: () => writeRepository(world, actor, repository),
    commitUrl: `${htmlUrl(world, repository)}/commit/${sha}`,
    commitResourcePath: `/${fullName(repository)}/commit/${sha}`,
  };
  if (type === 'blob') {
    const bytes = await readBlob(git, sha);
    const isBinary = bytes.subarray(0, 8000).includes(0);
    return {
      __typename: 'Blob',
      id: nodeIdOf('B', sha),
      ...common,
      byteSize: bytes.length,
      isBinary,
      isTruncated: bytes.length > BLOB_TEXT_LIMIT,
      text: isBinary ? null : bytes.subarray(0, BLOB_TEXT_LIMIT).toString('utf8'),
    };
  }
  if (type === 'tree')
    return {
      __typename: 'Tree',
      id: nodeIdOf('T', sha),
      ...common,
      entries: async () =>
        (await readTree(git, sha, false)).map((entry) => ({
          name: entry.path,
          path: entry.path,
          mode: parseInt(entry.mode, 8),
          type: entry.type,
          oid: entry.sha,
          size: entry.size ?? 0,
          object: () => (entry.type === 'commit' ? null : writeObject(world, actor, repository, entry.sha)),
        })),
    };
  if (type === 'commit') return writeCommit(world, actor, repository, sha);
  return null;
};

/** A commit that is known to be one: git is asked once a field needs it. */
const writeCommit = (
  world: World,
  actor: Actor,
  repository: Repository,
  sha: string,
): Record<string, unknown> => {
  const { git } = repository;
  const read = () => commitAt(git, sha);
  const url = `${htmlUrl(world, repository)}/commit/${sha}`;
  const headline = (message: string) => message.split('\n')[0] ?? '';
  return {
    __typename: 'Commit',
    id: nodeIdOf('C', sha),
    oid: sha,
    abbreviatedOid: sha.slice(0, 7),
    repository: () => writeRepository(world, actor, repository),
    commitUrl: url,
    commitResourcePath: `/${fullName(repository)}/commit/${sha}`,
    url,
    message: async () => (await read()).message,
    messageHeadline: async () => headline((await read()).message),
    messageBody: async () => {
      const { message } = await read();
      return message.slice(headline(message).length).trim();
    },
    committedDate: async () => (await read()).committer.date,
    authoredDate: async () => (await read()).author.date,
    author: async () => ({ ...(await read()).author, user: null }),
    committer: async () => ({ ...(await read()).committer, user: null }),
    tree: async () => writeObject(world, actor, repository, (await read()).tree),
    history: async (args: Window) => {
      const shas = await listCommits(git, [sha]);
      return connection(
        'history',
        () => shas,
        (one) => writeCommit(world, actor, repository, one),
      )(args);
    },
    checkSuites: (args: SuiteWindow) => writeSuites(world, actor, repository, sha, args),
    statusCheckRollup: () => writeRollup(world, actor, repository, sha),
    associatedPullRequests: async (args: Window) => {
      demand(actor, repository, 'pull_requests=read');
      const pulls = await pullsOf(repository, sha);
      return connection(
        'associatedPullRequests',
        () => pulls,
        (pull) => writePull(world, actor, repository, pull),
      )(args);
    },
    parents: async (args: Window) => {
      const { parents } = await read();
      return connection(
        'parents',
        () => parents,
        (parent) => writeCommit(world, actor, repository, parent),
      )(args);
    },
  };
};

/** Null where nothing ran on the commit: the newest run of each name of each app. There are no commit statuses here. */
const writeRollup = (world: World, actor: Actor, repository: Repository, sha: string) => {
  demand(actor, repository, 'checks=read');
  const runs = latestRuns(repository.checkRuns.filter((run) => run.headSha === sha));
  if (runs.length === 0) return null;
  const state = runs.some((run) => run.conclusion === null)
    ? 'PENDING'
    : runs.every((run) => ['success', 'neutral', 'skipped'].includes(run.conclusion ?? ''))
      ? 'SUCCESS'
      : 'FAILURE';
  return {
    __typename: 'StatusCheckRollup',
    id: nodeIdOf('SCR', sha),
    state,
    commit: () => writeCommit(world, actor, repository, sha),
    contexts: connection(
      'contexts',
      () => runs,
      (run) => writeCheckRun(world, actor, repository, run),
    ),
  };
};

/** Those that a commit is part of: merged ones, and open ones while it is not on the default branch. */
const pullsOf = async (repository: Repository, sha: string): Promise<readonly Pull[]> => {
  const { git } = repository;
  /** A commit itself, unless the history of the other one has it. */
  const isIn = async (other: string): Promise<boolean> =>
    other === sha || (await text(git, ['rev-list', '-1', sha, `^${other}`])) === '';
  const tip = await branchTip(git, repository.defaultBranch);
  const isMerged = tip !== null && (await isIn(tip));
  const found: Pull[] = [];
  for (const pull of repository.pulls.values())
    if (pull.merged || (pull.state === 'open' && !isMerged))
      if ((await isIn(pull.headSha)) && !(await isIn(pull.baseSha))) found.push(pull);
  return found;
};

/** Newest first. */
const listCommits = async (git: Repository['git'], range: readonly string[]): Promise<string[]> =>
  (await text(git, ['rev-list', '--max-count=250', ...range])).split('\n').filter((sha) => sha !== '');

type SuiteWindow = Window & {
  readonly filterBy?: { readonly appId?: number | null; readonly checkName?: string | null } | null;
};

/** https://docs.github.com/en/graphql/reference/objects#checksuite: seen with `checks: read`. */
const writeSuites = (world: World, actor: Actor, repository: Repository, sha: string, args: SuiteWindow) => {
  demand(actor, repository, 'checks=read');
  const { appId, checkName } = args.filterBy ?? {};
  return connection(
    'checkSuites',
    () =>
      repository.checkSuites.filter(
        (suite) =>
          suite.headSha === sha &&
          (appId == null || suite.app.id === appId) &&
          (checkName == null || runsOf(repository, suite).some((run) => run.name === checkName)),
      ),
    (suite) => writeSuite(world, actor, repository, suite),
  )(args);
};

const writeSuite = (
  world: World,
  actor: Actor,
  repository: Repository,
  suite: CheckSuite,
): Record<string, unknown> => ({
  __typename: 'CheckSuite',
  id: suite.nodeId,
  databaseId: suite.id > 2_147_483_647 ? null : suite.id,
  createdAt: suite.createdAt,
  app: { id: suite.app.nodeId, databaseId: suite.app.id, slug: suite.app.slug, name: suite.app.name },
  commit: () => writeCommit(world, actor, repository, suite.headSha),
  repository: () => writeRepository(world, actor, repository),
  checkRuns: (
    within: Window & { filterBy?: { checkName?: string | null; checkType?: string | null } | null },
  ) => {
    const { checkName: name, checkType } = within.filterBy ?? {};
    const named = runsOf(repository, suite).filter((run) => name == null || run.name === name);
    return connection(
      'checkRuns',
      // As the list of REST: the newest of each name unless told.
      () => (checkType === 'ALL' ? named : latestRuns(named)).toSorted((a, b) => b.id - a.id),
      (run) => writeCheckRun(world, actor, repository, run),
    )(within);
  },
});

const runsOf = (repository: Repository, suite: CheckSuite): CheckRun[] =>
  repository.checkRuns.filter((run) => run.suite === suite);

const writeCheckRun = (
  world: World,
  actor: Actor,
  repository: Repository,
  run: CheckRun,
): Record<string, unknown> => ({
  __typename: 'CheckRun',
  id: run.nodeId,
  databaseId: run.id > 2_147_483_647 ? null : run.id,
  name: run.name,
  externalId: run.externalId === '' ? null : run.externalId,
  status: run.status.toUpperCase(),
  conclusion: run.conclusion?.toUpperCase() ?? null,
  startedAt: run.startedAt,
  completedAt: run.completedAt,
  title: run.title,
  summary: run.summary,
  text: run.text,
  detailsUrl: run.detailsUrl,
  url: `${htmlUrl(world, repository)}/runs/${run.id}`,
  checkSuite: () => writeSuite(world, actor, repository, run.suite),
});

const stateOf = (pull: Pull): string => (pull.merged ? 'MERGED' : pull.state === 'open' ? 'OPEN' : 'CLOSED');

const writePull = (
  world: World,
  actor: Actor,
  repository: Repository,
  pull: Pull,
): Record<string, unknown> => ({
  __typename: 'PullRequest',
  ...ids(pull),
  number: pull.number,
  title: pull.title,
  body: pull.body ?? '',
  bodyText: pull.body ?? '',
  state: stateOf(pull),
  closed: pull.state === 'closed',
  merged: pull.merged,
  isDraft: pull.draft,
  locked: false,
  url: pullHtmlUrl(world, repository, pull),
  createdAt: pull.createdAt,
  updatedAt: pull.updatedAt,
  ...writeReactions(world, actor, pull.reactions),
  closedAt: pull.closedAt,
  mergedAt: pull.mergedAt,
  author: writeActor(world, pull.author),
  authorAssociation: associationOf(repository, pull.author),
  viewerDidAuthor: pull.author === actor.account,
  headRefOid: pull.headSha,
  headRefName: pull.headRef,
  baseRefOid: pull.baseSha,
  baseRefName: pull.baseRef,
  repository: () => writeRepository(world, actor, repository),
  baseRepository: () => writeRepository(world, actor, repository),
  headRepository: () =>
    pull.headRepository === null ? null : writeRepository(world, actor, pull.headRepository),
  headRepositoryOwner: writeActor(world, pull.headOwner),
  isInMergeQueue: repository.queue.some((entry) => entry.pull === pull),
  mergeQueueEntry: () => {
    const entry = repository.queue.find((other) => other.pull === pull);
    return entry === undefined ? null : writeQueueEntry(world, actor, repository, entry);
  },
  mergeQueue: () => writeQueue(world, actor, repository, pull.baseRef),
  isCrossRepository: pull.headRepository !== repository,
  additions: pull.stats.additions,
  deletions: pull.stats.deletions,
  changedFiles: pull.stats.changedFiles,
  mergeCommit: () =>
    pull.mergeCommit === null ? null : writeCommit(world, actor, repository, pull.mergeCommit),
  commits: async (args: Window) => {
    const shas = await commitsBetween(repository.git, pull.baseSha, pull.headSha);
    return connection(
      'commits',
      () => shas,
      (sha) => ({
        id: nodeIdOf('PRC', `${pull.id}:${sha}`),
        commit: () => writeCommit(world, actor, repository, sha),
        pullRequest: () => writePull(world, actor, repository, pull),
      }),
    )(args);
  },
  files: async (args: Window) => {
    const { files } = await changeOf(world, repository, pull);
    return connection(
      'files',
      () => files.slice(0, world.limits.listedFiles),
      (file) => ({
        path: file.path,
        additions: file.additions,
        deletions: file.deletions,
        changeType: CHANGE_TYPES[file.status] ?? 'CHANGED',
        viewerViewedState: 'UNVIEWED',
      }),
    )(args);
  },
  mergeable: () => {
    const known = askMergeable(world, pull);
    return known === null ? 'UNKNOWN' : known ? 'MERGEABLE' : 'CONFLICTING';
  },
  labels: connection(
    'labels',
    () => [...pull.labels].map((name) => repository.labels.get(name)).filter((label) => label !== undefined),
    (label) => ({ id: label.nodeId, name: label.name, color: label.color, description: label.description }),
  ),
  reviewRequests: connection(
    'reviewRequests',
    () => [...pull.requestedReviewers],
    (login) => ({
      id: nodeIdOf('RR', `${pull.id}:${login}`),
      asCodeOwner: false,
      requestedReviewer: writeActor(world, world.accounts.get(login) ?? null),
    }),
  ),
  reviewThreads: connection(
    'reviewThreads',
    () => pull.threads.filter((thread) => threadComments(world, actor, thread).length > 0),
    (thread) => writeThread(world, actor, repository, pull, thread),
  ),
  reviews: (args: Window & { states?: string[] | null; author?: string | null }) =>
    connection(
      'reviews',
      () =>
        pull.reviews.filter(
          (review) =>
            (review.state !== 'PENDING' || review.author === actor.account) &&
            (args.states == null || args.states.includes(review.state)) &&
            (args.author == null || args.author === review.author.login),
        ),
      (review) => writeReview(world, actor, repository, pull, review),
    )(args),
  timelineItems: (args: Window & { itemTypes?: readonly string[] | null }) => {
    const known = args.itemTypes?.length === 1 && args.itemTypes[0] === 'HEAD_REF_FORCE_PUSHED_EVENT';
    if (!known)
      throw new GraphQLError(
        'The local GitHub does not answer PullRequest.timelineItems but for forced pushes',
        {
          extensions: { type: 'NOT_IMPLEMENTED' },
        },
      );
    return connection(
      'timelineItems',
      () => pull.forcedPushes,
      (push) => ({
        __typename: 'HeadRefForcePushedEvent',
        id: push.nodeId,
        actor: writeActor(world, push.by),
        createdAt: push.at,
        beforeCommit: () => writeCommit(world, actor, repository, push.before),
        afterCommit: () => writeCommit(world, actor, repository, push.after),
        pullRequest: () => writePull(world, actor, repository, pull),
      }),
    )(args);
  },
  comments: connection(
    'comments',
    () => pull.comments,
    (comment) => writeIssueComment(world, actor, repository, pull, comment),
  ),
});

const CHANGE_TYPES: Readonly<Record<string, string>> = {
  added: 'ADDED',
  removed: 'DELETED',
  modified: 'MODIFIED',
  renamed: 'RENAMED',
  copied: 'COPIED',
};

/** Null for a branch that nothing waits for. */
const writeQueue = (world: World, actor: Actor, repository: Repository, branch: string) => {
  const entries = repository.queue.filter((entry) => entry.baseRef === branch);
  if (entries.length === 0) return null;
  return {
    __typename: 'MergeQueue',
    id: nodeIdOf('MQ', `${repository.id}:${branch}`),
    url: `${htmlUrl(world, repository)}/queue/${branch}`,
    resourcePath: `/${fullName(repository)}/queue/${branch}`,
    repository: () => writeRepository(world, actor, repository),
    nextEntryEstimatedTimeToMerge: null,
    entries: connection(
      'entries',
      () => entries,
      (entry) => writeQueueEntry(world, actor, repository, entry),
    ),
  };
};

const writeQueueEntry = (
  world: World,
  actor: Actor,
  repository: Repository,
  entry: QueueEntry,
): Record<string, unknown> => {
  const at = repository.queue.filter((other) => other.baseRef === entry.baseRef).indexOf(entry);
  return {
    __typename: 'MergeQueueEntry',
    id: entry.nodeId,
    position: at + 1,
    state: at === 0 ? queueState(repository, entry) : 'QUEUED',
    enqueuedAt: entry.enqueuedAt,
    enqueuer: writeActor(world, entry.enqueuer),
    estimatedTimeToMerge: null,
    jump: false,
    solo: false,
    headCommit: () => writeCommit(world, actor, repository, entry.headSha),
    baseCommit: () => writeCommit(world, actor, repository, entry.baseSha),
    pullRequest: () => writePull(world, actor, repository, entry.pull),
    mergeQueue: () => writeQueue(world, actor, repository, entry.baseRef),
  };
};

const threadComments = (world: World, actor: Actor, thread: Thread): ReviewComment[] =>
  thread.comments.filter(
    (comment) => comment.review.state !== 'PENDING' || comment.review.author === actor.account,
  );

/** People resolve with write access or on their own pull request; apps are reported to need `contents: write`. */
const canResolve = (actor: Actor, repository: Repository, pull: Pull): boolean =>
  actor.app === undefined
    ? canWrite(repository, actor.account) || actor.account === pull.author
    : may(actor, repository, ['contents=write']) && may(actor, repository, ['pull_requests=write']);

const writeThread = (
  world: World,
  actor: Actor,
  repository: Repository,
  pull: Pull,
  thread: Thread,
): Record<string, unknown> => {
  const resolved = thread.resolvedBy !== null;
  const can = canResolve(actor, repository, pull);
  return {
    __typename: 'PullRequestReviewThread',
    id: thread.nodeId,
    isResolved: resolved,
    isOutdated: thread.outdated,
    isCollapsed: resolved || thread.outdated,
    path: thread.path,
    line: thread.line,
    startLine: thread.startLine,
    originalLine: thread.originalLine,
    originalStartLine: thread.originalStartLine,
    diffSide: thread.side,
    startDiffSide: thread.startSide,
    subjectType: thread.subject.toUpperCase(),
    resolvedBy:
      thread.resolvedBy === null || thread.resolvedBy.gone
        ? null
        : { id: thread.resolvedBy.nodeId, login: thread.resolvedBy.login, databaseId: thread.resolvedBy.id },
    viewerCanReply: may(actor, repository, ['pull_requests=write']),
    viewerCanResolve: can && !resolved,
    viewerCanUnresolve: can && resolved,
    pullRequest: () => writePull(world, actor, repository, pull),
    repository: () => writeRepository(world, actor, repository),
    comments: connection(
      'comments',
      () => threadComments(world, actor, thread),
      (comment) => writeComment(world, actor, repository, pull, comment),
    ),
  };
};

type Written = {
  readonly id: number;
  readonly nodeId: string;
  readonly body: string;
  readonly author: Account;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastEditedAt: string | null;
  readonly editor: Account | null;
  readonly minimized: string | null;
};

const writeText = (world: World, actor: Actor, repository: Repository, item: Written) => ({
  ...ids(item),
  body: item.body,
  bodyText: item.body,
  author: writeActor(world, item.author),
  authorAssociation: associationOf(repository, item.author),
  viewerDidAuthor: item.author === actor.account,
  viewerCanUpdate:
    item.author === actor.account || (actor.app === undefined && canWrite(repository, actor.account)),
  editor: writeActor(world, item.editor),
  createdAt: item.createdAt,
  publishedAt: item.createdAt,
  updatedAt: item.updatedAt,
  lastEditedAt: item.lastEditedAt,
  includesCreatedEdit: item.lastEditedAt !== null,
  isMinimized: item.minimized !== null,
  minimizedReason: item.minimized,
});

const writeReactions = (world: World, actor: Actor, reactions: readonly Reaction[]) => ({
  reactions: (args: Window & { content?: string | null }) =>
    connection(
      'reactions',
      () => reactions.filter((entry) => args.content == null || CONTENT[entry.content] === args.content),
      (entry) => writeReaction(world, entry),
    )(args),
  reactionGroups: REACTIONS.map((content) => ({
    content: CONTENT[content],
    viewerHasReacted: reactions.some((entry) => entry.content === content && entry.account === actor.account),
    reactors: connection(
      'reactors',
      () => reactions.filter((entry) => entry.content === content),
      (entry) => writeActor(world, entry.account),
    ),
  })),
});

const writeReaction = (world: World, reaction: Reaction) => ({
  id: reaction.nodeId,
  databaseId: reaction.id,
  content: CONTENT[reaction.content],
  createdAt: reaction.createdAt,
  user: writeActor(world, reaction.account),
});

const CONTENT: Readonly<Record<ReactionContent, string>> = {
  '+1': 'THUMBS_UP',
  '-1': 'THUMBS_DOWN',
  laugh: 'LAUGH',
  confused: 'CONFUSED',
  heart: 'HEART',
  hooray: 'HOORAY',
  rocket: 'ROCKET',
  eyes: 'EYES',
};

const writeComment = (
  world: World,
  actor: Actor,
  repository: Repository,
  pull: Pull,
  comment: ReviewComment,
): Record<string, unknown> => {
  const { thread } = comment;
  return {
    __typename: 'PullRequestReviewComment',
    ...writeText(world, actor, repository, comment),
    ...writeReactions(world, actor, comment.reactions),
    path: thread.path,
    line: thread.line,
    startLine: thread.startLine,
    originalLine: thread.originalLine,
    originalStartLine: thread.originalStartLine,
    outdated: thread.outdated,
    diffHunk: thread.diffHunk,
    subjectType: thread.subject.toUpperCase(),
    state: comment.review.state === 'PENDING' ? 'PENDING' : 'SUBMITTED',
    url: `${pullHtmlUrl(world, repository, pull)}#discussion_r${comment.id}`,
    commit: () => writeCommit(world, actor, repository, thread.commitId),
    originalCommit: () => writeCommit(world, actor, repository, thread.originalCommitId),
    replyTo: () => {
      const first = thread.comments.find((entry) => entry.id === comment.inReplyTo);
      return first === undefined ? null : writeComment(world, actor, repository, pull, first);
    },
    pullRequestReview: () => writeReview(world, actor, repository, pull, comment.review),
    pullRequest: () => writePull(world, actor, repository, pull),
    repository: () => writeRepository(world, actor, repository),
  };
};

const writeReview = (
  world: World,
  actor: Actor,
  repository: Repository,
  pull: Pull,
  review: Review,
): Record<string, unknown> => ({
  __typename: 'PullRequestReview',
  ...writeText(world, actor, repository, review),
  ...writeReactions(world, actor, review.reactions),
  state: review.state,
  submittedAt: review.submittedAt,
  url: `${pullHtmlUrl(world, repository, pull)}#pullrequestreview-${review.id}`,
  commit: () => writeCommit(world, actor, repository, review.commitId),
  comments: connection(
    'comments',
    () => commentsOf(pull).filter((comment) => comment.review === review),
    (comment) => writeComment(world, actor, repository, pull, comment),
  ),
  pullRequest: () => writePull(world, actor, repository, pull),
  repository: () => writeRepository(world, actor, repository),
});

const writeIssueComment = (
  world: World,
  actor: Actor,
  repository: Repository,
  pull: Pull,
  comment: IssueComment,
): Record<string, unknown> => ({
  __typename: 'IssueComment',
  ...writeText(world, actor, repository, comment),
  ...writeReactions(world, actor, comment.reactions),
  url: `${pullHtmlUrl(world, repository, pull)}#issuecomment-${comment.id}`,
  pullRequest: () => writePull(world, actor, repository, pull),
  repository: () => writeRepository(world, actor, repository),
});

type Found =
  | { readonly kind: 'pull'; readonly repository: Repository; readonly pull: Pull }
  | { readonly kind: 'thread'; readonly repository: Repository; readonly pull: Pull; readonly thread: Thread }
  | { readonly kind: 'review'; readonly repository: Repository; readonly pull: Pull; readonly review: Review }
  | {
      readonly kind: 'comment';
      readonly repository: Repository;
      readonly pull: Pull;
      readonly comment: ReviewComment;
    }
  | {
      readonly kind: 'issueComment';
      readonly repository: Repository;
      readonly pull: Pull;
      readonly comment: IssueComment;
    };

const findIn = (world: World, actor: Actor, id: string, lagging: boolean): Found => {
  for (const real of world.repositories.values()) {
    if (!reaches(actor, real)) continue;
    const repository = lagging ? asSeen(world, real) : real;
    for (const pull of repository.pulls.values()) {
      const at = { repository, pull };
      // Ids of a past are looked for by the thousand: none needs a look at what it cannot be.
      if (pull.nodeId === id) return { kind: 'pull', ...at };
      if (id.startsWith('PR_')) continue;
      const thread = pull.threads.find((entry) => entry.nodeId === id);
      if (thread !== undefined) return { kind: 'thread', ...at, thread };
      if (id.startsWith('PRRT_')) continue;
      const review = pull.reviews.find((entry) => entry.nodeId === id);
      if (review !== undefined) return { kind: 'review', ...at, review };
      const comment = commentsOf(pull).find((entry) => entry.nodeId === id);
      if (comment !== undefined) return { kind: 'comment', ...at, comment };
      const issueComment = pull.comments.find((entry) => entry.nodeId === id);
      if (issueComment !== undefined) return { kind: 'issueComment', ...at, comment: issueComment };
    }
  }
  throw notFound(`Could not resolve to a node with the global id of '${id}'`);
};

const findNode = (world: World, actor: Actor, id: string, lagging = false) => {
  const sha = shaOf(id);
  if (sha !== null) return findCommit(world, actor, sha, id);
  const found = findIn(world, actor, id, lagging);
  demand(actor, found.repository, 'pull_requests=read');
  switch (found.kind) {
    case 'pull':
      return writePull(world, actor, found.repository, found.pull);
    case 'thread':
      return writeThread(world, actor, found.repository, found.pull, found.thread);
    case 'review':
      return writeReview(world, actor, found.repository, found.pull, found.review);
    case 'comment':
      return writeComment(world, actor, found.repository, found.pull, found.comment);
    case 'issueComment':
      return writeIssueComment(world, actor, found.repository, found.pull, found.comment);
  }
};

/** Of a commit's node id; null for anything else. */
const shaOf = (id: string): string | null => {
  const [, packed] = /^C_([\w-]+)$/.exec(id) ?? [];
  const sha = Buffer.from(packed ?? '', 'base64url')
    .toString('utf8')
    .split(':')
    .at(-1);
  return sha !== undefined && /^[0-9a-f]{40}$/.test(sha) ? sha : null;
};

/** Objects of a fork stand in the same store as those of where it came from. */
const findCommit = async (world: World, actor: Actor, sha: string, id: string) => {
  for (const repository of world.repositories.values())
    if (reaches(actor, repository) && (await objectType(repository.git, sha)) === 'commit')
      return writeCommit(world, actor, repository, sha);
  throw notFound(`Could not resolve to a node with the global id of '${id}'`);
};

type Input<T> = { readonly input: T & { readonly clientMutationId?: string | null } };

const mutations = (world: World, actor: Actor) => {
  const find = (id: string): Found => {
    const found = findIn(world, actor, id, false);
    // Written once this step is done.
    noteWrite(world, found.repository);
    return found;
  };
  const resolve =
    (resolved: boolean) =>
    ({ input }: Input<{ threadId: string }>) => {
      const found = find(input.threadId);
      if (found.kind !== 'thread')
        throw notFound(
          `Could not resolve to PullRequestReviewThread node with the global id of '${input.threadId}'.`,
        );
      const { repository, pull, thread } = found;
      if (!canResolve(actor, repository, pull))
        throw new GraphQLError('Resource not accessible by integration', {
          extensions: { type: 'FORBIDDEN' },
        });
      setResolved(world, repository, pull, thread, resolved, actor.account);
      return {
        clientMutationId: input.clientMutationId ?? null,
        thread: writeThread(world, actor, repository, pull, thread),
      };
    };
  const minimize =
    (hide: boolean) =>
    ({ input }: Input<{ subjectId: string; classifier?: string }>) => {
      const found = find(input.subjectId);
      if (found.kind === 'pull' || found.kind === 'thread')
        throw notFound(`Could not resolve to Minimizable node with the global id of '${input.subjectId}'.`);
      demand(actor, found.repository, 'pull_requests=write');
      const item = found.kind === 'review' ? found.review : found.comment;
      if (
        actor.app === undefined &&
        item.author !== actor.account &&
        !canWrite(found.repository, actor.account)
      )
        throw new GraphQLError('Viewer cannot minimize this comment', { extensions: { type: 'FORBIDDEN' } });
      item.minimized = hide ? (input.classifier ?? 'OUTDATED').toLowerCase().replaceAll('_', '-') : null;
      const written = findNode(world, actor, input.subjectId);
      return {
        clientMutationId: input.clientMutationId ?? null,
        [hide ? 'minimizedComment' : 'unminimizedComment']: written,
      };
    };
  const reactable = (id: string) => {
    const found = find(id);
    if (found.kind === 'thread')
      throw notFound(`Could not resolve to Reactable node with the global id of '${id}'.`);
    demand(actor, found.repository, 'pull_requests=write');
    if (found.kind === 'review') return found.review.reactions;
    return found.kind === 'pull' ? found.pull.reactions : found.comment.reactions;
  };
  const contentOf = (content: string) =>
    REACTIONS.find((entry) => CONTENT[entry] === content) ?? content.toLowerCase();
  const draft =
    (wanted: boolean) =>
    ({ input }: Input<{ pullRequestId: string }>) => {
      const found = find(input.pullRequestId);
      demand(actor, found.repository, 'pull_requests=write');
      setDraft(world, found.repository, found.pull, wanted, actor.account);
      return {
        clientMutationId: input.clientMutationId ?? null,
        pullRequest: writePull(world, actor, found.repository, found.pull),
      };
    };
  return {
    resolveReviewThread: resolve(true),
    unresolveReviewThread: resolve(false),
    minimizeComment: minimize(true),
    unminimizeComment: minimize(false),
    convertPullRequestToDraft: draft(true),
    markPullRequestReadyForReview: draft(false),
    addPullRequestReviewThreadReply: ({
      input,
    }: Input<{ pullRequestReviewThreadId: string; body: string }>) => {
      const found = find(input.pullRequestReviewThreadId);
      if (found.kind !== 'thread')
        throw notFound(
          `Could not resolve to PullRequestReviewThread node with the global id of '${input.pullRequestReviewThreadId}'.`,
        );
      const { repository, pull, thread } = found;
      demand(actor, repository, 'pull_requests=write');
      const comment = replyTo(world, repository, pull, thread, input.body, actor.account);
      return {
        clientMutationId: input.clientMutationId ?? null,
        comment: writeComment(world, actor, repository, pull, comment),
      };
    },
    addReaction: ({ input }: Input<{ subjectId: string; content: string }>) => {
      const { reaction } = react(world, reactable(input.subjectId), contentOf(input.content), actor.account);
      return {
        clientMutationId: input.clientMutationId ?? null,
        reaction: writeReaction(world, reaction),
        subject: findNode(world, actor, input.subjectId),
      };
    },
    removeReaction: ({ input }: Input<{ subjectId: string; content: string }>) => {
      const reactions = reactable(input.subjectId);
      const at = reactions.findIndex(
        (entry) => entry.account === actor.account && CONTENT[entry.content] === input.content,
      );
      const reaction = reactions[at];
      if (reaction === undefined) throw notFound('Could not find that reaction');
      reactions.splice(at, 1);
      return {
        clientMutationId: input.clientMutationId ?? null,
        reaction: writeReaction(world, reaction),
        subject: findNode(world, actor, input.subjectId),
      };
    },
  };
};
