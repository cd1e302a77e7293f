import fc from 'fast-check';
import { noUsage } from '../../../lib/core/budget.js';
import type { Block, Message } from '../../../lib/core/transcript.js';
import { createRulesModel } from '../../../lib/models/rules.js';
import { parseDiff, parseFile, parseSearch } from '../../../lib/models/rules/tool-texts.js';
import { callsOf } from '../../../lib/models/rules/calls.js';
import { definitionsIn } from '../../../lib/models/rules/definitions.js';
import { importsOf } from '../../../lib/models/rules/imports.js';
import { codeOnly, readSource } from '../../../lib/models/rules/source-code.js';
import type { Model, ModelRequest } from '../../../lib/ports/model.js';
import { file, reviewChange } from './review-change.js';
import type { Edit } from './review-change.js';

const options = { signal: new AbortController().signal, deadline: Date.now() + 60_000 };

const edit: Edit = {
  base: {
    'src/refund.ts': file(
      'export function refund(order: Order, amount: number) {',
      '  if (order.refunded) {',
      "    throw new Error('was already refunded');",
      '  }',
      '}',
    ),
    'src/support/close.ts': file("import { refund } from '../refund.js';", 'refund(order, 1);'),
  },
  head: {
    'src/refund.ts': file(
      'export function refund(order: Order, amount: number, reason: string) {',
      '  if (!order.refunded) {',
      "    throw new Error('was already refunded');",
      '  }',
      '}',
    ),
    'src/support/close.ts': file("import { refund } from '../refund.js';", 'refund(order, 1);'),
  },
};

test('says what it is, costs nothing and sends nothing', async () => {
  const model = createRulesModel();
  expect({ name: model.name, kind: model.kind, sendsTo: model.sendsTo }).toEqual({
    name: 'fixed rules',
    kind: 'rules',
    sendsTo: null,
  });
  const { transcript } = await reviewChange(edit);
  expect(transcript.turns.map((turn) => turn.usage)).toEqual(transcript.turns.map(() => noUsage));
  expect(JSON.stringify(transcript.turns)).not.toMatch(/\bAI\b|language model|\bI\b/);
});

test('the same messages always get the same answer, wherever a run was killed', async () => {
  const requests: ModelRequest[] = [];
  const answers: unknown[] = [];
  const real = createRulesModel();
  const recording: Model = {
    ...real,
    next: async (request, given) => {
      const turn = await real.next(request, given);
      requests.push(structuredClone(request));
      answers.push(turn);
      return turn;
    },
  };
  await reviewChange(edit, { model: recording });
  expect(requests.length).toBeGreaterThan(3);
  for (const [index, request] of requests.entries())
    expect(await createRulesModel().next(request, options)).toEqual(answers[index]);
});

test('asks for several things in one turn, and for nothing twice', async () => {
  const { transcript } = await reviewChange(edit);
  const calls = transcript.turns.flatMap((turn) =>
    turn.calls.map((call) => JSON.stringify([call.name, call.input])),
  );
  expect(new Set(calls).size).toBe(calls.length);
  expect(Math.max(...transcript.turns.map((turn) => turn.calls.length))).toBeGreaterThan(1);
  expect(transcript.turns.flatMap((turn) => turn.calls).filter((call) => call.failed)).toEqual([]);
});

test('reads every page of a long change', async () => {
  const long = (value: string) =>
    file(
      ...Array.from(
        { length: 4_000 },
        (_, index) => `export const value${index} = '${value} ${'x'.repeat(20)}';`,
      ),
    );
  const { transcript, accepted } = await reviewChange({
    base: { 'a.ts': long('before'), ...edit.base },
    head: { 'a.ts': long('after'), ...edit.head },
  });
  const pages = transcript.turns.flatMap((turn) => turn.calls).filter((call) => call.name === 'get_pr_diff');
  expect(pages.length).toBeGreaterThan(3);
  expect(accepted.findings.map((each) => each.rule).sort()).toEqual([
    'changed-signature',
    'inverted-condition',
  ]);
});

test('submits what it has when only the terminal tool is accepted any more', async () => {
  const { accepted, transcript } = await reviewChange(edit, { toolCalls: 5 });
  expect(transcript.turns.some((turn) => turn.closing !== undefined)).toBe(true);
  expect(accepted.summary).toMatch(/undecided/);
});

describe('a submission that was sent back', () => {
  const submission = async (reasons: string) => {
    const { transcript } = await reviewChange(edit);
    const messages: Message[] = [transcript.opening];
    for (const turn of transcript.turns)
      messages.push(turn.assistant, ...(turn.reply === undefined ? [] : [turn.reply]));
    const submitted = transcript.turns.at(-1)!.assistant.content.find((block) => block.type === 'tool_use')!;
    messages.push({
      role: 'user',
      content: [
        { type: 'tool_result', toolUseId: (submitted as { id: string }).id, text: reasons, isError: true },
      ],
    });
    const { content } = await createRulesModel().next(request(messages), options);
    return (content[0] as Extract<Block, { type: 'tool_use' }>).input as { findings: { rule: string }[] };
  };

  test('goes in again without what was refused', async () => {
    const again = await submission('Not accepted:\n- findings[0] `x`: the quote does not stand there');
    expect(again.findings.map((each) => each.rule)).toEqual(['inverted-condition']);
  });

  test('goes in again as it is when the reasons name nothing', async () => {
    expect((await submission('Not accepted.')).findings).toHaveLength(2);
  });
});

