import { createAsker, type Asker } from './asker.js';
import { pageOpener } from './open-page.js';

/** What a command may do to the outside: write lines, read standard input, know the terminal. */
export type Io = {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly readStdin: () => Promise<Uint8Array>;
  readonly isTerminal: boolean;
  /** A person who can be asked; absent where nobody sits in front of it. */
  readonly asker?: Asker;
  /** Shows a page in the browser of who sits there; undefined where nobody could see it. Rejects when none starts. */
  readonly openPage?: ((url: string) => Promise<void>) | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
};

export const processIo = (): Io => ({
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  readStdin: async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  },
  isTerminal: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined,
  ...(process.stdin.isTTY === true &&
    process.stdout.isTTY === true &&
    // Some pseudo-terminals have no width.
    process.stdout.columns > 0 && {
      asker: createAsker({ input: process.stdin, output: process.stdout }),
    }),
  openPage: pageOpener({
    env: process.env,
    platform: process.platform,
    isTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
  }),
  env: process.env,
  cwd: process.cwd(),
});
