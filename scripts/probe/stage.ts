import { at, listAt, type Meter, numberAt, saidBy, type Speaker, textAt } from './speaker.js';

/** Who speaks, and where. */
export type Place = {
  readonly owner: string;
  readonly repo: string;
  /** The owner's token: writes branches, pull requests and comments. */
  readonly person: Speaker;
  readonly login: string;
  /** The app as itself; null when none was given. */
  readonly app: AppSpeaker | null;
  readonly meter: Meter;
  /** Told before each step. */
  readonly tell: (what: string) => void;
};

export type AppSpeaker = Speaker & {
  readonly slug: string;
  readonly id: number;
  /** Another speaker with a token that may do only this. */
  readonly narrowed: (permissions: Readonly<Record<string, string>>) => Promise<Speaker>;
  /** Asks for a token as the app and answers what GitHub said. */
  readonly askToken: (wish: unknown) => Promise<{ readonly status: number; readonly data: unknown }>;
};

export type Pull = { readonly number: number; readonly base: string; readonly head: string };

/** What the probes look at. Each part is made when it is first needed, and all of it is put away in the end. */
export type Stage = Place & {
  readonly route: string;
  /** One of everything: see `mainBase` and `mainHead`. Its base branch has grown since it was opened. */
  readonly main: () => Promise<
    Pull & { readonly headSha: string; readonly forkSha: string; readonly baseSha: string }
  >;
  /** A pull request that was pushed to, force pushed, closed and pushed to, with what was seen on the way. */
  readonly moving: () => Promise<Moved>;
  /** 301 new files of one line. */
  readonly large: () => Promise<Pull & { readonly headSha: string; readonly baseSha: string }>;
  /** Closes the pull requests and deletes the branches. Comments on closed pull requests stay: nobody can delete those. */
  readonly putAway: () => Promise<void>;
};

export type Moved = Pull & {
  readonly firstSha: string;
  readonly secondSha: string;
  readonly forcedSha: string;
  /** The comment on a line that the second push changed, read again after it. */
  readonly comment: unknown;
  readonly thread: unknown;
  /** A review of the first head, made after the second push. */
  readonly late: { readonly said: string; readonly status: number; readonly comment: unknown };
  /** A review of the second head, made after it was force pushed away. */
  readonly forcedAway: { readonly said: string; readonly status: number };
  /** The head that the pull request names after a push while it was closed. */
  readonly closed: { readonly pushedSha: string; readonly namedSha: string; readonly reopenedSha: string };
};

const lines = (count: number, mark = 'line'): string[] =>
  Array.from({ length: count }, (_, index) => `${mark} ${index + 1}`);
const file = (of: readonly string[]): string => `${of.join('\n')}\n`;

/**
 * `src/a.ts`, by GitHub's three lines of context: hunk 1 is base 2-13, head 2-12 (line 5 changed, base line 10 removed);
 * hunk 2 is base 28-33, head 27-33 (head line 30 added). Head line 20 is in no hunk.
 */
export const mainBase: Files = {
  'src/a.ts': file(lines(40)),
  'bin/tool.sh': '#!/bin/sh\necho tool\n',
  'old/name.txt': file(lines(12, 'moved')),
  'pic.bin': { base64: Buffer.from([0, 1, 2, 3, 4, 5]).toString('base64') },
  'turned.txt': 'was a file\n',
  'hidden/in-archive.txt': 'left out of archives\n',
  '.gitattributes': 'hidden/** export-ignore\n',
};
export const mainHead: Files = {
  'src/a.ts': file([
    ...lines(40).slice(0, 4),
    'line 5 changed',
    ...lines(40).slice(5, 9),
    ...lines(40).slice(10, 30),
    'line inserted',
    ...lines(40).slice(30),
  ]),
  'bin/tool.sh': { mode: '100755', text: '#!/bin/sh\necho tool\n' },
  'old/name.txt': null,
  'new/name.txt': file(lines(12, 'moved')),
  'pic.bin': { base64: Buffer.from([0, 1, 2, 9, 4, 5]).toString('base64') },
  'turned.txt': { mode: '120000', text: 'src/a.ts' },
  'empty.txt': '',
};

/** A text, bytes, a text with a mode; null takes the path away. */
export type Files = Readonly<
  Record<
    string,
    | string
    | null
    | { readonly base64: string }
    | { readonly mode: '100644' | '100755' | '120000'; readonly text: string }
  >
