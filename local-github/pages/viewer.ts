import { permissionOf } from '../auth.js';
import type { PageCall, Reply } from '../http.js';
import { Refusal } from '../refusal.js';
import type { Account, Pull, Repository, World } from '../state.js';
import { field } from './field.js';
import { markup, type Markup } from './frame.js';

/** Who reads a page and acts on it: nobody signs in here, one chooses. */
export type Viewer = { readonly account: Account; readonly role: Role };

type Role = 'author' | 'maintainer' | 'write access' | 'stranger' | 'person';

const COOKIE = 'local_github_viewer';
const SHOWN = 100;

/** Whom the cookie names; without one the author of what is read, or the first person there is. */
export const viewerOf = (call: PageCall, place: Place): Viewer | null => {
  const people = peopleOf(call.world);
  const wanted = readCookie(call.headers.cookie);
  const account =
    people.find((one) => one.login === wanted) ?? people.find((one) => one === place.pull?.author);
  const found = account ?? people[0];
  return found === undefined ? null : { account: found, role: roleOf(found, place) };
};

/** What decides whether somebody is an author, a maintainer or a stranger. */
export type Place = { readonly repository: Repository | null; readonly pull: Pull | null };

const peopleOf = (world: World): Account[] =>
  [...world.accounts.values()].filter((account) => account.type === 'User' && !account.gone);

const roleOf = (account: Account, { repository, pull }: Place): Role => {
  if (repository === null) return 'person';
  if (account === pull?.author) return 'author';
  switch (permissionOf(repository, account)) {
    case 'admin':
    case 'maintain':
      return 'maintainer';
    case 'write':
      return 'write access';
    case 'triage':
    case 'read':
    case 'none':
      return 'stranger';
  }
};

const ORDER: readonly Role[] = ['author', 'maintainer', 'write access', 'stranger', 'person'];

/** "You are octocat (author)": a choice of the people this GitHub knows, whoever reads among them. */
export const showSwitch = (call: PageCall, place: Place): Markup | null => {
  const viewer = viewerOf(call, place);
  if (viewer === null) return null;
  const people = peopleOf(call.world)
    .map((account) => ({ account, role: roleOf(account, place) }))
    .sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role));
  const shown = people.filter(({ account }, at) => at < SHOWN || account === viewer.account);
  const back = `${call.path}${call.query.size === 0 ? '' : `?${call.query.toString()}`}`;
  return markup`<form class="viewer" method="post" action="/_pages/viewer">
    <label for="viewer">You are</label>
    <select id="viewer" name="login" autocomplete="off">
      ${shown.map(
        ({ account, role }) =>
          markup`<option value="${account.login}" ${account === viewer.account ? { safe: 'selected' } : null}>${
            role === 'person' ? account.login : `${account.login} (${role})`
          }</option>`,
      )}
    </select>
    <input type="hidden" name="back" value="${back}" />
    <button>Switch</button>
  </form>`;
};

/** Keeps the choice for the session of the browser and leads back. */
export const answerSwitch = (call: PageCall): Reply => {
  const login = field(call, 'login');
  const account = peopleOf(call.world).find((one) => one.login === login);
  if (account === undefined) throw new Refusal(422, 'There is nobody of that name here.');
  return {
    status: 303,
    headers: {
      location: ownPath(field(call, 'back')),
      'set-cookie': `${COOKIE}=${encodeURIComponent(account.login)}; Path=/; HttpOnly; SameSite=Strict`,
    },
  };
};

/** A redirect leads to a page of this GitHub or to the first one. */
const ownPath = (back: string): string => {
  const here = 'http://local.invalid';
  if (!back.startsWith('/') || !URL.canParse(back, here)) return '/';
  const url = new URL(back, here);
  // `/.//elsewhere` is a path here and a host to a browser.
  const isOwn = url.origin === here && !url.pathname.startsWith('//');
  return isOwn ? `${url.pathname}${url.search}` : '/';
};

const readCookie = (header: string | undefined): string | null => {
  for (const part of (header ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name !== COOKIE) continue;
    try {
      return decodeURIComponent(value);
    } catch {
      return null;
    }
  }
  return null;
};
