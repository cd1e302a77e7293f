import type { FileChange, LocalGitHub, LocalRepository } from './index.js';
import type { DemoStory } from './demo-story.js';

/** A story whose files may be anything that git keeps: bytes, links, modes. */
export type Story = Omit<DemoStory, 'baseFiles' | 'headChanges'> & {
  readonly baseFiles: () => Readonly<Record<string, FileChange>>;
  readonly headChanges: () => Readonly<Record<string, FileChange>>;
};

/** Puts a story on a local GitHub: the repository, the branch commit by commit, the pull request. Sends the webhook. */
export async function openStory(
  github: LocalGitHub,
  story: Story,
): Promise<{ readonly repository: LocalRepository; readonly number: number }> {
  const repository = await github.createRepository({
    owner: story.owner,
    name: story.name,
    files: story.baseFiles(),
  });
  repository.addCollaborator(story.author, 'write');
  const changes = story.headChanges();
  for (const [index, { message, paths }] of story.commits.entries()) {
    await repository.commit({
      branch: story.branch,
      ...(index === 0 && { from: repository.defaultBranch }),
      files: Object.fromEntries(paths.map((path) => [path, changes[path] ?? null])),
      message,
      author: story.author,
    });
  }
  const number = await repository.openPullRequest({
    head: story.branch,
    title: story.title,
    body: story.body,
    author: story.author,
  });
  return { repository, number };
}
