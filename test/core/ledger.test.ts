import fc from 'fast-check';
import type { Conversation, Permission } from '../../lib/core/conversation.js';
import { blocks } from '../../lib/core/finding.js';
import { foldLedger } from '../../lib/core/fold-ledger.js';
import type { Ledger } from '../../lib/core/ledger.js';
import { writeMarker, writeState } from '../../lib/core/marker.js';
import { nameOfStatement } from '../../lib/core/ruling.js';
import { createPlay, keyAt, trust, type Fault, type Play } from './played-conversation.js';
import type { Author } from '../../lib/core/pull-request.js';
import { policy } from './shop.js';

const refund: Fault = { line: 5 };
const key: Fault = { line: 9, security: true };
const promo: Fault = { line: 12, asks: true };
const secretBox: Fault = { line: 15, asks: true, security: true };

const permissions: Readonly<Record<string, Permission>> = {
  monalisa: 'maintain',
  hubot: 'write',
  admin: 'admin',
  octocat: 'read',
  stranger: 'none',
};
const play = (over: Parameters<typeof createPlay>[0] = {}): Play => createPlay({ permissions, ...over });
const reviewed = (...faults: readonly Fault[]): Play => {
  const there = play();
  there.review(faults);
  return there;
};
const standings = ({ findings, questions }: Ledger): readonly string[] =>
  [...findings, ...questions].map(({ id, standing }) => `${id} ${standing.kind}`);

describe('what is known', () => {
  test('is read from the checks, from the summary and from the threads alike', () => {
    const there = reviewed(refund, key, promo);
    const whole = there.conversation();
    const wanted = ['F1 open', 'F2 open', 'Q1 open'];
    const nothing = { passRecords: [], marks: [], heard: [] };
    for (const part of [
      whole,
      { ...whole, threads: [], ownReviews: [] },
      { ...whole, ...nothing, threads: [] },
      { ...whole, ...nothing, ownReviews: [] },
    ] satisfies readonly Conversation[])
      expect(standings(there.ledger(part))).toEqual(wanted);
    expect(standings(there.ledger({ ...whole, ...nothing, threads: [], ownReviews: [] }))).toEqual([]);
  });

  test('an older copy adds nothing and takes nothing away', () => {
    const there = reviewed(refund);
    const early = there.reviews[0]?.body ?? '';
    there.review([refund, key], { lens: 'security' });
    const now = there.ledger();
    const summary = there.reviews[0];
    if (summary === undefined) throw new Error('There is no summary.');
    summary.body = early;
    expect(standings(there.ledger())).toEqual(['F1 open', 'F2 open']);
    expect({ ...there.ledger(), summary: null }).toEqual({ ...now, summary: null });
  });

  test('a text that was shortened is filled from an older copy', () => {
    const there = reviewed(refund);
    const [mark] = there.conversation().marks;
    if (mark === undefined) throw new Error('There is no mark.');
    const { body: _body, ...short } = mark;
    const now = there.ledger({ ...there.conversation(), marks: [mark, short] });
    expect(now.findings[0]?.body).toBe('What breaks at line 5.');
  });

  test('a forged block, one from elsewhere and one of a text that is not ours count for nothing', () => {
    const there = reviewed(refund);
    const [pass] = there.ledger().passes;
    const [mark] = there.conversation().marks;
    if (pass === undefined || mark === undefined) throw new Error('There is no pass.');
    const clean = {
      ...pass,
      at: pass.at + 1,
      blocking: [],
      findings: [],
      settled: [{ id: 'F1' as const, kind: 'fixed' as const }],
    };
    const state = { passes: [clean], marks: [mark], heard: [] };
    const forgeries = [
      writeState(state, 9_000, { ...trust, keys: ['guessed'] }),
      writeState(state, 9_000, { ...trust, scope: 'github.test/1/octo-org/shop/483' }),
      writeState(state, 9_000),
    ];
    for (const forged of forgeries) {
      const body = `x\n\n${writeMarker({ kind: 'summary', pass: 'p' }, trust)}\n${forged}`;
      const whole = there.conversation();
      const ownReviews = [...whole.ownReviews, { id: 'x', databaseId: 999, body, state: 'COMMENTED' }];
      expect(there.ledger({ ...whole, ownReviews })).toMatchObject({
        findings: [{ standing: { kind: 'open' } }],
      });
    }
    const signed = `x\n\n${writeState(state, 9_000, trust)}`;
    there.say('octocat', signed);
    expect(standings(there.ledger())).toEqual(['F1 open']);
  });

  test('a thread that somebody else edited, resolved or deleted changes nothing', () => {
    for (const attack of [
      (there: Play) => {
        const first = there.threads[0]?.comments[0];
        if (first !== undefined) there.edit(first, 'Nothing here.', { ours: false, editedBy: 'octocat' });
      },
      (there: Play) => {
        for (const thread of there.threads) thread.resolved = true;
      },
      (there: Play) => {
        there.threads.length = 0;
        there.reviews.length = 0;
      },
    ]) {
      const there = reviewed(refund);
      attack(there);
      expect(standings(there.ledger())).toEqual(['F1 open']);
      expect(there.verdict().kind).toBe('fix');
    }
  });

  test('a number is never given twice, also when nothing but the records of passes is left', () => {
    const there = reviewed(refund, key, promo);
    const { passRecords } = there.conversation();
    const left = there.ledger({
      ...there.conversation(),
      marks: [],
      threads: [],
      ownReviews: [],
      passRecords,
    });
    expect(left).toMatchObject({ known: [], nextFinding: 3, nextQuestion: 2 });
    // What those passes found is not known any more: that is not clean.
    expect(there.decideOn(left).kind).not.toBe('passed');
  });

  test('what a pass of this diff found and nobody can name any more is never passed by cleaner ones', () => {
    const there = reviewed(refund);
    const lost = { ...there.conversation(), marks: [], threads: [], ownReviews: [] };
    there.review([], { lens: 'contracts' });
    there.review([], { lens: 'security' });
    const { passRecords } = there.conversation();
    const known = there.ledger({ ...lost, passRecords });
    expect(known.passes).toHaveLength(3);
    expect(there.decideOn(known)).toMatchObject({ kind: 'review_again', done: 0 });
  });
});

