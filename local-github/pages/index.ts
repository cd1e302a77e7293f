/**
 * Plain pages of what the local GitHub holds, so that links in reviews lead somewhere: a pull request with its
 * conversation, its files, a file at a commit, a check run. Read-only, without scripts.
 */
import type { Reply } from '../http.js';
import { Refusal } from '../refusal.js';
import type { Repository, World } from '../state.js';
import { showFile, showRaw } from './file.js';
import { page } from './frame.js';
import { showCheck, showFiles, showPull, showRepositories, showRepository } from './pull.js';

export const showPage = async (world: World, path: string): Promise<Reply> => {
  if (path === '/') return page('Local GitHub', showRepositories(world));
  const [, owner = '', name = '', kind, id = '', ...rest] = path.split('/');
  const repository = world.repositories.get(`${owner}/${name}`.toLowerCase());
  if (repository === undefined) throw nothingHere();
  const title = `${owner}/${name}`;
  switch (kind) {
    case undefined:
    case '':
      return page(title, showRepository(world, repository));
    case 'pull': {
      const number = Number(id.replace(/\.(diff|patch)$/, ''));
      const pull = repository.pulls.get(number);
      if (pull === undefined) throw nothingHere();
      const heading = `${pull.title} #${number}`;
      return rest[0] === 'files'
        ? page(heading, await showFiles(world, repository, pull))
        : page(heading, await showPull(world, repository, pull));
    }
    case 'runs':
      return page(title, await showCheck(world, repository, checkOf(repository, id)));
    case 'blob':
      return page(`${rest.join('/')} at ${id.slice(0, 7)}`, await showFile(repository, id, rest.join('/')));
    case 'raw':
      return showRaw(repository, id, rest.join('/'));
    default:
      throw nothingHere();
  }
};

const checkOf = (repository: Repository, id: string) => {
  const run = repository.checkRuns.find((entry) => entry.id === Number(id));
  if (run === undefined) throw nothingHere();
  return run;
};

const nothingHere = (): Refusal => new Refusal(404, 'Not Found');
