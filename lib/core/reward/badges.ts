import type { Category } from '../finding.js';

/**
 * What a known reviewer's own sign says of a comment. `security`, `logic` and `quality` settle it. `defect`: something is
 * wrong, so it is at least logic, and security where the words say so. `minor`: the words decide, and without any it is
 * logic, since this reviewer looks for defects.
 */
export type BadgeSays = Category | 'defect' | 'minor';

/** `text` stands in the first three lines that are not empty, upper or lower case. */
export type Badge = { readonly reviewer: string; readonly text: string; readonly says: BadgeSays };

/**
 * By first match. A sign that says "small" stands before one that says what it is about: a trivial remark on
 * security is a remark.
 */
export function readBadge(
  { author, body }: { readonly author?: string | null | undefined; readonly body: string },
  badges: readonly Badge[],
): Badge | null {
  const lines = body.slice(0, mostHead).split(/\r?\n/);
  const head = lines
    .filter((line) => line.trim() !== '')
    .slice(0, 3)
    .join('\n')
    .toLowerCase();
  return (
    badges.find(({ reviewer, text }) => isBy(author, reviewer) && head.includes(text.toLowerCase())) ?? null
  );
}

/** The known reviewer that an account belongs to; null for everybody else. */
export function reviewerOf(author: string | null | undefined): string | null {
  if (author === null || author === undefined || author === '') return null;
  return reviewers.find((reviewer) => isBy(author, reviewer)) ?? null;
}

/** An export that names no authors has the signs all the same. */
const isBy = (author: string | null | undefined, reviewer: string): boolean =>
  author === null ||
  author === undefined ||
  author === '' ||
  author.toLowerCase().startsWith(reviewer.toLowerCase());

const mostHead = 4_000;

const by = (reviewer: string, signs: Readonly<Record<string, BadgeSays>>): readonly Badge[] =>
  Object.entries(signs).map(([text, says]) => ({ reviewer, text, says }));

/** As these reviewers write their comments today; settings add to them, in front. */
export const knownBadges: readonly Badge[] = [
  // Greptile: a picture with the priority, or in older comments a word with a colon.
  ...by('greptile', {
    'alt="P0"': 'defect',
    'alt="P1"': 'defect',
    'alt="P2"': 'minor',
    'alt="P3"': 'quality',
    '![P0]': 'defect',
    '![P1]': 'defect',
    '![P2]': 'minor',
    '![P3]': 'quality',
    '**security:**': 'security',
    '**logic:**': 'defect',
    '**syntax:**': 'defect',
    '**style:**': 'quality',
  }),
  // CodeRabbit: kind, then severity, in italics.
  ...by('coderabbit', {
    Nitpick_: 'quality',
    Trivial_: 'quality',
    'Refactor suggestion_': 'quality',
    'Security & Privacy_': 'security',
    'Stability & Availability_': 'defect',
    'Data Integrity & Integration_': 'defect',
    'Functional Correctness_': 'defect',
    'Performance & Scalability_': 'quality',
    'Maintainability & Code Quality_': 'quality',
    'Potential issue_': 'defect',
  }),
  ...by('copilot', { '[nitpick]': 'quality' }),
  // Cursor Bugbot: the severity in bold under the title.
  ...by('cursor', {
    '**Critical Severity**': 'defect',
    '**High Severity**': 'defect',
    '**Medium Severity**': 'defect',
    '**Low Severity**': 'minor',
  }),
  // Codex: a badge with the priority before the title.
  ...by('chatgpt-codex', {
    '![P0 Badge]': 'defect',
    '![P1 Badge]': 'defect',
    '![P2 Badge]': 'defect',
    '![P3 Badge]': 'quality',
  }),
];

const reviewers: readonly string[] = [...new Set(knownBadges.map(({ reviewer }) => reviewer))];
