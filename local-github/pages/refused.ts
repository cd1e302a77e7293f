import type { PageCall, Reply } from '../http.js';
import type { Refusal } from '../refusal.js';
import { field } from './field.js';
import { markup, page } from './frame.js';

/** A refusal as a page: why, what was written (so that it is not lost), and the way back. */
export const showRefusal = (call: PageCall, refusal: Refusal): Reply => {
  const written = call.method === 'POST' ? field(call, 'body') : '';
  const title = refusal.status === 404 ? 'Nothing is here' : 'That was not done';
  return page({
    title,
    status: refusal.status,
    body: markup`<h1>${title}</h1>
      <p>${sentenceOf(refusal)}</p>
      ${
        written === ''
          ? null
          : markup`<p><label for="written">What you wrote</label></p>
              <textarea id="written" rows="6" readonly>${written}</textarea>`
      }
      <p><a href="${backOf(call)}">Back</a></p>`,
  });
};

const sentenceOf = (refusal: Refusal): string => {
  const errors: unknown = refusal.body.errors;
  const told = (Array.isArray(errors) ? (errors as unknown[]) : []).flatMap((one) => {
    if (typeof one === 'string') return [one];
    const { message } = (one ?? {}) as { readonly message?: unknown };
    return typeof message === 'string' ? [message] : [];
  });
  return told.length > 0 ? `${told.join('. ')}.` : refusal.message;
};

/** A form's address is its page's and one word more. */
const backOf = (call: PageCall): string => {
  const parts = call.path.split('/').filter((part) => part !== '');
  return call.method === 'POST' && parts[0] !== '_pages' ? `/${parts.slice(0, -1).join('/')}` : '/';
};
