/**
 * The places a change can stand. A forge is one folder or file beside this one and one line here, loaded when it is
 * chosen: the terminal needs no Octokit, the server no git.
 */
export const forges = {
  github: () => import('./github/index.js'),
  localGit: () => import('./local-git.js'),
  memory: () => import('./memory.js'),
} as const;
