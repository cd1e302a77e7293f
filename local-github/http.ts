import type { Need } from './auth.js';
import { invalid, notFound, Refusal } from './refusal.js';
import type { Actor, App, Pull, Repository, World } from './state.js';

/** A request as the routes see it. */
export type Call = {
  readonly world: World;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
};

/** A call about a repository that the caller's token reaches. */
export type RepositoryCall = Call & { readonly repository: Repository; readonly actor: Actor };

export type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or bytes with a content type in the headers; absent for 204. */
  readonly body?: unknown;
  /** Instead of a body: writes for as long as the connection stands. */
  readonly stream?: (connection: Connection) => void;
};

export type Connection = {
  readonly send: (text: string) => void;
  /** Called once, when either side has closed it. */
  readonly onClose: (act: () => void) => void;
};

/** A request of a browser, outside of the API. */
export type PageCall = {
  readonly world: World;
  readonly method: string;
  /** As it was sent: `%20` stands for a space. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The fields of a form; JSON from whoever sends that. */
  readonly body: unknown;
};

/**
 * Who may call. `repository` needs a token that reaches `:owner/:repo` and one of `needs`; `app` a JSON web token.
 */
export type Route = { readonly method: string; readonly pattern: string } & (
  | { readonly for: 'anyone'; readonly handle: (call: Call) => Promise<Reply> | Reply }
  | { readonly for: 'app'; readonly handle: (call: Call, app: App) => Promise<Reply> | Reply }
  | { readonly for: 'token'; readonly handle: (call: Call, actor: Actor) => Promise<Reply> | Reply }
  | {
      readonly for: 'repository';
      readonly needs: readonly Need[];
      readonly handle: (call: RepositoryCall) => Promise<Reply> | Reply;
    }
);

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const created = (body: unknown): Reply => ({ status: 201, body });
export const gone = (): Reply => ({ status: 204 });

/** One page of a list and GitHub's `Link` header around it. */
export const page = <T>(call: Call, items: readonly T[], write: (item: T) => unknown): Reply => {
  const { slice, headers } = pageOf(call, items);
  return { status: 200, headers, body: slice.map(write) };
};

/** `total` when the list is longer than `items` shows. */
export const pageOf = <T>(
  call: Call,
  items: readonly T[],
): { readonly slice: readonly T[]; readonly headers: Readonly<Record<string, string>> } => {
  const size = Math.min(100, Math.max(1, integer(call.query.get('per_page'), 30)));
  const at = Math.max(1, integer(call.query.get('page'), 1));
  const last = Math.max(1, Math.ceil(items.length / size));
  const link = (number: number, rel: string): string => {
    const query = new URLSearchParams(call.query);
    query.set('per_page', String(size));
    query.set('page', String(number));
    return `<${call.world.url}/api/v3${call.path}?${query.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(at > 1 ? [link(Math.min(at - 1, last), 'prev')] : []),
    ...(at < last ? [link(at + 1, 'next'), link(last, 'last')] : []),
    ...(at > 1 ? [link(1, 'first')] : []),
  ];
  return {
    slice: items.slice((at - 1) * size, at * size),
    headers: links.length === 0 ? {} : { link: links.join(', ') },
  };
};

/** One page of a list that is paged by cursors: `Link` names the next page alone. */
export const pageByCursor = <T extends { readonly id: number }>(
  call: Call,
  items: readonly T[],
  write: (item: T) => unknown,
): Reply => {
  const size = Math.min(100, Math.max(1, integer(call.query.get('per_page'), 30)));
  const cursor = call.query.get('cursor');
  const after = /^v1_(\d+)$/.exec(cursor ?? '')?.[1];
  if (cursor !== null && after === undefined) throw new Refusal(400, 'Invalid cursor');
  const rest = after === undefined ? items : items.filter((item) => item.id < Number(after));
  const slice = rest.slice(0, size);
  const last = slice.at(-1);
  if (last === undefined || slice.length === rest.length) return ok(slice.map(write));
  const query = new URLSearchParams(call.query);
  query.set('per_page', String(size));
  query.set('cursor', `v1_${last.id}`);
  const link = `<${call.world.url}/api/v3${call.path}?${query.toString()}>; rel="next"`;
  return { status: 200, headers: { link }, body: slice.map(write) };
};

const integer = (text: string | null, otherwise: number): number => {
  const value = text === null ? NaN : Number(text);
  return Number.isInteger(value) ? value : otherwise;
};

/** The pull request `:number` names. */
export const pullOf = (call: RepositoryCall): Pull => {
  const number = Number(call.params.number);
  const pull = call.repository.pulls.get(number);
  if (pull === undefined) throw notFound();
  return pull;
};

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (call: { readonly body: unknown }): Fields => {
  if (call.body === undefined) return {};
  if (typeof call.body !== 'object' || call.body === null || Array.isArray(call.body))
    throw new Refusal(422, 'Invalid request.\n\nBody should be a JSON object');
  return call.body as Fields;
};

/** A wrong type answers 422 in the words GitHub uses for a body that is off its schema. */
export const wrongType = (name: string, value: unknown, type: string): Refusal =>
  new Refusal(
    422,
    `Invalid request.\n\nFor '${name}', ${JSON.stringify(value)?.slice(0, 200)} is not ${type}.`,
  );

export const stringField = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrongType(name, value, 'a string');
  return value;
};

export const requiredString = (fields: Fields, name: string, resource: string): string => {
  const value = stringField(fields, name);
  if (value === undefined) throw invalid(resource, name, 'missing_field');
  return value;
};

export const integerField = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongType(name, value, 'an integer');
  return value;
};

export const stringsField = (fields: Fields, name: string): string[] | undefined => {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.some((entry) => typeof entry !== 'string'))
    throw wrongType(name, value, 'an array of strings');
  return value as string[];
};
