import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

const schema = JSON.parse(
  readFileSync(new URL('../../node_modules/@octokit/webhooks-schemas/schema.json', import.meta.url), 'utf8'),
) as { definitions: Record<string, Json> };
// The fork of a head may be gone: the schema of a pull request says so, those of reviews and their comments forgot it.
for (const { properties } of Object.values(schema.definitions)) {
  const head = (properties?.pull_request?.properties ?? properties)?.head?.properties;
  if (typeof head?.repo?.$ref === 'string') head.repo = { oneOf: [head.repo, { type: 'null' }] };
}

const ajv = new Ajv({ strict: false, allErrors: true });
(addFormats as unknown as (target: Ajv) => void)(ajv);
ajv.addSchema(schema, 'webhooks');
const compiled = new Map<string, ValidateFunction>();

/** Faults of a webhook's payload by GitHub's published schemas; an event that has none is a fault. */
export function faultsOfPayload(event: string, action: string, payload: unknown): readonly string[] {
  const name = `${event}$${action}`;
  if (schema.definitions[name] === undefined) return [`no schema for ${name}`];
  const check =
    compiled.get(name) ?? ajv.compile({ $ref: `webhooks#/definitions/${encodeURIComponent(name)}` });
  compiled.set(name, check);
  check(payload);
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${name}: ${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
  );
}
