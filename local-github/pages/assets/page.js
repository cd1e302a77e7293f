/* global document, location, addEventListener, DOMParser, EventSource */

// Keeps a page as it stands on the server, marks the lines that its address names, and sends a text with Ctrl+Enter.
// Everything on the page works without it.

const main = document.querySelector('main');

/** `#L10-L14` names lines of a file; a target inside a fold opens it. */
const showTarget = () => {
  for (const row of document.querySelectorAll('tr.marked')) row.classList.remove('marked');
  const [, first, last] = /^#L(\d+)-L(\d+)$/.exec(location.hash) ?? [];
  if (first !== undefined) {
    const from = Math.min(Number(first), Number(last));
    const to = Math.max(Number(first), Number(last));
    let row = document.getElementById(`L${from}`);
    row?.scrollIntoView({ block: 'center' });
    for (let at = from; row !== null && at <= to; at += 1) {
      row.classList.add('marked');
      row = document.getElementById(`L${at + 1}`);
    }
    return;
  }
  const target = document.getElementById(location.hash.slice(1));
  if (target === null) return;
  for (const fold of [target.querySelector(':scope > details'), target.closest('details')])
    if (fold !== null && !fold.open && location.hash.startsWith('#discussion_r')) {
      fold.open = true;
      target.scrollIntoView();
    }
};

addEventListener('hashchange', showTarget);
showTarget();

addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  const { form } = event.target;
  if (event.target.tagName !== 'TEXTAREA' || form === null) return;
  event.preventDefault();
  form.requestSubmit(form.querySelector('button'));
});

/** What somebody has begun in a part: words, open folds, where the cursor is. */
const keep = (part) => {
  const active = part.contains(document.activeElement) ? document.activeElement : null;
  const texts = [...part.querySelectorAll('textarea')].map((area) => [area.id, area.value]);
  const folds = [...part.querySelectorAll('details')].map((fold) => fold.open);
  const { selectionStart, selectionEnd } = active ?? {};
  return (made) => {
    const now = made.querySelectorAll('details');
    if (now.length === folds.length) now.forEach((fold, at) => (fold.open = folds[at]));
    for (const [id, value] of texts) {
      const area = document.getElementById(id);
      if (area !== null && value !== '') area.value = value;
    }
    if (active === null || active.id === '') return;
    const again = document.getElementById(active.id);
    again?.closest('details')?.setAttribute('open', '');
    again?.focus({ preventScroll: true });
    if (again?.tagName === 'TEXTAREA') again.setSelectionRange(selectionStart, selectionEnd);
  };
};

/** Parts are matched by id; one that changed is exchanged, a new one put behind the part before it. */
const takeOver = (next) => {
  const fresh = [...next.querySelectorAll('[data-part]')].filter(
    (part) => !part.parentElement.closest('[data-part]'),
  );
  const wanted = new Set(fresh.map((part) => part.id));
  for (const part of document.querySelectorAll('[data-part]'))
    if (!wanted.has(part.id) && part.parentElement.closest('[data-part]') === null) part.remove();
  let before = null;
  for (const part of fresh) {
    const here = document.getElementById(part.id);
    const made = document.importNode(part, true);
    if (here === null) {
      const into = document.getElementById(part.parentElement.id);
      if (before !== null && before.parentElement === into) before.after(made);
      else into?.prepend(made);
    } else if (here.dataset.part !== part.dataset.part) {
      const giveBack = keep(here);
      here.replaceWith(made);
      giveBack(made);
    }
    before = document.getElementById(part.id);
  }
};

const announce = (says) => {
  if (says !== undefined && says !== main.dataset.says)
    document.getElementById('announce').textContent = says;
  main.dataset.says = says;
};

let busy = false;
let again = false;

const refresh = async () => {
  again = busy;
  if (busy) return;
  busy = true;
  try {
    const answer = await fetch(location.pathname + location.search, { headers: { accept: 'text/html' } });
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const nextMain = next.querySelector('main');
    takeOver(next);
    announce(nextMain.dataset.says);
    main.dataset.version = nextMain.dataset.version;
  } catch {
    // The server is away: the next event, or the next look at the page, tries again.
  } finally {
    busy = false;
    if (again) void refresh();
  }
};

let source = null;

/** One connection for as long as the page is looked at: a browser has six for all the pages of a site. */
const listen = () => {
  source?.close();
  source = null;
  const { events, version } = main.dataset;
  if (events === undefined || document.hidden) return;
  source = new EventSource(`${events}?known=${encodeURIComponent(version)}`);
  source.addEventListener('change', () => void refresh());
};

document.addEventListener('visibilitychange', listen);
addEventListener('pagehide', () => source?.close());
addEventListener('pageshow', (event) => event.persisted && listen());
listen();
