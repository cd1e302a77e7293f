import { askGit } from '../lib/forges/local-git/run-git.js';

/** A pull request as a person names it. */
export type Named = {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  /** Of an address. */
  readonly origin: string | null;
};

/** `octo-org/shop#7` or `https://github.com/octo-org/shop/pull/7`. */
export function placeOf(text: string): Named | null {
  const name = '([A-Za-z0-9_.-]{1,100})';
  const short = new RegExp(`^${name}/${name}#([1-9]\\d{0,8})$`).exec(text);
  const long = new RegExp(`^(https?://[^/\\s@]+)/${name}/${name}/pull/([1-9]\\d{0,8})(?:[/?#].*)?$`).exec(
    text,
  );
  const [origin, owner, repo, number] = short === null ? (long?.slice(1) ?? []) : [null, ...short.slice(1)];
  if (owner === undefined || owner === null || repo === undefined || repo === null || origin === undefined)
    return null;
  return { owner, repo, number: Number(number), origin };
}

/** A repository that a remote of a clone leads to. */
type Remote = { readonly name: string; readonly host: string; readonly owner: string; readonly repo: string };

/** The repository of the clone at `cwd` on the server `web`: an `upstream` before `origin`; a sentence when it is not clear. */
export async function repositoryHere(
  cwd: string,
  web: string,
): Promise<Pick<Named, 'owner' | 'repo'> | string> {
  const host = new URL(web).hostname.toLowerCase();
  const here = (await remotesOf(cwd)).filter((remote) => remote.host === host);
  const found =
    here.find(({ name }) => name === 'upstream') ??
    here.find(({ name }) => name === 'origin') ??
    (here.length === 1 ? here[0] : undefined);
  return (
    found ??
    `No remote of this folder says which repository on ${host} is meant: write --pr OWNER/REPO#N, or its address.`
  );
}

/** The commit that was pushed from here to a branch, when that is the one checked out; null when nothing is known. */
export async function pushedHere(cwd: string, repository: string, branch: string): Promise<string | null> {
  const head = await said(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (head === null || !/^[0-9a-f]{40,64}$/.test(head)) return null;
  for (const { name, owner, repo } of await remotesOf(cwd)) {
    if (`${owner}/${repo}`.toLowerCase() !== repository.toLowerCase()) continue;
    // Git writes this down when a push has ended.
    const pushed = await said(cwd, ['rev-parse', '--verify', '--quiet', `refs/remotes/${name}/${branch}`]);
    if (pushed === head) return head;
  }
  return null;
}

async function remotesOf(cwd: string): Promise<readonly Remote[]> {
  const lines = (await said(cwd, ['remote', '-v'])) ?? '';
  return lines.split('\n').flatMap((line) => {
    const [, name, url] = /^(\S+)\t(\S+) \(fetch\)/.exec(line) ?? [];
    const place = url === undefined ? null : repositoryOf(url);
    return name === undefined || place === null ? [] : [{ name, ...place }];
  });
}

/** `https://github.com/o/r.git`, `git@github.com:o/r.git` or `ssh://git@ssh.github.com:443/o/r`. */
export function repositoryOf(url: string): Omit<Remote, 'name'> | null {
  const tail = '([A-Za-z0-9_.-]{1,100})/([A-Za-z0-9_.-]{1,100}?)(?:\\.git)?/?$';
  const [, host, owner, repo] =
    new RegExp(`^(?:https?|ssh|git)://(?:[^/@\\s]*@)?([^/:@\\s]+)(?::\\d+)?/${tail}`).exec(url) ??
    new RegExp(`^(?:[^/@\\s:]+@)?([^/:@\\s]+):/?${tail}`).exec(url) ??
    [];
  if (host === undefined || owner === undefined || repo === undefined) return null;
  return { host: host.toLowerCase().replace(/^ssh\.(?=github\.com$)/, ''), owner, repo };
}

/** What git printed, without the last line end; null when it ended badly or is not there. */
async function said(cwd: string, args: readonly string[]): Promise<string | null> {
  try {
    const { code, stdout } = await askGit(args, { cwd, limit: 1 << 20 });
    return code === 0 ? stdout.toString('utf8').trimEnd() : null;
  } catch {
    return null;
  }
}
