import { noUsage } from '../../lib/core/budget.js';
import { fileDigests } from '../../lib/core/diff.js';
import { findingKey, type Finding, type FindingKey } from '../../lib/core/finding.js';
import { emptyLedger, type Ledger, type PassRecord } from '../../lib/core/ledger.js';
import { changedSince, judgePrior, openToAsk } from '../../lib/core/prior.js';
import { Sha } from '../../lib/core/pull-request.js';
import { PriorVerdict } from '../../lib/core/submission.js';
import { changeOf, sourceOf } from './shop.js';

type Tree = Readonly<Record<string, string>>;

const base: Tree = {
  'src/pay.ts':
    'export function pay(order) {\n  const amount = order.refund ?? order.total;\n  return charge(amount);\n}\n',
  'src/checkout.ts': 'export function checkout(order) {\n  return pay(order);\n}\n',
};
/** Where the finding was made: F1 accuses line 2 of `src/pay.ts`. */
const accused = '  const amount = order.refund || order.total;';
const first: Tree = {
  ...base,
  'src/pay.ts': base['src/pay.ts']!.replace('??', '||'),
  'src/checkout.ts': `${base['src/checkout.ts']}export const tax = 1;\n`,
};
const guarded: Tree = {
  ...first,
  'src/checkout.ts':
    'export function checkout(order) {\n  if (order.refund === 0) return nothing();\n  return pay(order);\n}\nexport const tax = 1;\n',
};
const linesOf = (tree: Tree, path: string): readonly string[] => tree[path]!.replace(/\n$/, '').split('\n');

const finding: Finding = {
  id: 'F1',
  key: findingKey({
    lineage: 'src/pay.ts',
    category: 'logic',
    file: linesOf(first, 'src/pay.ts'),
    start: 2,
    end: 2,
    nth: 0,
  }),
  anchor: { kind: 'line', path: 'src/pay.ts', side: 'RIGHT', line: 2 },
  rule: 'falsy-zero',
  severity: 'important',
  category: 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: 'a refund of 0 charges the full amount',
  body: '',
  evidence: [],
  standing: { kind: 'open' },
};

const passOver = (tree: Tree, over: Partial<PassRecord> = {}): PassRecord => ({
  v: 2,
  at: 1,
  jobKey: 'octo-org/shop#1@2222222',
  head: Sha.parse('2'.repeat(40)),
  baseRef: 'main',
  diffHash: 'aaaaaaa',
  policyHash: 'p',
  lens: 'correctness',
  order: 'as_shown',
  model: 'scripted',
  modelKind: 'language_model',
  finished: true,
  complete: true,
  blocking: [finding.key],
  findings: ['F1'],
  questions: [],
  settled: [],
  files: fileDigests(changeOf(base, tree)),
  usage: noUsage,
  ...over,
});

type Said = {
  readonly verdict: PriorVerdict['verdict'];
  readonly quote?: readonly [path: string, line: number, end?: number];
};

/** `now` is the head; the finding was last reported at `then`. Every line was shown unless `unread`. */
async function judged(
  { verdict, quote }: Said,
  now: Tree,
  given: { readonly passes?: readonly PassRecord[]; readonly unread?: boolean; readonly text?: string } = {},
) {
  const diff = changeOf(base, now);
  const [path = '', start = 1, end = start] = quote ?? [];
  const text =
    given.text ??
    linesOf(now, path === '' ? 'src/pay.ts' : path)
      .slice(start - 1, end)
      .join('\n');
  const evidence = quote === undefined ? [] : [{ path, ref: 'head', start, end, quote: text }];
  return await judgePrior(PriorVerdict.parse({ id: 'F1', verdict, evidence }), finding, {
    source: sourceOf({ base, head: now }),
    served:
      given.unread === true
        ? []
        : Object.keys(now).map((one) => ({ path: one, ref: 'head', start: 1, end: 999 })),
    diff,
    changedSince: changedSince('F1', given.passes ?? [passOver(first)], diff),
  });
}

