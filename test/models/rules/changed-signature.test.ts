import { file, reviewChange } from './review-change.js';
import type { Edit, Tree } from './review-change.js';

/** One file replaced, the others as they are. */
const edit = (path: string, before: string, after: string, others: Tree): Edit => ({
  base: { [path]: before, ...others },
  head: { [path]: after, ...others },
});

const said = async (given: Edit) => {
  const { accepted, dropped } = await reviewChange(given);
  expect(dropped).toEqual([]);
  expect(accepted.questions).toEqual([]);
  return accepted.findings.map((each) => ({
    rule: each.rule,
    at: `${each.anchor.path}:${each.anchor.line}`,
    because: each.evidence
      .slice(1)
      .map((one) => (one.kind === 'quote' ? `${one.ref} ${one.path}:${one.start}-${one.end}` : 'absence')),
  }));
};

const charge = (parameters: string) =>
  file(`export function charge(${parameters}): number {`, '  return amount;', '}');
const caller = (call: string, from = './charge.js') =>
  file(
    `import { charge } from '${from}';`,
    '',
    'export function pay(amount: number) {',
    `  return ${call};`,
    '}',
  );

const stale: readonly (readonly [string, Edit, string, string])[] = [
  [
    'a parameter more',
    edit('src/charge.ts', charge('amount: number'), charge('amount: number, currency: string'), {
      'src/pay.ts': caller('charge(amount)'),
    }),
    'src/charge.ts:1',
    'head src/pay.ts:4-4',
  ],
  [
    'a parameter fewer',
    edit('src/charge.ts', charge('amount: number, currency: string'), charge('amount: number'), {
      'src/pay.ts': caller('charge(amount, "EUR")'),
    }),
    'src/charge.ts:1',
    'head src/pay.ts:4-4',
  ],
  [
    'another order, with arguments that carry the old names',
    edit(
      'src/charge.ts',
      charge('customer: string, amount: number'),
      charge('amount: number, customer: string'),
      {
        'src/pay.ts': caller('charge(order.customer, amount)'),
      },
    ),
    'src/charge.ts:1',
    'head src/pay.ts:4-4',
  ],
  [
    'a default taken away',
    edit(
      'src/charge.ts',
      charge('amount: number, currency = "EUR"'),
      charge('amount: number, currency: string'),
      { 'src/pay.ts': caller('charge(amount)') },
    ),
    'src/charge.ts:1',
    'head src/pay.ts:4-4',
  ],
  [
    'a head over several lines, changed in one of them',
    edit(
      'src/charge.ts',
      file('export function charge(', '  amount: number,', '): number {', '  return amount;', '}'),
      file(
        'export function charge(',
        '  amount: number,',
        '  currency: Map<string, number>,',
        '): number {',
        '  return amount;',
        '}',
      ),
      {
        'src/pay.ts': caller('charge(amount)'),
      },
    ),
    'src/charge.ts:3',
    'head src/pay.ts:4-4',
  ],
  [
    'a call over several lines',
    edit('src/charge.ts', charge('amount: number'), charge('amount: number, currency: string'), {
      'src/pay.ts': file(
        "import { charge } from './charge.js';",
        'export const pay = (o: O) =>',
        '  charge(',
        '    o.items.map((item) => item.price).length,',
        '  );',
      ),
    }),
    'src/charge.ts:1',
    'head src/pay.ts:3-5',
  ],
  [
    'an arrow function',
    edit(
      'src/charge.ts',
      file('export const charge = (amount: number): number => amount;'),
      file('export const charge = (amount: number, currency: string): number => amount;'),
      { 'src/pay.ts': caller('charge(amount)') },
    ),
    'src/charge.ts:1',
    'head src/pay.ts:4-4',
  ],
  [
    'through an index file',
    edit('src/billing/charge.ts', charge('amount: number'), charge('amount: number, c: string'), {
      'src/billing/index.ts': file("export { charge } from './charge.js';"),
      'src/pay.ts': caller('charge(amount)', './billing'),
    }),
    'src/billing/charge.ts:1',
    'head src/pay.ts:4-4',
  ],
  [
    'under another name',
    edit('src/charge.ts', charge('amount: number'), charge('amount: number, c: string'), {
      'src/pay.ts': file("import { charge as take } from './charge';", 'take(1);'),
    }),
    'src/charge.ts:1',
    'head src/pay.ts:2-2',
  ],
  [
    'as a member of the module',
    edit('src/charge.ts', charge('amount: number'), charge('amount: number, c: string'), {
      'src/pay.ts': file("import * as billing from './charge.js';", 'billing.charge(1);'),
    }),
    'src/charge.ts:1',
    'head src/pay.ts:2-2',
  ],
  [
    'plain JavaScript whose body needs the new one',
    edit(
      'lib/log.js',
      file('export function log(text) {', '  print(text);', '}'),
      file('export function log(text, sink) {', '  sink.write(text);', '}'),
      { 'lib/a.js': file("const { log } = require('./log');", "log('a');") },
    ),
    'lib/log.js:1',
    'head lib/a.js:2-2',
  ],
  [
    'a method called on this',
    edit(
      'src/shop.ts',
      file(
        'export class Shop {',
        '  open() {',
        '    this.light(1);',
        '  }',
        '',
        '  private light(level: number) {',
        '    set(level);',
        '  }',
        '}',
      ),
      file(
        'export class Shop {',
        '  open() {',
        '    this.light(1);',
        '  }',
        '',
        '  private light(level: number, room: string) {',
        '    set(level);',
        '  }',
        '}',
      ),
      {},
    ),
    'src/shop.ts:6',
    'head src/shop.ts:3-3',
  ],
  [
    'Python',
    edit(
      'app/charge.py',
      file('def charge(amount):', '    return amount'),
      file('def charge(amount, currency):', '    return amount'),
      { 'app/pay.py': file('from app.charge import charge', '', 'def pay():', '    return charge(1)') },
    ),
    'app/charge.py:1',
    'head app/pay.py:4-4',
  ],
  [
    'a keyword that Python no longer takes',
    edit(
      'app/charge.py',
      file('def charge(amount, currency="EUR"):', '    return amount'),
      file('def charge(amount):', '    return amount'),
      { 'app/pay.py': file('from .charge import charge', 'charge(1, currency="USD")') },
    ),
    'app/charge.py:1',
    'head app/pay.py:2-2',
  ],
  [
    'a keyword-only parameter more in Python',
    edit(
      'app/charge.py',
      file('def charge(amount):', '    return amount'),
      file('def charge(amount, *, currency):', '    return amount'),
      { 'app/pay.py': file('from app import charge', 'charge.charge(1)') },
    ),
    'app/charge.py:1',
    'head app/pay.py:2-2',
  ],
  [
    'a Python method called on self',
    edit(
      'app/shop.py',
      file(
        'class Shop:',
        '    def open(self):',
        '        self.light(1)',
        '',
        '    def light(self, level):',
        '        set(level)',
      ),
      file(
        'class Shop:',
        '    def open(self):',
        '        self.light(1)',
        '',
        '    def light(self, level, room):',
        '        set(level)',
      ),
      {},
    ),
    'app/shop.py:5',
    'head app/shop.py:3-3',
  ],
  [
    'Go, in the same package',
    edit(
      'billing/charge.go',
      file('package billing', '', 'func Charge(amount int) error {', '\treturn nil', '}'),
      file('package billing', '', 'func Charge(amount int, currency string) error {', '\treturn nil', '}'),
      { 'billing/pay.go': file('package billing', '', 'func Pay() error {', '\treturn Charge(1)', '}') },
    ),
    'billing/charge.go:3',
    'head billing/pay.go:4-4',
  ],
  [
    'Go, from another package',
    edit(
      'billing/charge.go',
      file('package billing', '', 'func Charge(amount int) error {', '\treturn nil', '}'),
      file('package billing', '', 'func Charge(amount int, currency string) error {', '\treturn nil', '}'),
      {
        'cmd/main.go': file(
          'package main',
          '',
          'import (',
          '\t"example.com/shop/billing"',
          ')',
          '',
          'func main() {',
          '\t_ = billing.Charge(1)',
          '}',
        ),
      },
    ),
    'billing/charge.go:3',
    'head cmd/main.go:8-8',
  ],
];

