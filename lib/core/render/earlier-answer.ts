import type { PullRequest } from '../pull-request.js';
import type { Answered } from '../question.js';
import { inline } from './markdown.js';
import { dayWords } from './words.js';

/** `octocat answered yes to this on 1 December 2026 in #482 ("the partner's script draws into that box").` */
export const earlierAnswer = (
  { answer, by, at, why, confirmedBy }: Answered,
  { pullRequest: { number } }: { readonly pullRequest: Pick<PullRequest, 'number'> },
): string =>
  `${inline(by)} ${answer === 'unsure' ? 'was not sure of this' : `answered ${answer} to this`} on ${dayWords(at)} in #${number}${why === undefined ? '' : ` ("${shortReason(why)}")`}${confirmedBy === undefined ? '' : `, confirmed by ${inline(confirmedBy)}`}.`;

/** One line, of a length that can stand in the middle of a sentence. */
export const shortReason = (why: string): string => inline(shortened(why.replace(/\s+/g, ' ').trim()));

const shortened = (why: string): string =>
  why.length <= MAX_WHY ? why : `${why.slice(0, MAX_WHY).replace(/[\uD800-\uDBFF]$/, '')} ...`;

const MAX_WHY = 200;