describe('fixed, while the accused line stands', () => {
  const guard = ['src/checkout.ts', 2] as const;

  test('counts with the line that this change added since', async () => {
    expect(await judged({ verdict: 'fixed', quote: guard }, guarded)).toEqual({
      id: 'F1',
      said: 'fixed',
      kind: 'fixed',
      why: 'put right at src/checkout.ts:2 (head), which changed since',
    });
  });

  const refused: readonly (readonly [string, Promise<{ kind: string; why: string }>, RegExp])[] = [
    ['without evidence', judged({ verdict: 'fixed' }, guarded), /^no line at head was quoted/],
    [
      'with a line that was never shown',
      judged({ verdict: 'fixed', quote: guard }, guarded, { unread: true }),
      /was not read in this run/,
    ],
    [
      'with a line that does not say so',
      judged({ verdict: 'fixed', quote: guard }, guarded, { text: 'if (!order.refund) return;' }),
      /^the quoted text is not at src\/checkout\.ts:2/,
    ],
    [
      'with a line that this change does not touch',
      judged({ verdict: 'fixed', quote: ['src/checkout.ts', 3] }, guarded),
      /^none of the quoted lines was changed/,
    ],
    [
      'with the accused line itself',
      judged(
        { verdict: 'fixed', quote: ['src/pay.ts', 2] },
        { ...guarded, 'src/pay.ts': `${guarded['src/pay.ts']}// more\n` },
      ),
      /^none of the quoted lines was changed/,
    ],
    [
      'with a bracket',
      judged(
        { verdict: 'fixed', quote: ['src/pay.ts', 1] },
        { ...guarded, 'src/pay.ts': `{\n${guarded['src/pay.ts']}` },
      ),
      /^none of the quoted lines was changed/,
    ],
    [
      'with code that is as it was when it was reported',
      judged({ verdict: 'fixed', quote: guard }, guarded, { passes: [passOver(guarded)] }),
      /^the change of src\/checkout\.ts is what it was/,
    ],
    [
      'with code that a later report of it has seen too',
      judged({ verdict: 'fixed', quote: guard }, guarded, { passes: [passOver(first), passOver(guarded)] }),
      /^the change of src\/checkout\.ts is what it was/,
    ],
    [
      'when nobody knows any more what the change was',
      judged({ verdict: 'fixed', quote: guard }, guarded, {
        passes: [passOver(first, { files: undefined })],
      }),
      /not known any more$/,
    ],
    [
      'when no pass is known',
      judged({ verdict: 'fixed', quote: guard }, guarded, { passes: [] }),
      /not known/,
    ],
  ];
  test.each(refused)('is still: %s', async (_name, judging, why) => {
    const judgement = await judging;
    expect(judgement).toMatchObject({ id: 'F1', said: 'fixed', kind: 'still', shown: false });
    expect(judgement.why).toMatch(why);
  });
});

test('a pass that did not report it says nothing about when it was seen', async () => {
  const silent = passOver(guarded, { findings: [] });
  expect(
    await judged({ verdict: 'fixed', quote: ['src/checkout.ts', 2] }, guarded, {
      passes: [passOver(first), silent],
    }),
  ).toMatchObject({ kind: 'fixed' });
});

describe('moved', () => {
  const away: Tree = {
    ...first,
    'src/pay.ts': 'export { pay } from "./amount.js";\n',
    'src/amount.ts': `export function pay(order) {\n  const total = order.total;\n  const amount = order.refund || total;\n  return charge(amount);\n}\n`,
  };

  test('takes the place and the key of the quoted lines', async () => {
    const judgement = await judged({ verdict: 'moved', quote: ['src/amount.ts', 3] }, away);
    expect(judgement).toMatchObject({
      kind: 'moved',
      to: {
        anchor: { kind: 'line', path: 'src/amount.ts', side: 'RIGHT', line: 3 },
        at: { role: 'at', quote: '  const amount = order.refund || total;' },
      },
    });
    const key = findingKey({
      lineage: 'src/amount.ts',
      category: 'logic',
      file: linesOf(away, 'src/amount.ts'),
      start: 3,
      end: 3,
      nth: 0,
    });
    expect(judgement.kind === 'moved' && judgement.to.key).toBe(key);
  });

  test('never takes the key of another finding', async () => {
    const diff = changeOf(base, away);
    const quote = '  const amount = order.refund || total;';
    const verdict = PriorVerdict.parse({
      id: 'F1',
      verdict: 'moved',
      evidence: [{ path: 'src/amount.ts', ref: 'head', start: 3, end: 3, quote }],
    });
    const given = {
      source: sourceOf({ base, head: away }),
      served: [{ path: 'src/amount.ts', ref: 'head', start: 1, end: 9 }],
      diff,
      changedSince: () => true,
    } as const;
    const keyWith = async (taken: ReadonlySet<FindingKey>) => {
      const judgement = await judgePrior(verdict, finding, { ...given, taken });
      return judgement.kind === 'moved' ? judgement.to.key : undefined;
    };
    const free = await keyWith(new Set());
    const next = await keyWith(new Set([free!]));
    expect(next).toBeDefined();
    expect(next).not.toBe(free);
  });

  test('is still where the accused lines stand as before', async () => {
    expect(await judged({ verdict: 'moved', quote: ['src/checkout.ts', 2] }, guarded)).toMatchObject({
      kind: 'still',
      why: 'its lines stand where they stood: src/pay.ts:2 (head)',
    });
  });

  test('is still without lines that exist', async () => {
    expect(await judged({ verdict: 'moved' }, away)).toMatchObject({ kind: 'still' });
    expect(
      await judged({ verdict: 'moved', quote: ['src/amount.ts', 2] }, away, { text: accused }),
    ).toMatchObject({ kind: 'still', why: expect.stringContaining('the quoted text is not at') });
  });
});

