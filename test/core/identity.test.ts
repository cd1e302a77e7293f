import fc from 'fast-check';
import { emptyLedger, type Ledger } from '../../lib/core/ledger.js';
import type { ProposedFinding } from '../../lib/core/submission.js';
import { snapshotOf } from '../models/rules/review-change.js';
import { pass, type Tree } from './played-pass.js';

const code = '  const amount = order.refund || order.total;';
const body = ['export function pay(order) {', code, '  return charge(amount);', '}'];
const other = ['export function refundOf(order) {', '  return order.refund ?? 0;', '}'];
const file = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

const base: Tree = {
  'src/pay.ts': file(...body.map((line) => line.replace('||', '??')), ...other),
  'src/other.ts': file('export const other = 1;'),
};
const head: Tree = { ...base, 'src/pay.ts': file(...body, ...other) };

const claim: ProposedFinding = {
  path: 'src/pay.ts',
  line: 2,
  code,
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  title: 'a refund of 0 charges the full amount',
  body: 'Zero falls through to the total.',
  evidence: [{ path: 'src/other.ts', ref: 'head', start: 1, end: 1, quote: 'export const other = 1;' }],
  absences: [],
};

type Push = {
  readonly tree: Tree;
  readonly findings?: readonly ProposedFinding[];
  readonly renamed?: Readonly<Record<string, string>>;
};

/** The n-th place (from 0) of a line of code in a file, claimed. */
const at = (tree: Tree, over: Partial<ProposedFinding> = {}, nth = 0): ProposedFinding => {
  const { path, code: accused } = { ...claim, ...over };
  const lines = tree[path]!.split('\n');
  const height = accused.split('\n').length;
  const places = lines.flatMap((_, index) =>
    lines.slice(index, index + height).join('\n') === accused ? [index + height] : [],
  );
  const line = places[nth];
  if (line === undefined) throw new Error(`${accused} stands ${places.length} times in ${path}`);
  return { ...claim, ...over, line, ...(height > 1 && { start_line: line - height + 1 }) };
};

/** Ids that each push reports, in the order of the claims. */
async function idsOf(pushes: readonly Push[], change = (ledger: Ledger) => ledger) {
  let ledger = emptyLedger;
  const ids: string[][] = [];
  for (const { tree, findings = [at(tree)], renamed } of pushes) {
    const { diff } = snapshotOf({ base, head: tree, ...(renamed !== undefined && { renamed }) });
    const { result, ledger: after } = await pass(ledger, base, tree, { findings, diff });
    ledger = change(after);
    ids.push(
      findings.map(
        (one) =>
          result.findings.find(
            ({ anchor, title }) =>
              anchor.path === one.path && anchor.line === one.line && title === one.title,
          )?.id ?? 'none',
      ),
    );
  }
  return { ids, ledger };
}

const withPay = (...lines: readonly string[]): Tree => ({ ...base, 'src/pay.ts': file(...lines) });
const without = (tree: Tree, path: string): Tree =>
  Object.fromEntries(Object.entries(tree).filter(([name]) => name !== path));
const first: Push = { tree: head };

const drifted = withPay('// one', '', '// two', ...body, ...other);
const nextDoor = withPay(body[0]!, code, '  return charge(amount, order);', '}', ...other);
const away = { ...without(base, 'src/pay.ts'), 'src/money/pay.ts': head['src/pay.ts']! };
const awayAndChanged = { ...away, 'src/money/pay.ts': file('// moved', ...body, ...other) };
const renamed = { 'src/money/pay.ts': 'src/pay.ts' };
const indented = withPay(...body.map((line) => `\t${line}`), ...other);
const twice = withPay(...body, ...body.map((line) => line.replace('pay(', 'payTwice(')), ...other);
const copied: Tree = { ...head, 'src/copy.ts': file(...body) };
const moved: Tree = { ...withPay(...other), 'src/charge.ts': file('// money', ...body) };
const movedBelow = withPay(...other, ...body);
const fixed = withPay(...body.map((line) => line.replace('||', '??')), '// done', ...other);
const added = (path: string, ...above: readonly string[]): Tree => ({
  ...base,
  [path]: file(...above, ...body),
});
const isNew = (path: string, ...above: readonly string[]): Push => ({
  tree: added(path, ...above),
  findings: [at(added(path, ...above), { path })],
});

