import { createHash } from 'node:crypto';
import type { Evidence, Quote, Ref } from '../evidence.js';
import { blocks, type Finding } from '../finding.js';
import type { PullRequest } from '../pull-request.js';
import type { Question } from '../question.js';
import type { ReviewResult } from '../review-result.js';
import { ruleName, rulesCatalogue } from '../rules-catalogue.js';
import { isOpenQuestion } from './words.js';

/** SARIF 2.1.0, the parts that are written here. https://docs.oasis-open.org/sarif/sarif/v2.1.0/ */
export type SarifLog = {
  readonly $schema: string;
  readonly version: '2.1.0';
  readonly runs: readonly [SarifRun];
};

type Text = { readonly text: string };

type SarifRun = {
  readonly tool: {
    readonly driver: {
      readonly name: string;
      readonly semanticVersion: string;
      readonly rules: readonly SarifRule[];
    };
  };
  readonly invocations: readonly [
    {
      readonly executionSuccessful: boolean;
      readonly exitCode: number;
      readonly startTimeUtc: string;
      readonly endTimeUtc: string;
      readonly toolExecutionNotifications: readonly SarifNotice[];
    },
  ];
  readonly automationDetails: { readonly id: string };
  readonly originalUriBaseIds: Readonly<Record<string, { readonly description: Text }>>;
  readonly versionControlProvenance?: readonly {
    readonly repositoryUri: string;
    readonly revisionId: string;
    readonly branch: string;
  }[];
  readonly columnKind: 'utf16CodeUnits';
  /** Absent when nothing was submitted: an empty list would say that there is nothing. */
  readonly results?: readonly SarifResult[];
  readonly properties: Readonly<Record<string, unknown>>;
};

type SarifRule = {
  readonly id: string;
  readonly shortDescription: Text;
  readonly fullDescription: Text;
  readonly help: Text;
  readonly properties: { readonly category: string; readonly tags: readonly string[] };
};

type SarifNotice = {
  readonly level: 'error' | 'note';
  readonly message: Text;
  readonly locations?: readonly SarifLocation[];
};

type ArtifactLocation = { readonly uri: string; readonly uriBaseId: string };

type Region = {
  readonly startLine: number;
  readonly startColumn?: number;
  readonly endLine: number;
  readonly endColumn?: number;
  readonly snippet?: Text;
};

type SarifLocation = {
  readonly id?: number;
  readonly physicalLocation: { readonly artifactLocation: ArtifactLocation; readonly region?: Region };
  readonly message?: Text;
};

type SarifResult = {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly kind: 'fail' | 'review';
  readonly level: 'error' | 'warning' | 'note' | 'none';
  readonly message: Text;
  readonly locations: readonly [SarifLocation];
  readonly relatedLocations?: readonly SarifLocation[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly suppressions?: readonly {
    readonly kind: 'external';
    readonly status: 'accepted';
    readonly justification: string;
  }[];
  readonly fixes?: readonly unknown[];
  readonly properties: Readonly<Record<string, unknown>>;
};

export type SarifInput = {
  readonly version: string;
  readonly pullRequest: Pick<PullRequest, 'repo' | 'head'>;
  /** Null when the run ended without a submission. */
  readonly result: ReviewResult | null;
  /** Every changed file was read and a submission was accepted. */
  readonly finished: boolean;
  readonly exitCode: number;
  /** Why it did not finish, as sentences. */
  readonly notices: readonly string[];
  /** Epoch milliseconds. */
  readonly began: number;
  readonly ended: number;
  readonly model: { readonly name: string; readonly kind: 'language_model' | 'rules' };
  /** Lines of a file, for a fix that deletes the last ones. */
  readonly linesOf: (ref: Ref, path: string) => readonly string[] | null;
};

/** Paths are relative to one of two trees: the reviewed one, and the one before the change. */
const bases = { head: '%SRCROOT%', base: 'MERGEBASE' } as const;

/**
 * A review as SARIF 2.1.0. Error: important and introduced by this change; warning: important and there before; note: a
 * nit. A question is a result of kind `review`. The fingerprint is the finding's own, which outlives moved lines.
 */
export function sarif(input: SarifInput): SarifLog {
  const { result, pullRequest } = input;
  const questions = result?.questions.filter(isOpenQuestion) ?? [];
  const all = [...(result?.findings ?? []), ...questions.map(({ finding }) => finding)];
  const rules = rulesOf(all);
  const indexOf = new Map(rules.map(({ id }, index) => [id, index]));
  const place = (rule: string): Pick<SarifResult, 'ruleId' | 'ruleIndex'> => ({
    ruleId: ruleName(rule),
    ruleIndex: indexOf.get(ruleName(rule)) ?? -1,
  });
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Evident', semanticVersion: input.version, rules } },
        invocations: [
          {
            executionSuccessful: input.finished,
            exitCode: input.exitCode,
            startTimeUtc: new Date(input.began).toISOString(),
            endTimeUtc: new Date(input.ended).toISOString(),
            toolExecutionNotifications: noticesOf(input),
          },
        ],
        automationDetails: { id: 'evident/' },
        originalUriBaseIds: {
          [bases.head]: { description: { text: 'The reviewed tree.' } },
          [bases.base]: { description: { text: 'The tree before this change (the merge base).' } },
        },
        ...(pullRequest.repo.htmlUrl !== '' && {
          versionControlProvenance: [
            {
              repositoryUri: pullRequest.repo.htmlUrl,
              revisionId: pullRequest.head.sha,
              branch: pullRequest.head.ref,
            },
          ],
        }),
        columnKind: 'utf16CodeUnits',
        ...(result !== null && {
          results: [
            ...result.findings.map((finding) => ({ ...place(finding.rule), ...resultOf(finding, input) })),
            ...questions.map((question) => ({
              ...place(question.finding.rule),
              ...questionOf(question, input),
            })),
          ],
        }),
        properties: {
          model: input.model.name,
          fixedRules: input.model.kind === 'rules',
          ...(result !== null && { summary: result.summary, disproved: result.disproved }),
        },
      },
    ],
  };
}

