import { tokensOf } from '../lib/core/budget.js';
import { blocks } from '../lib/core/finding.js';
import type { Ledger } from '../lib/core/ledger.js';
import { paragraph, plain } from '../lib/core/render/terminal.js';
import { money, plural } from '../lib/core/render/words.js';
import type { OwnBranch } from '../local-github/open-branch.js';
import type { Played, Standing } from './play-demo.js';
import { apart, columns, wrapped } from './wrapped.js';

export const demoJson = (
  now: Standing,
  { findings, questions }: Ledger,
  requests: Standing['requests'],
): object => ({
  inline: now.inline.map(({ path, side, line, severity, rule, body, evidence, id, kind }) => {
    const became = findings.find(({ from, standing }) => from === id && standing.kind === 'open');
    return {
      id: became?.id ?? id,
      kind: became === undefined ? kind : 'finding',
      path,
      side,
      line,
      severity,
      rule,
      body,
      evidence: evidence.map((one) =>
        one.kind === 'quote'
          ? { role: one.role, path: one.path, ref: one.ref, start: one.start, end: one.end, quote: one.quote }
          : { role: one.role, absence: one.pattern, glob: one.glob, ref: one.ref },
      ),
    };
  }),
  findings: findings.map(({ id, from, anchor, severity, origin, rule, title, standing }) => ({
    id,
    ...(from !== undefined && { from }),
    path: anchor.path,
    line: anchor.line,
    severity,
    origin,
    rule,
    title,
    standing: standing.kind,
  })),
  questions: questions.map(({ id, finding: { anchor }, question, answerEffects, standing }) => ({
    id,
    path: anchor.path,
    line: anchor.line,
    question,
    answerEffects,
    ...(standing.kind === 'answered'
      ? { answer: standing.answer, effect: standing.effect, by: standing.by }
      : { answer: null, effect: null, by: null }),
  })),
  disproved: now.disproved,
  summary: now.summary,
  check: now.check,
  requests,
});

/** Who reads, where the code goes that is read, and what of one's own repository it is. */
export const demoReviewer = (
  { model }: Pick<Played, 'model'>,
  branch: Pick<OwnBranch, 'base' | 'head'> | null,
): string =>
  [
    ...(branch === null
      ? []
      : wrapped(
          `Compared: ${plain(branch.head.name)} with ${plain(branch.base.name)}, what is committed.`,
          0,
        )),
    ...wrapped(
      model.kind === 'rules'
        ? 'Reviewer: fixed rules, not a language model.'
        : `Reviewer: ${plain(model.name)}, at ${plain(model.sendsTo ?? 'this machine')}: the code that it reads goes there. It may take minutes.`,
      0,
    ),
    '',
    '',
  ].join('\n');

/** The pull request as it stands. Titles and claims are a model's words: nothing in them reaches the terminal as a command. */
export function demoFound(played: Played): string {
  const { repository, number, inline, disproved, reviewed } = played;
  const pull = repository.pull(number);
  const rows = [...inline]
    .sort((a, b) => order(a.id) - order(b.id))
    .map((one) => ({
      label: `  ${one.id} ${one.kind === 'question' ? 'question' : one.severity}`,
      place: plain(`${one.path}:${one.line}`),
      text: paragraph(one.title),
    }));
  // They have no thread; without them the numbers of those that have one would skip.
  const quiet = (reviewed?.ledger.findings ?? [])
    .filter((finding) => finding.standing.kind === 'open' && !blocks(finding))
    .map(({ id, origin, anchor, title }) => ({
      label: `  ${id} ${origin === 'pre_existing' ? 'old code' : 'nit'}`,
      place: plain(`${anchor.path}:${anchor.line}`),
      text: paragraph(title),
    }));
  const dropped = '  looked into and dropped   ';
  return [
    apart(
      wrapped(`${repository.fullName} #${number}  "${paragraph(pull.title)}"  by ${pull.author}`, 2).join(
        '\n',
      ),
      `${plural(pull.changedFiles, 'file')}  +${pull.additions} -${pull.deletions}`,
    ),
    '',
    ...columns([...rows, ...quiet]),
    ...disproved.flatMap(({ claim, because }) =>
      wrapped(`${dropped}"${paragraph(claim)}": ${paragraph(because)}`, dropped.length),
    ),
    ...(rows.length + quiet.length + disproved.length > 0 ? [''] : []),
    '',
  ].join('\n');
}

export function demoEnding(
  { check }: Pick<Standing, 'check'>,
  {
    requests,
    reviewed,
    ms,
  }: Pick<Standing, 'requests' | 'reviewed'> & {
    /** How long all of it took. */
    readonly ms: number;
  },
): string {
  const tokens = reviewed === null ? 0 : tokensOf(reviewed.spend.usage);
  const dollars = reviewed?.spend.usage.dollars;
  const spent = [
    plural(requests.length, 'GitHub request'),
    `${tokens} model tokens`,
    ...(tokens > 0 && dollars !== undefined ? [money(dollars)] : []),
    `${(ms / 1000).toFixed(1)} s`,
  ];
  const line = `Check: ${plain(check.title ?? 'none')}.   ${spent.join(', ')}`;
  return line.length <= 80
    ? `${line}\n`
    : `${[...wrapped(`Check: ${plain(check.title ?? 'none')}.`, 2), ...wrapped(`  ${spent.join(', ')}`, 2)].join('\n')}\n`;
}

const order = (id: string): number => (id.startsWith('F') ? 0 : 1000) + Number(id.slice(1));

/** What to run next: the same as a page, and one's own code or what of it is not committed. */
export function demoFurther({
  clean,
  repo,
  base,
  head,
}: Wanted & { readonly clean?: boolean | undefined }): string {
  const told = (names: Wanted): string =>
    Object.entries(names)
      .map(([name, value]) => (value === undefined ? '' : ` --${name} ${shellWord(value)}`))
      .join('');
  const page = clean === true ? ' --clean' : told({ repo, base, head });
  const own = told({ repo: repo ?? '../your-project', base, head });
  const label =
    repo === undefined
      ? 'Try your own code'
      : head === undefined
        ? 'With uncommitted too'
        : 'In the terminal';
  return `
See it as a page      npm run demo${page === '' ? '' : ` --${page}`}
${label.padEnd(22)}npm run -s evident -- review${own}
`;
}

/** As it was asked for on the command line. */
type Wanted = {
  readonly repo?: string | undefined;
  readonly base?: string | undefined;
  readonly head?: string | undefined;
};

/** Where to look, and how the other commands reach the same pull request: with a token of the maintainer, of this run. */
export const demoStands = ({
  url,
  github,
  repository,
  number,
}: Pick<Played, 'url' | 'github' | 'repository' | 'number'>): string => `
The pull request stands at ${url}
The same from another terminal, as monalisa, while this runs:
  export GITHUB_API_URL=${github.apiUrl}
  export GITHUB_TOKEN=${github.tokenOf('monalisa')}
  npm run -s evident -- review --pr ${repository.fullName}#${number}
Ctrl-C ends it.
`;

/** To be pasted into a shell. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./~^-]+$/.test(text) ? text : `'${plain(text).replaceAll("'", `'\\''`)}'`;
