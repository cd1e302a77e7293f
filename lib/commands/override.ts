import { tidy } from '../core/dismissal.js';
import { wrong, type Command } from './command.js';

export const override: Command = {
  name: 'override',
  usage: '/evident override why',
  help: 'lets this version pass in spite of the check, under your name; it ends with the next change',
  act: 'override',
  run: ({ words }) =>
    tidy(words) === ''
      ? wrong('An override says why: `/evident override because ...`. The reason is shown with your name.')
      : { kind: 'said' },
};
