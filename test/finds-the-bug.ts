/**
 * A scripted model that reports the bug of the test's pull request wherever this change adds its line, as often as it is
 * asked, and says nothing about findings of before. It reads the change like any other model: by the tools' answers.
 */
import type { ScriptedModel } from '../lib/models/scripted.js';
import { calls } from '../lib/models/scripted.js';
import type { ModelRequest } from '../lib/ports/model.js';
import { bug, plays, readAll, submit } from './world.js';

/** How the bug is told: `place` counts the places of one pass, `pass` the runs of the model, from 1. */
export type Wording = (at: { readonly pass: number; readonly place: number }) => {
  readonly title?: string;
  readonly rule?: string;
};

/** What is looked for, and how it is told. */
export type Looked = {
  readonly line: RegExp;
  readonly as: object;
  readonly wording?: Wording;
  /** What was read says that it is none. */
  readonly unless?: RegExp;
};

export const refundBug: Looked = { line: /\brefund \|\| order\.total;/, as: bug };

export function findsTheBug(...looked: readonly Looked[]): ScriptedModel {
  const bugs = looked.length === 0 ? [refundBug] : looked;
  return plays(({ step, pass, request }) => {
    if (step === 0) return readAll();
    if (step > 1) return calls({ name: 'submit_code_review', input: { prior: [] } });
    const added = addedLines(request);
    const read = answersOf(request).join('\n');
    return submit(
      bugs.flatMap(({ line, as, wording, unless }) =>
        added
          .filter(({ code }) => line.test(code) && unless?.test(read) !== true)
          .map((at, place) => ({ ...as, ...at, ...wording?.({ pass, place }) })),
      ),
    );
  });
}

type AddedLine = { readonly path: string; readonly line: number; readonly code: string };

const answersOf = ({ messages }: ModelRequest): readonly string[] =>
  messages
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === 'tool_result' ? [block.text] : []));

/** From the answer to `get_pr_diff`. */
function addedLines(request: ModelRequest): readonly AddedLine[] {
  const diff = answersOf(request).find((text) => text.startsWith('=== '));
  if (diff === undefined) throw new Error('The change was not shown.');
  const added: AddedLine[] = [];
  let path = '';
  for (const row of diff.split('\n')) {
    path = /^=== (\S+) \(/.exec(row)?.[1] ?? path;
    const [, line, code] = /^\+ *(\d+) \| (.*)$/.exec(row) ?? [];
    if (line !== undefined && code !== undefined) added.push({ path, line: Number(line), code });
  }
  return added;
}