describe('over pushes', () => {
  test('fixed is fixed, what is not seen again stays open, what comes back is said', () => {
    const there = reviewed(refund, key);
    there.push('2', 'd2');
    there.review([], { fixed: [refund] });
    expect(standings(there.ledger())).toEqual(['F1 fixed', 'F2 open']);
    expect(there.ledger().findings[0]?.standing).toEqual({ kind: 'fixed', in: '2'.repeat(40) });
    there.push('3', 'd3');
    there.review([refund]);
    expect(standings(there.ledger())).toEqual(['F1 open', 'F2 open']);
    expect(there.ledger().cameBack).toEqual([{ id: 'F1', fixedIn: '2'.repeat(40), since: '3'.repeat(40) }]);
    const [first] = there.threads[0]?.comments ?? [];
    expect(first?.body).toMatch(/^\*\*Important \(F1, blocks merge\): back since `3333333`\.\*\*/);
  });

  test('nothing known is posted again', () => {
    const there = reviewed(refund, promo);
    for (const sha of ['2', '3', '4']) {
      there.push(sha, `d${sha}`);
      there.review([refund, promo]);
    }
    expect(there.threads).toHaveLength(2);
    expect(there.reviews).toHaveLength(1);
  });
});

describe('a dismissal', () => {
  test.each([
    ['a maintainer', 'monalisa', 'F1 dismissed', 'passed'],
    ['somebody with write access', 'hubot', 'F1 dismissed', 'passed'],
    ['the author without write access: it waits', 'octocat', 'F1 open', 'fix'],
    ['anybody else', 'stranger', 'F1 open', 'fix'],
    ['a bot, whatever rights it has', 'renovate[bot]', 'F1 open', 'fix'],
  ])('of %s', (_who, by, standing, verdict) => {
    const there = play({ permissions: { ...permissions, 'renovate[bot]': 'admin' } });
    there.review([refund]);
    there.say(by, 'dismiss: by design, see ADR 7', 'F1');
    expect(standings(there.ledger())).toEqual([standing]);
    expect(there.verdict().kind).toBe(verdict);
  });

  test("on an agent's change not of who opened it, with any rights", () => {
    const there = play({
      author: { login: 'hubot', kind: 'agent', because: 'label `agent`' },
      permissions: { ...permissions, hubot: 'admin' },
    });
    there.review([refund]);
    there.say('hubot', 'dismiss: by design', 'F1');
    expect(standings(there.ledger())).toEqual(['F1 open']);
    there.say('monalisa', 'dismiss: by design', 'F1');
    expect(standings(there.ledger())).toEqual(['F1 dismissed']);
  });

  test('holds over pushes, and goes with the words that made it', () => {
    const there = reviewed(refund);
    const said = there.say('monalisa', 'dismiss: by design', 'F1');
    there.fold();
    there.push('2', 'd2');
    there.review([refund]);
    expect(there.verdict().kind).toBe('passed');
    there.edit(said, 'Let us think about it.');
    expect(standings(there.ledger())).toEqual(['F1 open']);
    expect(there.verdict().kind).toBe('fix');
    there.edit(said, 'dismiss: by design', { editedBy: 'octocat' });
    expect(standings(there.ledger())).toEqual(['F1 open']);
    there.edit(said, null);
    expect(standings(there.ledger())).toEqual(['F1 open']);
  });

  test('without a reason is none, and of what is not there is told', () => {
    const there = reviewed(refund);
    there.say('monalisa', 'dismiss', 'F1');
    there.say('monalisa', '/evident dismiss F7 no such thing');
    const { rulings } = there.ledger();
    expect(rulings.map(({ outcome }) => outcome.kind)).toContain('unknown_item');
    expect(standings(there.ledger())).toEqual(['F1 open']);
    there.fold();
    const told = [...there.comments, ...there.threads.flatMap((thread) => thread.comments)].filter(
      ({ ours }) => ours,
    );
    expect(told.map(({ body }) => body).join('\n')).toContain('There is no F7 on this pull request.');
    const before = told.length;
    there.fold();
    expect(
      [...there.comments, ...there.threads.flatMap((thread) => thread.comments)].filter(({ ours }) => ours),
    ).toHaveLength(before);
  });

  test('of a number that comes later is none of what gets it', () => {
    const there = play();
    there.say('monalisa', '/evident dismiss F1 by design');
    for (const lens of ['correctness', 'contracts', 'security'] as const) there.review([], { lens });
    there.review([refund]);
    expect(standings(there.ledger())).toEqual(['F1 open']);
    there.say('monalisa', '/evident dismiss F1 by design');
    expect(standings(there.ledger())).toEqual(['F1 dismissed']);
  });

  test('of an author is confirmed by a maintainer, under both names', () => {
    const there = reviewed(refund);
    there.say('octocat', 'dismiss: by design', 'F1');
    there.fold();
    expect(there.threads[0]?.comments[0]?.body).toContain('a maintainer confirms');
    there.say('stranger', 'ok', 'F1');
    expect(standings(there.ledger())).toEqual(['F1 open']);
    const ok = there.say('monalisa', 'ok', 'F1');
    expect(there.ledger().findings[0]?.standing).toMatchObject({
      kind: 'dismissed',
      by: 'octocat',
      why: 'by design',
      confirmedBy: 'monalisa',
    });
    there.fold();
    expect(there.threads[0]?.comments[0]?.body).toMatch(
      /^\*\*Dismissed by octocat \(F1\): "by design"\.\*\*/,
    );
    there.edit(ok, null);
    expect(standings(there.ledger())).toEqual(['F1 open']);
  });
});

