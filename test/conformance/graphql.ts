import { schema as published, validate } from '@octokit/graphql-schema';
import {
  buildClientSchema,
  executeSync,
  type GraphQLObjectType,
  type GraphQLScalarType,
  type GraphQLSchema,
  type IntrospectionQuery,
  isObjectType,
  Kind,
  parse,
  type SelectionNode,
} from 'graphql';
import { isDeepStrictEqual } from 'node:util';

/**
 * Faults of one exchange over GraphQL, by GitHub's published schema: the document, its variables, and the answer, which
 * must be what an execution of that document could have answered: no field more, none less, null only where it may be.
 */
export function faultsOfGraphql(body: unknown, status: number, answer: unknown): readonly string[] {
  if (!isRecord(body) || typeof body.query !== 'string') return ['graphql: the body has no query'];
  const { query, variables = {}, ...more } = body;
  const name = /(query|mutation)\s+(\w+)/.exec(query)?.[2] ?? 'graphql';
  const faults = Object.keys(more)
    .filter((key) => key !== 'operationName')
    .map((key) => `the body has a ${key}`);
  const errors = validate(query);
  faults.push(...errors.map(({ message }) => message));
  if (errors.length === 0 && isRecord(variables) && status === 200)
    faults.push(...faultsOfData(query, variables, answer));
  return faults.map((fault) => `${name}: ${fault}`);
}

let built: GraphQLSchema | null = null;

function schemaOfGitHub(): GraphQLSchema {
  if (built !== null) return built;
  built = buildClientSchema(published.json as unknown as IntrospectionQuery);
  const text = (name: string, pattern: RegExp) => {
    const scalar = built?.getType(name) as GraphQLScalarType;
    scalar.serialize = (value) => {
      if (typeof value !== 'string' || !pattern.test(value))
        throw new TypeError(`${JSON.stringify(value)} is no ${name}`);
      return value;
    };
  };
  text('DateTime', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  text('GitObjectID', /^[0-9a-f]{40}$/);
  text('URI', /^https?:\/\//);
  text('BigInt', /^\d+$/);
  return built;
}

function faultsOfData(
  query: string,
  variables: Readonly<Record<string, unknown>>,
  answer: unknown,
): readonly string[] {
  if (!isRecord(answer)) return ['the answer is no object'];
  const { data, errors, ...more } = answer;
  const faults = Object.keys(more)
    .filter((key) => key !== 'extensions')
    .map((key) => `the answer has ${key}`);
  if (errors !== undefined) faults.push(...faultsOfErrors(errors));
  if (!isRecord(data)) {
    if (errors === undefined) faults.push('the answer has neither data nor errors');
    return faults;
  }
  const replayed = executeSync({
    schema: schemaOfGitHub(),
    document: parse(query),
    rootValue: data,
    variableValues: variables,
    fieldResolver: (source: unknown, _args, _context, info) =>
      (source as Readonly<Record<string, unknown>>)[info.path.key],
    typeResolver: (value: unknown, _context, info, abstract) => {
      const given = value as Readonly<Record<string, unknown>>;
      const possible = info.schema.getPossibleTypes(abstract);
      if (typeof given.__typename === 'string') return given.__typename;
      return typeFor(
        given,
        possible,
        info.fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []),
      );
    },
  });
  faults.push(
    ...(replayed.errors ?? []).map(
      ({ message, path }) => `the answer at ${path?.join('.') ?? '?'}: ${message}`,
    ),
  );
  if (replayed.errors === undefined && !isDeepStrictEqual(plain(replayed.data), plain(data)))
    faults.push(
      `the answer has other fields than were asked for: ${differenceOf(plain(replayed.data), plain(data), '')}`,
    );
  return faults;
}

const faultsOfErrors = (errors: unknown): readonly string[] =>
  Array.isArray(errors) && errors.length > 0
    ? errors.flatMap((error: unknown) =>
        isRecord(error) && typeof error.message === 'string' ? [] : ['an error has no message'],
      )
    : ['errors is no list'];

/** Which type an answer without `__typename` is of: one whose selected fields are those that are there. */
function typeFor(
  value: Readonly<Record<string, unknown>>,
  possible: readonly GraphQLObjectType[],
  selections: readonly SelectionNode[],
): string | undefined {
  const conditions = selections.flatMap((one) =>
    one.kind === Kind.INLINE_FRAGMENT && one.typeCondition !== undefined
      ? [{ type: one.typeCondition.name.value, keys: keysOf(one.selectionSet.selections) }]
      : [],
  );
  const meant = conditions.find(({ keys }) => keys.length > 0 && keys.every((key) => key in value));
  const own = keysOf(selections);
  const fitting = possible.filter(
    (type) => isObjectType(type) && own.every((key) => key in type.getFields()),
  );
  return (
    possible.find(({ name }) => name === meant?.type)?.name ??
    fitting.find(({ name }) => !conditions.some(({ type }) => type === name))?.name ??
    possible[0]?.name
  );
}

const keysOf = (selections: readonly SelectionNode[]): readonly string[] =>
  selections.flatMap((one) => (one.kind === Kind.FIELD ? [one.alias?.value ?? one.name.value] : []));

/** The first place where two values differ, for a person. */
function differenceOf(a: unknown, b: unknown, place: string): string {
  if (isRecord(a) && isRecord(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
      if (!isDeepStrictEqual(a[key], b[key])) return differenceOf(a[key], b[key], `${place}.${key}`);
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    const index = a.findIndex((one, at) => !isDeepStrictEqual(one, b[at]));
    return differenceOf(a[index], b[index], `${place}[${index}]`);
  }
  return `${place} (${JSON.stringify(a)?.slice(0, 80) ?? 'nothing'} expected, ${JSON.stringify(b)?.slice(0, 80) ?? 'nothing'} found)`;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
