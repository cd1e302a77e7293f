import { createHash } from 'node:crypto';
import type { KeptOutcome, KeptTranscript } from '../lib/core/kept-transcript.js';
import { duration, plural } from '../lib/core/render/words.js';
import { replay, type Claim, type ReplayPass, type ReplayStep, type ReplayTurn } from '../lib/core/replay.js';
import { outcomeWords, spendWords } from './replay-text.js';
import { safe } from './safe-html.js';

const style = `
:root { color-scheme: light dark; --dim: #667; --line: #8884; --red: #b42318; --green: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --dim: #99a; --red: #ff8a80; --green: #6fdd8b; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; margin: 1.5rem 0 .3rem; }
small, .dim { color: var(--dim); font-weight: normal; }
pre { overflow: auto; max-height: 30rem; padding: .6rem; border: 1px solid var(--line); border-radius: 6px; font-size: 13px; }
pre, .text { white-space: pre-wrap; overflow-wrap: anywhere; }
pre, code, bdi { unicode-bidi: isolate; }
ul { margin: .2rem 0; padding-left: 1.4rem; }
.refused { color: var(--red); } .accepted { color: var(--green); }
summary { cursor: pointer; }
`;

/** A digest lets this one style in and nothing else: no script, no image, no request leaves the page. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** A review, turn by turn, as one page that needs nothing beside itself. Every text in it is somebody else's. */
export function replayPage(transcript: KeptTranscript): string {
  const { passes, usage, lookUps } = replay(transcript);
  const { reviewed, model, result, evident } = transcript;
  const turns = passes.reduce((sum, pass) => sum + pass.turns.length, 0);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">',
    `<title>${safe(`Review of ${reviewed.repository}`)}</title><style>${style}</style></head><body>`,
    `<h1>${bdi(reviewed.repository)} <small>${bdi(reviewed.base)} ... ${bdi(reviewed.head)}</small></h1>`,
    `<p>${model.kind === 'rules' ? 'By fixed rules, not a language model.' : `By ${bdi(model.name)}.`} ${plural(turns, 'turn')}, ${plural(lookUps, 'look-up')}, ${spendWords(usage)}. <span class="dim">Written by Evident ${bdi(evident)}.</span></p>`,
    '<h2>Result</h2>',
    resultPart(result),
    ...passes.map((pass) => passPart(pass, passes.length)),
    '</body></html>',
    '',
  ].join('\n');
}

function resultPart(result: KeptTranscript['result']): string {
  if (result === null) return '<p class="refused">No pass ended with a submission.</p>';
  return list([
    ...result.findings.map(({ id, place, title }) => `<b>${safe(id)}</b> ${code(place)} ${bdi(title)}`),
    ...result.questions.map(
      ({ id, place, question }) => `<b>${safe(id)}</b> ${code(place)} ${bdi(question)}`,
    ),
    ...result.disproved.map(({ claim, because }) => `disproved: ${bdi(claim)} ${dim(because)}`),
    ...result.dropped.map(({ what, why }) => `left out: ${bdi(what)} ${dim(why)}`),
    ...result.missing.map(({ path, why }) => `not read: ${code(path)} ${dim(why)}`),
    `verdict: ${bdi(result.verdict.replaceAll('_', ' '))}`,
  ]);
}

const passPart = (pass: ReplayPass, of: number): string =>
  [
    `<h2>Pass ${pass.number} of ${of} <small>${spendWords(pass.usage)}</small></h2>`,
    folded('What the model was told to do', pass.system),
    folded('How it was opened', pass.opening),
    ...pass.turns.map(turnPart),
    `<p class="${pass.outcome.kind === 'submitted' ? 'accepted' : 'refused'}">Ended ${bdi(outcomeWords(pass.outcome))}.</p>`,
    droppedPart(pass.outcome),
  ].join('\n');

const droppedPart = (outcome: KeptOutcome): string =>
  outcome.kind === 'submitted' && outcome.dropped.length > 0
    ? list(outcome.dropped.map(({ what, why }) => `left out: ${bdi(what)} ${dim(why)}`))
    : '';

const turnPart = (turn: ReplayTurn): string =>
  [
    `<h3>Turn ${turn.number} <small>${[...(turn.ms === null ? [] : [duration(turn.ms)]), spendWords(turn.usage)].join(', ')}</small></h3>`,
    turn.thought ? '<p class="dim">It thought before it answered; thoughts are no claims.</p>' : '',
    turn.said === '' ? '' : `<p class="text">${bdi(turn.said)}</p>`,
    ...turn.steps.map(stepPart),
    turn.read.length === 0
      ? ''
      : `<p>Read ${turn.read.map(({ path, ref, lines }) => `${code(`${path}${ref === 'base' ? ' before' : ''}`)} ${safe(lines.join(' '))}`).join(', ')}</p>`,
    turn.told === '' ? '' : `<p class="dim text">Told: ${bdi(turn.told)}</p>`,
  ]
    .filter((part) => part !== '')
    .join('\n');

function stepPart(step: ReplayStep): string {
  switch (step.kind) {
    case 'look':
      return step.refused
        ? `<p>Looked ${code(`${step.tool} ${step.input}`)} <span class="refused text">refused: ${bdi(step.answer)}</span></p>`
        : `<details><summary>Looked ${code(`${step.tool} ${step.input}`)} ${dim(plural(step.answer.split('\n').length, 'line'))}</summary><pre>${safe(step.answer)}</pre></details>`;
    case 'submission':
      return [
        step.unread === null
          ? list(step.claims.map(claimPart), 'Claimed nothing.')
          : folded('Submitted something that is no review', step.unread),
        step.verdict === 'accepted'
          ? '<p class="accepted">Accepted: every claim that stands was looked up again by code.</p>'
          : `<p class="refused text">Refused: ${bdi(step.verdict === 'not_judged' ? 'not judged, the run ended first' : step.reasons)}</p>`,
      ].join('\n');
  }
}

const words = {
  finding: 'claimed',
  question: 'asked',
  disproved: 'disproved',
  prior: 'of before',
} as const satisfies Record<Claim['kind'], string>;

const claimPart = ({ kind, weight, place, title, body, evidence }: Claim): string =>
  `${words[kind]} ${code(place)} <b>${bdi(title)}</b> ${weight === '' ? '' : dim(weight)}${body === '' ? '' : `<div class="text">${bdi(body)}</div>`}${evidence.length === 0 ? '' : list(evidence.map((one) => `because ${code(one)}`))}`;

const list = (items: readonly string[], otherwise = ''): string =>
  items.length === 0 ? `<p>${otherwise}</p>` : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;

const folded = (title: string, text: string): string =>
  `<details><summary>${safe(title)}</summary><pre>${safe(text)}</pre></details>`;

const bdi = (text: string): string => `<bdi>${safe(text)}</bdi>`;
const code = (text: string): string => `<code>${safe(text)}</code>`;
const dim = (text: string): string => `<span class="dim">${bdi(text)}</span>`;
