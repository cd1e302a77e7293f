/**
 * Whether this program reads what people write in its threads. Until it does, no text may promise that an answer, a
 * `dismiss` or a command has an effect.
 */
export type Conversation = 'read' | 'not_yet';

/** What every surface takes where nobody says otherwise: the one place to change when replies are handled. */
export const conversationNow: Conversation = 'not_yet';
