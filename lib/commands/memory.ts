import { forgettable, memoryText } from '../core/render/memory.js';
import { listed } from '../core/render/words.js';
import { wrong, type Command } from './command.js';

export const memory: Command = {
  name: 'memory',
  usage: '/evident memory [forget Q1]',
  help: 'lists the answers that are kept here; `forget` takes one back, so that it is asked again',
  act: 'command',
  run({ words, by }, context) {
    // With an item it is folded by the ledger, which also says what is wrong with it.
    if (by.says.kind === 'forget') return { kind: 'said' };
    if (/^forget(?![\p{L}\p{N}])/iu.test(words)) {
      const kept = forgettable(context.ledger);
      return wrong(
        `What is forgotten is named: \`/evident memory forget ${kept[0] ?? 'Q1'}\`.${kept.length === 0 ? ' Nothing is kept here.' : ` Kept here: ${listed(kept)}.`}`,
      );
    }
    return { kind: 'reply', body: memoryText({ ...context, now: by.at }) };
  },
};
