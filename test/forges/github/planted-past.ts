import type { PastPull } from '../../../lib/core/past-pull.js';
import type { LocalGitHub, LocalRepository } from '../../../local-github/index.js';
import type { PlantedPull, PlantedText, PlantedThread } from '../../../local-github/plant.js';

/** What was planted, counted while it was written down: the truth that a collection is held against. */
export type Truth = {
  readonly pulls: number;
  readonly threads: number;
  readonly resolved: number;
  readonly outdated: number;
  readonly threadComments: number;
  readonly reviews: number;
  readonly comments: number;
  readonly commits: number;
  readonly checks: number;
  readonly ownTexts: number;
  readonly files: number;
  readonly labels: number;
};

const day = 86_400_000;
const begin = Date.parse('2026-01-01T00:00:00Z');
const reviewers = ['coderabbitai[bot]', 'greptile-apps[bot]', 'monalisa', 'evident[bot]', 'hubot'];
/** Whose account is deleted afterwards. */
const leaver = 'left-us';

/** So many threads stand on a pull request: three of them need pages of their own. */
const threadsOn = (at: number): number => (at === 5 ? 105 : at === 60 ? 330 : at === 200 ? 130 : at % 43);

/** So many replies has a thread: some more than one page. */
const repliesOf = (at: number, nth: number): number =>
  at === 7 && nth === 3 ? 105 : (at + nth) % 211 === 100 ? 25 : (at + nth) % 3;

export async function plantPast(
  github: LocalGitHub,
  name: string,
  many: number,
  wantedThreads: number | null = null,
): Promise<{ readonly repository: LocalRepository; readonly truth: Truth }> {
  const repository = await github.createRepository({
    owner: 'octo-org',
    name,
    files: { 'README.md': `# ${name}\n` },
  });
  repository.addCollaborator('monalisa', 'write');
  const sizes = Array.from({ length: many }, (_, at) => threadsOn(at));
  if (wantedThreads !== null) {
    // The rest goes to the pull requests that have some, one after the other.
    for (let at = 0; sizes.reduce((sum, one) => sum + one, 0) !== wantedThreads; at = (at + 1) % many) {
      const missing = wantedThreads - sizes.reduce((sum, one) => sum + one, 0);
      const size = sizes[at] ?? 0;
      if (size > 0 && size < 60) sizes[at] = missing > 0 ? size + 1 : size - 1;
    }
  }
  const ci = github.registerApp({ slug: `ci-${name}`, name: 'CI' });
  const plans = sizes.map((size, at) => plan(github, ci, at, size));
  await repository.plant(plans);
  github.deleteAccount(leaver);
  return { repository, truth: truthOf(plans) };
}

function plan(github: LocalGitHub, ci: LocalGitHub['app'], at: number, threads: number): PlantedPull {
  const opened = begin + at * day;
  const path = `src/area-${at % 5}/module-${at}.ts`;
  const commits = Array.from({ length: at === 9 ? 55 : 1 + (at % 4) }, (_, nth) => ({
    message: nth === 0 ? `Change module ${at}\n\nIn detail.` : `Mend ${nth}`,
    at: opened + nth * 60_000,
    files: { [path]: `export const value = ${nth};\n`, ...(at === 11 ? manyFiles() : {}) },
    checks: [
      {
        name: 'test',
        app: ci,
        conclusion: 'success' as const,
        startedAt: opened,
        completedAt: opened + 1000,
      },
      ...(at % 3 === 0
        ? [
            {
              name: 'Evident',
              app: github.app,
              conclusion: 'neutral' as const,
              startedAt: opened,
              completedAt: opened + 9000,
              text: `Nothing to fix.\n\n<!-- evident:state {"at":${at}} -->`,
            },
          ]
        : []),
      ...(at === 13
        ? Array.from({ length: 55 }, (_, one) => ({
            name: `matrix ${one}`,
            app: ci,
            conclusion: 'success' as const,
            startedAt: opened,
            completedAt: opened + 1000,
          }))
        : []),
    ],
  }));
  const author = at % 10 === 0 ? leaver : at % 4 === 0 ? 'hubot' : 'octocat';
  const ofReviewer = (nth: number): PlantedThread[] =>
    Array.from({ length: threads }, (_, one) => one)
      .filter((one) => one % 2 === nth)
      .map((one) => thread(at, one, path, opened));
  return {
    title: `Change module ${at}`,
    body: `Because of ${at}.`,
    author,
    state: at % 10 < 6 ? 'merged' : at % 10 < 8 ? 'closed' : 'open',
    labels: [...(at % 2 === 0 ? ['area/checkout'] : []), ...(at % 7 === 0 ? ['agent'] : [])],
    at: opened,
    endedAt: opened + day,
    commits,
    reviews: [0, 1].map((nth) => ({
      author: at % 25 === 3 ? leaver : (reviewers[(at + nth) % reviewers.length] ?? 'monalisa'),
      state: nth === 1 && at % 9 === 0 ? ('CHANGES_REQUESTED' as const) : ('COMMENTED' as const),
      body: `Review ${nth} of ${at}`,
      at: opened + (nth + 1) * 3_600_000,
      threads: ofReviewer(nth),
    })),
    comments: Array.from({ length: at === 12 ? 70 : at % 3 }, (_, nth) => ({
      author: nth % 2 === 0 ? 'octocat' : leaver,
      body: `Comment ${nth}`,
      at: opened + nth * 1000,
    })),
  };
}