/** The catalogue, and behind it the names that a model gave beside it. */
function rulesOf(findings: readonly Pick<Finding, 'rule' | 'category'>[]): readonly SarifRule[] {
  const known = rulesCatalogue.map(({ id, category, text }) => ruleOf(id, category, sentence(text)));
  const others = new Map(
    findings
      .map(({ rule, category }) => [ruleName(rule), category] as const)
      .filter(([id]) => !rulesCatalogue.some((rule) => rule.id === id)),
  );
  return [
    ...known,
    ...[...others].map(([id, category]) =>
      ruleOf(id, category, `A ${category} problem that the model calls ${id}.`),
    ),
  ];
}

const ruleOf = (id: string, category: string, text: string): SarifRule => ({
  id,
  shortDescription: { text },
  fullDescription: { text },
  help: { text: `${text} The quoted lines of each result say why it was raised.` },
  properties: { category, tags: [category] },
});

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

type Placed = Omit<SarifResult, 'ruleId' | 'ruleIndex'>;

function resultOf(finding: Finding, input: SarifInput): Placed {
  return {
    kind: 'fail',
    level:
      blocks(finding) || isIntroduced(finding) ? 'error' : finding.severity === 'nit' ? 'note' : 'warning',
    message: { text: plainMessage(`${finding.title}\n\n${finding.body}`) },
    ...common(finding, input),
    ...suppressed(finding),
    properties: { ...propertiesOf(finding), id: finding.id },
  };
}

/** Also when it was dismissed: the suppression says so, the weight stays. */
const isIntroduced = ({ severity, origin }: Finding): boolean =>
  severity === 'important' && origin === 'introduced';

function questionOf({ id, finding, question, reason }: Question, input: SarifInput): Placed {
  return {
    kind: 'review',
    level: 'none',
    message: { text: plainMessage(`${question}\n\n${finding.body}\n\nCould not tell: ${reason}`) },
    ...common(finding, input),
    properties: { ...propertiesOf(finding), id, question },
  };
}

type Claim = Omit<Finding, 'id'>;

function common(
  claim: Claim,
  input: SarifInput,
): Pick<Placed, 'locations' | 'relatedLocations' | 'partialFingerprints' | 'fixes'> {
  const related = claim.evidence.filter(
    (one): one is Quote => one.kind === 'quote' && one.role === 'because',
  );
  const fix = fixOf(claim, input);
  return {
    locations: [{ physicalLocation: accusedAt(claim) }],
    ...(related.length > 0 && {
      relatedLocations: related.map((quote, index) => ({
        id: index + 1,
        physicalLocation: quoteAt(quote),
        message: { text: quote.ref === 'base' ? 'Before this change' : 'Because of this' },
      })),
    }),
    // GitHub matches alerts by the first one alone; it wants a hash and an ordinal.
    partialFingerprints: {
      primaryLocationLineHash: `${createHash('sha256').update(claim.key).digest('hex').slice(0, 16)}:1`,
      'evidentFindingKey/v1': claim.key,
    },
    ...(fix !== null && { fixes: [fix] }),
  };
}

