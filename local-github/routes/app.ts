import { grantedTo, issueToken, permissionOf } from '../auth.js';
import { created, fieldsOf, ok, page, type Route, stringsField, wrongType } from '../http.js';
import { notFound } from '../refusal.js';
import { stamp } from '../state.js';
import type { Delivery } from '../webhooks.js';
import { writeApp, writeInstallation, writeProfile, writeUser } from '../wire/account.js';
import { writeRepository } from '../wire/repository.js';

/** What an app does as itself: its installations, tokens and deliveries. */
export const appRoutes = (
  deliveries: () => readonly Delivery[],
  redeliver: (id: number) => Promise<unknown>,
): Route[] => [
  {
    method: 'GET',
    pattern: '/app',
    for: 'app',
    handle: (call, app) => ok({ ...writeApp(call.world, app), installations_count: 1 }),
  },
  {
    method: 'GET',
    pattern: '/app/installations',
    for: 'app',
    handle: (call, app) => page(call, [app], (entry) => writeInstallation(call.world, entry)),
  },
  {
    method: 'GET',
    pattern: '/app/installations/:id',
    for: 'app',
    handle: (call, app) => {
      if (Number(call.params.id) !== app.installationId) throw notFound();
      return ok(writeInstallation(call.world, app));
    },
  },
  {
    method: 'POST',
    pattern: '/app/installations/:id/access_tokens',
    for: 'app',
    handle: (call, app) => {
      if (Number(call.params.id) !== app.installationId) throw notFound();
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
    handle: (call, app) =>
      page(
        call,
        deliveries()
          .filter((entry) => entry.app === app.slug)
          .toReversed(),
        (entry) => ({
          id: entry.id,
          guid: entry.guid,
          delivered_at: entry.at,
          redelivery: entry.redelivery,
          duration: entry.duration / 1000,
          status:
            entry.outcome?.kind === 'answered' && entry.outcome.status < 300 ? 'OK' : 'Invalid HTTP Response',
          status_code: entry.outcome?.kind === 'answered' ? entry.outcome.status : 0,
          event: entry.event,
          action: entry.action,
          installation_id: app.installationId,
          repository_id: entry.repositoryId,
        }),
      ),
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
      const name = `${call.params.owner}/${call.params.repo}`.toLowerCase();
      if (!call.world.repositories.has(name)) throw notFound();
      return ok(writeInstallation(call.world, app));
    },
  },
  {
    method: 'GET',
    pattern: '/installation/repositories',
    for: 'token',
    handle: (call, actor) => {
      const seen = [...call.world.repositories.values()].filter(
        (entry) =>
          actor.token?.repositories === undefined ||
          actor.token.repositories.has(`${entry.owner.login}/${entry.name}`.toLowerCase()),
      );
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