describe('an answer', () => {
  test('yes clears, and is shown with who said it', () => {
    const there = reviewed(promo);
    there.say('monalisa', "yes, the partner's script draws there", 'Q1');
    expect(there.ledger().questions[0]?.standing).toMatchObject({
      kind: 'answered',
      answer: 'yes',
      effect: 'suppress_finding',
      by: 'monalisa',
      why: "the partner's script draws there",
    });
    there.fold();
    there.review([promo], { lens: 'security' });
    expect(there.threads).toHaveLength(1);
    expect(there.verdict().kind).toBe('passed');
  });

  test('no makes a finding that keeps its number, is told once, and is fixed like any other', () => {
    const there = reviewed(refund, promo);
    there.say('octocat', 'no', 'Q1');
    expect(there.ledger().findings.map(({ id, from, key: one }) => [id, from, one])).toEqual([
      ['F1', undefined, keyAt(refund)],
      ['F2', 'Q1', keyAt(promo)],
    ]);
    there.fold();
    there.fold();
    const replies = there.threads[1]?.comments.slice(2) ?? [];
    expect(replies.map(({ body }) => body.split('\n')[0])).toEqual([
      'Thanks. So this is a finding now, **Important (F2, blocks merge): fault at line 12**',
    ]);
    there.review([refund, promo], { lens: 'contracts' });
    expect(standings(there.ledger())).toEqual(['F1 open', 'F2 open', 'Q1 answered']);
    there.review([key, refund, promo], { lens: 'security' });
    expect(there.ledger().findings.map(({ id, key: one }) => [id, one])).toEqual([
      ['F1', keyAt(refund)],
      ['F2', keyAt(promo)],
      ['F3', keyAt(key)],
    ]);
    there.push('2', 'd2');
    there.review([], { fixed: [refund, key, promo] });
    expect(standings(there.ledger())).toEqual(['F1 fixed', 'F2 fixed', 'F3 fixed', 'Q1 obsolete']);
  });

  test('that is turned round or taken back takes its finding with it', () => {
    const there = reviewed(promo);
    const no = there.say('octocat', 'no', 'Q1');
    there.fold();
    expect(there.verdict().kind).toBe('fix');
    there.say('monalisa', 'yes, that is right as it is', 'Q1');
    expect(standings(there.ledger())).toEqual(['F1 suppressed', 'Q1 answered']);
    there.fold();
    const told = there.threads[0]?.comments.at(-1)?.body ?? '';
    expect(told).toMatch(/^Now read as yes \(monalisa, \d\d:\d\d UTC\)\. octocat said no at /);
    there.edit(there.threads[0]?.comments.find(({ author }) => author === 'monalisa') ?? no, null);
    expect(standings(there.ledger())).toEqual(['F1 open', 'Q1 answered']);
    there.edit(no, null);
    expect(standings(there.ledger())).toEqual(['F1 uncertain', 'Q1 open']);
    there.fold();
    expect(there.threads[0]?.comments[0]?.body).toMatch(/^\*\*Open again \(Q1\)\.\*\*/);
  });

  test('whose thread cannot be read any more does not free what it found', () => {
    const there = reviewed(promo);
    there.say('octocat', 'no', 'Q1');
    there.fold();
    there.threads.length = 0;
    expect(standings(there.ledger())).toEqual(['F1 open', 'Q1 open']);
    expect(there.verdict().kind).toBe('fix');
  });

  test('in its thread people then speak of the finding, in the same fold and in later ones', () => {
    for (const folds of [false, true]) {
      const there = reviewed(promo);
      there.say('octocat', 'no', 'Q1');
      if (folds) there.fold();
      there.say('octocat', 'dismiss: it is a test page', 'Q1');
      if (folds) there.fold();
      expect(standings(there.ledger())).toEqual(['F1 open', 'Q1 answered']);
      there.say('monalisa', 'ok', 'Q1');
      expect(there.ledger().findings[0]?.standing).toMatchObject({ by: 'octocat', confirmedBy: 'monalisa' });
      there.say('hubot', 'no', 'Q1');
      expect(standings(there.ledger())).toEqual(['F1 open', 'Q1 answered']);
    }
  });

  test('not sure keeps it as possible and blocks nothing', () => {
    const there = reviewed(promo);
    there.say('hubot', 'not sure', 'Q1');
    expect(there.ledger().questions[0]?.standing).toMatchObject({ effect: 'lower_confidence', by: 'hubot' });
    expect(there.verdict().kind).toBe('passed');
  });

  test('yes about security says why', () => {
    const there = reviewed(secretBox);
    there.say('monalisa', 'yes', 'Q1');
    expect(standings(there.ledger())).toEqual(['Q1 open']);
    there.say('monalisa', 'yes, because it is a test key', 'Q1');
    expect(standings(there.ledger())).toEqual(['Q1 answered']);
  });

  test('of an author without write access waits for a maintainer, where it clears', () => {
    const there = reviewed(promo);
    there.say('octocat', 'yes, it is ours', 'Q1');
    expect(standings(there.ledger())).toEqual(['Q1 open']);
    there.fold();
    expect(there.threads[0]?.comments[0]?.body).toMatch(
      /^\*\*octocat says yes \(Q1\), a maintainer confirms\.\*\*/,
    );
    there.say('monalisa', 'ok', 'Q1');
    expect(there.ledger().questions[0]?.standing).toMatchObject({ by: 'octocat', confirmedBy: 'monalisa' });
  });
});

