/**
 * What the local GitHub shows to a browser: pull requests with their conversation, files and checks, files at a commit,
 * check runs, and forms to act as one of the people of this world. Everything can be read and done without scripts.
 */
import type { PageCall, Reply } from '../http.js';
import { Refusal } from '../refusal.js';
import { type CheckRun, fullName, type Pull, type Repository, type World } from '../state.js';
import { showAsset } from './assets.js';
import { pullOfRun, showCheck } from './check.js';
import { showFile, showRaw } from './file.js';
import { showFiles } from './files.js';
import { answerPullForm, answerRunForm } from './forms.js';
import { address, type Frame, page } from './frame.js';
import { showRepositories, showRepository } from './lists.js';
import { showEvents, versionOf } from './live.js';
import { sayChecks } from './merge-box.js';
import type { PullPlace } from './place.js';
import { crumbsOf, showPull } from './pull.js';
import { showRefusal } from './refused.js';
import { requireOwnForm, requireOwnHost } from './same-site.js';
import { answerSwitch, showSwitch, viewerOf } from './viewer.js';

/** A form that registers an app: it comes from other sites, as on GitHub. */
type AppForm = (world: World, path: string, query: URLSearchParams, body: unknown) => Reply;

export const createPages =
  (answerAppForm: AppForm) =>
  async (call: PageCall): Promise<Reply> => {
    if (call.method === 'POST' && /\/settings\/apps\/new$/.test(call.path)) {
      requireOwnHost(call);
      return answerAppForm(call.world, call.path, call.query, call.body);
    }
    try {
      requireOwnHost(call);
      const parts = partsOf(call.path);
      if (call.method === 'POST') {
        requireOwnForm(call);
        return await answerForm(call, parts);
      }
      if (call.method !== 'GET' && call.method !== 'HEAD')
        throw new Refusal(405, 'Pages are read, and their forms sent.', {}, { allow: 'GET, HEAD, POST' });
      return await answerPage(call, parts);
    } catch (error) {
      if (error instanceof Refusal) return showRefusal(call, error);
      const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`local GitHub: ${call.method} ${call.path}: ${told}\n`);
      return showRefusal(
        call,
        new Refusal(500, 'Something failed here. The terminal that runs this says what.'),
      );
    }
  };

const nothingHere = (): Refusal => new Refusal(404, 'There is no such page.');

const partsOf = (path: string): readonly string[] => {
  try {
    const parts = path.slice(1).split('/').map(decodeURIComponent);
    if (!parts.some((part) => part.includes('\0'))) return parts;
  } catch {
    // Told below: such an address names nothing.
  }
  throw nothingHere();
};

const answerForm = async (call: PageCall, parts: readonly string[]): Promise<Reply> => {
  const [owner = '', name = '', kind, id = '', action = '', ...more] = parts;
  if (owner === '_pages' && name === 'viewer' && parts.length === 2) return answerSwitch(call);
  const repository = repositoryOf(call.world, owner, name);
  if (more.length > 0) throw nothingHere();
  if (kind === 'pull') return answerPullForm(call, repository, pullOf(repository, id), action);
  if (kind === 'runs') return answerRunForm(call, repository, runOf(repository, id), action);
  throw nothingHere();
};

const answerPage = async (call: PageCall, parts: readonly string[]): Promise<Reply> => {
  const { world } = call;
  const [owner = '', name = '', kind = '', id = '', ...rest] = parts;
  const everywhere = { viewer: showSwitch(call, { repository: null, pull: null }) };
  if (parts.length === 1 && owner === '')
    return page({ title: 'Local GitHub', body: showRepositories(world), ...everywhere });
  if (owner === '_pages') return (await showAsset(parts.slice(1).join('/'))) ?? refuse();
  const repository = repositoryOf(world, owner, name);
  const title = fullName(repository);
  const frame = {
    crumbs: [{ name: title, url: address(title) }],
    viewer: showSwitch(call, { repository, pull: null }),
  };
  switch (kind) {
    case '':
      return page({ title, body: showRepository(repository), ...frame });
    case 'pull':
      return showPullTab(call, repository, pullOf(repository, id.replace(/\.(diff|patch)$/, '')), rest);
    case 'runs': {
      const run = runOf(repository, id);
      const place = { repository, pull: pullOfRun(repository, run) };
      const body = await showCheck(repository, run, viewerOf(call, place));
      return page({ ...frame, title: `${run.name}, ${title}`, viewer: showSwitch(call, place), body });
    }
    case 'blob': {
      const path = rest.join('/');
      return page({
        title: `${path} at ${id.slice(0, 7)}`,
        body: await showFile(repository, id, path),
        ...frame,
      });
    }
    case 'raw':
      return showRaw(repository, id, rest.join('/'));
    default:
      throw nothingHere();
  }
};

const showPullTab = async (
  call: PageCall,
  repository: Repository,
  pull: Pull,
  [tab = '', ...more]: readonly string[],
): Promise<Reply> => {
  if (more.length > 0) throw nothingHere();
  const { world } = call;
  if (tab === 'events') return showEvents(world, repository, pull, call.query.get('known'));
  if (tab !== '' && tab !== 'files') throw nothingHere();
  const version = versionOf(world, repository, pull);
  const place: PullPlace = {
    call,
    repository,
    pull,
    viewer: viewerOf(call, { repository, pull }),
    tab: tab === 'files' ? 'files' : 'conversation',
  };
  const frame: Frame = {
    title: `${pull.title} #${pull.number}`,
    crumbs: crumbsOf(place),
    viewer: showSwitch(call, { repository, pull }),
    live: {
      events: address(fullName(repository), 'pull', pull.number, 'events'),
      version,
      says: sayChecks(repository, pull),
      viewer: place.viewer?.account.login ?? '',
    },
    body: tab === 'files' ? await showFiles(place) : await showPull(place),
  };
  return page(frame);
};

const refuse = (): never => {
  throw nothingHere();
};

const repositoryOf = (world: World, owner: string, name: string): Repository => {
  const repository = world.repositories.get(`${owner}/${name}`.toLowerCase());
  if (repository === undefined) throw nothingHere();
  return repository;
};

const pullOf = (repository: Repository, id: string): Pull => {
  const pull = /^\d+$/.test(id) ? repository.pulls.get(Number(id)) : undefined;
  if (pull === undefined) throw nothingHere();
  return pull;
};

const runOf = (repository: Repository, id: string): CheckRun => {
  const run = repository.checkRuns.find((entry) => String(entry.id) === id);
  if (run === undefined) throw nothingHere();
  return run;
};
