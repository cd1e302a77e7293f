import type { PageCall } from '../http.js';
import { fullName, type Pull, type Repository } from '../state.js';
import { address, markup, type Markup } from './frame.js';
import type { Viewer } from './viewer.js';

/** A pull request as one person reads it. */
export type PullPlace = {
  readonly call: PageCall;
  readonly repository: Repository;
  readonly pull: Pull;
  readonly viewer: Viewer | null;
  /** Which of its two pages is read: forms lead back to it. */
  readonly tab: 'conversation' | 'files';
};

export const pullAddress = ({ repository, pull }: Pick<PullPlace, 'repository' | 'pull'>): string =>
  address(fullName(repository), 'pull', pull.number);

/** What each form carries: where it leads back to, and as whom it acts, so that a stale page acts as nobody else. */
export const hiddenFields = ({ viewer, tab }: PullPlace): Markup =>
  markup`<input type="hidden" name="as" value="${viewer?.account.login ?? ''}" />
    <input type="hidden" name="tab" value="${tab}" />`;
