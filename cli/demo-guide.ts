import { demoPushes } from '../local-github/demo-pushes.js';
import type { DemoStory } from '../local-github/demo-story.js';
import type { Caption, LocalRepository } from '../local-github/index.js';

/** The check is required, there is somebody who may decide and somebody who may not, and the page says what to look at. */
export function preparePage(repository: LocalRepository, of: 'story' | 'clean story' | 'own branch'): void {
  repository.requiredChecks = ['Evident'];
  repository.addCollaborator('monalisa', 'maintain');
  repository.addCollaborator('hubot', 'read');
  repository.captions = captionsOf(of);
}

function captionsOf(of: 'story' | 'clean story' | 'own branch'): readonly Caption[] {
  switch (of) {
    case 'story':
      return captions;
    case 'clean story':
      return [nothingSaid];
    case 'own branch':
      return [...captions, ownFix];
  }
}

const captions: readonly Caption[] = [
  {
    name: 'Read a finding',
    text: 'what is wrong, and the lines that show it, which code has looked up.',
    to: { kind: 'thread', begins: /^\*\*Important \(F/ },
  },
  {
    name: 'Answer the question',
    text: 'reply yes, no or not sure. What each will do stands above the reply.',
    // Once it is answered it begins otherwise, and nothing is left to do.
    to: { kind: 'thread', begins: /^\*\*Question \(Q/ },
  },
  {
    name: 'Watch the check',
    text: 'it holds the merge until what is important is fixed, or until monalisa decides: /evident override and why.',
    to: { kind: 'checks' },
  },
];

/** What is shown is a copy, which later commits do not reach. */
const ownFix: Caption = {
  name: 'Bring in a fix',
  text: 'commit it in your repository and run npm run demo -- --repo again. What you do here stays here.',
  to: { kind: 'checks' },
};

const nothingSaid: Caption = {
  name: 'Watch the check',
  text: 'a review that finds nothing writes no comment. The check says so, and what was read.',
  to: { kind: 'checks' },
};

/** Buttons of the page, each a real push. */
export function offerPushes(repository: LocalRepository, story: DemoStory): void {
  const { branch } = story;
  for (const { label, message, changes } of demoPushes(story))
    repository.offers.push({
      label,
      branch,
      push: (login) => repository.commit({ branch, files: changes, message, author: login }),
    });
}