describe('the word of a person in the place of clean reviews', () => {
  const agents = (): Play => play({ author: { login: 'octocat', kind: 'agent', because: 'branch' } });

  test('an override holds for this diff, on a rebase of it too, and not for another', () => {
    const there = agents();
    there.review([refund]);
    there.say('monalisa', '/evident override hotfix, see INC-12');
    expect(there.verdict()).toMatchObject({ kind: 'passed', by: { by: 'monalisa', how: 'override' } });
    there.push('2', 'd1');
    there.review([refund], { lens: 'contracts' });
    expect(there.verdict()).toMatchObject({ kind: 'passed', by: { how: 'override' } });
    there.push('3', 'd3');
    there.review([refund]);
    expect(there.verdict().kind).toBe('fix');
    expect(there.ledger().rulings.at(-1)?.outcome.kind).toBe('overtaken');
  });

  test.each([
    ['by the author of the change', 'octocat', 'hotfix'],
    ['by somebody with write access alone', 'hubot', 'hotfix'],
    ['without a reason', 'monalisa', ''],
  ])('not an override %s', (_why, by, reason) => {
    const there = agents();
    there.review([refund]);
    there.say(by, `/evident override ${reason}`);
    expect(there.verdict().kind).toBe('fix');
  });

  test('not what was said before any check stood there', () => {
    const there = agents();
    there.say('monalisa', '/evident override looks fine');
    there.review([refund]);
    expect(there.verdict().kind).toBe('fix');
  });

  test('an approval answers only what a person was asked, at this head', () => {
    const rounds = policy('blocking', { fixRounds: 1 });
    const there = play({ settings: rounds });
    there.review([refund]);
    there.approve('monalisa');
    expect(there.verdict().kind).toBe('fix');
    there.push('2', 'd2');
    there.review([refund]);
    expect(there.verdict().kind).toBe('escalated');
    there.approve('stranger');
    there.approve('octocat');
    expect(there.verdict().kind).toBe('escalated');
    there.approve('monalisa');
    expect(there.verdict()).toMatchObject({ kind: 'passed', by: { by: 'monalisa', how: 'approval' } });
    there.push('3', 'd2');
    there.review([refund], { lens: 'contracts' });
    expect(there.verdict().kind).toBe('escalated');
    there.approve('monalisa');
    there.approve('monalisa', 'changes_requested');
    expect(there.verdict().kind).toBe('escalated');
  });

  test('the last of pause and resume counts, of those who may', () => {
    const there = reviewed();
    there.say('monalisa', '/evident pause release week');
    expect(there.ledger().paused).toMatchObject({ by: 'monalisa', why: 'release week' });
    there.say('stranger', '/evident resume');
    expect(there.ledger().paused).toBeDefined();
    const resume = there.say('hubot', '/evident resume');
    expect(there.ledger().paused).toBeUndefined();
    there.edit(resume, null);
    expect(there.ledger().paused).toBeDefined();
  });
});