const request = (messages: readonly Message[]): ModelRequest => ({
  system: '',
  tools: [{ name: 'submit_code_review', description: '', inputSchema: { type: 'object' } }],
  messages,
});

test('where there is nothing to submit a review to, it says so and stops', async () => {
  const turn = await createRulesModel().next({ system: '', tools: [], messages: [] }, options);
  expect(turn.stop).toEqual({ kind: 'end_turn' });
  expect(turn.content).toEqual([
    { type: 'text', text: 'The fixed rules can review a pull request and nothing else.' },
  ]);
});

test('an aborted run asks for nothing', async () => {
  await expect(
    createRulesModel().next(request([]), { ...options, signal: AbortSignal.abort() }),
  ).rejects.toThrow();
});

describe('the texts of the tools', () => {
  test('a diff with everything in it', () => {
    const text = [
      '=== src/new.ts (renamed from src/old (copy).ts, +1 -1)',
      '@@ -1,2 +1,2 @@',
      '     1 | === not a file (modified, +1 -0)',
      '-    2 | old',
      '+    2 | new | with a bar',
      '\\ no newline at the end of the file',
      '=== logo.png (modified, binary)',
      '=== lib (submodule a1..b2)',
      '[cut: the rest of a/cursor "x.go and 3 more files not shown yet; go on with cursor "4.0"]',
    ].join('\n');
    expect(parseDiff(text)).toMatchObject({
      files: [
        {
          path: 'src/new.ts',
          oldPath: 'src/old (copy).ts',
          hunks: [
            [
              { kind: 'context', line: 1, text: '=== not a file (modified, +1 -0)' },
              { kind: 'removed', line: 2, text: 'old' },
              { kind: 'added', line: 2, text: 'new | with a bar' },
            ],
          ],
        },
        { path: 'logo.png', hunks: [] },
        { path: 'lib', hunks: [] },
      ],
      cut: { cursor: '4.0' },
    });
  });

  test('lines of a file, and sentences that are none', () => {
    expect(parseFile('a b.ts at head, lines 2-3 of 9\n     2 | x\n     3 |   y | z\n[note: x]')).toEqual({
      path: 'a b.ts',
      start: 2,
      total: 9,
      lines: ['x', '  y | z'],
    });
    expect(parseFile('a.ts at head is binary, 9 bytes. It has no lines to show.')).toBeNull();
    expect(parseFile('There is no a.ts at base: this change adds it.')).toBeNull();
  });

  test('matches of a search', () => {
    expect(
      parseSearch(
        '2 matches in 2 files (9 files searched at head)\n== a.ts\n     3 | near\n>    4 | hit\n--\n== b.ts\n>    1 | == c.ts',
      ),
    ).toMatchObject({
      total: 2,
      files: 2,
      matches: [
        { path: 'a.ts', line: 4, text: 'hit' },
        { path: 'b.ts', line: 1, text: '== c.ts' },
      ],
    });
    expect(parseSearch('0 matches in 0 files (9 files searched at head)')).toMatchObject({
      total: 0,
      matches: [],
    });
    expect(
      parseSearch(
        '120 matches, 100 shown in 3 files (9 files searched at head)\n[cut: 20 more matches; narrow it]',
      ),
    ).toMatchObject({ total: 120, files: 3, cut: {} });
    expect(parseSearch('missing closing bracket')).toBeNull();
  });
});

test('blanking strings and comments keeps every column', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[ a(){}'"`$/*#\\n-]{0,30}$/), { maxLength: 12 }),
      fc.constantFrom('typescript' as const, 'python' as const, 'go' as const),
      (lines, language) => {
        const code = codeOnly(lines, language);
        expect(code.map((line) => line.length)).toEqual(lines.map((line) => line.length));
        for (const [index, line] of code.entries())
          for (const [at, one] of [...line].entries()) if (one !== ' ') expect(one).toBe(lines[index]![at]);
      },
    ),
  );
});

test.each(['(', 'f(', 'f(a, ', 'a.', ' ', '/', '`${', '<', 'x.map(', 'if (a ', 'import a ', 'def a('])(
  'a file of %j defines nothing, and is read to its end',
  (piece) => {
    const lines = Array.from({ length: 100 }, () => piece.repeat(2_000 / piece.length));
    for (const path of ['a.ts', 'a.py', 'a.go']) {
      const source = readSource(path, lines)!;
      expect(definitionsIn(source)).toEqual([]);
      expect(callsOf(source, 'f').length + importsOf(source).length).toBeLessThan(500);
    }
  },
);
