import { file, reviewChange } from './review-change.js';
import type { Edit } from './review-change.js';

/** One file with one line changed. */
const oneLine = (
  path: string,
  lines: readonly string[],
  from: string,
  to: string,
  others: Readonly<Record<string, string>> = {},
): Edit => {
  const at = lines.findIndex((line) => line.trim() === from);
  if (at === -1) throw new Error(`no line ${from}`);
  const indent = /^\s*/.exec(lines[at]!)![0];
  return {
    base: { [path]: file(...lines), ...others },
    head: { [path]: file(...lines.with(at, indent + to)), ...others },
  };
};

const refund = [
  'export function refund(order: Order, amount: number): Refund {',
  '  if (order.refunded) {',
  '    throw new RefundError(`order ${order.id} was already refunded`);',
  '  }',
  '  return { order: order.id, amount };',
  '}',
];

type Row = readonly [name: string, path: string, lines: readonly string[], from: string, to: string];

const inverted: readonly Row[] = [
  [
    'an error that says the opposite',
    'src/refund.ts',
    refund,
    'if (order.refunded) {',
    'if (!order.refunded) {',
  ],
  [
    'an error for what is missing, raised for what is there',
    'src/find.ts',
    [
      'export function find(id: string) {',
      '  const user = users.get(id);',
      '  if (!user) {',
      '    throw new Error(`no user ${id}`);',
      '  }',
      '  return user;',
      '}',
    ],
    'if (!user) {',
    'if (user) {',
  ],
  [
    'a null test before a use',
    'src/name.ts',
    [
      'export function nameOf(user: User | null) {',
      '  if (user === null) return "";',
      '  return user.name;',
      '}',
    ],
    'if (user === null) return "";',
    'if (user !== null) return "";',
  ],
  [
    'a use inside the test',
    'src/close.ts',
    ['export function close(socket?: Socket) {', '  if (socket) {', '    socket.end();', '  }', '}'],
    'if (socket) {',
    'if (!socket) {',
  ],
  [
    'or for and before a use',
    'src/first.ts',
    [
      'export function active(user: User | null) {',
      '  if (user && user.active) {',
      '    return true;',
      '  }',
      '  return false;',
      '}',
    ],
    'if (user && user.active) {',
    'if (user || user.active) {',
  ],
  [
    'a limit that is raised below it',
    'src/limit.ts',
    [
      'export function check(amount: number) {',
      '  if (amount > MAX_AMOUNT) {',
      "    throw new RangeError('amount exceeds the limit');",
      '  }',
      '}',
    ],
    'if (amount > MAX_AMOUNT) {',
    'if (amount <= MAX_AMOUNT) {',
  ],
  [
    'a loop that never starts',
    'src/sum.ts',
    [
      'export function sum(xs: number[]) {',
      '  let all = 0;',
      '  for (let i = 0; i < xs.length; i++) {',
      '    all += xs[i]!;',
      '  }',
      '  return all;',
      '}',
    ],
    'for (let i = 0; i < xs.length; i++) {',
    'for (let i = 0; i >= xs.length; i++) {',
  ],
  [
    'None in Python',
    'app/find.py',
    [
      'def find(key):',
      '    row = rows.get(key)',
      '    if row is None:',
      '        raise KeyError("row not found")',
      '    return row.value',
    ],
    'if row is None:',
    'if row is not None:',
  ],
  [
    'not in Python',
    'app/pay.py',
    [
      'def pay(order):',
      '    if order.paid:',
      '        raise PaymentError("order is already paid")',
      '    charge(order.total)',
    ],
    'if order.paid:',
    'if not order.paid:',
  ],
  [
    'a nil error in Go',
    'store/load.go',
    [
      'package store',
      '',
      'func Load(path string) (*File, error) {',
      '\tfile, err := open(path)',
      '\tif err != nil {',
      '\t\treturn nil, fmt.Errorf("open %s: %w", path, err)',
      '\t}',
      '\treturn file, nil',
      '}',
    ],
    'if err != nil {',
    'if err == nil {',
  ],
  [
    'a nil pointer in Go',
    'store/name.go',
    [
      'package store',
      '',
      'func Name(user *User) string {',
      '\tif user == nil {',
      '\t\treturn ""',
      '\t}',
      '\treturn user.Name',
      '}',
    ],
    'if user == nil {',
    'if user != nil {',
  ],
  [
    'a Go condition with a statement before it',
    'store/save.go',
    [
      'package store',
      '',
      'func Save(f *File) error {',
      '\tif err := f.Sync(); err != nil {',
      '\t\treturn err',
      '\t}',
      '\treturn nil',
      '}',
    ],
    'if err := f.Sync(); err != nil {',
    'if err := f.Sync(); err == nil {',
  ],
  [
    'a chain of else',
    'src/chain.ts',
    [
      'export function f(a: A | null, b: B) {',
      '  if (a !== null) {',
      '    a.go();',
      '  } else if (b) {',
      '    wait();',
      '  } else {',
      '    stop();',
      '  }',
      '}',
    ],
    'if (a !== null) {',
    'if (a === null) {',
  ],
  [
    'a chain of elif',
    'app/chain.py',
    [
      'def f(a, b):',
      '    if a is not None:',
      '        a.go()',
      '',
      '    elif b:',
      '        wait()',
      '    else:',
      '        stop()',
      '    return b',
    ],
    'if a is not None:',
    'if a is None:',
  ],
  [
    'a default for what is missing',
    'app/make.py',
    [
      'def make(name, maker=None):',
      '    if maker is None:',
      '        maker = default_maker()',
      '    return maker(name)',
    ],
    'if maker is None:',
    'if maker is not None:',
  ],
  [
    'the name of an error class',
    'src/once.ts',
    [
      'export function once(job: Job) {',
      '  if (job.started) {',
      '    throw new AlreadyStartedError(job.id);',
      '  }',
      '  run(job);',
      '}',
    ],
    'if (job.started) {',
    'if (!job.started) {',
  ],
];

