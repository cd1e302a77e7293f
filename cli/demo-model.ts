type Environment = Readonly<Record<string, string | undefined>>;

/** Only what chooses and reaches a model: the demo's GitHub is its own, whatever else is set on this machine. */
export const modelSettings = (env: Environment): Environment =>
  Object.fromEntries(
    [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'EVIDENT_MODEL',
      'EVIDENT_EFFORT',
      'EVIDENT_PRICE',
      'EVIDENT_MAX_DOLLARS',
      'EVIDENT_MAX_MINUTES',
    ].map((name) => [name, env[name]]),
  );

/** Whether the environment names a model or a way to one. */
export const hasModel = (env: Environment): boolean =>
  ['EVIDENT_MODEL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'].some(
    (name) => (env[name] ?? '').trim() !== '',
  );

/** The fixed rules: nothing that is read leaves this machine. */
export const usesRules = (env: Environment): boolean =>
  !hasModel(env) || (env['EVIDENT_MODEL'] ?? '').trim() === 'rules';
