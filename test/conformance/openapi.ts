import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/*
 * GitHub's OpenAPI description as a judge of both sides: what a client sends and what a server answers. Schemas are
 * compiled when they are first needed.
 */

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

export type Sent = {
  readonly method: string;
  /** Without host and Enterprise prefix. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** Parsed JSON; undefined for none. */
  readonly body?: unknown;
};

type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: unknown;
};
type Content = Readonly<Record<string, { readonly schema: unknown }>>;
type Operation = {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly content?: Content } | { readonly $ref: string } | undefined>
  >;
};
type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Record<string, Record<string, Json>>;
};

/** Faults of a request, in words; empty when the description has nothing against it. */
export function faultsOfRequest({ method, path, query, body }: Sent): readonly string[] {
  const found = operationOf(method, path);
  if (found === null) return [`${method} ${path} is not described`];
  const { operation, values, pointer } = found;
  const parameters = (operation.parameters ?? []).map((one, index) => ({
    pointer: `${pointer}/parameters/${index}`,
    ...(resolved(one) as Parameter),
  }));
  const faults: string[] = [];
  for (const parameter of parameters) {
    const given =
      parameter.in === 'path'
        ? values[parameter.name]
        : parameter.in === 'query'
          ? (query?.get(parameter.name) ?? undefined)
          : undefined;
    if (given === undefined) {
      if (parameter.required === true && parameter.in !== 'header')
        faults.push(`${parameter.name} is missing`);
      continue;
    }
    const schema = `${pointerOf(parameter.pointer, resolvedPointer(parameter.pointer))}/schema`;
    faults.push(
      ...against(schema, coerced(given, parameter.schema)).map((fault) => `${parameter.name}${fault}`),
    );
  }
  const known = new Set(parameters.map(({ name }) => name));
  for (const name of query?.keys() ?? []) if (!known.has(name)) faults.push(`?${name} is not described`);

  const content = operation.requestBody?.content['application/json'];
  if (content === undefined) {
    if (body !== undefined && Object.keys(body as object).length > 0) faults.push('a body is not described');
  } else if (body === undefined) {
    if (operation.requestBody?.required === true) faults.push('a body is missing');
  } else {
    faults.push(...against(`${pointer}/requestBody/content/application~1json/schema`, body));
    faults.push(...undescribed(content.schema, body, ''));
  }
  return faults.map((fault) => `${method} ${path}: ${fault}`);
}

/** Any operation may be refused so, whether or not its description says it. */
const refusals: ReadonlySet<number> = new Set([401, 403, 404, 406, 409, 410, 422, 429, 500, 502, 503]);

/** Faults of an answer. `data` is undefined when it is no JSON. */
export function faultsOfAnswer(
  method: string,
  path: string,
  status: number,
  data: unknown,
): readonly string[] {
  const found = operationOf(method, path);
  if (found === null) return [];
  const said = (faults: readonly string[]) =>
    faults.map((fault) => `${method} ${path} (${status}): ${fault}`);
  const response = found.operation.responses[String(status)];
  if (response === undefined) {
    if (!refusals.has(status)) return said(['this status is not described']);
    return data === undefined ? [] : said(against('/components/schemas/basic-error', data));
  }
  const at = `${found.pointer}/responses/${status}`;
  const content = (resolved(response) as { readonly content?: Content }).content;
  const type = Object.keys(content ?? {}).find((key) => key.includes('json'));
  if (type === undefined) {
    return status === 204 && data !== undefined ? said(['a body is not described']) : [];
  }
  // A diff or an archive by its media type.
  if (data === undefined) return [];
  return said(against(`${pointerOf(at, resolvedPointer(at))}/content/${escape(type)}/schema`, data));
}

/** Throws when an answer is off the description; an operation that is not described passes. */
export function checkAnswer(method: string, path: string, status: number, data: unknown): void {
  const faults = faultsOfAnswer(method, path, status, data);
  if (faults.length > 0) throw new Error(`Off GitHub's description:\n${faults.slice(0, 8).join('\n')}`);
}

/** `GET /repos/{owner}/{repo}`: the operation that a request means; null for one that is not described. */
export function operationName(method: string, path: string): string | null {
  const found = operationOf(method, path);
  return found === null ? null : `${method} ${found.template}`;
}

const description = JSON.parse(
  readFileSync(new URL('../fixtures/github-openapi-subset.json', import.meta.url), 'utf8'),
) as Description;

/** Whether a route as it stands in source (`/repos/{owner}/{repo}`) is described. */
export const isDescribed = (route: string): boolean => description.paths[route] !== undefined;

const schemas = description.components.schemas ?? {};
// The description calls these integers, yet GitHub answers null for a comment whose line was changed since, and its
// own documentation says so ("line ... null if outdated", REST pulls/comments, and `position: null` in its examples).
for (const schema of ['pull-request-review-comment', 'review-comment'])
  for (const name of ['line', 'position', 'original_line', 'original_position'])
    schemas[schema].properties[name] = { anyOf: [{ type: 'integer' }, { type: 'null' }] };
