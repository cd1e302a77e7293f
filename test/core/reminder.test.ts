import type { Ledger } from '../../lib/core/ledger.js';
import { remindedBy, reminderKey, reminderOf } from '../../lib/core/reminder.js';
import { readReplyKey, writeReplyMarker } from '../../lib/core/reply-marker.js';
import { policy } from './shop.js';

const ids = Array.from({ length: 160 }, (_, index) => `Q${index + 100}` as const);

const remind = (reminded: readonly string[]) =>
  reminderOf({
    verdict: { kind: 'waiting', questions: ids },
    diffHash: 'd',
    policy: policy('blocking', { remindAfterHours: 72 }),
    now: 73 * 3_600_000,
    ledger: {
      questions: ids.map((id) => ({ id, standing: { kind: 'open' } })),
      threads: ids.map((id) => ({ id, asked: 0 })),
      reminded,
    } as unknown as Ledger,
  });

test('of however many questions people are reminded, each is told of once', () => {
  const told: string[] = [];
  for (let due = remind(told); due !== null; due = remind(told)) {
    const body = `A reminder.\n\n${writeReplyMarker(reminderKey(due))}`;
    const known = remindedBy(readReplyKey(body));
    expect(known).toEqual(due.about);
    told.push(...known);
  }
  expect(told).toEqual(ids);
});
