import { runLoop } from '../../lib/agent/loop.js';
import { toolDefinition } from '../../lib/agent/tool-definition.js';
import { evidenceTools } from '../../lib/tools/index.js';
import { call, calls, opening, play, plenty, read, submit, told } from '../agent/played-run.js';
import { changedRepository, places } from './changed-repository.js';

const repository = changedRepository({
  base: { 'a.ts': 'one\ntwo\n' },
  head: { 'a.ts': 'one\n2\n', 'b.ts': 'guard()\n' },
});

test('the tools have the names of the field and schemas that strict tools take', () => {
  const definitions = evidenceTools(repository).map(toolDefinition);
  expect(
    definitions.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties as object)]),
  ).toEqual([
    ['get_pr_info', []],
    ['get_pr_diff', ['path', 'cursor']],
    ['list_files', ['folder', 'glob', 'ref', 'cursor']],
    ['search_code', ['pattern', 'glob', 'ref', 'context']],
    ['get_file_content', ['path', 'start', 'end']],
    ['get_file_at_base', ['path', 'start', 'end']],
  ]);
  for (const { inputSchema } of definitions) {
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(JSON.stringify(inputSchema)).not.toMatch(
      /"(\$schema|default|minimum|maximum|minLength|pattern)":(?!\{)/,
    );
  }
});

test('in a run: what was read is on record for the judge of the submission', async () => {
  const seen: string[] = [];
  const played = await play(
    [
      calls(call('get_pr_info'), call('get_pr_diff')),
      calls(
        call('search_code', { pattern: 'guard' }),
        call('get_file_at_base', { path: 'a.ts', start: '1' }),
      ),
      calls(call('get_file_content', { path: 'a.ts', start: 9 }), call('list_files', { depth: 2 })),
      calls(submit()),
    ],
    {
      toolset: {
        tools: evidenceTools(repository),
        terminal: {
          name: 'submit',
          description: 'ends it',
          schema: evidenceTools(repository)[0]!.schema,
          accept: async (_, { served }) => {
            seen.push(...places({ text: '', served }));
            return { kind: 'accepted', value: null, dropped: [] };
          },
        },
      },
    },
  );
  expect(played.outcome.kind).toBe('submitted');
  expect(seen).toEqual(['head:a.ts:1-2', 'base:a.ts:1-2', 'head:b.ts:1-1', 'head:b.ts:1-1', 'base:a.ts:1-2']);
  expect(read(told(played, 3))).toEqual([
    'error a.ts at head has 2 lines; there is no line 9.',
    expect.stringContaining('error The arguments of list_files do not fit:'),
  ]);
});

test('runLoop takes the tools as they are', async () => {
  const { outcome } = await runLoop<null>({
    model: { name: 'm', kind: 'rules', sendsTo: null, next: async () => calls(submit()) },
    toolset: {
      tools: evidenceTools(repository),
      terminal: {
        name: 'submit',
        description: 'ends it',
        schema: evidenceTools(repository)[0]!.schema,
        accept: async () => ({ kind: 'accepted', value: null, dropped: [] }),
      },
    },
    system: 's',
    opening,
    budget: plenty,
    clock: () => 0,
    signal: new AbortController().signal,
  });
  expect(outcome.kind).toBe('submitted');
});
