import { ruleName } from '../rules-catalogue.js';
import type { Category, Severity } from '../finding.js';
import { sightings, unionOf, ageOf } from '../ledger.js';
import { readMarkers, readState, type KnownMark } from '../marker.js';
import type { PassRecord } from '../pass-record.js';
import type { PastActor, PastPull } from '../past-pull.js';
import { AnswerEffect } from '../question.js';
import { readReplyKey } from '../reply-marker.js';

/**
 * What Evident's own hidden lines say about a pull request. A report holds no signing key: it believes them where an app
 * wrote them, in its check runs and under its bot account, and nowhere else.
 */
export type OwnMarks = {
  /** Oldest first. */
  readonly passes: readonly PassRecord[];
  readonly findings: readonly OwnFinding[];
  readonly questions: readonly OwnQuestion[];
  /** Times at which people were asked to decide, one for each comment that asked them. */
  readonly escalations: number;
  /** The item of each of its threads, by the thread's id. */
  readonly threads: ReadonlyMap<string, string>;
};

export type OwnFinding = {
  readonly id: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly category: Category;
  readonly origin: 'introduced' | 'pre_existing';
  readonly standing: OwnStanding;
  /** Of the pass that reported or asked it first; null where that record is gone. */
  readonly found: Pick<PassRecord, 'at' | 'model'> | null;
  /** The question that it was before it was answered. */
  readonly from: string | null;
};

export type OwnStanding =
  'open' | 'fixed' | 'obsolete' | 'dismissed' | 'suppressed' | 'uncertain' | 'withdrawn';

export type OwnQuestion = {
  readonly id: string;
  readonly rule: string;
  readonly became:
    { readonly kind: 'open' | 'obsolete' } | { readonly kind: 'answered'; readonly effect: AnswerEffect };
};

/**
 * The slugs of apps that wrote check runs of ours. A workflow of the repository can write any check run in the name of
 * GitHub Actions, so that one is none.
 */
export const ownApps = (pulls: readonly PastPull[], named?: string): ReadonlySet<string> =>
  new Set(
    named !== undefined
      ? [plainLogin(named)]
      : pulls
          .flatMap(({ checks }) => checks)
          .filter(({ name, app, text }) => app !== null && name === checkName && text !== null)
          .map(({ app }) => plainLogin(app ?? ''))
          .filter((app) => app !== 'github-actions'),
  );

const checkName = 'Evident';

/** One account, whether or not its name is written with `[bot]`. */
export const plainLogin = (login: string): string => login.toLowerCase().replace(/\[bot\]$/, '');

export const isOwn = (actor: PastActor | null, apps: ReadonlySet<string>): boolean =>
  actor !== null && actor.bot && apps.has(plainLogin(actor.login));

/** Passes and items of one pull request, from every copy that can be read. */
export function readOwnMarks(pull: PastPull, apps: ReadonlySet<string>): OwnMarks {
  const texts = [
    ...pull.checks.flatMap(({ app, text }) =>
      app !== null && text !== null && apps.has(plainLogin(app)) ? [text] : [],
    ),
    ...pull.reviews.flatMap(({ author, body }) => (isOwn(author, apps) ? [body] : [])),
  ];
  const states = texts.map((text) => readState(text)).toSorted((a, b) => ageOf(a.passes) - ageOf(b.passes));
  const passes = unionOf(states.flatMap((state) => state.passes));
  const threads = ownThreads(pull, apps);
  const marks = new Map<string, KnownMark>();
  for (const { mark } of threads) marks.set(mark.id, mark);
  for (const state of states) for (const mark of state.marks) marks.set(mark.id, mark);

  const said = new Map(threads.map(({ mark, state }) => [mark.id, stateOf(state)] as const));
  const seen = sightings(passes);
  // Of two that tell of one finding, its own mark comes last and counts.
  const all = [...marks.values()].toSorted((a, b) =>
    a.id[0] === b.id[0] ? 0 : a.id.startsWith('Q') ? -1 : 1,
  );
  return {
    passes,
    findings: [
      ...new Map(
        all.flatMap((mark) => findingOf(mark, said, seen, passes)).map((one) => [one.id, one]),
      ).values(),
    ],
    questions: all
      .filter(({ id }) => id.startsWith('Q'))
      .map(({ id, rule }) => ({
        id,
        rule: ruleName(rule),
        became: questionNow(said.get(id), seen.standing(id).kind),
      })),
    escalations: new Set(
      pull.comments.flatMap(({ author, body }) => {
        const key = isOwn(author, apps) ? readReplyKey(body) : null;
        return key?.startsWith('escalated:') === true ? [key] : [];
      }),
    ).size,
    threads: new Map(threads.map(({ thread, mark }) => [thread, mark.id])),
  };
}

