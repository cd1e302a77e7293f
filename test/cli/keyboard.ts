import { PassThrough } from 'node:stream';
import { createAsker, type Asker } from '../../cli/asker.js';

/** Keys as a terminal sends them. */
export const keys = {
  enter: '\r',
  escape: '\u001b',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  backspace: '\u007f',
} as const;

/**
 * A terminal whose person presses these keys, one batch for each prompt that waits. Without any left the input ends, so
 * that a prompt too many fails a test and hangs none.
 */
export function keyboard(...batches: readonly string[]): {
  readonly asker: Asker;
  readonly shown: () => string;
} {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const output = Object.assign(new PassThrough(), { columns: 80, rows: 40, isTTY: true });
  let shown = '';
  output.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const asker = createAsker({ input, output });
  const left = [...batches];
  const press = (): void => {
    const batch = left.shift();
    if (batch === undefined) input.end();
    else input.write(batch);
  };
  return {
    asker: {
      key: (label, names) => {
        setImmediate(press);
        return asker.key(label, names);
      },
      line: (label) => {
        setImmediate(press);
        return asker.line(label);
      },
    },
    shown: () => shown,
  };
}
