import { SelectKeyPrompt, TextPrompt, isCancel, type Prompt } from '@clack/core';
import type { Readable, Writable } from 'node:stream';

/** What a person did at a prompt. */
export type Told<T extends string = string> =
  | { readonly kind: 'said'; readonly text: T }
  /** Escape: not this one. */
  | { readonly kind: 'back' }
  /** Ctrl-C, Ctrl-D, or the input has ended: no more questions. */
  | { readonly kind: 'left' };

/** A person in front of the terminal. */
export type Asker = {
  /** Waits for one of the keys; other keys do nothing. */
  readonly key: <K extends string>(label: string, keys: readonly K[]) => Promise<Told<K>>;
  /** Waits for a line that holds something. */
  readonly line: (label: string) => Promise<Told>;
};

/** Prompts of one line each, drawn on `output`; `input` is a terminal, or acts as one. */
export function createAsker({
  input,
  output,
}: {
  readonly input: Readable;
  readonly output: Writable;
}): Asker {
  return {
    key: (label, keys) =>
      told(
        input,
        (signal) =>
          new SelectKeyPrompt({
            options: keys.map((value) => ({ value })),
            input,
            output,
            signal,
            validate: (value) => (value === undefined ? `One of ${keys.join(', ')}.` : undefined),
            render() {
              return row(label, this.state === 'submit' ? this.value : '', this);
            },
          }),
      ),
    line: (label) =>
      told(
        input,
        (signal) =>
          new TextPrompt({
            input,
            output,
            signal,
            validate: (value) => (/[\p{L}\p{N}]/u.test(value ?? '') ? undefined : 'Say it in a few words.'),
            render() {
              return row(label, this.state === 'active' ? this.userInputWithCursor : this.userInput, this);
            },
          }),
      ),
  };
}

const row = (
  label: string,
  text: string | undefined,
  { state, error }: Pick<Prompt<string>, 'state' | 'error'>,
): string => `  ${label}> ${text ?? ''}${state === 'error' ? `\n  ${error}` : ''}`;

/** The library knows one way out; Escape is told from Ctrl-C here, and an input that ends waits for nothing. */
async function told<T extends string>(
  input: Readable,
  create: (signal: AbortSignal) => Prompt<T>,
): Promise<Told<T>> {
  if (input.readableEnded || input.destroyed) return { kind: 'left' };
  const ended = new AbortController();
  const prompt = create(ended.signal);
  let isEscape = false;
  prompt.on('key', (_, { name, ctrl = false }) => {
    isEscape = name === 'escape';
    // The line editor below takes Ctrl-D for the end and tells nobody.
    if (ctrl && name === 'd') prompt.state = 'cancel';
  });
  const end = (): void => ended.abort();
  input.once('end', end);
  input.once('close', end);
  try {
    const value = await prompt.prompt();
    if (value === undefined || isCancel(value)) return { kind: isEscape ? 'back' : 'left' };
    return { kind: 'said', text: value };
  } finally {
    input.off('end', end);
    input.off('close', end);
  }
}
