import { randomBytes } from 'node:crypto';
import { type NewApp, registerApp } from './auth.js';
import type { Reply } from './http.js';
import { type Manifest, validateManifest } from './manifest.js';
import { Refusal } from './refusal.js';
import type { App, World } from './state.js';

/**
 * The registration of an app from its manifest: a browser sends it as a form, GitHub leads back with a code, the code
 * is turned into the app. Nobody presses the button in between.
 * https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
 */
export type AppForms = {
  /** Throws the sentences of `validateManifest` as 422. */
  readonly submit: (manifest: Manifest, owner?: string) => string;
  /** The app of a code, once; null for one that is used up, past its hour or made up. It is not installed yet. */
  readonly convert: (code: string) => App | null;
  readonly answer: (world: World, path: string, query: URLSearchParams, body: unknown) => Reply;
};

const HOUR_MS = 3_600_000;

export const createAppForms = (world: World): AppForms => {
  const codes = new Map<string, { readonly app: NewApp; readonly until: number }>();

  const submit = (manifest: Manifest, owner?: string): string => {
    const faults = validateManifest(manifest);
    if (faults.length > 0) throw new Refusal(422, 'Invalid GitHub App configuration', { errors: faults });
    const name = manifest.name ?? `app-${randomBytes(3).toString('hex')}`;
    const slug = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
    if (slug === '' || world.apps.some((app) => app.slug === slug))
      throw new Refusal(422, 'Invalid GitHub App configuration', { errors: ['name is already taken.'] });
    const code = randomBytes(20).toString('hex');
    const app = {
      slug,
      name,
      events: manifest.default_events ?? [],
      permissions: { metadata: 'read', ...manifest.default_permissions },
      exact: true,
      installed: false,
      ...(owner === undefined ? {} : { owner }),
    } as const;
    codes.set(code, { app, until: world.clock() + HOUR_MS });
    return code;
  };

  return {
    submit,
    convert: (code) => {
      const known = codes.get(code);
      codes.delete(code);
      if (known === undefined || known.until <= world.clock()) return null;
      return registerApp(world, known.app);
    },
    answer: (_, path, query, body) => {
      const [, owner] = /^\/organizations\/([\w-]+)\/settings\/apps\/new$/.exec(path) ?? [];
      if (owner === undefined && path !== '/settings/apps/new') throw new Refusal(404, 'Not Found');
      const manifest = manifestOf(body);
      const code = submit(manifest, owner);
      if (manifest.redirect_url === undefined)
        throw new Refusal(422, 'Invalid GitHub App configuration', {
          errors: ["redirect_url wasn't supplied: there is nowhere to lead back to."],
        });
      const back = new URL(manifest.redirect_url);
      back.searchParams.set('code', code);
      const state = query.get('state');
      if (state !== null) back.searchParams.set('state', state);
      return { status: 302, headers: { location: back.href } };
    },
  };
};

const manifestOf = (body: unknown): Manifest => {
  const { manifest } = (typeof body === 'object' && body !== null ? body : {}) as { manifest?: unknown };
  try {
    if (typeof manifest === 'string') return JSON.parse(manifest) as Manifest;
  } catch {
    // Told below.
  }
  throw new Refusal(422, 'Invalid GitHub App configuration', {
    errors: ['The form must carry a field manifest with JSON in it.'],
  });
};
