import type { Command } from './command.js';

export const pause: Command = {
  name: 'pause',
  usage: '/evident pause [why]',
  help: 'stops reviews of this pull request until `/evident resume`; a blocking check does not pass meanwhile',
  act: 'pause',
  run: () => ({ kind: 'said' }),
};