describe('the same finding', () => {
  const rows: readonly (readonly [string, readonly Push[]])[] = [
    ['as it was', [first, first]],
    ['lines are added above it', [first, { tree: drifted }]],
    [
      'the file is renamed',
      [first, { tree: away, renamed, findings: [at(away, { path: 'src/money/pay.ts' })] }],
    ],
    [
      'the file is renamed and changed',
      [
        first,
        { tree: awayAndChanged, renamed, findings: [at(awayAndChanged, { path: 'src/money/pay.ts' })] },
      ],
    ],
    ['a new file is renamed', [isNew('src/a.ts'), isNew('src/b.ts')]],
    ['a new file is renamed again', [isNew('src/a.ts'), isNew('src/b.ts'), isNew('src/c.ts', '// more')]],
    [
      'a new file is renamed, and a line more is accused under another name of the rule',
      [
        isNew('src/a.ts'),
        {
          tree: added('src/b.ts', '// more'),
          findings: [
            at(added('src/b.ts', '// more'), {
              path: 'src/b.ts',
              code: `${code}\n  return charge(amount);`,
              rule: 'lost-zero',
            }),
          ],
        },
      ],
    ],
    ['it is indented anew', [first, { tree: indented, findings: [at(indented, { code: `\t${code}` })] }]],
    [
      'line endings change',
      [
        first,
        {
          tree: { ...head, 'src/pay.ts': head['src/pay.ts']!.replaceAll('\n', '\r\n') },
          findings: [{ ...claim, line: 2 }],
        },
      ],
    ],
    ['a line next to it changes', [first, { tree: nextDoor }]],
    [
      'it is worded anew',
      [first, { ...first, findings: [{ ...claim, title: 'zero is lost', body: 'It is.' }] }],
    ],
    ['its rule is renamed', [first, { ...first, findings: [{ ...claim, rule: 'zero-falls-through' }] }]],
    ['its rule has an alias', [first, { ...first, findings: [{ ...claim, rule: 'or-default' }] }]],
    ['it is only a nit now', [first, { ...first, findings: [{ ...claim, severity: 'nit' }] }]],
    [
      'its function moves to another file',
      [first, { tree: moved, findings: [at(moved, { path: 'src/charge.ts' })] }],
    ],
    ['its function moves in its file', [first, { tree: movedBelow }]],
    [
      'more lines around it are accused',
      [first, { ...first, findings: [at(head, { code: `${code}\n  return charge(amount);` })] }],
    ],
    [
      'a line more is accused, under another name of the rule',
      [
        first,
        {
          ...first,
          findings: [
            at(head, {
              code: `${code}\n  return charge(amount);`,
              rule: 'zero-charges-all',
              title: 'all is charged',
            }),
          ],
        },
        { ...first, findings: [{ ...claim, rule: 'lost-zero', title: 'zero is lost' }] },
      ],
    ],
    [
      'the line above is accused with it, then the line below',
      [
        { ...first, findings: [at(head, { code: `${body[0]}\n${code}` })] },
        {
          ...first,
          findings: [
            at(head, { code: `${code}\n  return charge(amount);`, rule: 'lost-zero', title: 'lost' }),
          ],
        },
      ],
    ],
    [
      'a line more is accused, and its lines stand twice in the file',
      [
        { tree: twice, findings: [at(twice, {}, 1)] },
        {
          tree: twice,
          findings: [at(twice, { code: `${code}\n  return charge(amount);`, rule: 'lost-zero' }, 1)],
        },
      ],
    ],
    ['a pass between did not see it', [first, { ...first, findings: [] }, { tree: drifted }]],
  ];
  test.each(rows)('%s', async (_name, pushes) => {
    expect((await idsOf(pushes)).ids.flat()).toEqual(
      pushes.flatMap(({ findings }) => (findings === undefined ? ['F1'] : findings.map(() => 'F1'))),
    );
  });

  test('fixed, and found again', async () => {
    const { ids, ledger } = await idsOf([first, { tree: fixed, findings: [] }, first]);
    expect(ids).toEqual([['F1'], [], ['F1']]);
    expect(ledger.findings[0]?.standing).toEqual({ kind: 'open' });
  });

  test('dismissed: an edit next door, a rename and new words do not bring it back', async () => {
    const dismiss = (ledger: Ledger): Ledger => ({
      ...ledger,
      findings: ledger.findings.map((one) => ({
        ...one,
        standing: { kind: 'dismissed', by: 'monalisa', at: '2026-01-01T00:00:00Z' },
      })),
    });
    const { ids, ledger } = await idsOf(
      [
        first,
        { tree: nextDoor, findings: [at(nextDoor, { title: 'zero is lost', rule: 'lost-zero' })] },
        { tree: awayAndChanged, renamed, findings: [at(awayAndChanged, { path: 'src/money/pay.ts' })] },
      ],
      dismiss,
    );
    expect(ids.flat()).toEqual(['F1', 'F1', 'F1']);
    expect(ledger.findings).toMatchObject([{ id: 'F1', standing: { kind: 'dismissed' } }]);
  });
});

