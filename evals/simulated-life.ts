import { noUsage } from '../lib/core/budget.js';
import type { Finding, FindingId, FindingKey, Severity } from '../lib/core/finding.js';
import type { decide, GateInput, Verdict } from '../lib/core/gate.js';
import { blockingKeys } from '../lib/core/ledger.js';
import type { PassRecord } from '../lib/core/pass-record.js';
import { defaultPolicy, type GateSettings } from '../lib/core/policy.js';
import { Sha } from '../lib/core/pull-request.js';
import { byVotes } from '../lib/core/votes.js';
import { lensFor } from '../lib/modes/lens.js';
import { panelOf } from '../lib/modes/panel.js';
import { chance, poisson, type Random } from './random.js';

/** How pull requests, models and fixers behave: shares and chances from 0 to 1; the bugs of a pull request are means. */
export const rates = {
  /** Pull requests that begin with many bugs. */
  heavy: 0.29,
  heavyBugs: 4.5,
  lightBugs: 0.31,
  /** That one pass finds one bug that is there. */
  recall: 0.5,
  /** That the fix of one blocking finding, true or false, brings a new bug. */
  newBug: 0.3,
  /** That a pass names an important finding that is none. */
  falseImportant: 0.023,
  /** That a pass has a nit or a remark on old code. Mending it brings no bug. */
  remark: 0.5,
  /** Bugs that no pass finds, for `blind_spot`; the others are found so often that the mean recall is the same. */
  blind: 0.2,
} as const;

/**
 * What the passes of one model are to each other. `differing`: each finds a bug or not, whatever the others found;
 * `equal`: all find the same bugs, though their records say that they differ; `blind_spot`: some bugs no pass finds.
 */
export type Eyes = 'differing' | 'equal' | 'blind_spot';

/** How a repository has set its gate; what is absent is as the product has it for agents. */
export type Rules = {
  readonly gate?: Partial<GateSettings>;
  /** What nits and remarks on old code are called: only what is important blocks. */
  readonly remarks?: Severity;
  /** Diffs after the first are read only where the fix changed them. */
  readonly onlyNewLines?: true;
  /** Stands between the gate and the merge box. */
  readonly adjust?: (verdict: Verdict) => Verdict;
};

/** A pull request, when the gate let it go or asked a person. */
export type Life = {
  /** `stuck`: the gate let it neither go nor go on. */
  readonly end: 'passed' | 'escalated' | 'stuck';
  /** All that it ever had: those that it began with, and those that fixes brought. */
  readonly bugs: number;
  readonly bugsLeft: number;
  readonly fixRounds: number;
  /** Passes that count: whole, finished, by a model, and no mere repetition. */
  readonly passes: number;
};

/** `hidden` is from 0 to 1: whether eyes that are all alike see it. */
type Bug = { readonly bornIn: number; readonly hidden: number };

/** What a finding is about: a bug, nothing at all, or something that need not be mended. */
type About = Bug | 'nothing' | 'remark';

/**
 * One agent's pull request from its opening on: read, judged by the gate and fixed exactly where it blocks, until it
 * passes or a person is asked. Before each pass that counts stands one that must not: cut short, failed, of the fixed
 * rules, or the last one again. It says nothing, so a right gate comes to the same end with it as without.
 */
