/* global document, location, addEventListener, sessionStorage, DOMParser, EventSource */

// Keeps a page as it stands on the server, keeps what was not sent, marks the lines that its address names, and sends a
// text with Ctrl+Enter.
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

/** Words that were not sent outlive a push, another reply, a switch to somebody else: for as long as this tab is open. */
const drafts = `drafts ${location.pathname}`;
let sent = null;

const saveDrafts = () => {
  if (main.dataset.events === undefined) return;
  const begun = [...document.querySelectorAll('textarea')].filter(
    (area) => area.value !== '' && area.form !== sent,
  );
  try {
    if (begun.length === 0) sessionStorage.removeItem(drafts);
    else sessionStorage.setItem(drafts, JSON.stringify(begun.map((area) => [area.id, area.value])));
  } catch {
    // A browser may refuse to keep anything.
  }
};

const restore = (texts) => {
  for (const [id, value] of texts) {
    const area = document.getElementById(id);
    if (area?.tagName !== 'TEXTAREA' || area.value !== '') continue;
    area.value = value;
    area.closest('details')?.setAttribute('open', '');
  }
};

addEventListener('submit', ({ target }) => (sent = target));
addEventListener('pagehide', saveDrafts);
addEventListener('pageshow', () => (sent = null));
try {
  if (main.dataset.events !== undefined) restore(JSON.parse(sessionStorage.getItem(drafts) ?? '[]'));
} catch {
  // Then there is nothing to give back.
}

/** Folds have no ids: those that stand in the same element with one are told apart by their order. */
const foldsOf = () => {
  const folds = new Map();
  for (const fold of document.querySelectorAll('main details')) {
    const { id } = fold.closest('[id]');
    folds.set(id, [...(folds.get(id) ?? []), fold]);
  }
  return folds;
};

/** What somebody has begun: words, open folds, where the cursor is. Calls back to give it to what stands there then. */
const keep = () => {
  const active = document.activeElement;
  const texts = [...document.querySelectorAll('textarea')]
    .filter(({ value }) => value !== '')
    .map(({ id, value }) => [id, value]);
  const folds = [...foldsOf()].map(([id, all]) => [id, all.map(({ open }) => open)]);
  const around = active?.closest('[id]')?.id ?? '';
  const same = () => [...(document.getElementById(around)?.querySelectorAll(active.tagName) ?? [])];
  const nth = around === active?.id ? -1 : same().indexOf(active);
  const { selectionStart, selectionEnd } = active ?? {};
  return () => {
    restore(texts);
    const now = foldsOf();
    for (const [id, open] of folds) {
      const all = now.get(id) ?? [];
      if (all.length === open.length) all.forEach((fold, at) => (fold.open = open[at]));
    }
    if (around === '' || active.isConnected) return;
    const again = nth === -1 ? document.getElementById(around) : same()[nth];
    if (again?.tagName !== 'SUMMARY') again?.closest('details')?.setAttribute('open', '');
    again?.focus({ preventScroll: true });
    if (again?.tagName === 'TEXTAREA') again.setSelectionRange(selectionStart, selectionEnd);
  };
};

/** Parts are matched by id; one that changed is exchanged, a new one put behind the part before it. */
const takeOver = (next) => {
  const giveBack = keep();
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
      here.replaceWith(made);
    }
    before = document.getElementById(part.id);
  }
  giveBack();
};

const announce = (says) => {
  const told = document.getElementById('announce');
  told.classList.add('unseen');
  if (says !== undefined && says !== main.dataset.says) told.textContent = says;
  main.dataset.says = says;
};

/** Somebody chose another person elsewhere: what is written here as one must not be sent as the other. */
const standStill = (viewer) => {
  const told = document.getElementById('announce');
  told.classList.remove('unseen');
  told.textContent = `You are ${viewer} now, by another window. Reload this page, which was shown to ${main.dataset.viewer}.`;
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
    if (nextMain.dataset.viewer !== main.dataset.viewer) return standStill(nextMain.dataset.viewer);
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
