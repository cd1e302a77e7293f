/** A row of the table of variables: the name or names, the default and the meaning, in Markdown. */
export type VariableRow = readonly [names: string, byDefault: string, meaning: string];

export const variables: readonly VariableRow[] = [
  ['`APP_ID`, `EVIDENT_APP_ID`', 'required', "the app's number"],
  [
    '`PRIVATE_KEY`, or `PRIVATE_KEY_PATH`',
    'required',
    "the app's private key, or the `.pem` file that holds it",
  ],
  ['`WEBHOOK_SECRET`', 'required', 'the webhook secret'],
  ['`GITHUB_API_URL`', '`https://api.github.com`', "GitHub's REST API; GraphQL is found from it"],
  ['`GHE_HOST`, `GHE_PROTOCOL`', 'none, `https`', 'the same by host name'],
  [
    '`EVIDENT_MODEL`',
    '`claude-sonnet-5-5`',
    'the model, or `rules` for the embedded fixed rules; several, parted by commas: the first reads, the second confirms, and settings may choose among them',
  ],
  ['`ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN`', 'required for a model', 'how to reach it'],
  ['`ANTHROPIC_BASE_URL`', 'api.anthropic.com', 'any endpoint that speaks the Messages API'],
  ['`EVIDENT_EFFORT`', "the model's own", 'low, medium, high, xhigh or max, where the model has it'],
  [
    '`EVIDENT_PRICE`',
    'by model',
    '`in,out,write,read` in US dollars per million tokens, for a model whose price is not known',
  ],
  [
    '`EVIDENT_GATE`',
    '`advisory`',
    '`blocking` lets the check hold a merge, where no settings file says otherwise',
  ],
  [
    '`EVIDENT_START`',
    '`on_request`',
    '`automatic` starts reviews without being asked, where no settings file says otherwise',
  ],
  ['`EVIDENT_NEVER_SEND`', 'none', 'globs of files that no model is shown, parted by commas'],
  ['`EVIDENT_MAX_DOLLARS`', '`0.60`', "most a pass may cost, where the model's price is known"],
  ['`EVIDENT_MAX_MINUTES`', '`12`, on Vercel `4`', 'most a run may take'],
  [
    '`EVIDENT_SECRET`',
    'derived from the private key',
    'keys of signed hidden comments and the journal, parted by commas: the first signs, all verify',
  ],
  ['`EVIDENT_JOURNAL_DIR`', 'none', 'folder of the encrypted journal'],
  ['`PORT`, `HOST`', '`3000`, all', 'where `npm start` listens'],
  ['`LOG_LEVEL`', '`info`', 'fatal, error, warn, info, debug, trace, silent'],
];
