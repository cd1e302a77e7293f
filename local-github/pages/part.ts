import { createHash } from 'node:crypto';
import { markup, type Markup } from './frame.js';

/** A part of a page that the script exchanges by itself once it has changed: `data-part` says which text it is. */
export const showPart = (
  what: {
    readonly tag: 'section' | 'article' | 'div';
    readonly id: string;
    readonly kind: string;
    readonly label: string;
  },
  body: Markup,
): Markup => {
  const { id, kind, label } = what;
  const version = createHash('sha256').update(body.safe).digest('base64url').slice(0, 12);
  const tag: Markup = { safe: what.tag };
  // Two hundred landmarks would be none: a conversation on lines is a group.
  const role = what.tag === 'div' ? markup`role="group"` : null;
  return markup`<${tag} ${role} id="${id}" class="${kind}" aria-label="${label}" data-part="${version}">${body}</${tag}>`;
};
