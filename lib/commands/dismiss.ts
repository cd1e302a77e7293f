import { mayDo } from '../core/authority.js';
import { blocks } from '../core/finding.js';
import { codeSpan } from '../core/render/markdown.js';
import { isOpenQuestion, listed } from '../core/render/words.js';
import { leadingIds, type ItemId } from '../core/statement.js';
import { wrong, type Command, type CommandContext, type CommandEffect } from './command.js';
import { personOf } from './person.js';

/** Which acts it takes depends on the item, so that the table is asked here; `dismiss_nit` is the least of them. */
export const dismiss: Command = {
  name: 'dismiss',
  usage: '/evident dismiss F1 why',
  help: 'closes a finding without a change; the reason is shown with your name',
  act: 'dismiss_nit',
  run({ words, item, by }, context) {
    const { ids } = leadingIds(words);
    const about = ids.length > 0 ? ids : item === undefined ? [] : [item];
    for (const id of about) {
      const refused = refusal(id, by, context);
      if (refused !== null) return refused;
    }
    // With an item and a reason it is a dismissal, and is folded by the ledger.
    if (by.says.kind === 'dismiss') return { kind: 'said' };
    const first = about[0];
    if (first !== undefined && first === item)
      return wrong(
        'A dismissal says why. In this thread `dismiss` and why is enough: `dismiss because ...`.',
      );
    if (first !== undefined) return wrong(`A dismissal says why: \`/evident dismiss ${first} because ...\`.`);
    const open = openIds(context);
    return wrong(
      `A dismissal says which finding and why: \`/evident dismiss ${open[0] ?? 'F1'} because ...\`.${open.length === 0 ? ' Nothing is open here.' : ` Open: ${listed(open)}.`}`,
    );
  },
};

function refusal(
  id: ItemId,
  by: Parameters<Command['run']>[0]['by'],
  context: CommandContext,
): CommandEffect | null {
  const { ledger } = context;
  const finding = ledger.findings.find((one) => one.id === id);
  const question = ledger.questions.find((one) => one.id === id);
  if (finding === undefined && question === undefined) {
    const open = openIds(context);
    return wrong(
      `There is no ${codeSpan(id)} on this pull request. ${open.length === 0 ? 'Nothing is open here.' : `Open: ${listed(open)}.`}`,
    );
  }
  const asIfOpen = finding === undefined ? undefined : { ...finding, standing: { kind: 'open' as const } };
  const act = asIfOpen === undefined ? 'answer' : blocks(asIfOpen) ? 'dismiss_important' : 'dismiss_nit';
  const { role, about } = personOf(by, context);
  const allowed = mayDo(act, role, about);
  return allowed.kind === 'may_not' ? wrong(`Noted, thanks. ${allowed.why}`) : null;
}

const openIds = ({ ledger }: CommandContext): readonly string[] => [
  ...ledger.findings.filter(({ standing }) => standing.kind === 'open').map(({ id }) => id),
  ...ledger.questions.filter(isOpenQuestion).map(({ id }) => id),
];
