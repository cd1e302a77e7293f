import type { Command } from './command.js';

export const resume: Command = {
  name: 'resume',
  usage: '/evident resume',
  help: 'goes on after a pause',
  act: 'pause',
  run: () => ({ kind: 'said' }),
};
