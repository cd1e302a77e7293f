export type MadeFile = { readonly path: string; readonly text: string };

/**
 * A repository that nobody wrote: the same for the same seed. Three files of four are code, the others are locale
 * tables, settings and one line of minified code; a few lines speak of tokens and passwords without holding one.
 */
export function writeRepository(size: {
  readonly files: number;
  readonly bytes: number;
  readonly seed: number;
}): readonly MadeFile[] {
  const random = createRandom(size.seed);
  const one = (words: readonly string[]): string => words[Math.floor(random() * words.length)]!;
  const name = (): string => `${one(verbs)}${one(nouns)}${random() < 0.3 ? one(nouns) : ''}`;
  const lines: readonly (() => string)[] = [
    () => `import { ${name()}, ${name()} } from '@shop/${one(folders)}/${one(nouns)}';`,
    () => `export ${random() < 0.5 ? 'async ' : ''}function ${name()}(input: ${one(nouns)}): number {`,
    () => `  const ${one(nouns).toLowerCase()} = await ${name()}(input.${name()}, ${digits(3)});`,
    () => `  if (${name()}.length > ${digits(2)} && !${name()}) return ${name()}(${digits(1)});`,
    () => `  // ${Array.from({ length: 9 }, () => one(nouns).toLowerCase()).join(' ')}`,
    () => `  expect(${name()}(fixture)).toEqual({ id: '${digits(6)}', kind: '${one(nouns)}' });`,
    () => `  ${name()}: z.string().min(${digits(1)}).describe('${one(nouns)} of the ${one(nouns)}'),`,
    () => `  <${one(nouns)} className="flex p-${digits(1)} text-sm" onClick={() => ${name()}(row)} />`,
    () => '}',
    () => '',
  ];
  const rare: readonly (() => string)[] = [
    () => `  const token = await ${name()}(request.headers.authorization, ${digits(2)});`,
    () => `  password: process.env.${one(nouns).toUpperCase()}_PASSWORD ?? '',`,
    () => `  "forgot_password_${digits(2)}": "${one(nouns)} ${one(nouns)}",`,
    () => `  // see https://docs.shop.test/${one(folders)}/${digits(4)}`,
    () => `const ${one(nouns).toUpperCase()}_${digits(2)} = secrets.${name()};`,
  ];
  function digits(count: number): string {
    return String(Math.floor(random() * 10 ** count));
  }
  function text(at: number, bytes: number): string {
    const written: string[] = [];
    for (let length = 0; length < bytes;) {
      const line =
        at % 4 === 3 ? `  "${name()}": "${one(nouns)} ${name()} ${digits(3)}",` : lineOf(random() < 0.03)();
      written.push(line);
      length += line.length + 1;
    }
    return at % 100 === 7 ? written.join(';') : `${written.join('\n')}\n`;
  }
  function lineOf(seldom: boolean): () => string {
    const from = seldom ? rare : lines;
    return from[Math.floor(random() * from.length)]!;
  }
  return Array.from({ length: size.files }, (_, at) => ({
    path: pathOf(at, one(folders)),
    // A few large files and many small ones.
    text: text(at, (size.bytes / size.files) * (0.2 + 2.4 * random() ** 2)),
  }));
}

function pathOf(at: number, folder: string): string {
  if (at % 100 === 7) return `public/vendor/${folder}-${at}.min.js`;
  return at % 4 === 3 ? `${folder}/locales/${at}.json` : `packages/${folder}/src/file-${at}.ts`;
}

/** Mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const verbs = ['load', 'save', 'find', 'round', 'merge', 'render', 'check', 'create', 'update', 'send'];
const nouns = [
  'Order',
  'Customer',
  'Invoice',
  'Refund',
  'Cart',
  'Price',
  'Booking',
  'Session',
  'Event',
  'Team',
];
const folders = ['core', 'web', 'billing', 'features', 'emails', 'app-store', 'ui', 'prisma', 'lib', 'trpc'];
