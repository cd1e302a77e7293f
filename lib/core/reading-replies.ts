import type { Ledger } from './ledger.js';
import type { MarkerTrust } from './marker.js';
import type { ReplyWrite } from './publication.js';
import { withMarkers } from './render/markdown.js';
import { readingReply } from './render/reading-reply.js';
import { writeReplyMarker } from './reply-marker.js';
import { readingKey, type Ruling } from './ruling.js';
import type { Snapshot } from './snapshot.js';

/**
 * The replies to words that were read in this run: one each, and in each the reading itself, by which every later run
 * knows it.
 */
export function readingReplies(
  ledger: Ledger,
  { pullRequest, policy }: Pick<Snapshot, 'pullRequest' | 'policy'>,
  trust?: MarkerTrust,
): readonly ReplyWrite[] {
  return ledger.rulings.flatMap((ruling): readonly ReplyWrite[] => {
    const { reading, isFresh, statement } = ruling;
    if (reading === undefined || isFresh !== true || isSaidAlready(ruling, ledger)) return [];
    const finding = ledger.findings.find(({ id, from }) => id === reading.item || from === reading.item)?.id;
    const question = ledger.questions.find(({ id }) => id === reading.item);
    const text = readingReply(ruling, {
      pullRequest,
      mode: policy.gate.mode,
      ...(question !== undefined && { question }),
      ...(finding !== undefined && { finding }),
    });
    if (text === null) return [];
    const key = readingKey(reading);
    return [{ key, to: statement.subject, body: withMarkers(text, [writeReplyMarker(key, trust, reading)]) }];
  });
}

/** "Could not read that" is news once in a thread. */
const isSaidAlready = (ruling: Ruling, { rulings }: Ledger): boolean =>
  ruling.reading?.as.kind === 'unclear' &&
  rulings
    .slice(0, rulings.indexOf(ruling))
    .some(({ reading }) => reading?.as.kind === 'unclear' && reading.item === ruling.reading?.item);