/** Functions with equal bodies: their guards have equal neighbours, too. */
const guarded = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [
    `export function ${name}(order) {`,
    '  if (order === null) {',
    '    return null;',
    '  }',
    `  return ${name}With(order);`,
    '}',
  ]);
const guard = { path: 'src/new.ts', code: '    return null;', rule: 'lost-null' } as const;

describe('equal places keep their numbers', () => {
  const three = { ...base, 'src/new.ts': file(...guarded('pay', 'settle', 'close')) };
  const four = { ...base, 'src/new.ts': file(...guarded('open', 'pay', 'settle', 'close')) };
  const two = { ...base, 'src/new.ts': file(...guarded('settle', 'close')) };
  const moved = { ...base, 'src/newer.ts': three['src/new.ts'] };
  const at3 = [0, 1, 2].map((nth) => at(three, { ...guard, title: `${nth}` }, nth));
  const rows: readonly (readonly [string, Push, readonly string[]])[] = [
    [
      'when another comes above them',
      { tree: four, findings: [1, 2, 3, 0].map((nth) => at(four, { ...guard, title: `${nth}` }, nth)) },
      ['F1', 'F2', 'F3', 'F4'],
    ],
    ['when only the new one is reported', { tree: four, findings: [at(four, guard, 0)] }, ['F4']],
    [
      'when the first of them is gone',
      { tree: two, findings: [0, 1].map((nth) => at(two, { ...guard, title: `${nth}` }, nth)) },
      ['F2', 'F3'],
    ],
    [
      'when their new file is renamed, whatever their order',
      {
        tree: moved,
        findings: [2, 0, 1].map((nth) => at(moved, { ...guard, path: 'src/newer.ts', title: `${nth}` }, nth)),
      },
      ['F3', 'F1', 'F2'],
    ],
  ];
  test.each(rows)('%s', async (_name, push, ids) => {
    expect((await idsOf([{ tree: three, findings: at3 }, push])).ids).toEqual([['F1', 'F2', 'F3'], ids]);
  });
});