// A head whose fork was deleted: null on GitHub, an object in the description.
for (const name of ['pull-request', 'pull-request-simple']) {
  const head = schemas[name].properties.head;
  head.properties.repo = { anyOf: [head.properties.repo, { type: 'null' }] };
}

// The description marks an enum `nullable` without naming null among its values; ajv reads both, one after the other.
const allowNull = (node: Json): void => {
  if (typeof node !== 'object' || node === null) return;
  if (node.nullable === true && Array.isArray(node.enum) && !node.enum.includes(null)) node.enum.push(null);
  for (const value of Object.values(node)) allowNull(value);
};
allowNull(description);

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
(addFormats as unknown as (target: Ajv2020) => void)(ajv);
// `owner/name`: nothing else in the description is of that format.
ajv.addFormat('repo.nwo', /^[\w.-]+\/[\w.-]+$/);
ajv.addSchema(description, 'github');

const compiled = new Map<string, ValidateFunction>();

/** What a schema, named by its place in the description, has against a value. */
function against(pointer: string, value: unknown): readonly string[] {
  const check = compiled.get(pointer) ?? ajv.compile({ $ref: `github#${encodeURI(pointer)}` });
  compiled.set(pointer, check);
  if (check(value)) return [];
  return (check.errors ?? []).slice(0, 8).map(({ instancePath, message, params }) => {
    const { allowedValues } = params as { readonly allowedValues?: readonly unknown[] };
    return `${instancePath} ${message ?? ''}${allowedValues === undefined ? '' : ` (${allowedValues.join(', ')})`}`;
  });
}

const literal = (path: string): number => path.replace(/\{\w+\}/g, '').length;
const manySegments: ReadonlySet<string> = new Set(['path', 'ref', 'basehead', 'branch', 'tree_sha']);

const templates = Object.keys(description.paths)
  .map((path) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const expression = path
      .replace(/[.]/g, '\\.')
      .replace(/\{(\w+)\}/g, (_, name: string) => (manySegments.has(name) ? '(.+)' : '([^/]+)'));
    return { path, names, expression: new RegExp(`^${expression}$`) };
  })
  // The more of a path is spelled out, the more it means that path.
  .sort((a, b) => literal(b.path) - literal(a.path));

type Found = {
  readonly template: string;
  readonly operation: Operation;
  readonly values: Readonly<Record<string, string>>;
  readonly pointer: string;
};

function operationOf(method: string, path: string): Found | null {
  const verb = method.toLowerCase();
  for (const { path: template, names, expression } of templates) {
    const match = expression.exec(path);
    const operation = description.paths[template]?.[verb];
    if (match === null || operation === undefined) continue;
    const values = Object.fromEntries(
      names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]),
    );
    return { template, operation, values, pointer: `/paths/${escape(template)}/${verb}` };
  }
  return null;
}

const escape = (part: string): string => part.replace(/~/g, '~0').replace(/\//g, '~1');

function at(pointer: string): Json {
  let node: Json = description;
  for (const part of pointer.split('/').slice(1)) node = node?.[part.replace(/~1/g, '/').replace(/~0/g, '~')];
  return node;
}

const resolved = (node: object): Json =>
  '$ref' in node && typeof node.$ref === 'string' ? at(node.$ref.slice(1)) : node;

/** Where a node that is only a reference points to; null for one that is none. */
const resolvedPointer = (pointer: string): string | null => {
  const node = at(pointer);
  return typeof node?.$ref === 'string' ? (node.$ref as string).slice(1) : null;
};
const pointerOf = (pointer: string, reference: string | null): string => reference ?? pointer;

/** Parameters come as text. */
function coerced(text: string, schema: unknown): unknown {
  const { type } = resolved(schema as object) as { readonly type?: string };
  if (type === 'integer' || type === 'number') return /^-?\d+$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

/** Fields of a body that no schema names: GitHub passes over them, so that a slip of the pen is never seen. */
function undescribed(schema: unknown, value: unknown, place: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const node = resolved(schema);
  if (Array.isArray(value))
    return value.flatMap((item, index) => undescribed(node.items, item, `${place}/${index}`));
  if (typeof value !== 'object' || value === null || node.type !== 'object') return [];
  const all = [node, ...['oneOf', 'anyOf', 'allOf'].flatMap((key) => node[key] ?? [])].map(resolved);
  const properties = Object.assign({}, ...all.map((one) => one.properties ?? {})) as Record<string, unknown>;
  if (Object.keys(properties).length === 0 || all.some((one) => one.additionalProperties !== undefined))
    return [];
  return Object.entries(value).flatMap(([name, one]) =>
    properties[name] === undefined
      ? [`${place}/${name} is not described`]
      : undescribed(properties[name], one, `${place}/${name}`),
  );
}
