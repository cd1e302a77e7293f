import type { KeptOutcome, KeptTranscript } from '../lib/core/kept-transcript.js';
import { tokensOf, type Usage } from '../lib/core/budget.js';
import { duration, money, plural } from '../lib/core/render/words.js';
import { plain } from '../lib/core/render/terminal.js';
import { replay, type Claim, type ReplayStep, type ReplayTurn } from '../lib/core/replay.js';
import { wrapped } from './wrapped.js';

const LABEL = 10;

/** A review, turn by turn, in 80 columns. `full`: with the whole texts that went to the model. */
export function replayText(
  transcript: KeptTranscript,
  { full = false }: { readonly full?: boolean } = {},
): string {
  const { passes, usage, lookUps } = replay(transcript);
  const { reviewed, model, result } = transcript;
  const lines = [
    `${plain(reviewed.repository)}   ${plain(reviewed.base)}...${plain(reviewed.head)}`,
    model.kind === 'rules' ? 'by fixed rules, not a language model' : `by ${plain(model.name)}`,
  ];
  for (const pass of passes) {
    lines.push('', `Pass ${pass.number} of ${passes.length}`);
    if (full) {
      lines.push(...whole('system', pass.system), ...whole('opening', pass.opening));
    }
    for (const turn of pass.turns) lines.push('', ...turnLines(turn, full));
    lines.push('', ...entry('ended', outcomeWords(pass.outcome)), ...droppedLines(pass.outcome));
  }
  lines.push('', 'Result');
  if (result === null) lines.push(...entry('none', 'No pass ended with a submission.'));
  else {
    for (const { id, place, title } of result.findings) lines.push(...entry(id, `${place}  ${title}`));
    for (const { id, place, question } of result.questions) lines.push(...entry(id, `${place}  ${question}`));
    for (const { claim, because } of result.disproved)
      lines.push(...entry('disproved', `${claim}: ${because}`));
    for (const { what, why } of result.dropped) lines.push(...entry('left out', `${what}: ${why}`));
    for (const { path, why } of result.missing) lines.push(...entry('not read', `${path}: ${why}`));
    lines.push(...entry('verdict', result.verdict.replaceAll('_', ' ')));
  }
  const turns = passes.reduce((sum, pass) => sum + pass.turns.length, 0);
  lines.push(
    ...entry('spent', `${plural(turns, 'turn')}, ${plural(lookUps, 'look-up')}, ${spendWords(usage)}`),
  );
  return `${lines.join('\n')}\n`;
}

function turnLines(turn: ReplayTurn, full: boolean): readonly string[] {
  const facts = [...(turn.ms === null ? [] : [duration(turn.ms)]), spendWords(turn.usage)];
  return [
    `Turn ${turn.number}   ${facts.join(', ')}`,
    ...(turn.thought ? entry('thought', 'before it answered; thoughts are no claims') : []),
    ...(turn.said === '' ? [] : entry('said', turn.said)),
    ...turn.steps.flatMap((step) => stepLines(step, full)),
    ...(turn.read.length === 0
      ? []
      : entry(
          'read',
          turn.read
            .map(({ path, ref, lines }) => `${path}${ref === 'base' ? ' before' : ''} ${lines.join(' ')}`)
            .join(', '),
        )),
    ...(turn.told === '' ? [] : entry('told', turn.told)),
  ];
}

function stepLines(step: ReplayStep, full: boolean): readonly string[] {
  switch (step.kind) {
    case 'look':
      return [
        ...entry(step.refused ? 'refused' : 'looked', `${step.tool} ${step.input}`),
        ...(step.refused ? entry('', `because: ${step.answer}`) : []),
        ...(full || step.refused ? [] : entry('', (step.answer.split('\n')[0] ?? '').slice(0, 300))),
        ...(full && !step.refused ? whole('', step.answer) : []),
      ];
    case 'submission':
      return [
        ...(step.claims.length === 0 && step.unread === null ? entry('claimed', 'nothing') : []),
        ...(step.unread === null
          ? []
          : entry('submitted', `what is no review: ${step.unread.slice(0, 600)}`)),
        ...step.claims.flatMap(claimLines),
        ...verdictLines(step),
      ];
  }
}

const verdictLines = ({
  verdict,
  reasons,
}: Extract<ReplayStep, { kind: 'submission' }>): readonly string[] => {
  switch (verdict) {
    case 'accepted':
      return entry('accepted', 'every claim that stands below was looked up again by code');
    case 'sent_back':
      return entry('refused', reasons);
    case 'not_judged':
      return entry('refused', 'not judged: the run ended first');
  }
};

const words = {
  finding: 'claimed',
  question: 'asked',
  disproved: 'disproved',
  prior: 'of before',
} as const satisfies Record<Claim['kind'], string>;

const claimLines = ({ kind, weight, place, title, evidence }: Claim): readonly string[] => [
  ...entry(words[kind], `${place}  ${title}${weight === '' ? '' : ` (${weight})`}`),
  ...evidence.flatMap((one) => entry('', `because  ${one}`)),
];

const droppedLines = (outcome: KeptOutcome): readonly string[] =>
  outcome.kind === 'submitted'
    ? outcome.dropped.flatMap(({ what, why }) => entry('left out', `${what}: ${why}`))
    : [];

/** How a pass ended, as the end of a sentence. */
export function outcomeWords(outcome: KeptOutcome): string {
  switch (outcome.kind) {
    case 'submitted':
      return 'with a submission that was accepted';
    case 'no_submission':
      return `without a submission: ${outcome.detail}`;
    case 'refused':
      return `refused by the model: ${outcome.detail}`;
    case 'failed':
      return `failed: ${outcome.detail}`;
    case 'superseded':
      return `stopped: ${outcome.detail}`;
    case 'out_of_budget':
      return `out of budget: ${outcome.limit}`;
  }
}

export const spendWords = (usage: Usage): string => `${tokensOf(usage)} tokens, ${money(usage.dollars)}`;

/** A label and a text beside it that goes on below itself; its own line breaks stay. */
const entry = (label: string, text: string): readonly string[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      wrapped(`  ${(index === 0 ? label : '').padEnd(LABEL)}${plain(line)}`, LABEL + 2),
    );

/** A text as it stands, whatever its width. */
const whole = (label: string, text: string): readonly string[] => [
  ...(label === '' ? [] : [`  ${label}`]),
  ...text.split('\n').map((line) => `    | ${plain(line.replaceAll('\t', '  '))}`.trimEnd()),
];