type OwnThread = { readonly thread: string; readonly mark: KnownMark; readonly state: string };

const ownThreads = ({ threads }: PastPull, apps: ReadonlySet<string>): readonly OwnThread[] =>
  threads.flatMap(({ id, comments }): readonly OwnThread[] => {
    const [first] = comments;
    if (first === undefined || !isOwn(first.author, apps)) return [];
    const marker = readMarkers(first.body).find((one) => one.kind === 'thread');
    return marker?.kind === 'thread' ? [{ thread: id, mark: marker.known, state: marker.state }] : [];
  });

/** What the first comment of a thread says now; see `stateName` where it is written. */
type Said =
  | { readonly kind: 'finding'; readonly standing: OwnStanding }
  /** A question that an answer made a finding of. */
  | { readonly kind: 'became'; readonly finding: string; readonly standing: OwnStanding }
  | { readonly kind: 'answered'; readonly effect: AnswerEffect }
  | { readonly kind: 'unknown' };

function stateOf(state: string): Said {
  const [first = '', second = ''] = state.split(' ');
  if (/^F[1-9]\d*$/.test(first))
    return { kind: 'became', finding: first, standing: standingOf(second) ?? 'open' };
  if (/^(yes|no|unsure)$/.test(first)) {
    const effect = AnswerEffect.safeParse(second);
    return effect.success ? { kind: 'answered', effect: effect.data } : { kind: 'unknown' };
  }
  const standing = standingOf(first);
  return standing === null ? { kind: 'unknown' } : { kind: 'finding', standing };
}

function standingOf(word: string): OwnStanding | null {
  switch (word) {
    case 'open':
    case 'back':
      return 'open';
    case 'fixed':
    case 'obsolete':
    case 'dismissed':
    case 'suppressed':
    case 'uncertain':
    case 'withdrawn':
      return word;
    // By the vote of reviewers: listed, and nobody is sure.
    case 'outvoted':
      return 'uncertain';
    default:
      return null;
  }
}

/** A finding by its thread, by the thread of the question that it was, else by the passes. */
function findingOf(
  mark: KnownMark,
  said: ReadonlyMap<string, Said>,
  seen: ReturnType<typeof sightings>,
  passes: readonly PassRecord[],
): readonly OwnFinding[] {
  const { id, rule, severity, category, origin } = mark;
  const own = said.get(id);
  const asked = mark.from === undefined ? undefined : said.get(mark.from);
  // Its mark may ride in no state any more: then its question's thread is all that is left of it.
  const was = id.startsWith('Q') && own?.kind === 'became' ? own : null;
  if (id.startsWith('Q') && was === null) return [];
  const standing =
    was?.standing ??
    (own?.kind === 'finding' ? own.standing : asked?.kind === 'became' ? asked.standing : null) ??
    seen.standing(id).kind;
  const from = was === null ? (mark.from ?? null) : id;
  const first = passes.find(({ findings, questions }) =>
    [...findings, ...questions].some((one) => one === id || one === from),
  );
  return [
    {
      id: was?.finding ?? id,
      rule: ruleName(rule),
      severity,
      category,
      origin,
      standing,
      found: first === undefined ? null : { at: first.at, model: first.model },
      from,
    },
  ];
}

function questionNow(said: Said | undefined, seen: 'open' | 'fixed' | 'obsolete'): OwnQuestion['became'] {
  switch (said?.kind) {
    case 'became':
      return { kind: 'answered', effect: 'include_finding' };
    case 'answered':
      return { kind: 'answered', effect: said.effect };
    case 'finding':
      return said.standing === 'obsolete' ? { kind: 'obsolete' } : { kind: 'open' };
    case 'unknown':
    case undefined:
      return { kind: seen === 'open' ? 'open' : 'obsolete' };
  }
}
