import { mayDo } from '../core/authority.js';
import { codeSpan } from '../core/render/markdown.js';
import type { Command } from './command.js';
import { personOf } from './person.js';

/** `commands`: all there are, itself among them; a person is shown those that they may use. */
export const createHelp = (commands: () => readonly Command[]): Command => ({
  name: 'help',
  usage: '/evident help',
  help: 'this list',
  act: 'command',
  run({ by }, context) {
    const { role, about } = personOf(by, context);
    const usable = commands().filter(({ act }) => mayDo(act, role, about).kind !== 'may_not');
    const rows = usable.map(({ usage, help }) => `- ${codeSpan(usage)}: ${help}`);
    return {
      kind: 'reply',
      body: [
        '**Commands that you can use here**, each at the beginning of a line of a comment:',
        rows.join('\n'),
        'In a thread, plain words are enough: `yes`, `no` or `not sure` to a question, `dismiss` and why to a finding. Outside it they name it: `Q1 no`.',
      ].join('\n\n'),
    };
  },
});