export function live(random: Random, rules: Rules, eyes: Eyes, gate: typeof decide): Life {
  const policy: GateInput['policy'] = {
    ...defaultPolicy,
    gate: { ...defaultPolicy.gate, mode: 'blocking', ...rules.gate },
  };
  let bugs = startingBugs(random);
  let bugsEver = bugs.length;
  let findings: readonly Finding[] = [];
  const about = new Map<FindingId, About>();
  const mended = new Set<FindingId>();
  const records: PassRecord[] = [];
  const counted: PassRecord[] = [];
  let diff = 0;

  const report = (what: About): Finding => {
    const again = findings.find(({ id, standing }) => standing.kind !== 'fixed' && about.get(id) === what);
    // What two passes see of one bug is one finding; what is none is another one each time.
    if (again !== undefined && typeof what === 'object') return again;
    const severity = what === 'remark' ? (rules.remarks ?? 'nit') : 'important';
    const finding = findingOf(about.size + 1, severity);
    about.set(finding.id, what);
    return finding;
  };
  const isMended = ({ id, standing }: Finding): boolean => standing.kind === 'open' && mended.has(id);
  const read = (panel: Pick<PassRecord, 'panel'>): PassRecord => {
    // The code of what was mended has changed, was read again and is right.
    findings = findings.map((one) =>
      isMended(one) ? { ...one, standing: { kind: 'fixed', in: head } } : one,
    );
    const served = rules.onlyNewLines === true ? bugs.filter(({ bornIn }) => bornIn === diff) : bugs;
    const found = [
      ...served.filter((bug) => sees(eyes, bug, random)),
      ...(chance(random, rates.falseImportant) ? (['nothing'] as const) : []),
      ...(chance(random, rates.remark) ? (['remark'] as const) : []),
    ].map(report);
    findings = [...findings, ...found.filter((one) => !findings.includes(one))];
    const pass = passOf(records.length, diff, {
      ...lensFor(counted, hashOf(diff)),
      ...panel,
      findings: found.map(({ id }) => id),
      blocking: found.filter(({ severity }) => severity === 'important').map(({ key }) => key),
    });
    counted.push(pass);
    records.push(pass);
    return pass;
  };
  /** One after another or side by side, and then by their vote. */
  const readRound = (): void => {
    const { reviewers } = policy.gate;
    const panel = panelOf(reviewers, records.length);
    const round = Array.from({ length: reviewers }, () => read(panel));
    findings = byVotes({ findings, questions: [], threads: [] }, records, policy.gate);
    const mayBlock = new Set(blockingKeys(findings));
    for (const pass of round)
      records[records.indexOf(pass)] = {
        ...pass,
        blocking: pass.blocking.filter((key) => mayBlock.has(key)),
      };
  };
  const fix = (blocking: readonly Finding[]): void => {
    diff += 1;
    for (const { id } of blocking) {
      const what = about.get(id);
      mended.add(id);
      bugs = bugs.filter((bug) => bug !== what);
      if (what === 'remark' || !chance(random, rates.newBug)) continue;
      bugs = [...bugs, newBug(random, diff)];
      bugsEver += 1;
    }
  };
  const judge = (): Verdict => {
    const verdict = gate(
      { findings, questions: [], passes: records },
      { policy, pullRequest, diff: [], diffHash: hashOf(diff), policyHash: POLICY, realForge: true },
    );
    return rules.adjust?.(verdict) ?? verdict;
  };
  const end = (kind: Life['end']): Life => ({
    end: kind,
    bugs: bugsEver,
    bugsLeft: bugs.length,
    fixRounds: diff,
    passes: counted.length,
  });

  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const last = findings.some(isMended) ? undefined : counted.at(-1);
    const idle = idlePass(random, records.length, diff, last);
    if (turn % 2 === 0) records.push(idle);
    else readRound();
    const verdict = judge();
    switch (verdict.kind) {
      case 'passed':
      case 'escalated':
        return end(verdict.kind);
      case 'fix':
        fix(verdict.blocking);
        break;
      case 'waiting':
      case 'review_again':
      case 'incomplete':
        break;
    }
  }
  return end('stuck');
}

const startingBugs = (random: Random): readonly Bug[] =>
  Array.from(
    { length: poisson(random, chance(random, rates.heavy) ? rates.heavyBugs : rates.lightBugs) },
    () => newBug(random, 0),
  );

const newBug = (random: Random, bornIn: number): Bug => ({ bornIn, hidden: random() });

function sees(eyes: Eyes, { hidden }: Bug, random: Random): boolean {
  switch (eyes) {
    case 'differing':
      return chance(random, rates.recall);
    case 'equal':
      return hidden < rates.recall;
    case 'blind_spot':
      return hidden >= rates.blind && chance(random, rates.recall / (1 - rates.blind));
  }
}

/** `last` is the pass before, where nothing has changed since. */
function idlePass(random: Random, at: number, diff: number, last: PassRecord | undefined): PassRecord {
  const which = random();
  if (which < 0.25) return passOf(at, diff, { complete: false });
  if (last === undefined || last.diffHash !== hashOf(diff) || which < 0.5)
    return passOf(at, diff, { finished: false });
  if (which < 0.75) return passOf(at, diff, { modelKind: 'rules', model: 'rules' });
  return { ...last, at };
}

/** More than any pull request needs: a gate that never ends is told from one that takes long. */
const MAX_TURNS = 80;

const POLICY = 'simulated';
const head = Sha.parse('0'.repeat(40));
const pullRequest: GateInput['pullRequest'] = { author: { login: 'hubot', kind: 'agent' } };

const hashOf = (diff: number): string => `diff ${diff}`;

/** Complete, finished and without findings, unless told otherwise. */
const passOf = (at: number, diff: number, over: Partial<PassRecord>): PassRecord => ({
  v: 2,
  at,
  jobKey: 'octo-org/shop#1',
  head,
  baseRef: 'main',
  diffHash: hashOf(diff),
  policyHash: POLICY,
  lens: 'correctness',
  order: 'as_shown',
  model: 'simulated',
  modelKind: 'language_model',
  finished: true,
  complete: true,
  blocking: [],
  findings: [],
  questions: [],
  settled: [],
  usage: noUsage,
  ...over,
});

const findingOf = (number: number, severity: Severity): Finding => ({
  id: `F${number}`,
  key: `logic.${number}` as FindingKey,
  anchor: { kind: 'line', path: 'src/a.ts', side: 'RIGHT', line: number },
  rule: 'simulated',
  severity,
  category: 'logic',
  confidence: 'high',
  origin: 'introduced',
  title: '',
  body: '',
  evidence: [],
  standing: { kind: 'open' },
});
