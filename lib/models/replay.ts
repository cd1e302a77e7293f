import { isDeepStrictEqual } from 'node:util';
import { ModelError } from '../core/errors.js';
import type { Message, Transcript } from '../core/transcript.js';
import type { Model } from '../ports/model.js';

/**
 * Gives the recorded turns of a transcript again, so that the loop and everything after it can be run without a model. A
 * request that differs from the recorded one is an error that says where: a replay that drifts proves nothing.
 */
export function createReplayModel(transcript: Transcript): Model {
  return {
    name: transcript.model,
    kind: transcript.model === 'fixed rules' ? 'rules' : 'language_model',
    sendsTo: null,
    async next(request, { signal }) {
      if (signal.aborted) throw new ModelError('The run was stopped.', { retryable: true });
      const index = request.messages.filter((message) => message.role === 'assistant').length;
      const turn = transcript.turns[index];
      if (turn === undefined) {
        throw new ModelError(
          `The replay ended: the transcript has ${transcript.turns.length} turns and the run asked for turn ${index + 1}.`,
        );
      }
      if (request.system !== transcript.system) {
        throw new ModelError(
          `The replay diverged in the system prompt: ${firstDifference(transcript.system, request.system)}`,
        );
      }
      const recorded = conversation(transcript, index);
      for (const [place, message] of recorded.entries()) {
        const now = request.messages[place];
        if (now !== undefined && isDeepStrictEqual(plain(message), plain(now))) continue;
        throw new ModelError(
          `The replay diverged at message ${place + 1} (${message.role}): ` +
            firstDifference(JSON.stringify(message), now === undefined ? '' : JSON.stringify(now)),
        );
      }
      if (request.messages.length !== recorded.length) {
        throw new ModelError(
          `The replay diverged: ${recorded.length} messages were recorded before turn ${index + 1}, ` +
            `${request.messages.length} were sent.`,
        );
      }
      return { content: turn.assistant.content, stop: turn.stop, usage: turn.usage };
    },
  };
}

/** All messages that were sent before the turn at `index`. */
const conversation = (transcript: Transcript, index: number): readonly Message[] => [
  transcript.opening,
  ...transcript.turns
    .slice(0, index)
    .flatMap((turn) => (turn.reply === undefined ? [turn.assistant] : [turn.assistant, turn.reply])),
];

/** A transcript from a file has lost its undefined fields. */
const plain = (message: Message): unknown => JSON.parse(JSON.stringify(message)) as unknown;

function firstDifference(recorded: string, now: string): string {
  let at = 0;
  while (at < recorded.length && recorded[at] === now[at]) at += 1;
  const piece = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 30), at + 50));
  return `recorded ${piece(recorded)}, now ${piece(now)}.`;
}