describe('a call that still passes what the base version took is a finding', () => {
  test.each(stale)('%s', async (_name, given, at, because) => {
    const found = await said(given);
    expect(found.map((each) => [each.rule, each.at, each.because[0]])).toEqual([
      ['changed-signature', at, because],
    ]);
    expect(found[0]!.because[1]).toMatch(/^base /);
  });
});

const ts = (before: string, after: string, others: Tree, path = 'src/charge.ts'): Edit =>
  edit(path, charge(before), charge(after), others);
const py = (before: string, after: string, call: string): Edit =>
  edit(
    'app/charge.py',
    file(`def charge(${before}):`, '    return 1'),
    file(`def charge(${after}):`, '    return 1'),
    { 'app/pay.py': file('from app.charge import charge', call) },
  );
const go = (before: string, after: string, call: string): Edit =>
  edit(
    'b/c.go',
    file('package b', '', `func Charge(${before}) int {`, '\treturn 1', '}'),
    file('package b', '', `func Charge(${after}) int {`, '\treturn 1', '}'),
    { 'b/p.go': file('package b', '', 'func Pay() int {', `\treturn ${call}`, '}') },
  );

const sound: readonly (readonly [string, Edit])[] = [
  [
    'an optional parameter more',
    ts('amount: number', 'amount: number, currency?: string', { 'src/pay.ts': caller('charge(amount)') }),
  ],
  [
    'a default more',
    ts('amount: number', 'amount: number, currency = "EUR"', { 'src/pay.ts': caller('charge(amount)') }),
  ],
  [
    'a default that is an object',
    ts('amount: number', 'amount: number, { currency = "EUR", rate = 1 }: Options = {}', {
      'src/pay.ts': caller('charge(amount)'),
    }),
  ],
  [
    'a rest parameter more',
    ts('amount: number', 'amount: number, ...rest: number[]', { 'src/pay.ts': caller('charge(amount)') }),
  ],
  [
    'a type that changed',
    ts('amount: number', 'amount: Map<string, number>', { 'src/pay.ts': caller('charge(amount)') }),
  ],
  [
    'a type with commas in it',
    ts(
      'amount: Map<string, number>, f: (a: number, b: number) => void',
      'amount: Map<string, string>, f: (a: number, b: number) => void',
      { 'src/pay.ts': caller('charge(amount, f)') },
    ),
  ],
  [
    'a parameter that was renamed',
    ts('amount: number', 'cents: number', { 'src/pay.ts': caller('charge(amount)') }),
  ],
  [
    'a caller that follows',
    {
      base: { 'src/charge.ts': charge('amount: number'), 'src/pay.ts': caller('charge(amount)') },
      head: {
        'src/charge.ts': charge('amount: number, c: string'),
        'src/pay.ts': caller('charge(amount, "EUR")'),
      },
    },
  ],
  [
    'a spread argument',
    ts('amount: number', 'amount: number, c: string', { 'src/pay.ts': caller('charge(...args)') }),
  ],
  [
    'a call in a comment',
    ts('amount: number', 'amount: number, c: string', {
      'src/pay.ts': file(
        "import { charge } from './charge.js';",
        '// charge(1)',
        'export const x = "charge(1)";',
      ),
    }),
  ],
  [
    'a call in a template text',
    ts('amount: number', 'amount: number, c: string', {
      'src/pay.ts': file("import { charge } from './charge.js';", 'export const x = `charge(1)`;'),
    }),
  ],
  [
    'a method of the same name on another object',
    ts('amount: number', 'amount: number, c: string', {
      'src/pay.ts': file("import { charge } from './charge.js';", 'battery.charge(1);', 'export { charge };'),
    }),
  ],
  [
    'a function of the same name from elsewhere',
    ts('amount: number', 'amount: number, c: string', {
      'src/pay.ts': caller('charge(amount)', 'payments-sdk'),
    }),
  ],
  [
    'a function of the same name in another file',
    ts('amount: number', 'amount: number, c: string', {
      'src/other/charge.ts': charge('amount: number'),
      'src/other/pay.ts': caller('charge(amount)'),
    }),
  ],
  [
    'a parameter that hides the name',
    ts('amount: number', 'amount: number, c: string', {
      'src/pay.ts': file(
        "import { charge } from './charge.js';",
        'export function pay(charge: (n: number) => void) {',
        '  charge(1);',
        '}',
      ),
    }),
  ],
  [
    'a local variable that hides the name',
    ts('amount: number', 'amount: number, c: string', {
      'src/pay.ts': file(
        "import { charge } from './charge.js';",
        'export function pay() {',
        '  const charge = other();',
        '  charge(1);',
        '}',
      ),
    }),
  ],
  [
    'overloads',
    edit(
      'src/charge.ts',
      file('export function charge(amount: number): void;', 'export function charge(amount: unknown) {}'),
      file(
        'export function charge(amount: number): void;',
        'export function charge(amount: number, c: string): void;',
        'export function charge(amount: unknown, c: unknown) {}',
      ),
      { 'src/pay.ts': caller('charge(amount)') },
    ),
  ],
  [
    'a call in a test',
    ts('amount: number', 'amount: number, c: string', { 'src/charge.test.ts': caller('charge(amount)') }),
  ],
  [
    'a call that is expected to fail',
    ts('amount: number', 'amount: number, c: string', {
      'src/pay.ts': file("import { charge } from './charge.js';", '// @ts-expect-error', 'charge(1);'),
    }),
  ],
  [
    'a new function',
    {
      base: { 'src/pay.ts': caller('charge(amount)') },
      head: { 'src/pay.ts': caller('charge(amount)'), 'src/charge.ts': charge('amount: number, c: string') },
    },
  ],
  [
    'a method with a common name',
    edit(
      'src/a.ts',
      file('export class A {', '  get2(a: number) {', '    return a;', '  }', '}'),
      file('export class A {', '  get2(a: number, b: number) {', '    return a;', '  }', '}'),
      { 'src/b.ts': file("import { A } from './a.js';", 'cache.get2(1);', 'new A();') },
    ),
  ],
  [
    'a generic call',
    ts('amount: number, c: string', 'amount: number, c: string, d?: string', {
      'src/pay.ts': caller('charge<Map<string, number>>(amount, "c")'),
    }),
  ],
  [
    'an order that the names do not show',
    ts('a: number, b: number', 'b: number, a: number', { 'src/pay.ts': caller('charge(first, second)') }),
  ],
  [
    'plain JavaScript that copes without',
    edit(
      'lib/log.js',
      file('export function log(text) {', '  print(text);', '}'),
      file(
        'export function log(text, options) {',
        '  const sink = options && options.sink;',
        '  print(text, sink);',
        '}',
      ),
      { 'lib/a.js': file("import { log } from './log.js';", "log('a');") },
    ),
  ],
  [
    'plain JavaScript that passes it on',
    edit(
      'lib/log.js',
      file('export function log(text) {', '  print(text);', '}'),
      file('export function log(text, done) {', '  print(text, done);', '}'),
      { 'lib/a.js': file("import { log } from './log.js';", "log('a');") },
    ),
  ],
  [
    'plain JavaScript that takes one fewer',
    edit(
      'lib/log.js',
      file('export function log(text, done) {', '  print(text);', '}'),
      file('export function log(text) {', '  print(text);', '}'),
      { 'lib/a.js': file("import { log } from './log.js';", "log('a', b);") },
    ),
  ],
  [
    'a decorated method',
    edit(
      'src/a.ts',
      file(
        'export class A {',
        '  run() {',
        '    this.step(1);',
        '  }',
        '  @bound',
        '  step(a: number) {',
        '    return a;',
        '  }',
        '}',
      ),
      file(
        'export class A {',
        '  run() {',
        '    this.step(1);',
        '  }',
        '  @bound',
        '  step(a: number, b: number) {',
        '    return a;',
        '  }',
        '}',
      ),
      {},
    ),
  ],
  ['a Python default more', py('amount', 'amount, currency="EUR"', 'charge(1)')],
  [
    'Python keywords that fit',
    py('amount, currency', 'currency, amount', 'charge(amount=1, currency="EUR")'),
  ],
  ['Python that takes any keyword', py('amount, currency', 'amount, **rest', 'charge(1, currency="EUR")')],
  ['Python that takes any number', py('amount, currency', '*amounts', 'charge(1, 2)')],
  ['a Python call with unpacking', py('amount', 'amount, currency', 'charge(*args)')],
  ['a Python call with keywords unpacked', py('amount', 'amount, currency', 'charge(1, **more)')],
  ['a Python call in a string', py('amount', 'amount, currency', '"""')],
  [
    'a decorated Python function',
    edit(
      'app/charge.py',
      file('@task', 'def charge(amount):', '    return 1'),
      file('@task', 'def charge(self, amount):', '    return 1'),
      { 'app/pay.py': file('from app.charge import charge', 'charge(1)') },
    ),
  ],
  [
    'a Python fixture',
    edit(
      'app/charge.py',
      file('@pytest.fixture(', '    scope="x",', ')', 'def charge(amount):', '    return 1'),
      file('@pytest.fixture(', '    scope="x",', ')', 'def charge(amount, db):', '    return 1'),
      { 'app/pay.py': file('from app.charge import charge', 'charge(1)') },
    ),
  ],
  [
    'a Python method of another object',
    edit(
      'app/a.py',
      file('class A:', '    def charge(self, a):', '        return a'),
      file('class A:', '    def charge(self, a, b):', '        return a'),
      { 'app/b.py': file('from app.a import A', 'x.charge(1)') },
    ),
  ],
  [
    'two Python definitions',
    edit(
      'app/charge.py',
      file('if fast:', '    pass', 'def charge(a):', '    return a', 'def charge(a):', '    return a'),
      file('if fast:', '    pass', 'def charge(a, b):', '    return a', 'def charge(a):', '    return a'),
      { 'app/pay.py': file('from app.charge import charge', 'charge(1)') },
    ),
  ],
  ['a variadic Go function', go('amounts ...int', 'first int, amounts ...int', 'Charge(1)')],
  ['a Go call that fills several', go('a int', 'a, b int', 'Charge(both())')],
  ['a Go call that spreads', go('a ...int', 'a int, b ...int', 'Charge(all...)')],
  [
    'another Go package of the same folder name',
    edit(
      'b/c.go',
      file('package b', '', 'func Charge(a int) int {', '\treturn 1', '}'),
      file('package b', '', 'func Charge(a, b int) int {', '\treturn 1', '}'),
      {
        'x/p.go': file(
          'package x',
          '',
          'import "example.com/else/bb"',
          '',
          'func Pay() int {',
          '\treturn bb.Charge(1)',
          '}',
        ),
      },
    ),
  ],
  [
    'a Go method of the same name',
    edit(
      'b/c.go',
      file('package b', '', 'func (c *C) Charge(a int) int {', '\treturn 1', '}'),
      file('package b', '', 'func (c *C) Charge(a, b int) int {', '\treturn 1', '}'),
      { 'b/p.go': file('package b', '', 'func Pay(o Other) int {', '\treturn o.Charge(1)', '}') },
    ),
  ],
];

describe('nothing is said of', () => {
  test.each(sound)('%s', async (_name, given) => {
    expect(await said(given)).toEqual([]);
  });
});
