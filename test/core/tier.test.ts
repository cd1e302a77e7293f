import { parseDiff, type FileDiff } from '../../lib/core/diff.js';
import { loweredPasses } from '../../lib/core/lowered-passes.js';
import { passCost } from '../../lib/core/pass-cost.js';
import type { AdditiveSettings, GateSettings, Policy } from '../../lib/core/policy.js';
import type { Author } from '../../lib/core/pull-request.js';
import { tierOf } from '../../lib/core/tier.js';
import { policy } from './shop.js';

const additive: AdditiveSettings = {
  passes: 1,
  paths: ['src/experiments/**'],
  beside: ['config/flags.json'],
  labels: [],
};

const withGate = (gate: Partial<GateSettings>): Policy => policy('blocking', gate);

const inDiff = (path: string, headers: string, rows: readonly string[]): FileDiff[] => {
  const old = rows.filter((row) => !row.startsWith('+')).length;
  const now = rows.filter((row) => !row.startsWith('-')).length;
  return parseDiff(
    `diff --git a/${path} b/${path}\n${headers}\n--- a/${path}\n+++ b/${path}\n@@ -${old === 0 ? 0 : 1},${old} +1,${now} @@\n${rows.map((row) => `${row}\n`).join('')}`,
  );
};
const isNew = (path: string, lines = 3): FileDiff[] =>
  inDiff(
    path,
    'new file mode 100644',
    Array.from({ length: lines }, () => '+x'),
  );
const gets = (path: string): FileDiff[] => inDiff(path, 'index 1111111..2222222 100644', [' a', '+b', ' c']);
const changes = (path: string): FileDiff[] =>
  inDiff(path, 'index 1111111..2222222 100644', [' a', '-b', '+c', ' d']);

const tier = (
  diff: readonly FileDiff[],
  {
    by = 'agent',
    labels = [],
    settings = {},
  }: {
    readonly by?: Author['kind'];
    readonly labels?: readonly string[];
    readonly settings?: Partial<AdditiveSettings>;
  } = {},
) =>
  tierOf({
    pullRequest: { author: { login: 'hubot', kind: by }, labels },
    policy: withGate({ additive: { ...additive, ...settings } }),
    diff,
  });

/** Absent in most rows. */
type How = [Parameters<typeof tier>[1]?];

test.each<[string, readonly FileDiff[], ...How]>([
  ['a new file behind the flag', isNew('src/experiments/a.ts')],
  ['lines in a file behind the flag', gets('src/experiments/a.ts')],
  ['the flag itself beside it', [...isNew('src/experiments/a.ts'), ...changes('config/flags.json')]],
  ['nobody known opened it', isNew('src/experiments/a.ts'), { by: 'unknown' }],
  [
    'with the label that is asked for',
    isNew('src/experiments/a.ts'),
    { labels: ['Behind a Flag'], settings: { labels: ['behind a flag', 'dark'] } },
  ],
])('one review is enough: %s', (_name, diff, ...how) =>
  expect(tier(diff, ...how)).toEqual({
    kind: 'additive',
    passes: 1,
    because: 'this only adds, in src/experiments/** (setting gate.additive)',
  }),
);

