import { noSpend, noUsage } from '../../lib/core/budget.js';
import { keepPasses, parseTranscript, type KeptTranscript } from '../../lib/core/kept-transcript.js';
import { replay } from '../../lib/core/replay.js';
import type { Transcript, Turn } from '../../lib/core/transcript.js';

const submits = (index: number, input: object, over: Partial<Turn>): Turn => ({
  index,
  assistant: {
    role: 'assistant',
    content: [{ type: 'tool_use', id: `id${index}`, name: 'submit_code_review', input }],
  },
  stop: { kind: 'tool_use' },
  usage: noUsage,
  served: [],
  calls: [],
  ...over,
});
const answered = (index: number, text: string, isError: boolean): Turn['reply'] => ({
  role: 'user',
  content: [{ type: 'tool_result', toolUseId: `id${index}`, text, isError }],
});

test('a submission that was asked about is kept without its value, and is shown as accepted', () => {
  const transcript: Transcript = {
    model: 'scripted',
    system: 's',
    opening: { role: 'user', content: [{ type: 'text', text: 'o' }] },
    turns: [
      submits(0, { findings: [] }, { submitted: true, reply: answered(0, 'Not accepted', true) }),
      submits(
        1,
        { findings: [] },
        { held: { value: 'what stood', dropped: [] }, reply: answered(1, 'And F1?', false) },
      ),
      submits(
        2,
        { prior: [{ id: 'F1', verdict: 'still' }] },
        { submitted: true, ended: { kind: 'submitted', value: 'what stood', dropped: [] } },
      ),
    ],
    spend: noSpend,
  };
  const kept: KeptTranscript = {
    version: 1,
    evident: '0.1.0',
    model: { name: 'scripted', kind: 'language_model' },
    reviewed: { repository: 'octo-org/shop', base: 'b', head: 'h' },
    passes: keepPasses([transcript], null),
    result: null,
  };
  const text = JSON.stringify(kept);
  expect(text).not.toContain('what stood');
  const read = parseTranscript(text);
  if (read.kind !== 'read') throw new Error(read.why);
  const steps = replay(read.transcript).passes.flatMap(({ turns }) => turns.flatMap((turn) => turn.steps));
  expect(steps.map((step) => step.kind === 'submission' && step.verdict)).toEqual([
    'sent_back',
    'accepted',
    'accepted',
  ]);
  expect(steps[2]).toMatchObject({ claims: [{ kind: 'prior', place: 'F1', title: 'still' }] });
});