describe('a condition turned round is a finding when the code that stayed contradicts it', () => {
  test.each(inverted)('%s', async (_name, path, lines, from, to) => {
    const edit = oneLine(path, lines, from, to);
    const { review, accepted, dropped } = await reviewChange(edit);
    const at = lines.findIndex((line) => line.trim() === from) + 1;
    expect(review.findings.map((each) => [each.rule, each.path, each.line, each.severity])).toEqual([
      ['inverted-condition', path, at, 'important'],
    ]);
    expect(review.findings[0]!.evidence).toContainEqual(
      expect.objectContaining({ ref: 'base', path, start: at, end: at, quote: lines[at - 1] }),
    );
    expect([accepted.findings.length, dropped]).toEqual([1, []]);
  });
});

describe('the same change backwards mends a bug and is no finding', () => {
  test.each(inverted)('%s', async (_name, path, lines, from, to) => {
    const at = lines.findIndex((line) => line.trim() === from);
    const wrong = lines.with(at, /^\s*/.exec(lines[at]!)![0] + to);
    const { review } = await reviewChange(oneLine(path, wrong, to, from));
    expect(review.findings).toEqual([]);
  });
});

const sound: readonly (readonly [string, Edit])[] = [
  [
    'branches that were swapped',
    {
      base: {
        'a.ts': file(
          'export const f = (x: X | null) => {',
          '  if (x === null) {',
          '    return none();',
          '  } else {',
          '    return x.value;',
          '  }',
          '};',
        ),
      },
      head: {
        'a.ts': file(
          'export const f = (x: X | null) => {',
          '  if (x !== null) {',
          '    return x.value;',
          '  } else {',
          '    return none();',
          '  }',
          '};',
        ),
      },
    },
  ],
  [
    'a flag that was renamed to its opposite elsewhere in the change',
    {
      base: {
        'a.ts': file(
          'import { isOff } from "./b";',
          'export function f(o: O) {',
          '  if (isOff(o)) {',
          '    throw new Error("feature is off");',
          '  }',
          '}',
        ),
        'b.ts': file('export const isOff = (o: O) => o.off;'),
      },
      head: {
        'a.ts': file(
          'import { isOff } from "./b";',
          'export function f(o: O) {',
          '  if (!isOff(o)) {',
          '    throw new Error("feature is off");',
          '  }',
          '}',
        ),
        'b.ts': file('export const isOff = (o: O) => !o.off;'),
      },
    },
  ],
  [
    'a plain decision that nothing contradicts',
    oneLine(
      'a.ts',
      ['export function f(a: A) {', '  if (a.wide) {', '    grow();', '  }', '}'],
      'if (a.wide) {',
      'if (!a.wide) {',
    ),
  ],
  [
    'a guarded body that changed too',
    {
      base: { 'a.ts': file(...refund) },
      head: {
        'a.ts': file(...refund)
          .replace('if (order.refunded)', 'if (!order.refunded)')
          .replace('was already refunded', 'was never refunded'),
      },
    },
  ],
  [
    'an optional use',
    oneLine(
      'a.ts',
      ['export function f(a?: A) {', '  if (a) {', '    a?.close();', '  }', '}'],
      'if (a) {',
      'if (!a) {',
    ),
  ],
  [
    'a value that is made where it is missing',
    oneLine(
      'a.ts',
      ['export function f(a?: A) {', '  if (a) {', '    a = make();', '    a.open();', '  }', '}'],
      'if (a) {',
      'if (!a) {',
    ),
  ],
  [
    'an empty list in Python that is filled',
    oneLine(
      'a.py',
      ['def f(items):', '    if items:', '        items.append(1)', '    return items'],
      'if items:',
      'if not items:',
    ),
  ],
  [
    'an error that speaks of something else',
    oneLine(
      'a.ts',
      [
        'export function f(account: Account) {',
        '  if (!account.open) {',
        '    throw new Error("please call the bank");',
        '  }',
        '}',
      ],
      'if (!account.open) {',
      'if (account.open) {',
    ),
  ],
  [
    'a limit whose message states the rule',
    oneLine(
      'a.ts',
      [
        'export function f(n: number) {',
        '  if (n < 10) {',
        '    throw new Error("n must be at most ten");',
        '  }',
        '}',
      ],
      'if (n < 10) {',
      'if (n > 10) {',
    ),
  ],
  [
    'a value that is taken back',
    oneLine(
      'a.py',
      ['def f(a):', '    if a.b is None:', '        a.b = None', '    return a'],
      'if a.b is None:',
      'if a.b is not None:',
    ),
  ],
  [
    'a value that is made out of itself',
    oneLine(
      'a.py',
      ['def f(a):', '    if a is None:', '        a = int(a)', '    return a'],
      'if a is None:',
      'if a is not None:',
    ),
  ],
  ['a test file', oneLine('test/a.test.ts', refund, 'if (order.refunded) {', 'if (!order.refunded) {')],
  ['a generated file', oneLine('dist/a.js', refund, 'if (order.refunded) {', 'if (!order.refunded) {')],
  [
    'a comment',
    oneLine(
      'a.ts',
      ['/*', '  if (order.refunded) {', '    throw new Error("was already refunded");', '  }', '*/'],
      'if (order.refunded) {',
      'if (!order.refunded) {',
    ),
  ],
  [
    'no error in Go, and none passed on',
    oneLine(
      'a.go',
      [
        'package a',
        '',
        'func F() error {',
        '\terr := g()',
        '\tif err != nil {',
        '\t\tdone()',
        '\t}',
        '\treturn nil',
        '}',
      ],
      'if err != nil {',
      'if err == nil {',
    ),
  ],
  [
    'a loop that counts down',
    oneLine(
      'a.ts',
      ['export function f(n: number) {', '  for (let i = n; i < 10; i--) {', '    g(i);', '  }', '}'],
      'for (let i = n; i < 10; i--) {',
      'for (let i = n; i >= 10; i--) {',
    ),
  ],
  [
    'more than the test changed on the line',
    oneLine('a.ts', refund, 'if (order.refunded) {', 'if (!order.refunds.length) {'),
  ],
];

describe('nothing is said of', () => {
  test.each(sound)('%s', async (_name, edit) => {
    const { review } = await reviewChange(edit);
    expect([...review.findings, ...review.humanReviewRequests]).toEqual([]);
  });
});