const thread = (at: number, nth: number, path: string, opened: number): PlantedThread => ({
  path,
  line: nth % 11 === 0 ? null : 1,
  body: `Thread ${nth} of ${at}: an unused variable`,
  ...(nth % 13 === 0 && { editedAt: opened + 2 * day }),
  ...(nth % 3 === 0 && { resolvedBy: nth % 2 === 0 ? 'octocat' : leaver }),
  outdated: nth % 4 === 0,
  replies: Array.from({ length: repliesOf(at, nth) }, (_, one): PlantedText => ({
    author: one % 5 === 4 ? leaver : 'octocat',
    body: `Reply ${one}`,
    at: opened + 7_200_000 + one * 1000,
  })),
});

const manyFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`data/file-${at}.txt`, `${at}\n`]));

/** The same counts of what was collected. */
export const totalsOf = (pulls: readonly PastPull[]): Truth => {
  const sum = (of: (pull: PastPull) => number): number => pulls.reduce((all, pull) => all + of(pull), 0);
  return {
    pulls: pulls.length,
    threads: sum((pull) => pull.threads.length),
    resolved: sum((pull) => pull.threads.filter((thread) => thread.isResolved).length),
    outdated: sum((pull) => pull.threads.filter((thread) => thread.isOutdated).length),
    threadComments: sum((pull) => pull.threads.reduce((all, thread) => all + thread.comments.length, 0)),
    reviews: sum((pull) => pull.reviews.length),
    comments: sum((pull) => pull.comments.length),
    commits: sum((pull) => pull.commits.length),
    checks: sum((pull) => pull.checks.length),
    ownTexts: sum((pull) => pull.checks.filter((check) => check.text !== null).length),
    files: sum((pull) => pull.files.length),
    labels: sum((pull) => pull.labels.length),
  };
};

function truthOf(plans: readonly PlantedPull[]): Truth {
  const sum = (of: (plan: PlantedPull) => number): number => plans.reduce((all, one) => all + of(one), 0);
  const threads = plans.flatMap((one) => (one.reviews ?? []).flatMap((review) => review.threads ?? []));
  const replies = threads.reduce((all, one) => all + (one.replies ?? []).length, 0);
  const checks = plans.flatMap((one) => one.commits.flatMap((commit) => commit.checks ?? []));
  return {
    pulls: plans.length,
    threads: threads.length,
    resolved: threads.filter((one) => one.resolvedBy !== undefined).length,
    outdated: threads.filter((one) => one.outdated === true).length,
    threadComments: threads.length + replies,
    // GitHub wraps each reply in a review of its own.
    reviews: sum((one) => (one.reviews ?? []).length) + replies,
    comments: sum((one) => (one.comments ?? []).length),
    commits: sum((one) => one.commits.length),
    checks: checks.length,
    ownTexts: checks.filter(({ text }) => text !== undefined).length,
    files: sum((one) => new Set(one.commits.flatMap((commit) => Object.keys(commit.files))).size),
    labels: sum((one) => (one.labels ?? []).length),
  };
}
