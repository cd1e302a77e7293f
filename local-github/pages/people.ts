import type { Account, Reaction } from '../state.js';
import { markup, type Markup } from './frame.js';

/** A deleted account is shown as GitHub shows it. */
export const nameOf = (account: Account): string => (account.gone ? 'ghost' : account.login);

/** A time for people, with the whole of it for machines. */
export const showTime = (at: string): Markup =>
  markup`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`;

export const showEdited = (item: { readonly lastEditedAt: string | null }): Markup | null =>
  item.lastEditedAt === null ? null : markup` <span class="muted">(edited)</span>`;

const SIGNS: Readonly<Record<Reaction['content'], string>> = {
  '+1': 'thumbs up',
  '-1': 'thumbs down',
  laugh: 'laugh',
  confused: 'confused',
  heart: 'heart',
  hooray: 'hooray',
  rocket: 'rocket',
  eyes: 'eyes',
};

export const showReactions = (reactions: readonly Reaction[]): Markup | null =>
  reactions.length === 0
    ? null
    : markup`<ul class="reactions" aria-label="Reactions">
        ${reactions.map((one) => markup`<li>${SIGNS[one.content]} by ${nameOf(one.account)}</li>`)}
      </ul>`;
