import type { Quote } from '../evidence.js';
import { blocks, type Finding } from '../finding.js';
import type { GateMode } from '../policy.js';
import type { PullRequest } from '../pull-request.js';
import { bold, codeSpan, fence, link, prose } from './markdown.js';
import { permalink } from './words.js';

/** The first comment of a finding's thread. */
export function threadFinding(finding: Finding, how: FindingSurroundings): string {
  return joined([
    bold(`${weightOf(finding, how.mode)}: ${finding.title}`),
    ...claim(finding, how),
    `${restsOn(finding, how)} Disagree? ${how.model.kind === 'language_model' ? 'Say why, or `dismiss` with a reason.' : 'Reply `dismiss` and why.'}`,
  ]);
}

/** The reply to a `no`: what was asked is a finding now. */
export const findingReply = (finding: Finding, how: FindingSurroundings): string =>
  joined([
    `Thanks. So this is a finding now, ${bold(`${weightOf(finding, how.mode)}: ${finding.title}`)}`,
    ...claim(finding, how),
    `${restsOn(finding, how)} To close it without a change: \`dismiss\` and why.`,
  ]);

export type FindingSurroundings = {
  readonly pullRequest: Pick<PullRequest, 'repo' | 'head' | 'mergeBase'>;
  readonly mode: GateMode;
  /** Whether the repository takes suggestions with an Apply button. */
  readonly suggestions: boolean;
  readonly model: { readonly kind: 'language_model' | 'rules' };
};

const claim = (finding: Finding, { suggestions }: FindingSurroundings): readonly string[] => [
  prose(finding.body),
  fixOf(finding, suggestions),
];

const restsOn = (finding: Finding, { pullRequest, model }: FindingSurroundings): string =>
  [
    evidenceLine(finding, pullRequest),
    model.kind === 'rules'
      ? `Fixed rule ${codeSpan(finding.rule)}, not a language model.`
      : `Rule ${codeSpan(finding.rule)}.`,
  ]
    .filter((part) => part !== '')
    .join(' ');

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

/** `Important (F1, blocks merge)`. */
export function weightOf(finding: Finding, mode: GateMode): string {
  const word = finding.severity === 'important' ? 'Important' : 'Nit';
  return `${word} (${finding.id}${mode === 'blocking' && blocks(finding) ? ', blocks merge' : ''})`;
}

/** The smallest fix: applicable where code found that it is, else a plain block. */
function fixOf(finding: Finding, suggestions: boolean): string {
  if (finding.suggestion !== undefined && finding.anchor.kind === 'line' && suggestions)
    return fence(finding.suggestion, 'suggestion');
  const shown = finding.fix ?? finding.suggestion;
  if (shown === undefined) return '';
  return shown === '' ? 'Smallest fix: delete these lines.' : `Smallest fix:\n\n${fence(shown)}`;
}

/** "Quotes found 2 of 2" means that the text stands there; it does not mean "proved". */
export function evidenceLine(
  { evidence }: Pick<Finding, 'evidence'>,
  pullRequest: Pick<PullRequest, 'repo' | 'head' | 'mergeBase'>,
): string {
  const quotes = evidence.filter((one) => one.kind === 'quote').toSorted(byPlace);
  const names = quotes.map((quote) => {
    const name = codeSpan(
      `${shortPath(quote, quotes)}:${quote.start === quote.end ? quote.start : `${quote.start}-${quote.end}`}`,
    );
    const text = pullRequest.repo.htmlUrl === '' ? name : link(name, permalink(pullRequest, quote));
    return quote.ref === 'base' ? `before: ${text}` : text;
  });
  const absences = evidence.flatMap((one) =>
    one.kind === 'absence'
      ? [
          ` Nothing matches ${codeSpan(one.pattern)} in ${codeSpan(one.glob)}${one.ref === 'base' ? ' before this change' : ''}; it does elsewhere.`,
        ]
      : [],
  );
  if (quotes.length === 0 && absences.length === 0) return '';
  return `Quotes found ${quotes.length} of ${quotes.length}: ${names.join(', ')}.${absences.join('')}`;
}

const byPlace = (a: Quote, b: Quote): number =>
  Number(a.ref === 'base') - Number(b.ref === 'base') ||
  a.path.localeCompare(b.path, 'en') ||
  a.start - b.start;

/** The name of the file, or as much of its path as tells it from the others that are cited. */
function shortPath({ path }: Quote, all: readonly Quote[]): string {
  const name = baseName(path);
  return all.some((other) => other.path !== path && baseName(other.path) === name) ? path : name;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
