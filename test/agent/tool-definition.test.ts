import { z } from 'zod';
import { toolDefinition } from '../../lib/agent/tool-definition.js';
import { CodeReview } from '../../lib/core/submission.js';

const schemaOf = (schema: z.ZodType) =>
  toolDefinition({ name: 'look', description: 'looks', schema }).inputSchema;

test('bounds stay in zod, a default moves into the description, names are never taken for keywords', () => {
  expect(
    schemaOf(
      z.strictObject({
        pattern: z.string().min(1).regex(/^a/).describe('what to find'),
        minimum: z.int().min(0).max(5).default(2).describe('how many'),
        ref: z.enum(['head', 'base']).default('head'),
        items: z
          .array(z.object({ a: z.nullish(z.string()) }))
          .min(1)
          .optional(),
      }),
    ),
  ).toEqual({
    type: 'object',
    properties: {
      pattern: { type: 'string', description: 'what to find' },
      minimum: { type: 'integer', description: 'how many; default: 2' },
      ref: { type: 'string', enum: ['head', 'base'], description: 'default: "head"' },
      items: {
        type: 'array',
        items: {
          type: 'object',
          properties: { a: { type: ['string', 'null'] } },
          additionalProperties: false,
        },
      },
    },
    required: ['pattern'],
    additionalProperties: false,
  });
});

test('the definition of the largest schema has only closed objects and no keyword that strict tools refuse', () => {
  const keywords = new Set<string>();
  const walk = (schema: unknown, names = false): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const record = schema as Record<string, unknown>;
    if (!names && record.type === 'object') expect(record.additionalProperties).toBe(false);
    for (const [key, value] of Object.entries(record)) {
      if (!names && !Array.isArray(schema)) keywords.add(key);
      walk(value, !names && key === 'properties');
    }
  };
  walk(schemaOf(CodeReview));
  expect([...keywords].sort()).toEqual([
    'additionalProperties',
    'description',
    'enum',
    'items',
    'properties',
    'required',
    'type',
  ]);
});
