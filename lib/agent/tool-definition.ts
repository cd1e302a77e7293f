import { z } from 'zod';
import type { ToolDefinition } from '../ports/model.js';

type Schema = Readonly<Record<string, unknown>>;

/**
 * A tool as the model sees it. Strict tool use takes closed objects and no bounds, so bounds stay in zod, where the
 * arguments are parsed, and a default moves into the description.
 */
export function toolDefinition(tool: {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType;
}): ToolDefinition {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.schema, { io: 'input' }) as Schema;
  return { name: tool.name, description: tool.description, inputSchema: strict(schema) };
}

const dropped = new Set([
  'default',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'pattern',
  'format',
]);

function strict(schema: Schema): Schema {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key)) continue;
    // Below `properties` and `$defs` the keys are names ("pattern" may be an argument), not keywords.
    if (key === 'properties' || key === '$defs') out[key] = named(value as Schema);
    else if (Array.isArray(value))
      out[key] = value.map((item: unknown) => (isSchema(item) ? strict(item) : item));
    else out[key] = isSchema(value) ? strict(value) : value;
  }
  if (schema.type === 'object') out.additionalProperties = false;
  const preset: unknown = schema.default;
  if (typeof preset === 'string' || typeof preset === 'number' || typeof preset === 'boolean')
    out.description = [schema.description, `default: ${JSON.stringify(preset)}`].filter(Boolean).join('; ');
  return out;
}

const named = (schemas: Schema): Schema =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, value]) => [name, isSchema(value) ? strict(value) : value]),
  );

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
