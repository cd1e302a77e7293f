import { file, reviewChange } from './review-change.js';
import type { Edit, Tree } from './review-change.js';

const total = (start: string) =>
  file(
    'export function total(cart: Cart) {',
    `  return cart.items.map(price).reduce((a, b) => a + b${start});`,
    '}',
  );

/** `total` loses its start value; `others` are the same before and after. */
const loses = (others: Tree): Edit => ({
  base: { 'src/total.ts': total(', 0'), ...others },
  head: { 'src/total.ts': total(''), ...others },
});

const pay = (...before: readonly string[]) =>
  file(
    "import { total } from './total.js';",
    "import { check } from './check.js';",
    '',
    'export function pay(cart: Cart) {',
    ...before.map((line) => `  ${line}`),
    '  return send(total(cart));',
    '}',
  );
const check = (...body: readonly string[]) =>
  file('export function check(cart: Cart) {', ...body.map((line) => `  ${line}`), '}');
// Somewhere lengths are looked at: a search that can match nothing would prove nothing.
const elsewhere = { 'src/report.ts': file('export const none = (orders: Order[]) => orders.length === 0;') };

const said = async (edit: Edit) => {
  const { accepted, dropped } = await reviewChange(edit);
  expect(dropped).toEqual([]);
  return [
    ...accepted.findings.map(
      (each) => `${each.severity} ${each.rule} ${each.anchor.path}:${each.anchor.line}`,
    ),
    ...accepted.questions.map((each) => `question ${each.question}`),
    ...accepted.disproved.map((each) => `disproved ${each.claim} ${each.path}:${each.line}`),
  ];
};

test.each<readonly [string, Tree, string]>([
  ['the caller', { 'src/pay.ts': pay('if (cart.items.length === 0) return none;') }, 'src/pay.ts:5'],
  [
    'the caller, over lines',
    { 'src/pay.ts': pay('if (!cart.items.length) {', '  throw new Error();', '}') },
    'src/pay.ts:5',
  ],
  [
    'the caller, around the call',
    {
      'src/pay.ts': file(
        "import { total } from './total.js';",
        'export function pay(cart: Cart) {',
        '  if (cart.items.length > 0) {',
        '    send(total(cart));',
        '  }',
        '}',
      ),
    },
    'src/pay.ts:3',
  ],
  [
    'the line of the call',
    {
      'src/pay.ts': file(
        "import { total } from './total.js';",
        'export const pay = (cart: Cart) =>',
        '  cart.items.length > 0 ? total(cart) : 0;',
      ),
    },
    'src/pay.ts:3',
  ],
  [
    'what the caller calls first',
    {
      'src/pay.ts': pay('check(cart);'),
      'src/check.ts': check('if (cart.items.length === 0) throw new Error("empty");'),
    },
    'src/check.ts:2',
  ],
  [
    'what the caller waits for first',
    {
      'src/pay.ts': pay('await check(cart);'),
      'src/check.ts': check('if (!cart || cart.items.length < 1) {', '  throw new Error("empty");', '}'),
    },
    'src/check.ts:2',
  ],
  [
    "the caller's caller",
    {
      'src/pay.ts': pay(),
      'src/check.ts': check(),
      'src/route.ts': file(
        "import { pay } from './pay.js';",
        'export function route(body: Body) {',
        '  const { cart } = body;',
        '  if (cart.items.length === 0) return bad();',
        '  return pay(cart);',
        '}',
      ),
    },
    'src/route.ts:4',
  ],
])('a guard in %s disproves it', async (_name, others, at) => {
  expect(await said(loses({ ...others, ...elsewhere }))).toEqual([
    `disproved empty cart reaches total() ${at}`,
  ]);
});

test.each<readonly [string, Tree]>([
  ['nothing before the call', { 'src/pay.ts': pay() }],
  [
    'a check of something else',
    {
      'src/pay.ts': pay('check(cart);'),
      'src/check.ts': check('if (!cart.customer) throw new Error("who");'),
    },
  ],
])('with %s it is a finding with an absence that holds', async (_name, others) => {
  const edit = loses({ ...others, ...elsewhere });
  expect(await said(edit)).toEqual(['important unguarded-empty src/total.ts:2']);
  const { accepted } = await reviewChange(edit);
  expect(
    accepted.findings[0]!.evidence.map((each) =>
      each.kind === 'quote' ? `${each.ref} ${each.path}:${each.start}` : 'absence',
    ).sort(),
  ).toEqual(
    [
      'absence',
      'base src/total.ts:2',
      `head src/pay.ts:${others['src/check.ts'] === undefined ? 5 : 6}`,
      'head src/total.ts:2',
    ].sort(),
  );
});