test.each<[string, readonly FileDiff[], string, ...How]>([
  ['a line is changed', changes('src/experiments/a.ts'), 'src/experiments/a.ts removes or changes lines'],
  ['a file elsewhere', [...isNew('src/experiments/a.ts'), ...isNew('src/a.ts')], 'src/a.ts is elsewhere'],
  ['only the flag', changes('config/flags.json'), 'it adds nothing there'],
  [
    'a renamed file',
    parseDiff(
      'diff --git a/src/a.ts b/src/experiments/a.ts\nsimilarity index 100%\nrename from src/a.ts\nrename to src/experiments/a.ts\n',
    ),
    'src/experiments/a.ts is not text that was read',
  ],
  [
    'a link',
    inDiff('src/experiments/a.ts', 'new file mode 120000', ['+../a.ts']),
    'src/experiments/a.ts is a link',
  ],
  [
    'a program',
    inDiff('src/experiments/run.sh', 'new file mode 100755', ['+#!/bin/sh']),
    'src/experiments/run.sh is executable',
  ],
  [
    'another mode',
    inDiff('src/experiments/a.ts', 'old mode 100644\nnew mode 100755\nindex 1111111..2222222', [' a', '+b']),
    'src/experiments/a.ts has another mode',
  ],
  [
    'a deleted list of flags',
    [
      ...isNew('src/experiments/a.ts'),
      ...parseDiff(
        'diff --git a/config/flags.json b/config/flags.json\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/config/flags.json\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-{}\n',
      ),
    ],
    'config/flags.json is deleted',
  ],
  [
    'a binary file',
    parseDiff(
      'diff --git a/src/experiments/a.png b/src/experiments/a.png\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/src/experiments/a.png differ\n',
    ),
    'src/experiments/a.png is not text that was read',
  ],
  [
    'a workflow, whatever the globs',
    isNew('.github/workflows/a.yml'),
    '.github/workflows/a.yml is more than code behind a flag',
    { settings: { paths: ['**'] } },
  ],
  [
    'who owns what, beside it',
    [...isNew('src/experiments/a.ts'), ...changes('docs/CODEOWNERS')],
    'docs/CODEOWNERS is more than code behind a flag',
    { settings: { beside: ['docs/**'] } },
  ],
  [
    'attributes of git',
    isNew('src/experiments/.gitattributes'),
    'src/experiments/.gitattributes is more than code behind a flag',
  ],
  ['a folder in other letters', isNew('src/Experiments/a.ts'), 'src/Experiments/a.ts is elsewhere'],
  [
    'what is not read',
    isNew('src/experiments/a.ts').map((file) => ({ ...file, generated: '`.gitattributes`' })),
    'src/experiments/a.ts is not read',
  ],
  [
    'a mode that is not known',
    isNew('src/experiments/a.ts').map(({ newMode: _mode, ...file }) => file),
    'src/experiments/a.ts has an unknown mode',
  ],
  ['401 lines', isNew('src/experiments/a.ts', 401), 'it is large'],
  [
    'without the label',
    isNew('src/experiments/a.ts'),
    'it has no label behind a flag or dark',
    { labels: ['bug'], settings: { labels: ['behind a flag', 'dark'] } },
  ],
])('two are needed, and it says why: %s', (_name, diff, why, ...how) =>
  expect(tier(diff, ...how)).toEqual({
    kind: 'agent',
    passes: 2,
    because: `this counts as an agent's change; no addition by the setting gate.additive: ${why}`,
  }),
);

test('without paths nothing is an addition, and a person needs no more than before', () => {
  expect(tier(isNew('src/experiments/a.ts'), { settings: { paths: [] } })).toEqual({
    kind: 'agent',
    passes: 2,
    because: "this counts as an agent's change",
  });
  expect(tier(isNew('src/experiments/a.ts'), { by: 'person' })).toEqual({ kind: 'person', passes: 1 });
  expect(tier(isNew('src/experiments/a.ts'), { settings: { passes: 2 } }).kind).toBe('agent');
  expect(tier(isNew('src/experiments/a.ts'), { settings: { passes: 0 } }).passes).toBe(1);
});

describe('settings that let a change pass after one look are told with their cost', () => {
  const lowered = { gate: withGate({ passes: { person: 1, agent: 1 } }).gate };
  const cost = `${passCost.oneClean.toFixed(1)} % of those that passed so still had a bug, and ${passCost.twoClean.toFixed(1)} %`;

  test('of agents', () => {
    expect(loweredPasses(lowered)).toEqual([expect.stringContaining(cost)]);
    expect(loweredPasses(lowered, { kind: 'agent' })).toHaveLength(1);
    expect(loweredPasses(lowered, { kind: 'person' })).toEqual([]);
  });

  test('of additions', () => {
    const { gate } = withGate({ additive });
    expect(loweredPasses({ gate })).toEqual([expect.stringContaining('`gate.additive`')]);
    expect(loweredPasses({ gate }, { kind: 'additive' })).toHaveLength(1);
    expect(loweredPasses({ gate }, { kind: 'agent' })).toEqual([]);
  });

  test('none where two are needed', () => {
    expect(loweredPasses({ gate: withGate({}).gate })).toEqual([]);
    expect(loweredPasses({ gate: withGate({ passes: { person: 2, agent: 1 } }).gate })).toEqual([]);
  });
});
