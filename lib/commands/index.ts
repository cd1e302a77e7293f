/**
 * Commands that people give in comments: `/evident NAME`. One command a file; a new one is added to `commands`.
 * `effectOf` says what follows from one, as data. What the ledger folds (dismiss, override, pause, resume) is only
 * looked at for what is wrong with it.
 */
import { mayDo } from '../core/authority.js';
import { nearest } from '../core/nearest.js';
import { codeSpan } from '../core/render/markdown.js';
import type { Statement } from '../core/statement.js';
import { wrong, type Command, type CommandContext, type CommandEffect } from './command.js';
import { config } from './config.js';
import { dismiss } from './dismiss.js';
import { createHelp } from './help.js';
import { memory } from './memory.js';
import { override } from './override.js';
import { pause } from './pause.js';
import { personOf } from './person.js';
import { resume } from './resume.js';
import { review } from './review.js';
import { status } from './status.js';

export type { Command, CommandContext, CommandEffect } from './command.js';

export const commands: readonly Command[] = [
  review,
  status,
  dismiss,
  override,
  pause,
  resume,
  memory,
  config,
  createHelp(() => commands),
];

/** What follows from a command or a dismissal; `ignored` for anything else that people say. */
export function effectOf(statement: Statement, context: CommandContext): CommandEffect {
  const { says, by, writer } = statement;
  if (says.kind !== 'command' && says.kind !== 'dismiss' && says.kind !== 'forget')
    return { kind: 'ignored', why: 'it is not a command' };
  const name = says.kind === 'dismiss' ? 'dismiss' : says.kind === 'forget' ? 'memory' : says.name;
  const { role, about } = personOf(statement, context);
  const command = commands.find((one) => one.name === name);
  const allowed = mayDo(command?.act ?? 'command', role, about);
  // Two programs that answer each other would never end: what one may do is done without a word.
  const isMachine = writer !== 'person' || role === 'agent' || role === 'bot';
  const told = (effect: CommandEffect): CommandEffect =>
    isMachine && effect.kind === 'wrong' ? { kind: 'ignored', why: `${by} is not a person` } : effect;

  if (allowed.kind === 'may_not') return told(wrong(`Noted, thanks. ${allowed.why}`));
  if (command === undefined) return told(unknown(name));
  if (context.pullRequest.state !== 'open' && command.act !== 'command')
    return told(wrong('The pull request is closed; nothing was changed.'));
  const words =
    says.kind === 'dismiss'
      ? `${says.item} ${says.reason}`
      : says.kind === 'forget'
        ? `forget ${says.item}`
        : says.words;
  return told(
    command.run({ words, by: statement, ...(says.item !== undefined && { item: says.item }) }, context),
  );
}

function unknown(name: string): CommandEffect {
  const near = nearest(
    name,
    commands.map((one) => one.name),
    Math.min(2, Math.floor(name.length / 2)),
  );
  return wrong(
    `There is no command ${codeSpan(name)}.${near === null ? '' : ` Did you mean \`/evident ${near}\`?`} \`/evident help\` lists them.`,
  );
}
