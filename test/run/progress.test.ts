import type { LoopEvent } from '../../lib/agent/loop-event.js';
import type { CheckWrite } from '../../lib/core/publication.js';
import type { Snapshot } from '../../lib/core/snapshot.js';
import { tellProgress } from '../../lib/run/progress.js';

const snapshot = {
  diff: ['a.ts', 'b.ts'].map((path) => ({ path, oldPath: path })),
} as unknown as Snapshot;

const turn = (dollars: number | null): LoopEvent => ({
  kind: 'turn_received',
  turn: 1,
  content: [],
  stop: { kind: 'tool_use' },
  usage: { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1, dollars },
  ms: 1,
});

const lookUp = (path: string): LoopEvent => ({
  kind: 'tool_finished',
  turn: 1,
  id: 't',
  name: 'get_file_content',
  input: {},
  ms: 1,
  chars: 1,
  served: [{ path }] as unknown as Extract<LoopEvent, { kind: 'tool_finished' }>['served'],
  failed: false,
});

/** What is told of these events, ten seconds apart. */
function told(events: readonly LoopEvent[]): readonly CheckWrite[] {
  let now = 0;
  const checks: CheckWrite[] = [];
  const tell = tellProgress(
    snapshot,
    () => now,
    async (check) => void checks.push(check),
  );
  for (const event of events) {
    now += 10_000;
    tell(event);
  }
  return checks;
}

test('a long run says how much of the change it has read, and what that took', () => {
  const [first, ...more] = told([turn(0.02), lookUp('a.ts'), turn(0.03), lookUp('other.ts'), lookUp('a.ts')]);
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    status: 'in_progress',
    title: 'Reading, 1 of 2 files',
    summary: 'The review is running. Nothing is decided yet. So far: 2 turns, 3 look-ups, $0.05.',
  });
});

test('a short run says nothing', () => {
  expect(told([turn(0.02), lookUp('a.ts'), lookUp('b.ts')])).toEqual([]);
});

test('a cost that is not known is left out', () => {
  const [first] = told([turn(null), turn(0.1), lookUp('a.ts'), lookUp('a.ts'), lookUp('b.ts')]);
  expect(first?.summary).toBe('The review is running. Nothing is decided yet. So far: 2 turns, 3 look-ups.');
});
