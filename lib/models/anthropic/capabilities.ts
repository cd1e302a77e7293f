/**
 * What each model takes, so that nothing is found out by refusal on Anthropic's own endpoint.
 * Source: https://platform.claude.com/docs/en/build-with-claude/thinking, .../effort, .../context-editing
 */
export type Capabilities = {
  /** `thinking: {type: "adaptive"}` is taken. The newest models think without it too. */
  readonly adaptiveThinking: boolean;
  readonly effort: boolean;
  /** Ceiling of `max_tokens`. */
  readonly maxOutput: number;
};

/** An id that is not listed is taken for newer than this table: it gets the fewest parameters. */
export function capabilitiesOf(model: string): Capabilities {
  return table[modelKey(model)] ?? { adaptiveThinking: false, effort: true, maxOutput: 128_000 };
}

/** The id without what vendors put around it: prefix, date, version and context marks. */
export const modelKey = (model: string): string =>
  model
    .replace(/^.*(anthropic[./]|\/)/, '')
    .replace(/\[.*$/, '')
    .replace(/[-@]\d{8}.*$/, '')
    .replace(/-v\d+(:\d+)?$/, '')
    .replace(/-latest$/, '');

const newest: Capabilities = { adaptiveThinking: true, effort: true, maxOutput: 128_000 };
const middle: Capabilities = { ...newest, maxOutput: 64_000 };
const older: Capabilities = { adaptiveThinking: false, effort: false, maxOutput: 64_000 };

const table: Readonly<Record<string, Capabilities>> = {
  'claude-fable-5-2': newest,
  'claude-mythos-5-2': newest,
  'claude-fable-5-1': newest,
  'claude-mythos-5-1': newest,
  'claude-opus-5-5': newest,
  'claude-sonnet-5-5': newest,
  'claude-haiku-5-5': newest,
  'claude-fable-5': newest,
  'claude-mythos-5': newest,
  'claude-opus-5': newest,
  'claude-sonnet-5': newest,
  'claude-opus-4-8': newest,
  'claude-opus-4-7': newest,
  'claude-opus-4-6': newest,
  'claude-sonnet-4-6': middle,
  'claude-opus-4-5': { ...older, effort: true },
  'claude-sonnet-4-5': older,
  'claude-haiku-4-5': older,
};
