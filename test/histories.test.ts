import fc from 'fast-check';
import { readEnv } from '../lib/config/env.js';
import { checkState } from '../lib/core/check.js';
import { foldLedger } from '../lib/core/fold-ledger.js';
import { decide } from '../lib/core/gate.js';
import { coverageIn, type Ledger } from '../lib/core/ledger.js';
import { readState } from '../lib/core/marker.js';
import { defaultPolicy } from '../lib/core/policy.js';
import { draft, isDue } from '../lib/core/publication.js';
import type { Trigger } from '../lib/core/trigger.js';
import { createAppAuth, createGitHubForge } from '../lib/forges/github/index.js';
import { markerScope } from '../lib/forges/github/marker-scope.js';
import { silentLog } from '../lib/ports/log.js';
import { findsTheBug, type Wording } from './finds-the-bug.js';
import { bug, change, files, startWorld, type World } from './world.js';

/**
 * Random histories of one pull request through the real handler: pushes, words, edits, deletions, lost and doubled
 * deliveries, other instances. What stands there at the end is what a fresh instance makes of it, whatever was lost on
 * the way. EVIDENT_RUNS plays more of them, EVIDENT_SEED others.
 */

const runs = Number(process.env.EVIDENT_RUNS ?? 12);

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** What the head holds. */
type Code = {
  readonly refund: 'wrong' | 'right';
  readonly label: 'wrong' | 'right';
  readonly path: 'src/refund.ts' | 'src/money/refund.ts';
  readonly indent: string;
  readonly next: string;
};

const asOpened: Code = {
  refund: 'wrong',
  label: 'right',
  path: 'src/refund.ts',
  indent: '  ',
  next: 'const refund',
};

const pushes = {
  fix: { refund: 'right' },
  break: { refund: 'wrong' },
  'fix the label': { label: 'right' },
  'break the label': { label: 'wrong' },
  move: { path: 'src/money/refund.ts' },
  'move back': { path: 'src/refund.ts' },
  indent: { indent: '      ' },
  'indent with a tab': { indent: '\t' },
  'edit next door': { next: 'const  refund' },
  'edit next door again': { next: 'let refund' },
} as const satisfies Readonly<Record<string, Partial<Code>>>;

const sayings = ['dismiss: by design, see ADR 7', 'dismiss', 'ok', 'yes', 'why is that?', 'no'] as const;

type Act =
  | { readonly kind: 'push'; readonly what: keyof typeof pushes }
  /** A forced push to an older head. */
  | { readonly kind: 'back'; readonly to: number }
  | { readonly kind: 'empty commit' }
  | {
      readonly kind: 'reply';
      readonly by: 'monalisa' | 'octocat' | 'defunkt' | 'helper[bot]';
      readonly says: (typeof sayings)[number];
      /** Counts the threads of ours. */
      readonly thread: number;
    }
  | {
      readonly kind: 'command';
      readonly by: 'monalisa' | 'defunkt';
      readonly says: '/evident review' | '/evident pause' | '/evident resume' | '/evident status';
    }
  | {
      readonly kind: 'forget';
      readonly by: 'monalisa' | 'octocat' | 'defunkt' | 'helper[bot]';
      readonly id: 'F1' | 'F2' | 'F9';
    }
  | { readonly kind: 'edit' | 'take back' | 'delete'; readonly which: number }
  | { readonly kind: 'edit of ours' | 'deletion of ours'; readonly thread: number }
  | { readonly kind: 'resolve' | 'unresolve'; readonly thread: number }
  | { readonly kind: 'restart' | 'draft' | 'ready' | 'rewrite of the summary' };

type Step = { readonly act: Act; readonly delivery: 'once' | 'twice' | 'lost' };

const small = fc.nat({ max: 3 });
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      what: fc.constantFrom(...(Object.keys(pushes) as (keyof typeof pushes)[])),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constant('back' as const), to: small }),
      fc.record({ kind: fc.constant('empty commit' as const) }),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('reply' as const),
      by: fc.constantFrom(
        'monalisa' as const,
        'monalisa' as const,
        'octocat' as const,
        'defunkt' as const,
        'helper[bot]' as const,
      ),
      says: fc.constantFrom(sayings[0], sayings[0], sayings[0], ...sayings),
      thread: small,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('command' as const),
      by: fc.constantFrom('monalisa' as const, 'monalisa' as const, 'defunkt' as const),
      says: fc.constantFrom(
        '/evident review' as const,
        '/evident review' as const,
        '/evident pause' as const,
        '/evident resume' as const,
        '/evident resume' as const,
        '/evident status' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('forget' as const),
      by: fc.constantFrom(
        'monalisa' as const,
        'octocat' as const,
        'defunkt' as const,
        'helper[bot]' as const,
      ),
      id: fc.constantFrom('F1' as const, 'F1' as const, 'F2' as const, 'F9' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('edit' as const, 'take back' as const, 'delete' as const),
      which: small,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('edit of ours' as const, 'deletion of ours' as const),
      thread: small,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('resolve' as const, 'unresolve' as const), thread: small }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'restart' as const,
        'draft' as const,
        'ready' as const,
        'rewrite of the summary' as const,
      ),
    }),
  },
);
const step: fc.Arbitrary<Step> = fc.record({
  act,
  delivery: fc.constantFrom('once', 'once', 'once', 'twice', 'lost'),
});
const history = fc.array(step, { minLength: 6, maxLength: 10 });