test('new code that nobody promised to guard is asked about', async () => {
  const edit: Edit = {
    base: { 'src/pay.ts': pay(), ...elsewhere },
    head: { 'src/pay.ts': pay(), 'src/total.ts': total(''), ...elsewhere },
  };
  expect(await said(edit)).toEqual(['question does every caller of `total` pass at least one item?']);
});

test.each<readonly [string, Edit]>([
  [
    'a start value',
    {
      base: { 'src/total.ts': total(', 1'), 'src/pay.ts': pay(), ...elsewhere },
      head: { 'src/total.ts': total(', 0'), 'src/pay.ts': pay(), ...elsewhere },
    },
  ],
  [
    'a guard in the function itself',
    {
      base: { 'src/total.ts': total(', 0'), 'src/pay.ts': pay(), ...elsewhere },
      head: {
        'src/total.ts': total('').replace('{\n', '{\n  if (cart.items.length === 0) return 0;\n'),
        'src/pay.ts': pay(),
        ...elsewhere,
      },
    },
  ],
  [
    'a length that a caller looks at in its own way',
    loses({ 'src/pay.ts': pay('const many = cart.items.length;', 'log(many);') }),
  ],
  [
    'a caller that passes items',
    loses({
      'src/pay.ts': file("import { total } from './total.js';", 'total({ items: [1] });'),
      ...elsewhere,
    }),
  ],
  ['no caller at all', loses(elsewhere)],
  ['a caller in a test', loses({ 'src/pay.test.ts': pay(), ...elsewhere })],
  ['no look at a length anywhere', loses({ 'src/pay.ts': pay() })],
  [
    'a guard that only some callers have, and a length that others look at',
    loses({
      'src/pay.ts': pay('if (cart.items.length === 0) return none;'),
      'src/b.ts': pay('log(cart.items.length);'),
    }),
  ],
  [
    'a test that does not leave',
    loses({ 'src/pay.ts': pay('if (cart.items.length === 0) log("empty");'), ...elsewhere }),
  ],
  [
    'a variable that is made there',
    {
      base: { 'a.ts': file('export const f = () => 1;'), ...elsewhere },
      head: {
        'a.ts': file(
          'export function f() {',
          '  const xs = load();',
          '  return xs.reduce((a, b) => a + b);',
          '}',
          'f();',
        ),
        ...elsewhere,
      },
    },
  ],
  [
    'another reduce',
    {
      base: { 'a.ts': file('export const f = (s: Store) => s.run();'), ...elsewhere },
      head: { 'a.ts': file('export const f = (s: Store) => s.reduce();', 'f(x);'), ...elsewhere },
    },
  ],
])('nothing is said of %s', async (_name, edit) => {
  expect(await said(edit)).toEqual([]);
});

describe('Python', () => {
  const use = (...before: readonly string[]) =>
    file(
      'from shop.best import best',
      '',
      'def show(offers):',
      ...before.map((line) => `    ${line}`),
      '    return best(offers)',
    );
  const takes = (others: Tree): Edit => ({
    base: { 'shop/best.py': file('def best(offers):', '    return max(offers, default=None)'), ...others },
    head: { 'shop/best.py': file('def best(offers):', '    return max(offers)'), ...others },
  });

  test('a guard disproves it', async () => {
    expect(await said(takes({ 'shop/show.py': use('if not offers:', '    return None') }))).toEqual([
      'disproved empty offers reaches best() shop/show.py:4',
    ]);
  });

  test('without one it is a finding', async () => {
    expect(await said(takes({ 'shop/show.py': use(), 'shop/n.py': file('n = len(xs)') }))).toEqual([
      'important unguarded-empty shop/best.py:2',
    ]);
  });

  test.each([
    ['two values', file('def best(offers):', '    return max(offers, other)')],
    ['a default', file('def best(offers):', '    return max(offers, default=0)')],
    ['a generator', file('def best(offers):', '    return max(o.price for o in offers)')],
  ])('nothing is said of %s', async (_name, best) => {
    const given = takes({ 'shop/show.py': use(), 'shop/n.py': file('n = len(xs)') });
    expect(await said({ ...given, head: { ...given.head, 'shop/best.py': best } })).toEqual([]);
  });
});
