import { createHash } from 'node:crypto';
import type { FileChange, LocalGitHub, LocalRepository } from './index.js';

export type Growth = {
  readonly owner?: string;
  readonly name: string;
  /** Files of the repository that the pull request leaves alone; 0 unless told. */
  readonly otherFiles?: number;
  /** Bytes of each of them, which no archive makes smaller; 100 unless told. */
  readonly otherFileBytes?: number;
  /** Files that the pull request changes, one line each; 1 unless told. More than 300 answer the diff with 406. */
  readonly files?: number;
  /** Lines that it adds to the first of them; more than 20,000 answer the diff with 406 too. */
  readonly lines?: number;
  /** Threads on the changed lines, round and round over the files; 0 unless told. */
  readonly threads?: number;
  /** Comments of the first thread, for pages inside a page; 1 unless told. */
  readonly commentsInFirst?: number;
  /** `octocat` unless told, who may write here. */
  readonly author?: string;
};

export type Grown = { readonly repository: LocalRepository; readonly number: number };

/** Makes a repository with one pull request as large as told, in one commit each: seconds for thousands of files. */
export const grow = async (github: LocalGitHub, growth: Growth): Promise<Grown> => {
  const { files = 1, lines = 1, otherFiles = 0, otherFileBytes = 100, author = 'octocat' } = growth;
  const changed = Array.from({ length: files }, (_, at) => changedPath(at));
  const repository = await github.createRepository({
    owner: growth.owner ?? 'octo-org',
    name: growth.name,
    files: {
      'README.md': `# ${growth.name}\n`,
      ...Object.fromEntries(changed.map((path, at) => [path, moduleText(at, 'before')])),
      ...Object.fromEntries(
        Array.from({ length: otherFiles }, (_, at) => [otherPath(at), noise(at, otherFileBytes)]),
      ),
    },
  });
  repository.addCollaborator(author, 'write');
  const more = Array.from({ length: lines - 1 }, (_, at) => `export const more${at} = ${at};\n`).join('');
  const after = Object.fromEntries(
    changed.map((path, at) => [path, `${moduleText(at, 'after')}${at === 0 ? more : ''}`]),
  );
  await repository.commit({
    branch: 'grown',
    from: 'main',
    files: after,
    message: 'Change them all',
    author,
  });
  const number = await repository.openPullRequest({ head: 'grown', title: 'Change them all', author });
  await addThreads(repository, number, changed, growth.threads ?? 0, growth.commentsInFirst ?? 1);
  return { repository, number };
};

const addThreads = async (
  repository: LocalRepository,
  number: number,
  paths: readonly string[],
  threads: number,
  commentsInFirst: number,
): Promise<void> => {
  if (threads === 0) return;
  const reviewer = repository.as('monalisa');
  const comments = Array.from({ length: threads }, (_, at) => ({
    path: paths[at % paths.length] ?? '',
    line: CHANGED_LINE,
    body: `Thread ${at + 1}`,
  }));
  await reviewer.review(number, { body: 'Many words', comments });
  const [first] = repository.pull(number).threads;
  for (let at = 1; at < commentsInFirst && first !== undefined; at += 1)
    reviewer.reply(first.id, `Comment ${at + 1}`);
};

/** Where every changed file changes. */
const CHANGED_LINE = 2;

const changedPath = (at: number): string => `src/part-${Math.floor(at / 100)}/module-${at}.ts`;
const otherPath = (at: number): string => `data/part-${Math.floor(at / 100)}/other-${at}.bin`;

const moduleText = (at: number, when: string): string =>
  `// Module ${at}\nexport const value${at} = '${when}';\n`;

/** Bytes that do not compress, the same in every run. */
const noise = (seed: number, bytes: number): FileChange => {
  const parts: Buffer[] = [];
  for (let at = 0, size = 0; size < bytes; at += 1, size += 64)
    parts.push(createHash('sha512').update(`${seed}:${at}`).digest());
  return Buffer.concat(parts).subarray(0, bytes);
};
