import type { ToolDefinition } from '../../ports/model.js';

/**
 * Which tools may be sent as `strict`: their schemas are closed, hold no keyword that strict schemas lack, and all of
 * them together stay inside the limits of the API.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs (JSON Schema limitations)
 */
export function strictTools(tools: readonly ToolDefinition[]): ReadonlySet<string> {
  const fit = new Set<string>();
  let [optional, unions] = [0, 0];
  // The largest arguments have the most to gain from it, so they come first.
  const size = (tool: ToolDefinition): number => JSON.stringify(tool.inputSchema).length;
  for (const tool of [...tools].sort((a, b) => size(b) - size(a))) {
    const cost = strictCost(tool.inputSchema);
    if (cost === null || fit.size >= mostTools) continue;
    if (optional + cost.optional > mostOptional || unions + cost.unions > mostUnions) continue;
    optional += cost.optional;
    unions += cost.unions;
    fit.add(tool.name);
  }
  return fit;
}

const mostTools = 20;
const mostOptional = 24;
const mostUnions = 16;

const known = new Set([
  '$schema',
  'type',
  'properties',
  'required',
  'additionalProperties',
  'description',
  'title',
  'enum',
  'const',
  'items',
  'anyOf',
]);

type Cost = { readonly optional: number; readonly unions: number };

/** Null when the schema is not fit. */
function strictCost(schema: unknown): Cost | null {
  if (!isObject(schema)) return null;
  if (Object.keys(schema).some((key) => !known.has(key))) return null;
  if (
    schema.type === undefined &&
    schema.anyOf === undefined &&
    schema.enum === undefined &&
    schema.const === undefined
  )
    return null;
  let optional = 0;
  let unions = Array.isArray(schema.type) || schema.anyOf !== undefined ? 1 : 0;
  const children: unknown[] = [];
  if (schema.type === 'object') {
    if (schema.additionalProperties !== false) return null;
    const properties = isObject(schema.properties) ? schema.properties : {};
    const required = Array.isArray(schema.required) ? schema.required.length : 0;
    optional += Object.keys(properties).length - required;
    children.push(...Object.values(properties));
  }
  if (schema.items !== undefined) children.push(schema.items);
  if (Array.isArray(schema.anyOf)) children.push(...(schema.anyOf as unknown[]));
  for (const child of children) {
    const cost = strictCost(child);
    if (cost === null) return null;
    optional += cost.optional;
    unions += cost.unions;
  }
  return { optional, unions };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