/** One thing that happens; numbers choose among what there is. */
type Step =
  | { readonly kind: 'push'; readonly sha: number; readonly diff: number }
  | {
      readonly kind: 'review';
      readonly sees: readonly number[];
      readonly fixed: readonly number[];
      readonly lens: 'correctness' | 'contracts' | 'security';
    }
  | { readonly kind: 'say'; readonly by: string; readonly words: string; readonly item: string }
  | { readonly kind: 'change'; readonly which: number; readonly to: string | null; readonly foreign: boolean }
  | { readonly kind: 'approve'; readonly by: string }
  | { readonly kind: 'fold' }
  | { readonly kind: 'resolve'; readonly which: number };

const faults: readonly Fault[] = [refund, key, promo, secretBox, { line: 20 }, { line: 25, asks: true }];
const some = fc.uniqueArray(fc.nat({ max: faults.length - 1 }), { maxLength: 4 });
const words = fc.constantFrom(
  'yes, because it is ours',
  'no',
  'not sure',
  'ok',
  'dismiss: by design',
  'dismiss',
  '/evident override hotfix',
  '/evident pause',
  '/evident resume',
  '/evident dismiss F1, F2 known',
  'Q1 no',
  'what do you mean?',
);
const people = fc.constantFrom('octocat', 'monalisa', 'hubot', 'admin', 'stranger');
const items = fc.constantFrom('F1', 'F2', 'F3', 'Q1', 'Q2');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('review' as const),
      sees: some,
      fixed: some,
      lens: fc.constantFrom('correctness' as const, 'contracts' as const, 'security' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('say' as const), by: people, words, item: items }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      sha: fc.integer({ min: 1, max: 6 }),
      diff: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      which: fc.nat(),
      to: fc.option(words),
      foreign: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('approve' as const), by: people }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'fold' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resolve' as const), which: fc.nat() }) },
);

