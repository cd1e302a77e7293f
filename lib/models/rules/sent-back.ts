import { CodeReview } from '../../core/submission.js';

/**
 * The submission that came back, without the items that the reasons name. A rule does not argue: what code does
 * not accept is dropped. When no reason can be matched to an item the same goes in again: the last try keeps
 * what is valid and lists the rest.
 */
export function withoutRefused({
  input,
  reasons,
}: {
  readonly input: unknown;
  readonly reasons: string;
}): CodeReview {
  const review = CodeReview.parse(input);
  const refused = (list: string, index: number): boolean =>
    new RegExp(`\\b${list}(?:\\[${index}\\]|\\.${index}\\b)`).test(reasons);
  return {
    ...review,
    findings: review.findings.filter((_, index) => !refused('findings', index)),
    humanReviewRequests: review.humanReviewRequests.filter(
      (_, index) => !refused('humanReviewRequests', index),
    ),
    disproved: review.disproved.filter((_, index) => !refused('disproved', index)),
    prior: review.prior.filter((_, index) => !refused('prior', index)),
  };
}
