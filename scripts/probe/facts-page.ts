import { areas, facts, type Fact } from '../../local-github/facts.js';
import { table } from '../table.js';
import type { LookedUp } from './look-up.js';

const intro = `# What GitHub does, as far as the app relies on it

Written by \`scripts/write-github-facts.ts\` from \`local-github/facts.ts\`; edit that. The local GitHub (\`local-github/\`) behaves as this table says, and
its tests hold it to the rows that are probed. _Documented_: GitHub's documentation or its OpenAPI and GraphQL descriptions say so. _Reported_: people
met it and wrote it down. _Believed_: nobody here has seen it; the local GitHub takes the stricter reading, so that what passes here passes there.
_Seen_: a probe found it so on GitHub. A fact that a run against GitHub disproves is mended there and in \`local-github/\` in one commit.

An owner looks the probed rows up with a scratch repository; the script asks before it writes, and closes and deletes what it made:

\`\`\`sh
GITHUB_TOKEN=... node --import tsx scripts/probe-github.ts --repo OWNER/SCRATCH                           # rows probed by a person
GITHUB_TOKEN=... node --import tsx scripts/probe-github.ts --repo OWNER/SCRATCH --app ID --key key.pem    # those of the app, too
\`\`\`
`;

/** The table as a page. With what a run has seen: the states are those of the run. */
export function factsPage(seen: ReadonlyMap<string, LookedUp> = new Map()): string {
  const parts = areas.map((area) => {
    const rows = facts
      .filter((fact) => fact.area === area)
      .map((fact) => [`\`${fact.id}\``, cell(fact.fact), stateOf(fact, seen.get(fact.id)), sourceOf(fact)]);
    return `## ${area}\n\n${table(['id', 'fact', 'state', 'source'], rows)}`;
  });
  return `${[intro.trimEnd(), ...parts].join('\n\n')}\n`;
}

function stateOf({ state, probed }: Fact, found: LookedUp | undefined): string {
  if (found?.kind === 'seen') return found.holds ? 'seen' : `**seen otherwise**: ${cell(found.saw)}`;
  return probed === undefined ? state : `${state}, probed`;
}

const sourceOf = ({ source }: Fact): string =>
  source === 'reports' ? 'reports' : `[${new URL(source).hostname.replace(/^(docs|www)\./, '')}](${source})`;

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