/** The same claim in other words, under other rules; none of them is a rule of the catalogue. */
const refundWords: Wording = ({ pass }) =>
  [
    {},
    { title: 'nothing left to refund still pays all of it', rule: 'zero-refund' },
    { title: 'the whole refund goes out twice', rule: 'lost-zero' },
  ][pass % 3] ?? {};
const labelWords: Wording = ({ pass }) =>
  pass % 2 === 0 ? {} : { title: 'the label names the wrong sum', rule: 'wrong-sum' };

const labelBug = {
  ...bug,
  path: 'src/label.ts',
  line: 1,
  code: '',
  title: 'the label shows half of it',
  rule: 'halved-label',
};

const model = () =>
  findsTheBug(
    { line: /\brefund \|\| order\.total;/, as: bug, wording: refundWords },
    { line: /amount \/ 2/, as: labelBug, wording: labelWords },
  );

const aboutOf = (title: string): 'refund' | 'label' => (title.includes('label') ? 'label' : 'refund');

/** Enough beside the bug that a file which was moved and edited is seen to be the same. */
const beside = Array.from(
  { length: 12 },
  (_, at) => `export const step${at} = (amount: number): number => amount * ${at + 2};\n`,
).join('\n');

const sourceOf = ({ refund, indent, next, path }: Code): string =>
  `${beside}\n${(refund === 'wrong' ? change : files)['src/refund.ts']}`
    .replace('  return', `${indent}return`)
    .replace('const refund', next)
    .replace('./order', path === 'src/refund.ts' ? './order' : '../order');

const labelOf = ({ label }: Code): string =>
  label === 'wrong'
    ? 'export const label = (amount: number): string => `refund of ${amount / 2}`;\n'
    : change['src/label.ts'];

type Said = { readonly id: number; readonly about: 'refund' | 'label'; readonly by: string };

