import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

type Operation = {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: unknown }>> }>
  >;
};
type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Record<string, Json> };
};

const description = JSON.parse(
  readFileSync(new URL('../fixtures/github-openapi-subset.json', import.meta.url), 'utf8'),
) as Description;

// The description calls these integers, yet GitHub answers null for a comment whose line was changed since, and its
// own documentation says so ("line ... null if outdated", REST pulls/comments, and `position: null` in its examples).
const comment = description.components.schemas['pull-request-review-comment'];
for (const name of ['line', 'position', 'original_line', 'original_position'])
  comment.properties[name] = { anyOf: [{ type: 'integer' }, { type: 'null' }] };
// A head whose fork was deleted: null on GitHub, an object in the description.
for (const name of ['pull-request', 'pull-request-simple']) {
  const head = description.components.schemas[name].properties.head;
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
ajv.addSchema(description, 'github');

const compiled = new Map<string, ValidateFunction>();

const literal = (path: string): number => path.replace(/\{\w+\}/g, '').length;

const templates = Object.keys(description.paths)
  .map((path) => ({
    path,
    expression: new RegExp(
      `^${path.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, (_, name: string) => (['path', 'ref', 'basehead', 'branch', 'tree_sha'].includes(name) ? '.+' : '[^/]+'))}$`,
    ),
  }))
  // The more of a path is spelled out, the more it means that path.
  .sort((a, b) => literal(b.path) - literal(a.path));

export const checked = new Set<string>();

/** Throws when an answer is off the description; an operation or status that is not described passes. */
export const checkAnswer = (method: string, path: string, status: number, data: unknown): void => {
  const template = templates.find(
    (entry) =>
      entry.expression.test(path) && description.paths[entry.path]?.[method.toLowerCase()] !== undefined,
  );
  if (template === undefined) return;
  const response = description.paths[template.path]?.[method.toLowerCase()]?.responses[String(status)];
  const type =
    response?.content === undefined
      ? undefined
      : Object.keys(response.content).find((key) => key.includes('json'));
  if (type === undefined) return;
  const escape = (part: string) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'));
  const pointer = `github#/paths/${escape(template.path)}/${method.toLowerCase()}/responses/${status}/content/${escape(type)}/schema`;
  const check = compiled.get(pointer) ?? ajv.compile({ $ref: pointer });
  compiled.set(pointer, check);
  checked.add(`${method} ${template.path} ${status}`);
  if (!check(data)) {
    const faults = (check.errors ?? [])
      .slice(0, 8)
      .map((error) => `${error.instancePath} ${error.message ?? ''}`);
    throw new Error(`${method} ${path} (${status}) is off GitHub's description:\n${faults.join('\n')}`);
  }
};
