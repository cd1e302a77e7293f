import type { Caption, Pull } from '../state.js';
import { markup, type Markup } from './frame.js';
import { showPart } from './part.js';
import { pullAddress, type PullPlace } from './place.js';

/** What to look at, in order: short lines that whoever shows this GitHub has put ready, as soon as each leads somewhere. */
export const showCaptions = (place: PullPlace): Markup => {
  const captions = place.call.world.captions.get(place.repository.id) ?? [];
  const lines = captions.flatMap((caption) => {
    const to = leadsTo(place, caption);
    return to === null ? [] : [markup`<li><a href="${to}">${caption.name}</a>: ${caption.text}</li>`];
  });
  if (lines.length === 0) return markup``;
  return markup`<div id="captions">${showPart(
    { tag: 'section', id: 'guide', kind: 'guide', label: 'What to look at' },
    markup`<ol>
      ${lines}
    </ol>`,
  )}</div>`;
};

/** Null while it is not there yet. */
const leadsTo = (place: PullPlace, { to }: Caption): string | null => {
  const url = pullAddress(place);
  if (to.kind === 'checks') return `${url}#merge-box`;
  const thread = firstThread(place.pull, to.begins);
  return thread === null ? null : `${url}#thread-${thread.comments[0]?.id ?? ''}`;
};

const firstThread = (pull: Pull, begins: RegExp): Pull['threads'][number] | null =>
  pull.threads.find(({ comments: [first] }) => first !== undefined && begins.test(first.body)) ?? null;