describe('two findings', () => {
  const await_ = { rule: 'missing-await', title: 'the charge is not awaited' } as const;
  const rows: readonly (readonly [string, readonly Push[], readonly (readonly string[])[]])[] = [
    [
      'the code changed',
      [
        first,
        {
          tree: withPay(body[0]!, `${code} // 1`, ...body.slice(2), ...other),
          findings: [at(withPay(body[0]!, `${code} // 1`), { code: `${code} // 1` })],
        },
      ],
      [['F1'], ['F2']],
    ],
    [
      'another rule of the catalogue on the line',
      [first, { ...first, findings: [{ ...claim, ...await_ }] }],
      [['F1'], ['F2']],
    ],
    [
      'another category on the line',
      [first, { ...first, findings: [{ ...claim, category: 'security', title: 'x' }] }],
      [['F1'], ['F2']],
    ],
    [
      'two bugs on one line, whatever their order and place later',
      [
        { ...first, findings: [claim, { ...claim, ...await_ }] },
        { tree: drifted, findings: [at(drifted, await_), at(drifted)] },
        { ...first, findings: [{ ...claim, ...await_ }] },
      ],
      [['F1', 'F2'], ['F2', 'F1'], ['F2']],
    ],
    [
      'the same line twice in a file',
      [
        { tree: twice, findings: [at(twice), at(twice, {}, 1)] },
        { tree: twice, findings: [at(twice, {}, 1)] },
        {
          tree: withPay('// new', ...twice['src/pay.ts']!.trimEnd().split('\n')),
          findings: [at(withPay('// new', ...twice['src/pay.ts']!.trimEnd().split('\n')), {}, 1)],
        },
      ],
      [['F1', 'F2'], ['F2'], ['F2']],
    ],
    [
      'the second of two equal lines, when only the first was known',
      [{ tree: twice }, { tree: twice, findings: [at(twice, {}, 1)] }],
      [['F1'], ['F2']],
    ],
    [
      'a copy in another file, while the first stands',
      [
        first,
        { tree: copied, findings: [at(copied, { path: 'src/copy.ts' })] },
        { tree: copied, findings: [at(copied, { path: 'src/copy.ts' }), at(copied)] },
      ],
      [['F1'], ['F2'], ['F2', 'F1']],
    ],
    [
      'other lines, accused for the same',
      [first, { ...first, findings: [at(head, { code: '  return charge(amount);' })] }],
      [['F1'], ['F2']],
    ],
    [
      'lines that overlap, for another rule of the catalogue',
      [first, { ...first, findings: [at(head, { code: `${code}\n  return charge(amount);`, ...await_ })] }],
      [['F1'], ['F2']],
    ],
    [
      'lines that overlap, for another reason, when both are said',
      [
        first,
        {
          ...first,
          findings: [
            at(head, { code: `${code}\n  return charge(amount);`, rule: 'unit-mismatch', title: 'y' }),
            claim,
          ],
        },
      ],
      [['F1'], ['F2', 'F1']],
    ],
    [
      'a whole function around a line, for another reason',
      [
        first,
        { ...first, findings: [at(head, { code: body.join('\n'), rule: 'unit-mismatch', title: 'y' })] },
      ],
      [['F1'], ['F2']],
    ],
    [
      'lines next to each other that both get a line more',
      [
        { ...first, findings: [claim, at(head, { code: '  return charge(amount);', title: 'z' })] },
        {
          ...first,
          findings: [
            at(head, { code: `  return charge(amount);\n}`, rule: 'lost-charge', title: 'z' }),
            at(head, { code: `${body[0]}\n${code}`, rule: 'lost-zero', title: 'y' }),
          ],
        },
      ],
      [
        ['F1', 'F2'],
        ['F2', 'F1'],
      ],
    ],
  ];
  test.each(rows)('%s', async (_name, pushes, ids) => {
    expect((await idsOf(pushes)).ids).toEqual(ids);
  });
});

test('ids never change their meaning, whatever is pushed and said in between', async () => {
  const blocks = ['pay', 'charge', 'settle', 'close'].map((name, n) => [
    `export function ${name}(order) {`,
    `  const amount${n} = order.${name} || order.total;`,
    `  return send(amount${n});`,
    '}',
  ]);
  const push = fc.record({
    above: fc.integer({ min: 0, max: 3 }),
    indent: fc.constantFrom('', '  ', '\t'),
    order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
    reported: fc.shuffledSubarray([0, 1, 2, 3]),
    path: fc.constantFrom('src/a.ts', 'src/b.ts'),
    words: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(push, { minLength: 2, maxLength: 5 }), async (pushes) => {
      const meaning = new Map<string, number>();
      let ledger = emptyLedger;
      for (const { above, indent, order, reported, path, words } of pushes) {
        const lines = [
          ...Array.from({ length: above }, (_, n) => `// ${n}`),
          ...order.flatMap((n) => blocks[n]!.map((line) => indent + line)),
        ];
        const tree: Tree = { ...base, [path]: file(...lines) };
        const findings = reported.map((n) =>
          at(tree, {
            path,
            code: indent + blocks[n]![1]!,
            title: `${words ? 'again' : 'first'} ${n}`,
            rule: words ? 'falsy-zero' : 'lost-zero',
          }),
        );
        const after = await pass(ledger, base, tree, { findings });
        ledger = after.ledger;
        expect(after.result.findings).toHaveLength(reported.length);
        for (const { id, title } of after.result.findings) {
          const n = Number(title.split(' ')[1]);
          expect(meaning.get(id) ?? n).toBe(n);
          meaning.set(id, n);
        }
      }
      expect(meaning.size).toBe(new Set(meaning.values()).size);
    }),
    { numRuns: 60 },
  );
});
