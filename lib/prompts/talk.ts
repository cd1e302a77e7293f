import { framed } from './frame.js';

/** What was said about an item, and the code that it is about. */
export type Talk = {
  /** Oldest first, the reply that is to be read left out. `by`: a login; ours is "the review". */
  readonly earlier: readonly { readonly by: string; readonly text: string }[];
  readonly by: string;
  readonly reply: string;
  /** Answers of tools, as they stand in a run. */
  readonly code: readonly string[];
  readonly turns: number;
  readonly toolCalls: number;
};

/** The end of the opening message of answer and chat: everything that people wrote is framed. */
export const talkOf = ({ earlier, by, reply, code, turns, toolCalls }: Talk): readonly string[] => [
  ...(code.length === 0 ? [] : [['The code that it rests on, read again just now:', ...code].join('\n\n')]),
  ...(earlier.length === 0
    ? []
    : [
        [
          'Said in the thread before:',
          ...earlier.slice(-MAX_EARLIER).map((one) => `${one.by} wrote:\n${framed(one.text, 1_500)}`),
        ].join('\n'),
      ]),
  `The reply to be read. ${by} wrote:\n${framed(reply, 4_000)}`,
  `You have ${turns} turns and ${toolCalls} look-ups; a few are enough.`,
];

const MAX_EARLIER = 12;