function accusedAt({ anchor, evidence }: Claim): SarifLocation['physicalLocation'] {
  const at = evidence.find((one): one is Quote => one.kind === 'quote' && one.role === 'at');
  if (at !== undefined) return quoteAt(at);
  const ref = anchor.kind === 'line' && anchor.side === 'LEFT' ? 'base' : 'head';
  const start = anchor.kind === 'line' ? (anchor.startLine ?? anchor.line) : anchor.line;
  return {
    artifactLocation: artifact(ref, anchor.path),
    region: { startLine: start, endLine: anchor.line },
  };
}

const quoteAt = ({ ref, path, start, end, quote }: Quote): SarifLocation['physicalLocation'] => ({
  artifactLocation: artifact(ref, path),
  region: { startLine: start, endLine: end, snippet: { text: quote } },
});

const artifact = (ref: Ref, path: string): ArtifactLocation => ({
  uri: path.split('/').map(encodeURIComponent).join('/'),
  uriBaseId: bases[ref],
});

/** Only what code found to apply to exactly the accused range. */
function fixOf({ anchor, suggestion, title }: Claim, { linesOf }: SarifInput): object | null {
  if (suggestion === undefined || anchor.kind !== 'line' || anchor.side !== 'RIGHT') return null;
  const start = anchor.startLine ?? anchor.line;
  const end = anchor.line;
  return {
    description: { text: plainMessage(suggestion === '' ? `Delete: ${title}` : title) },
    artifactChanges: [
      {
        artifactLocation: artifact('head', anchor.path),
        replacements: [
          suggestion === ''
            ? { deletedRegion: wholeLines(start, end, linesOf('head', anchor.path)) }
            : {
                deletedRegion: { startLine: start, endLine: end },
                insertedContent: { text: suggestion.replace(/\r$/, '') },
              },
        ],
      },
    ],
  };
}

/** A region of lines leaves out its last line break: to delete lines, the break after them goes too, or the one before. */
function wholeLines(start: number, end: number, file: readonly string[] | null): Region {
  const above = file?.[start - 2];
  if (file !== null && end >= file.length && above !== undefined)
    return { startLine: start - 1, startColumn: above.replace(/\r$/, '').length + 1, endLine: end };
  return { startLine: start, startColumn: 1, endLine: end + 1, endColumn: 1 };
}

function suppressed({ standing }: Finding): Pick<Placed, 'suppressions'> {
  switch (standing.kind) {
    case 'dismissed':
    case 'suppressed':
    case 'withdrawn':
      return {
        suppressions: [
          {
            kind: 'external',
            status: 'accepted',
            justification: `${standing.kind} by ${standing.by}${standing.why === undefined ? '' : `: ${standing.why}`}`,
          },
        ],
      };
    case 'open':
    case 'uncertain':
    case 'outvoted':
    case 'fixed':
    case 'obsolete':
      return {};
  }
}

const propertiesOf = ({ severity, category, confidence, origin, evidence, fix }: Claim): object => {
  const quotes = evidence.filter(({ kind }) => kind === 'quote').length;
  const absences = evidence.filter((one: Evidence) => one.kind === 'absence');
  return {
    severity,
    category,
    confidence,
    origin,
    quotesFound: `${quotes} of ${quotes}`,
    ...(absences.length > 0 && {
      absences: absences.map(({ pattern, glob, ref }) => ({ pattern, glob, ref })),
    }),
    ...(fix !== undefined && { fix }),
  };
};

function noticesOf({ result, notices }: SarifInput): readonly SarifNotice[] {
  const missing = result?.coverage.files.filter((file) => file.kind === 'missing') ?? [];
  return [
    ...notices.map((text) => ({ level: 'error' as const, message: { text: plainMessage(text) } })),
    ...missing.map(({ path, why }) => ({
      level: 'error' as const,
      message: { text: plainMessage(`${path} was not read whole: ${why}.`) },
      ...(!/^\d+ more files$/.test(path) && {
        locations: [{ physicalLocation: { artifactLocation: artifact('head', path) } }],
      }),
    })),
    ...(result?.dropped ?? []).map(({ what, why }) => ({
      level: 'note' as const,
      message: { text: plainMessage(`Left out: ${what} (${why})`) },
    })),
  ];
}

/** In a message `[text](target)` is a link; texts of others make none. */
const plainMessage = (text: string): string => text.replace(/\](?=\()/g, '\\]').trim();
