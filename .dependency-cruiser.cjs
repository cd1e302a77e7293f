/**
 * Imports point down only (docs/ARCHITECTURE.md):
 * roots -> shell -> path -> harness -> ports -> core; adapters see ports and core, never each other.
 */
const core = '^lib/core/';
const ports = '^lib/ports/';
const harness = '^lib/(agent|tools|modes|prompts|commands)/';
const adapters = '^lib/(forges|models|runners)/';
const config = '^lib/config/';
const path = '^lib/(handle-trigger\\.ts$|run/)';
const shell = '^lib/(app|compose)\\.ts$';
const roots = '^(api|cli|local-github|evals|bench|scripts)/';

const never = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

module.exports = {
  forbidden: [
    never('no-circular', {}, { circular: true }, 'A cycle means that two files are one concept.'),
    never(
      'core-is-pure',
      { path: core },
      { path: '^(lib|api|cli|local-github|evals|bench|scripts)/', pathNot: core },
      'core/ imports only core/.',
    ),
    never(
      'core-has-no-io',
      { path: core },
      {
        dependencyTypes: ['core', 'npm'],
        pathNot: '^(node:)?(crypto|zlib)$|node_modules/(zod|diff|yaml|minimatch|re2js|d3-random)/',
      },
      'core/ may use zod, diff, yaml, minimatch, re2js, d3-random, node:crypto and node:zlib.',
    ),
    never(
      'ports-see-core',
      { path: ports },
      { path: '^(lib|api|cli|local-github|evals|bench|scripts)/', pathNot: `${core}|${ports}` },
      'ports/ hold interfaces.',
    ),
    never(
      'harness-sees-ports',
      { path: harness },
      { path: `${adapters}|${path}|${shell}|${roots}|${config}` },
      'The harness knows no adapter.',
    ),
    never(
      'agent-stands-alone',
      { path: '^lib/agent/' },
      { path: '^lib/(tools|modes|prompts|commands)/' },
      'The loop does not know that it reviews code.',
    ),
    never(
      'adapters-see-ports',
      { path: adapters },
      { path: `${harness}|${path}|${shell}|${roots}|${config}` },
      'An adapter sees ports and core.',
    ),
    never(
      'adapters-not-each-other',
      { path: '^lib/(forges|models|runners)/([^/.]+)', pathNot: '^lib/(forges|models|runners)/index\\.ts$' },
      { path: adapters, pathNot: ['^lib/$1/$2', '^lib/$1/index\\.ts$'] },
      'Adapters never see each other (an adapter may have a folder of its own name); index.ts registers them.',
    ),
    never(
      'path-sees-no-adapter',
      { path },
      { path: `${adapters}|${shell}|${roots}` },
      'handle-trigger and run/ get their adapters as Deps.',
    ),
    never('no-root-from-lib', { path: '^lib/' }, { path: roots }, 'lib/ knows no entry point.'),
    never(
      'octokit-in-its-place',
      { path: '^(lib|cli)/', pathNot: '^lib/(forges/github/|app\\.ts)' },
      { path: 'node_modules/(@octokit|probot)/' },
      'Octokit lives in forges/github/.',
    ),
    never(
      'sdk-in-its-place',
      { path: '^(lib|cli|api)/', pathNot: '^lib/models/anthropic\\.ts' },
      { path: 'node_modules/@anthropic-ai/' },
      'A provider SDK lives in its one file.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Data of the demo, not code of this project.
    exclude: { path: '^local-github/demo-repository/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
