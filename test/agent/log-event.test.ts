import { logEvent } from '../../lib/agent/log-event.js';
import type { LoopEvent } from '../../lib/agent/loop-event.js';
import { noUsage } from '../../lib/core/budget.js';

function logged(event: LoopEvent): { level: string; fields: object; message: string }[] {
  const lines: { level: string; fields: object; message: string }[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  logEvent({ info: at('info'), warn: at('warn'), error: at('error') }, { pullRequest: 'o/r#1' }, event);
  return lines;
}

const secretText = 'what the code says';
const events: readonly LoopEvent[] = [
  { kind: 'request_sent', turn: 0, added: [{ role: 'user', content: [{ type: 'text', text: secretText }] }] },
  {
    kind: 'turn_received',
    turn: 0,
    content: [{ type: 'text', text: secretText }],
    stop: { kind: 'tool_use' },
    usage: noUsage,
    ms: 3,
  },
  {
    kind: 'tool_finished',
    turn: 0,
    id: 'a',
    name: 'get_file_content',
    input: { path: secretText },
    ms: 1,
    chars: 12,
    served: [],
    failed: false,
  },
  { kind: 'submission_sent_back', turn: 1, tryNumber: 1, tries: 3, reasons: [secretText] },
  { kind: 'follow_up_asked', turn: 2 },
  { kind: 'follow_up_unanswered', outcome: { kind: 'refused', detail: secretText } },
  { kind: 'closing', turn: 2, limit: '3 turns' },
  { kind: 'resumed', turns: 2 },
  { kind: 'ended', outcome: { kind: 'no_submission', detail: 'it only talked' } },
];

test('the log tells what happened and how much, and none of the texts', () => {
  const lines = events.flatMap(logged);
  expect(lines.map(({ message }) => message)).toEqual([
    'the model answered',
    'a tool answered',
    'the submission was sent back',
    'the submission was accepted, one thing more was asked',
    'no answer to what was asked after the submission',
    'closing: only the submission is accepted',
    'resumed from the journal',
    'the run ended',
  ]);
  expect(JSON.stringify(lines)).not.toContain(secretText);
  expect(lines.every(({ fields }) => 'pullRequest' in fields)).toBe(true);
});

test('a defect of a tool is an error line', () => {
  const [line] = logged({
    kind: 'tool_finished',
    turn: 0,
    id: 'a',
    name: 'search_code',
    input: {},
    ms: 1,
    chars: 0,
    served: [],
    failed: true,
    defect: 'TypeError: x is undefined',
  });
  expect(line).toMatchObject({ level: 'error', fields: { defect: 'TypeError: x is undefined' } });
});