>;

export function createStage(place: Place): Stage {
  const { person, owner, repo, meter, tell } = place;
  const route = `/repos/${owner}/${repo}`;
  const stamp = `evident-probe/${Date.now().toString(36)}`;
  const branches: string[] = [];
  const pulls: number[] = [];

  /** Fails with GitHub's own words: without a stage there is nothing to see. */
  async function must(
    method: Parameters<Speaker['rest']>[0],
    path: string,
    body?: unknown,
  ): Promise<unknown> {
    const answer = await person.rest(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${saidBy(answer)}`);
    return answer.data;
  }

  async function commit(parent: string, files: Files, message: string): Promise<string> {
    const tree = await Promise.all(
      Object.entries(files).map(async ([path, change]) => {
        const mode =
          change !== null && typeof change === 'object' && 'mode' in change ? change.mode : '100644';
        if (change === null) return { path, mode, type: 'blob', sha: null };
        if (typeof change === 'string') return { path, mode, type: 'blob', content: change };
        if ('text' in change) return { path, mode, type: 'blob', content: change.text };
        const blob = await must('POST', `${route}/git/blobs`, { content: change.base64, encoding: 'base64' });
        return { path, mode, type: 'blob', sha: textAt(blob, 'sha') };
      }),
    );
    const before = await must('GET', `${route}/git/commits/${parent}`);
    const made = await must('POST', `${route}/git/trees`, { base_tree: textAt(before, 'tree', 'sha'), tree });
    const written = await must('POST', `${route}/git/commits`, {
      message: `Probe: ${message}`,
      tree: textAt(made, 'sha'),
      parents: [parent],
    });
    return textAt(written, 'sha');
  }

  async function branch(name: string, sha: string): Promise<string> {
    const full = `${stamp}/${name}`;
    await must('POST', `${route}/git/refs`, { ref: `refs/heads/${full}`, sha });
    branches.push(full);
    return full;
  }

  const push = (name: string, sha: string, force = false): Promise<unknown> =>
    must('PATCH', `${route}/git/refs/heads/${name}`, { sha, force });

  async function open(name: string, base: string, head: string): Promise<number> {
    const made = await must('POST', `${route}/pulls`, {
      title: `Probe of GitHub's behaviour: ${name}`,
      body: 'Made and closed by scripts/probe-github.ts.',
      base,
      head,
      draft: false,
    });
    const number = numberAt(made, 'number');
    pulls.push(number);
    return number;
  }

  /** A pull request follows a push after a moment. */
  async function whenHeadIs(number: number, sha: string): Promise<string> {
    let named = '';
    for (let tried = 0; tried < 15; tried += 1) {
      named = textAt(await must('GET', `${route}/pulls/${number}`), 'head', 'sha');
      if (named === sha) break;
      await meter.pause(tried === 0 ? 50 : 1000);
    }
    return named;
  }

  const root = once(async () => {
    tell('the base that all probes grow from');
    const repository = await must('GET', route);
    const tip = await must('GET', `${route}/git/ref/heads/${textAt(repository, 'default_branch')}`);
    return commit(textAt(tip, 'object', 'sha'), mainBase, 'base');
  });

  const main = once(async () => {
    tell('a pull request with one of everything');
    const forkSha = await root();
    const headSha = await commit(forkSha, mainHead, 'head');
    const base = await branch('main-base', forkSha);
    const head = await branch('main-head', headSha);
    const number = await open('one of everything', base, head);
    await push(base, await commit(forkSha, { 'later.txt': 'the base grew\n' }, 'the base grows'));
    await meter.pause(50);
    return { number, base, head, headSha, forkSha, baseSha: forkSha };
  });

  const large = once(async () => {
    tell('a pull request of 301 files');
    const baseSha = await root();
    const files = Object.fromEntries(
      Array.from({ length: 301 }, (_, index) => [`many/${String(index).padStart(3, '0')}.txt`, `${index}\n`]),
    );
    const headSha = await commit(baseSha, files, 'many files');
    const base = await branch('large-base', baseSha);
    const head = await branch('large-head', headSha);
    return { number: await open('301 files', base, head), base, head, headSha, baseSha };
  });

  const moving = once(async (): Promise<Moved> => {
    tell('a pull request that is pushed to, force pushed, closed and pushed to');
    const fork = await root();
    const withLine = (text: string): Files => ({
      'src/a.ts': file(lines(40).map((line, index) => (index === 4 ? text : line))),
    });
    const firstSha = await commit(fork, withLine('first'), 'first');
    const base = await branch('moving-base', fork);
    const head = await branch('moving-head', firstSha);
    const number = await open('moving', base, head);
    const reviews = `${route}/pulls/${number}/reviews`;
    const comment = { path: 'src/a.ts', line: 5, side: 'RIGHT', body: 'on a line that will change' };
    const review = await must('POST', reviews, {
      commit_id: firstSha,
      event: 'COMMENT',
      body: 'first',
      comments: [comment],
    });

    const secondSha = await commit(firstSha, withLine('second'), 'second');
    await push(head, secondSha);
    await whenHeadIs(number, secondSha);
    const listed = listAt(await must('GET', `${route}/pulls/${number}/comments`));
    const outdated = listed.find((one) => numberAt(one, 'pull_request_review_id') === numberAt(review, 'id'));
    const threads = await person.graphql(
      `query ($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
        reviewThreads(first: 10) { nodes { isOutdated line originalLine } } } } }`,
      { owner, repo, number },
    );
    const late = await person.rest('POST', reviews, {
      commit_id: firstSha,
      event: 'COMMENT',
      body: 'late',
      comments: [{ ...comment, body: 'of an earlier head' }],
    });
    const lateComment = listAt(await must('GET', `${route}/pulls/${number}/comments`)).find(
      (one) => textAt(one, 'body') === 'of an earlier head',
    );

    const forcedSha = await commit(fork, withLine('forced'), 'forced');
    await push(head, forcedSha, true);
    await whenHeadIs(number, forcedSha);
    const forcedAway = await dryReview(person, reviews, {
      commit_id: secondSha,
      body: 'of a head that is gone',
      comments: [comment],
    });

    await must('PATCH', `${route}/pulls/${number}`, { state: 'closed' });
    const pushedSha = await commit(forcedSha, withLine('while closed'), 'while closed');
    await push(head, pushedSha);
    await meter.pause(50);
    const named = textAt(await must('GET', `${route}/pulls/${number}`), 'head', 'sha');
    const reopened = await person.rest('PATCH', `${route}/pulls/${number}`, { state: 'open' });
    const reopenedSha = reopened.status < 300 ? await whenHeadIs(number, pushedSha) : saidBy(reopened);
    return {
      number,
      base,
      head,
      firstSha,
      secondSha,
      forcedSha,
      comment: outdated,
      thread: at(threads.data, 'repository', 'pullRequest', 'reviewThreads', 'nodes', 0),
      late: { status: late.status, said: saidBy(late), comment: lateComment },
      forcedAway: { status: forcedAway.status, said: saidBy(forcedAway) },
      closed: { pushedSha, namedSha: named, reopenedSha },
    };
  });

  return {
    ...place,
    route,
    main,
    moving,
    large,
    putAway: async () => {
      tell('closing the pull requests and deleting the branches');
      const failed: string[] = [];
      meter.lift();
      const end = async (...call: Parameters<Speaker['rest']>) => {
        const answer = await person.rest(...call);
        if (answer.status >= 300) failed.push(`${call[0]} ${call[1]}: ${saidBy(answer)}`);
      };
      for (const number of pulls) await end('PATCH', `${route}/pulls/${number}`, { state: 'closed' });
      for (const name of branches) await end('DELETE', `${route}/git/refs/heads/${name}`);
      if (failed.length > 0) throw new Error(`Not all could be put away:\n${failed.join('\n')}`);
    },
  };
}

/** A review that stays pending (nobody is told) and is deleted at once. */
export async function dryReview(
  speaker: Speaker,
  reviews: string,
  review: Readonly<Record<string, unknown>>,
): Promise<Awaited<ReturnType<Speaker['rest']>>> {
  const answer = await speaker.rest('POST', reviews, review);
  if (answer.status < 300) await speaker.rest('DELETE', `${reviews}/${numberAt(answer.data, 'id')}`);
  return answer;
}

/** Made when it is first asked for. A failure stays: what could not be made is not tried again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}
