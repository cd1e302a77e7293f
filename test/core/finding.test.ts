import {
  findingKey,
  partsOfKey,
  standsIn,
  standsUnmoved,
  type FindingKey,
  type Identity,
} from '../../lib/core/finding.js';
import { matchKnown, type Known } from '../../lib/core/ledger.js';

const file = [
  'function pay(order) {',
  '  const amount = refund || order.total;',
  '  charge(order, amount);',
  '}',
  '',
];
const at = (over: Partial<Identity> = {}): FindingKey =>
  findingKey({ lineage: 'src/pay.ts', category: 'logic', file, start: 2, end: 2, nth: 0, ...over });

describe('the key of a finding stays', () => {
  test.each([
    ['when lines are added above', at({ file: ['// new', '', ...file], start: 4, end: 4 })],
    ['when the block is indented anew', at({ file: file.map((line) => `\t\t${line}`) })],
    ['when line endings change', at({ file: file.map((line) => `${line}\r`) })],
    ['when blank lines come between', at({ file: [file[0]!, '', '', ...file.slice(1)], start: 4, end: 4 })],
  ])('%s', (_, key) => expect(key).toBe(at()));
});

describe('the key of a finding changes', () => {
  test.each([
    [
      'with the accused code',
      at({ file: [file[0]!, '  const amount = refund ?? order.total;', ...file.slice(2)] }),
    ],
    ['with the category', at({ category: 'security' })],
    ['with the file', at({ lineage: 'src/other.ts' })],
    ['with the range', at({ end: 3 })],
    ['for a second one on the same line', at({ nth: 1 })],
    [
      'for an equal line in other company',
      at({ file: [...file, 'x();', file[1]!, 'y();'], start: 7, end: 7 }),
    ],
  ])('%s', (_, key) => expect(key).not.toBe(at()));

  test('for equal lines in equal company, by their order', () => {
    const twice = [...file, ...file];
    expect(at({ file: twice })).toBe(at());
    expect(at({ file: twice, start: 7, end: 7 })).not.toBe(at());
  });
});

test('a key has parts that can be compared', () => {
  expect(partsOfKey(at({ nth: 2 }))).toMatchObject({ category: 'logic', spot: '0-2' });
  expect(partsOfKey('something else')).toBeNull();
});

test('standsIn looks for the accused lines, standsUnmoved for their company too', () => {
  expect(standsIn(at(), 1, ['x', '    const amount = refund || order.total;'])).toBe(true);
  expect(standsIn(at(), 1, ['const amount = refund ?? order.total;'])).toBe(false);
  expect(standsUnmoved({ key: at() }, 1, ['// a', ...file])).toBe(true);
  expect(standsUnmoved({ key: at() }, 1, ['x', '    const amount = refund || order.total;'])).toBe(false);
});

describe('what is known is recognized', () => {
  const known = (over: Partial<Known> = {}): Known => ({ id: 'F1', key: at(), rule: 'falsy-zero', ...over });
  const wanted = (key: FindingKey, rule = 'falsy-zero') => ({ key, rule });
  const idsOf = (...given: Parameters<typeof matchKnown>) =>
    Object.fromEntries([...matchKnown(...given)].map(([index, { id }]) => [index, id]));

  test('by the same key', () => expect(idsOf([wanted(at())], [known()])).toEqual({ 0: 'F1' }));

  test('under another wording of the rule', () =>
    expect(idsOf([wanted(at(), 'zero-falls-through')], [known({ rule: 'falsy-zero' })])).toEqual({
      0: 'F1',
    }));

  test('not under another rule of the catalogue: two bugs on one line stay two', () =>
    expect(idsOf([wanted(at(), 'missing-await')], [known()])).toEqual({}));

  test('when a line next to it changed', () => {
    const key = at({ file: [file[0]!, file[1]!, '  chargeOnce(order, amount);', '}'] });
    expect(idsOf([wanted(key)], [known()])).toEqual({ 0: 'F1' });
  });

  test('not when it still stands where it was and an equal line is elsewhere', () => {
    const other = at({ file: [...file, 'x();', file[1]!, 'y();'], start: 7, end: 7 });
    expect(idsOf([wanted(other)], [known()], new Set(['F1']))).toEqual({});
  });

  test('each once, the closest first, whatever the order of the submission', () => {
    const long = [...file, 'x();', file[1]!, 'y();'];
    const second = at({ file: long, start: 7, end: 7 });
    expect(idsOf([wanted(second), wanted(at())], [known(), known({ id: 'F2', key: second })])).toEqual({
      0: 'F2',
      1: 'F1',
    });
    expect(idsOf([wanted(second), wanted(at())], [known()])).toEqual({ 1: 'F1' });
  });

  test('a new file that was renamed, by its lines and their company', () =>
    expect(idsOf([wanted(at({ lineage: 'src/renamed.ts' }))], [known()])).toEqual({ 0: 'F1' }));

  test('not after the code changed', () => {
    const key = at({ file: [file[0]!, '  const amount = refund || 0;', ...file.slice(2)] });
    expect(idsOf([wanted(key)], [known()])).toEqual({});
  });
});