test('still and cannot_tell are what they say, and say whether a line was shown', async () => {
  expect(await judged({ verdict: 'still', quote: ['src/pay.ts', 2] }, guarded)).toMatchObject({
    kind: 'still',
    shown: true,
  });
  expect(await judged({ verdict: 'still' }, guarded)).toMatchObject({ kind: 'still', shown: false });
  expect(await judged({ verdict: 'cannot_tell' }, guarded)).toMatchObject({ kind: 'cannot_tell' });
});

describe('what changed since', () => {
  const since = (now: Tree, path: string, then: Tree = first) =>
    changedSince('F1', [passOver(then)], changeOf(base, now))(path);
  const line = (over: string): Tree => ({ ...first, 'src/pay.ts': over });

  test.each<readonly [string, boolean | 'unknown', boolean | 'unknown']>([
    ['nothing', since(first, 'src/pay.ts'), false],
    ['another file', since(guarded, 'src/pay.ts'), false],
    ['this file', since(guarded, 'src/checkout.ts'), true],
    ['a file that is new', since({ ...first, 'src/new.ts': 'new();\n' }, 'src/new.ts'), true],
    ['a file that is no part of the change', since(first, 'README.md'), false],
    [
      'only the name of a new file',
      since({ ...first, 'src/b.ts': 'new();\n' }, 'src/b.ts', { ...first, 'src/a.ts': 'new();\n' }),
      false,
    ],
    [
      'only the end of its lines',
      since(line(first['src/pay.ts']!.replaceAll(accused, `${accused} `)), 'src/pay.ts'),
      false,
    ],
    [
      'the indentation, which may be the fix',
      since(line(first['src/pay.ts']!.replace(accused, `  ${accused}`)), 'src/pay.ts'),
      true,
    ],
  ])('%s: %s', (_name, got, expected) => expect(got).toBe(expected));

  test('is unknown for a file that a long record may have left out', () => {
    const files = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`f${n}`, `d${n}`]));
    const ask = changedSince('F1', [passOver(first, { files })], changeOf(base, guarded));
    expect(ask('src/checkout.ts')).toBe('unknown');
  });
});

describe('what a pass is asked about', () => {
  const ledger = (findings: readonly Finding[], passes: readonly PassRecord[]): Ledger => ({
    ...emptyLedger,
    findings,
    passes,
  });
  const ids = (...given: Parameters<typeof openToAsk>) => openToAsk(...given).map(({ id }) => id);

  test('open findings, the important ones first', () => {
    const nit: Finding = { ...finding, id: 'F1', severity: 'nit' };
    const second: Finding = { ...finding, id: 'F2' };
    const closed: Finding = {
      ...finding,
      id: 'F3',
      standing: { kind: 'fixed', in: Sha.parse('3'.repeat(40)) },
    };
    expect(ids(ledger([nit, second, closed], []), 'bbbbbbb')).toEqual(['F2', 'F1']);
  });

  test('not those that a pass over this very change reported', () => {
    const passes = [passOver(first), passOver(guarded, { diffHash: 'bbbbbbb', findings: [] })];
    expect(ids(ledger([finding], passes), 'aaaaaaa')).toEqual([]);
    expect(ids(ledger([finding], passes), 'bbbbbbb')).toEqual(['F1']);
  });
});