const faultsAt = (indices: readonly number[]): readonly Fault[] =>
  indices.flatMap((index) => faults[index] ?? []);

function take(there: Play, one: Step): void {
  switch (one.kind) {
    case 'push':
      return there.push(String(one.sha), `d${one.diff}`);
    case 'review':
      return there.review(faultsAt(one.sees), {
        fixed: faultsAt(one.fixed.filter((index) => !one.sees.includes(index))),
        lens: one.lens,
      });
    case 'say':
      there.say(one.by, one.words, one.item);
      return;
    case 'approve':
      return there.approve(one.by);
    case 'fold':
      return there.fold();
    case 'change': {
      const all = [...there.comments, ...there.threads.flatMap(({ comments }) => comments)].filter(
        ({ ours }) => !ours,
      );
      const said = all[one.which % Math.max(1, all.length)];
      if (said !== undefined) there.edit(said, one.to, one.foreign ? { editedBy: 'stranger' } : {});
      return;
    }
    case 'resolve': {
      const thread = there.threads[one.which % Math.max(1, there.threads.length)];
      if (thread !== undefined) thread.resolved = true;
    }
  }
}

const histories = fc.array(step, { minLength: 1, maxLength: 25 });
const authors = fc.constantFrom(
  { login: 'octocat', kind: 'person' } as const,
  { login: 'octocat', kind: 'agent', because: 'branch `agent/x`' } as const,
  { login: 'hubot', kind: 'person' } as const,
);

const played = (history: readonly Step[], author: Author): Play => {
  const there = play({ author, settings: policy('blocking', { fixRounds: 2 }) });
  for (const one of history) take(there, one);
  return there;
};

