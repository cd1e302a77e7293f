import type { MarkerTrust } from '../core/marker.js';
import { newRulings, type ReplyWrite } from '../core/publication.js';
import { withMarkers } from '../core/render/markdown.js';
import { writeReplyMarker } from '../core/reply-marker.js';
import type { CommandContext } from './command.js';
import { effectOf } from './index.js';

/** What people get in answer to commands that were not acted on yet: one reply each, found again by its key. */
export function repliesTo(context: CommandContext, trust?: MarkerTrust): readonly ReplyWrite[] {
  return newRulings(context.ledger).flatMap(({ statement, outcome }): readonly ReplyWrite[] => {
    // What the fold had an opinion about is answered with that.
    if (outcome.kind !== 'left') return [];
    const effect = effectOf(statement, context);
    if (effect.kind !== 'reply' && effect.kind !== 'wrong') return [];
    const { subject } = statement;
    const key = `command:${subject.kind}:${subject.databaseId}:${statement.nth ?? 0}`;
    return [{ key, to: subject, body: withMarkers(effect.body, [writeReplyMarker(key, trust)]) }];
  });
}
