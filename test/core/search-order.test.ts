import { inSearchOrder } from '../../lib/core/search-order.js';

const tree = (ids: Readonly<Record<string, string | undefined>>) => ({
  entries: new Map(
    Object.entries(ids).map(([path, id]) => [
      path,
      { path, mode: '100644', ...(id !== undefined && { id }) },
    ]),
  ),
});

test('what changed, its folders, other code, settings and prose, and data at the end', () => {
  const same = {
    'web/locales/de.json': '1',
    'web/cart.ts': '1',
    'app/price.ts': '1',
    'app/price.test.ts': '1',
    'app/data.csv': '1',
    'app/settings.yml': '1',
    'dist/app.js': '1',
    'web/lib.min.js': '1',
    '.yarn/releases/yarn.cjs': '1',
    'yarn.lock': '1',
    'package-lock.json': '1',
    Makefile: '1',
    '.env.example': '1',
    'README.md': '1',
  };
  const head = tree({ ...same, 'app/tax.ts': '2', 'app/new.ts': '1', 'package.json': '2' });
  const base = tree({ ...same, 'app/tax.ts': '1', 'app/old.ts': '1', 'package.json': '1' });
  const code = ['app/price.test.ts', 'app/price.ts', 'web/cart.ts'];
  const rest = [
    ...[
      '.env.example',
      'Makefile',
      'README.md',
      'app/settings.yml',
      '.yarn/releases/yarn.cjs',
      'app/data.csv',
    ],
    ...['dist/app.js', 'package-lock.json', 'web/lib.min.js', 'web/locales/de.json', 'yarn.lock'],
  ];
  expect(inSearchOrder({ head, base }, 'head')).toEqual([
    ...['app/new.ts', 'app/tax.ts', 'package.json'],
    ...code,
    ...rest,
  ]);
  expect(inSearchOrder({ head, base }, 'base').slice(0, 4)).toEqual([
    ...['app/old.ts', 'app/tax.ts', 'package.json', 'app/price.test.ts'],
  ]);
});

test('without ids nothing is known to have changed', () => {
  const head = tree({ 'b.json': undefined, 'c.ts': undefined });
  expect(inSearchOrder({ head, base: tree({}) }, 'head')).toEqual(['c.ts', 'b.json']);
});