describe('for random histories', () => {
  test('the order in which GitHub lists what stands there does not matter, nor how often a block is read', () => {
    fc.assert(
      fc.property(histories, authors, fc.infiniteStream(fc.nat()), (history, author, numbers) => {
        const there = played(history, author);
        const whole = there.conversation();
        const shuffled = <T>(list: readonly T[]): readonly T[] =>
          list
            .map((one) => ({ one, at: numbers.next().value ?? 0 }))
            .sort((a, b) => a.at - b.at)
            .map(({ one }) => one);
        const other: Conversation = {
          ...whole,
          threads: shuffled(whole.threads),
          ownReviews: shuffled(whole.ownReviews),
          comments: shuffled(whole.comments),
          peerReviews: shuffled(whole.peerReviews),
          passRecords: shuffled([...whole.passRecords, ...whole.passRecords]),
          heard: shuffled(whole.heard),
        };
        const plain = (ledger: Ledger) => ({
          ...ledger,
          heard: [...ledger.heard].sort(),
          threads: [...ledger.threads].sort((a, b) => (a.id < b.id ? -1 : 1)),
        });
        expect(plain(there.ledger(other))).toEqual(plain(there.ledger(whole)));
      }),
      { numRuns: 100, seed: 482 },
    );
  });

  test('a number never changes its meaning, nothing is posted twice, and folding again writes nothing new', () => {
    fc.assert(
      fc.property(histories, authors, (history, author) => {
        const there = play({ author, settings: policy('blocking', { fixRounds: 2 }) });
        const meaning = new Map<string, string>();
        for (const one of history) {
          take(there, one);
          // What was written somewhere: a number that only a fold gave is not out yet.
          for (const { id, key: now } of there.conversation().marks) {
            expect(meaning.get(id) ?? now).toBe(now);
            meaning.set(id, now);
          }
        }
        const ids = there.ledger().threads.map(({ id }) => id);
        expect(ids).toHaveLength(there.threads.length);
        expect(new Set(ids).size).toBe(ids.length);

        there.fold();
        const settled = {
          ledger: there.ledger(),
          threads: structuredClone(there.threads),
          summary: there.reviews.map(({ body }) => body),
          said: there.comments.length,
        };
        there.fold();
        expect({
          ledger: there.ledger(),
          threads: there.threads,
          summary: there.reviews.map(({ body }) => body),
          said: there.comments.length,
        }).toEqual(settled);
      }),
      { numRuns: 100, seed: 482 },
    );
  });

  test('what people can take away or put back never makes it pass', () => {
    fc.assert(
      fc.property(
        histories,
        authors,
        fc.record({
          summary: fc.constantFrom('kept', 'blank', 'deleted', 'rolled back'),
          threads: fc.constantFrom('kept', 'foreign', 'deleted'),
          checks: fc.boolean(),
        }),
        fc.infiniteStream(fc.boolean()),
        (history, author, attack, coins) => {
          const there = played(history, author);
          // Words that nobody acted on yet go with the thread that they stand in.
          there.fold();
          const before = there.verdict();
          const coin = (): boolean => coins.next().value === true;
          if (attack.summary === 'blank') for (const review of there.reviews) review.body = '';
          if (attack.summary === 'deleted') there.reviews.length = 0;
          const old = there.oldSummaries[0];
          const [summary] = there.reviews;
          if (attack.summary === 'rolled back' && old !== undefined && summary !== undefined)
            summary.body = old;
          // Ours is deleted; what people wrote below it stays. Whose own words go takes them back.
          if (attack.threads === 'deleted')
            for (const thread of there.threads.filter(coin)) thread.comments = thread.comments.slice(1);
          if (attack.threads === 'foreign')
            for (const thread of there.threads.filter(coin))
              thread.comments = thread.comments.map((one, index) =>
                index === 0 ? { ...one, ours: false, editedBy: 'octocat' } : one,
              );
          // An older check may be out of reach; the newest one is not.
          if (attack.checks) {
            const newest = there.checks.at(-1);
            const kept = there.checks.map((one) => (one === newest || coin() ? one : { ...one, text: '' }));
            there.checks.splice(0, there.checks.length, ...kept);
          }
          const after = there.verdict();
          if (after.kind === 'passed') expect(before.kind).toBe('passed');
        },
      ),
      { numRuns: 200, seed: 482 },
    );
  });

  test('a change that passes has no open blocker, or the name of who passed it', () => {
    fc.assert(
      fc.property(histories, authors, (history, author) => {
        const there = played(history, author);
        const verdict = there.verdict();
        const ledger = there.ledger();
        if (verdict.kind !== 'passed') return;
        if (verdict.by === undefined) expect(ledger.findings.filter(blocks)).toEqual([]);
        else expect(['monalisa', 'admin', 'hubot']).toContain(verdict.by.by);
        for (const { standing } of ledger.findings)
          if (standing.kind === 'dismissed') {
            expect(['stranger']).not.toContain(standing.by);
            if (standing.by === 'octocat') expect(standing.confirmedBy).toBeDefined();
          }
      }),
      { numRuns: 100, seed: 482 },
    );
  });
});

test('a statement has one name as long as it stands as it is', () => {
  const there = reviewed(refund);
  const said = there.say('monalisa', 'dismiss: by design', 'F1');
  const names = (): readonly string[] =>
    there.ledger().rulings.map(({ statement }) => nameOfStatement(statement));
  const [first] = names();
  expect(names()).toEqual([first]);
  there.edit(said, 'dismiss: see ADR 7');
  expect(names()).not.toEqual([first]);
});

test('what was folded without the code speaks of this head alone', () => {
  const there = play({ author: { login: 'octocat', kind: 'agent', because: 'branch' } });
  there.review([refund]);
  there.say('monalisa', '/evident override hotfix');
  const { diffHash: _diff, ...look } = there.input();
  expect(foldLedger(there.conversation(), look).pardon).toMatchObject({ by: 'monalisa' });
  there.push('2', 'd1');
  const { diffHash: _same, ...later } = there.input();
  expect(foldLedger(there.conversation(), later).pardon).toBeUndefined();
});
