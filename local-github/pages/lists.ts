import { fullName, type Repository, type World } from '../state.js';
import { address, markup, type Markup } from './frame.js';
import { nameOf } from './people.js';
import { stateOf } from './pull.js';

export const showRepositories = (world: World): Markup =>
  markup`<h1>Local GitHub</h1>
    <ul>
      ${[...world.repositories.values()].map(
        (repository) =>
          markup`<li><a href="${address(fullName(repository))}">${fullName(repository)}</a></li>`,
      )}
    </ul>`;

export const showRepository = (repository: Repository): Markup =>
  markup`<h1>${fullName(repository)}</h1>
    <h2>Pull requests</h2>
    <ul class="plain">
      ${[...repository.pulls.values()].map(
        (pull) =>
          markup`<li>
            <a href="${address(fullName(repository), 'pull', pull.number)}"><bdi>${pull.title}</bdi> #${pull.number}</a>
            <span class="pill ${stateOf(pull)}">${stateOf(pull)}</span>
            <span class="muted">by ${nameOf(pull.author)}</span>
          </li>`,
      )}
    </ul>`;
