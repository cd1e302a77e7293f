import { randomBytes } from 'node:crypto';
import { grantedTo, issueToken, permissionOf, reaches } from '../auth.js';
import {
  type Call,
  created,
  fieldsOf,
  gone,
  ok,
  page,
  pageByCursor,
  type Route,
  stringsField,
  wrongType,
} from '../http.js';
import { notAccessible, notFound } from '../refusal.js';
import { type App, repositoryNamed, stamp } from '../state.js';
import { type Delivery, headersOf } from '../webhooks.js';
import { writeApp, writeInstallation, writeProfile, writeUser } from '../wire/account.js';
import { writeRepository } from '../wire/repository.js';

/** What an app does as itself: its installations, tokens and deliveries. */
export const appRoutes = (
  deliveries: () => readonly Delivery[],
  redeliver: (id: number) => Promise<unknown>,
  convertManifest: (code: string) => App | null,
): Route[] => [
  {
    method: 'GET',
    pattern: '/app',
    for: 'app',
    handle: (call, app) => ok({ ...writeApp(call.world, app), installations_count: app.installed ? 1 : 0 }),
  },
  {
    method: 'GET',
    pattern: '/app/installations',
    for: 'app',
    handle: (call, app) =>
      page(call, app.installed ? [app] : [], (entry) => writeInstallation(call.world, entry)),
  },
  {
    method: 'GET',
    pattern: '/app/installations/:id',
    for: 'app',
    handle: (call, app) => {
      if (!isInstalled(call, app)) throw notFound();
      return ok(writeInstallation(call.world, app));
    },
  },
  {
    method: 'POST',
    pattern: '/app/installations/:id/access_tokens',
    for: 'app',
    handle: (call, app) => {
      if (!isInstalled(call, app)) throw notFound();
      const fields = fieldsOf(call);
      const { repository_ids: ids, permissions } = fields;
      if (ids !== undefined && (!Array.isArray(ids) || ids.some((id) => typeof id !== 'number')))
        throw wrongType('repository_ids', ids, 'an array of integers');
      if (permissions !== undefined && (typeof permissions !== 'object' || permissions === null))
        throw wrongType('permissions', permissions, 'an object');
      const names = stringsField(fields, 'repositories');
      const { token, repositories } = issueToken(call.world, app, {
        ...(names === undefined ? {} : { repositories: names }),
        ...(ids === undefined ? {} : { repositoryIds: ids as number[] }),
        ...(permissions === undefined ? {} : { permissions: permissions as Record<string, string> }),
      });
      return created({
        token: token.value,
        expires_at: stamp(token.expiresAt ?? 0),
        permissions: token.permissions ?? grantedTo(app),
        repository_selection: repositories === null ? 'all' : 'selected',
        ...(repositories === null
          ? {}
          : { repositories: repositories.map((entry) => writeRepository(call.world, entry)) }),
      });
    },
  },
  {
    method: 'GET',
    pattern: '/app/hook/deliveries',
    for: 'app',
    handle: (call, app) => {
      const status = call.query.get('status');
      const redelivery = call.query.get('redelivery');
      const seen = deliveries()
        .filter((entry) => entry.app === app.slug)
        .filter((entry) => status === null || (status === 'success') === succeeded(entry))
        .filter((entry) => redelivery === null || (redelivery === 'true') === entry.redelivery)
        .toReversed();
      return pageByCursor(call, seen, (entry) => writeDelivery(app, entry));
    },
  },
  {
    method: 'GET',
    pattern: '/app/hook/deliveries/:id',
    for: 'app',
    handle: (call, app) => {
      const known = deliveries().find(
        (entry) => entry.id === Number(call.params.id) && entry.app === app.slug,
      );
      if (known === undefined) throw notFound();
      return ok({
        ...writeDelivery(app, known),
        url: app.webhookUrl,
        request: { headers: headersOf(known), payload: known.payload },
        response: { headers: known.response?.headers ?? null, payload: known.response?.body ?? null },
      });
    },
  },
  {
    method: 'POST',
    pattern: '/app/hook/deliveries/:id/attempts',
    for: 'app',
    handle: (call, app) => {
      const known = deliveries().find(
        (entry) => entry.id === Number(call.params.id) && entry.app === app.slug,
      );
      if (known === undefined) throw notFound();
      void redeliver(known.id).catch(() => undefined);
      return { status: 202, body: {} };
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/installation',
    for: 'app',
    handle: (call, app) => {
      const named = repositoryNamed(call.world, `${call.params.owner}/${call.params.repo}`);
      if (named === null || !app.installed || app.withheld.has(named.repository.id)) throw notFound();
      return ok(writeInstallation(call.world, app));
    },
  },
  {
    method: 'POST',
    pattern: '/app-manifests/:code/conversions',
    for: 'anyone',
    handle: (call) => {
      const app = convertManifest(call.params.code ?? '');
      if (app === null) throw notFound();
      return created({
        ...writeApp(call.world, app),
        client_id: app.clientId,
        client_secret: randomBytes(20).toString('hex'),
        webhook_secret: app.webhookSecret,
        pem: app.privateKey,
      });
    },
  },
  {
    method: 'DELETE',
    pattern: '/installation/token',
    for: 'token',
    handle: (call, actor) => {
      if (actor.token !== undefined) call.world.tokens.delete(actor.token.value);
      return gone();
    },
  },
  {
    method: 'GET',
    pattern: '/installation/repositories',
    for: 'token',
    handle: (call, actor) => {
      if (actor.app === undefined) throw notAccessible();
      const seen = [...call.world.repositories.values()].filter((entry) => reaches(actor, entry));
      const answer = page(call, seen, (entry) => writeRepository(call.world, entry));
      return { ...answer, body: { total_count: seen.length, repositories: answer.body } };
    },
  },
  {
    method: 'GET',
    pattern: '/user',
    for: 'token',
    handle: (call, actor) => {
      if (actor.app !== undefined) throw notFound();
      return ok(writeProfile(call.world, actor.account));
    },
  },
  {
    method: 'GET',
    pattern: '/users/:login',
    for: 'anyone',
    handle: (call) => {
      const account = call.world.accounts.get((call.params.login ?? '').toLowerCase());
      if (account === undefined || account.gone) throw notFound();
      return ok(writeProfile(call.world, account));
    },
  },
  {
    method: 'GET',
    pattern: '/repos/:owner/:repo/collaborators',
    for: 'repository',
    needs: ['metadata=read'],
    handle: (call) => {
      const people = [...call.repository.collaborators.keys()]
        .map((login) => call.world.accounts.get(login))
        .filter((account) => account !== undefined);
      return page(call, people, (account) => ({
        ...writeUser(call.world, account),
        role_name: permissionOf(call.repository, account),
      }));
    },
  },
];

const isInstalled = (call: Call, app: App): boolean =>
  app.installed && Number(call.params.id) === app.installationId;

const succeeded = (delivery: Delivery): boolean =>
  delivery.outcome?.kind === 'answered' && delivery.outcome.status >= 200 && delivery.outcome.status < 300;

const writeDelivery = (app: App, entry: Delivery) => ({
  id: entry.id,
  guid: entry.guid,
  delivered_at: entry.at,
  redelivery: entry.redelivery,
  duration: entry.duration / 1000,
  status: statusOf(entry),
  status_code: entry.outcome?.kind === 'answered' ? entry.outcome.status : 0,
  event: entry.event,
  action: entry.action,
  installation_id: app.installationId,
  repository_id: entry.repositoryId,
  throttled_at: null,
});

const statusOf = (delivery: Delivery): string => {
  const { outcome } = delivery;
  switch (outcome?.kind) {
    case undefined:
      return 'pending';
    case 'answered':
      return succeeded(delivery) ? 'OK' : `Invalid HTTP Response: ${outcome?.status ?? 0}`;
    case 'timedOut':
      return 'timed out';
    case 'unreachable':
    case 'lost':
      return 'failed to connect to host';
  }
};