/** One pull request with what was done to it, and what a reader of its page would expect. */
async function open() {
  const order = { gate: 'blocking', model: model() } as const;
  const place = await world.open({
    ...order,
    files: { ...files, 'src/refund.ts': sourceOf({ ...asOpened, refund: 'right' }) },
    changes: { 'src/refund.ts': sourceOf(asOpened), 'src/label.ts': labelOf(asOpened) },
    before: (repository) => {
      repository.addCollaborator('monalisa', 'write');
      repository.addCollaborator('helper[bot]', 'write');
    },
  });
  await place.settled();
  let code = asOpened;
  const heads = [{ sha: place.repository.pull(place.number).head.sha, code }];
  /** Replies as they stand, and those among them that dismiss by right. */
  const replies: Said[] = [];
  const dismissals = new Set<number>();

  const view = () => place.repository.pull(place.number);
  const threads = () => view().threads.filter(({ comments }) => comments[0]?.author === 'evident[bot]');

  async function act(one: Act): Promise<void> {
    const { repository, number } = place;
    switch (one.kind) {
      case 'push': {
        const before = code;
        code = { ...code, ...pushes[one.what] };
        const sha = await place.push({
          ...(before.path !== code.path && { [before.path]: null }),
          [code.path]: sourceOf(code),
          'src/label.ts': labelOf(code),
        });
        heads.push({ sha, code });
        return;
      }
      case 'back': {
        const head = heads[one.to % heads.length];
        if (head === undefined || head.sha === view().head.sha) return;
        code = head.code;
        return repository.forcePush('refunds', head.sha, 'octocat');
      }
      case 'empty commit':
        heads.push({ sha: await place.push({}), code });
        return;
      case 'reply': {
        const all = threads();
        const thread = all[one.thread % Math.max(1, all.length)];
        const root = thread?.comments[0];
        if (thread === undefined || root === undefined) return;
        const { id } = repository.as(one.by).reply(thread.id, one.says);
        const about = thread.path === 'src/label.ts' ? 'label' : 'refund';
        replies.push({ id, about, by: one.by });
        if (one.says === sayings[0] && (one.by === 'monalisa' || one.by === 'octocat')) dismissals.add(id);
        return;
      }
      case 'command':
        repository.as(one.by).comment(number, one.says);
        return;
      case 'forget': {
        const abouts = meaningsOf({ view }).get(one.id);
        repository.as(one.by).comment(number, `/evident memory forget ${one.id}`);
        if (one.by === 'monalisa' || one.by === 'octocat')
          for (const { id, about } of replies) if (abouts?.has(about) === true) dismissals.delete(id);
        return;
      }
      case 'edit':
      case 'take back':
      case 'delete': {
        const said = replies[one.which % Math.max(1, replies.length)];
        if (said === undefined) return;
        if (one.kind === 'delete') {
          repository.as('octocat').deleteComment(said.id);
          replies.splice(replies.indexOf(said), 1);
          dismissals.delete(said.id);
        } else if (one.kind === 'take back') {
          repository.as(said.by).editComment(said.id, 'let me think about it');
          dismissals.delete(said.id);
        } else {
          // By somebody else: then it is nobody's word.
          repository
            .as(said.by === 'octocat' ? 'monalisa' : 'octocat')
            .editComment(said.id, 'dismiss: as agreed, see ADR 8');
          dismissals.delete(said.id);
        }
        return;
      }
      case 'edit of ours':
      case 'deletion of ours': {
        const all = threads();
        const root = all[one.thread % Math.max(1, all.length)]?.comments[0];
        if (root === undefined) return;
        if (one.kind === 'deletion of ours') repository.as('octocat').deleteComment(root.id);
        else repository.as('octocat').editComment(root.id, `${root.body}\n\nFixed.`);
        return;
      }
      case 'resolve':
      case 'unresolve': {
        const all = threads();
        const thread = all[one.thread % Math.max(1, all.length)];
        if (thread !== undefined && thread.isResolved === (one.kind === 'unresolve'))
          repository.as('octocat')[one.kind](thread.id);
        return;
      }
      case 'restart':
        return place.restart(order);
      case 'draft':
        return repository.convertToDraft(number, 'octocat');
      case 'ready':
        return repository.readyForReview(number, 'octocat');
      case 'rewrite of the summary': {
        const ours = view().reviews.find(({ author }) => author === 'evident[bot]');
        if (ours !== undefined) repository.as('octocat').editReview(ours.id, 'Nothing to see here.');
        return;
      }
    }
  }

  return {
    place,
    view,
    async play({ act: one, delivery }: Step): Promise<void> {
      if (delivery === 'lost' && one.kind !== 'restart')
        world.github.faults.addDelivery({ match: () => true, times: 100, fate: 'lose' });
      await act(one);
      await place.settled();
      world.github.faults.clear();
      if (delivery === 'twice') {
        const last = world.github
          .deliveries()
          .findLast((sent) => sent.repository === place.repository.fullName);
        if (last !== undefined) await world.github.redeliver(last.id);
        await place.settled();
      }
    },
    /** Bugs that stand on the head and that nobody with the right to it has dismissed, by the words that stand there. */
    undismissed: (): readonly string[] =>
      (['refund', 'label'] as const).filter(
        (about) =>
          code[about] === 'wrong' && !replies.some((said) => said.about === about && dismissals.has(said.id)),
      ),
    isFine: (): boolean => code.refund === 'right' && code.label === 'right',
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** What an instance that has seen nothing of it makes of what stands there. */
async function readAnew({ place, view }: Opened) {
  const { app, apiUrl } = world.github;
  const env = readEnv({
    APP_ID: String(app.id),
    PRIVATE_KEY: app.privateKey,
    WEBHOOK_SECRET: app.webhookSecret,
    GITHUB_API_URL: apiUrl,
  });
  const { owner, name: repo } = place.repository;
  const where = { owner, repo, number: place.number };
  const trust = { keys: env.signingKeys, scope: markerScope({ apiUrl, appId: app.id }, where) };
  const forge = createGitHubForge({
    auth: createAppAuth({ appId: app.id, privateKey: app.privateKey, apiUrl, log: silentLog }),
    appId: app.id,
    apiUrl,
    log: silentLog,
    policy: {
      ...defaultPolicy,
      gate: { ...defaultPolicy.gate, mode: 'blocking' },
      review: { ...defaultPolicy.review, start: 'automatic' },
      source: 'defaults, blocking',
    },
    trust: () => trust,
    longestRunMs: 60_000,
  });
  const trigger: Trigger = {
    kind: 'pull_request',
    reason: 'said',
    ...where,
    head: view().head.sha as Trigger['head'],
    draft: view().draft,
    installation: app.installationId,
    sender: 'octocat',
  };
  const opened = await forge.open(trigger);
  const { snapshot } = await opened.snapshot(trigger);
  await opened.release();
  const { pullRequest, policy, diff, diffHash, policyHash } = snapshot;
  const ledger = foldLedger(snapshot, { pullRequest, policy, diffHash, trust });
  const verdict = decide(ledger, {
    ...{ policy, pullRequest, diff, diffHash, policyHash },
    realForge: true,
    coverage: coverageIn(ledger, diffHash),
  });
  const due = draft({
    ...{ snapshot, before: ledger, ledger, verdict, pass: null, trust },
    run: { model: { name: 'scripted', kind: 'language_model' }, elapsedMs: 0, requests: 0 },
  });
  return { snapshot, ledger, verdict, due, isDue: isDue({ ledger, snapshot, trust }) };
}

const standingsOf = ({ findings }: Ledger): readonly string[] =>
  findings.map(({ id, standing }) => `${id} ${standing.kind}`);

/** Numbers with all that they ever stood for, in every text of ours that keeps them. */
function meaningsOf({ view }: Pick<Opened, 'view'>): ReadonlyMap<string, ReadonlySet<string>> {
  const meanings = new Map<string, Set<string>>();
  for (const { text } of view().allChecks)
    for (const { id, title } of readState(text ?? '').marks)
      meanings.set(id, (meanings.get(id) ?? new Set()).add(aboutOf(title)));
  return meanings;
}

let played = 0;

async function holds(steps: readonly Step[]): Promise<void> {
  // An hour's requests are soon spent by many histories.
  if ((played += 1) % 20 === 0) {
    await world.close();
    world = await startWorld();
  }
  const opened = await open();
  const { place, view } = opened;
  try {
    let isKnown = true;
    for (const one of steps) {
      await opened.play(one);
      isKnown = one.delivery === 'lost' ? false : one.act.kind === 'restart' ? isKnown : true;
      const undismissed = opened.undismissed();
      if (isKnown && undismissed.length > 0)
        expect({ undismissed, ...place.stands() }).toMatchObject({ mergeable: false });
    }
    place.repository.readyForReview(place.number, 'octocat');
    place.repository.as('monalisa').comment(place.number, '/evident resume');
    await place.settled();
    place.repository.as('monalisa').comment(place.number, '/evident status');
    await place.settled();

    const anew = await readAnew(opened);
    const stands = place.stands();
    const newest = view().allChecks.findLast(({ headSha }) => headSha === view().head.sha);
    const wanted = checkState(anew.verdict, 'blocking');
    const told = { standings: standingsOf(anew.ledger), verdict: anew.verdict.kind, warned: place.warned };
    expect({ ...told, title: newest?.title, conclusion: newest?.conclusion }).toMatchObject({
      title: wanted.title,
      ...('conclusion' in wanted && { conclusion: wanted.conclusion }),
    });
    // Nothing is left to be written: threads and summary say where everything stands.
    expect({
      ...told,
      due: anew.isDue,
      edits: anew.due.threadEdits,
      replies: anew.due.replies,
    }).toMatchObject({
      due: false,
      edits: undefined,
      replies: undefined,
    });
    const { summary, findings } = anew.ledger;
    if (summary !== undefined)
      for (const { id, standing } of findings)
        expect({ ...told, summary: summary.body }).toMatchObject({
          summary: expect.stringMatching(
            new RegExp(`\\*\\*${id}\\*\\* ${standing.kind === 'open' ? 'important' : standing.kind}`),
          ),
        });
    expect(stands.mergeable).toBe(anew.verdict.kind === 'passed');

    const undismissed = opened.undismissed();
    if (undismissed.length > 0) expect({ undismissed, ...told }).not.toMatchObject({ verdict: 'passed' });
    if (opened.isFine()) expect(told).toMatchObject({ verdict: 'passed' });

    const posted = view()
      .threads.filter(({ comments }) => comments[0]?.author === 'evident[bot]')
      .map(({ path }) => path === 'src/label.ts');
    expect(posted.length).toBe(new Set(posted).size);
    for (const [id, meanings] of meaningsOf(opened)) expect([id, meanings.size]).toEqual([id, 1]);
    expect(meaningsOf(opened).size).toBeLessThanOrEqual(2);
  } finally {
    await place.close();
  }
}

test(
  'what stands is what a fresh instance makes of it, whatever came before',
  () =>
    fc.assert(fc.asyncProperty(history, holds), {
      numRuns: runs,
      seed: Number(process.env.EVIDENT_SEED ?? 482),
      endOnFailure: true,
    }),
  120_000 + runs * 30_000,
);
