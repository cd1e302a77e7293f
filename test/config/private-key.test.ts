import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePrivateKey, readPrivateKey } from '../../lib/config/private-key.js';
import { ConfigError } from '../../lib/core/errors.js';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = pair.privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;
const pkcs8 = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const publicPem = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const der = pair.privateKey.export({ type: 'pkcs1', format: 'der' });
const another = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;
const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const wrapped = (text: string): string => text.replace(/.{76}/g, '$&\n');
const body = pem.split('\n').slice(1, -2);

test.each<[string, string]>([
  ['PKCS#1, as GitHub gives it', pem],
  ['PKCS#8', pkcs8],
  ['\\n for each line break', pem.replaceAll('\n', '\\n')],
  ['\\n escaped twice', pem.replaceAll('\n', '\\\\n')],
  ['\\r\\n written out', pem.replaceAll('\n', '\\r\\n')],
  ['CRLF', pem.replaceAll('\n', '\r\n')],
  ['old Macintosh line ends', pem.replaceAll('\n', '\r')],
  ['lines that end in a backslash', pem.replaceAll('\n', '\\\n')],
  ['indented, as in YAML', pem.replaceAll('\n', '\n    ')],
  ['one line with spaces', pem.replaceAll('\n', ' ')],
  ['one line with nothing in between', pem.replaceAll('\n', '')],
  ['no line break at the end', pem.trimEnd()],
  ['blank lines around it', `\n\n${pem}\n\n`],
  ['double quotes', `"${pem}"`],
  ['double quotes and \\n', `"${pem.replaceAll('\n', '\\n')}"`],
  ['single quotes', `'${pem}'`],
  ['quotes in quotes', `"'${pem}'"`],
  ['the whole line of a .env file', `export PRIVATE_KEY="${pem.replaceAll('\n', '\\n')}"`],
  ['a byte order mark', `\u{feff}${pem}`],
  ['no-break spaces', pem.replaceAll('\n', '\u{a0}')],
  ['a comment above', `Key of the app\n${pem}`],
  ['with its own certificate text in front', `Bag Attributes\n    localKeyID: 01\n${pkcs8}`],
  ['with the public half beside it', `${pem}${publicPem}`],
  ['base64 of the PEM', base64(pem)],
  ['base64 of the PEM in lines', wrapped(base64(pem))],
  ['base64 of the PEM in lines, \\n written out', wrapped(base64(pem)).replaceAll('\n', '\\n')],
  ['base64url of the PEM', Buffer.from(pem).toString('base64url')],
  ['base64 in quotes', `"${base64(pem)}"`],
  ['base64 of the PEM with CRLF', base64(pem.replaceAll('\n', '\r\n'))],
  ['base64 of one line with \\n', base64(pem.replaceAll('\n', '\\n'))],
  ['base64 of UTF-16', base64(Buffer.from(pem, 'utf16le'))],
  ['base64 of PKCS#8', base64(pkcs8)],
  ['the lines between the labels', body.join('\n')],
  ['the lines between the labels on one line', body.join('')],
  ['base64 of DER, PKCS#8', base64(pair.privateKey.export({ type: 'pkcs8', format: 'der' }))],
])('%s gives the one text of that key', (_name, value) => {
  expect(parsePrivateKey(value)).toBe(pem);
});

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const locked = (type: 'pkcs1' | 'pkcs8'): string =>
  pair.privateKey.export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }) as string;
const block = (label: string): string =>
  `-----BEGIN ${label}-----\n${base64('x'.repeat(90))}\n-----END ${label}-----\n`;
const mark = body[3] ?? '';

const bad: readonly (readonly [string, string, RegExp])[] = [
  ['nothing', '', /is empty.*whole \.pem file/],
  ['only quotes', '""', /is empty/],
  ['a passphrase, PKCS#8', locked('pkcs8'), /passphrase.*openssl rsa/],
  ['a passphrase, PKCS#1', locked('pkcs1'), /passphrase.*openssl rsa/],
  [
    'a public key',
    pair.publicKey.export({ type: 'spki', format: 'pem' }) as string,
    /public key.*Private keys/,
  ],
  ['a public RSA key', pair.publicKey.export({ type: 'pkcs1', format: 'pem' }) as string, /public key/],
  ['a certificate', block('CERTIFICATE'), /certificate/],
  ['a certificate request', block('CERTIFICATE REQUEST'), /certificate/],
  ['an SSH key', block('OPENSSH PRIVATE KEY'), /SSH key.*settings page/],
  ['a public SSH key', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI me@here', /SSH key/],
  ['an elliptic key', ec.export({ type: 'sec1', format: 'pem' }) as string, /not an RSA key/],
  ['an elliptic key, PKCS#8', ec.export({ type: 'pkcs8', format: 'pem' }) as string, /not an RSA key/],
  ['two keys', pem + another, /2 private keys.*Keep the one/],
  ['base64 of two keys', base64(pem + another), /2 private keys/],
  ['only its first line', '-----BEGIN RSA PRIVATE KEY-----', /only the first line.*\.env/],
  ['no last line', pem.slice(0, 900), /cut: its last line/],
  ['no first line', pem.slice(40), /cut: its first line/],
  ['a line missing', pem.replace(`${mark}\n`, ''), /cannot be read: a part/],
  ['base64 that is cut', base64(pem).slice(0, 1200), /cut: its last line/],
  ['a body that is cut', body.slice(0, 9).join('\n'), /cannot be read/],
  ['stars in it', pem.replace(mark, '*'.repeat(64)), /was changed on its way/],
  ['dashes of a text program', pem.replaceAll('-----', '\u{2014}\u{2014}-'), /dashes.*base64/],
  ['a fingerprint', 'SHA256:9sbPBXZlUVsKXbXqRYGIbfSGcsHEuZyVbBYFcbFxuSk=', /fingerprint/],
  ['the name of a file', '/run/secrets/key.pem', /name of a file.*PRIVATE_KEY_PATH/],
  ['another text', 'hunter2!', /does not begin/],
  ['base64 of another text', base64('hunter2, and more of it'), /does not begin/],
];

test.each(bad)('%s is refused with the variable and how to mend it', (_name, value, sentence) => {
  let said: ConfigError | null = null;
  try {
    parsePrivateKey(value);
  } catch (error) {
    if (error instanceof ConfigError) said = error;
  }
  expect(said?.message).toMatch(sentence);
  expect(said?.where).toBe('PRIVATE_KEY');
  expect(said?.message).toMatch(
    /^PRIVATE_KEY (is|holds|looks) .*\. (Set|Generate|GitHub gives|Keep|Unlock|Put|In a|Copy) .*\.$/,
  );
  for (const line of [mark, 'hunter2', '/run/secrets', '9sbPBXZl']) expect(said?.message).not.toContain(line);
});

describe('PRIVATE_KEY_PATH', () => {
  let dir = '';
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'private-key-'));
    mkdirSync(join(dir, 'folder'));
    writeFileSync(join(dir, 'key.pem'), pkcs8);
    writeFileSync(join(dir, 'wide.pem'), Buffer.from(`\u{feff}${pem}`, 'utf16le'));
    writeFileSync(join(dir, 'empty.pem'), '');
    writeFileSync(join(dir, 'large.pem'), 'x'.repeat(70_000));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test.each(['key.pem', 'wide.pem'])('%s is read', (name) => {
    expect(readPrivateKey(join(dir, name))).toBe(pem);
  });

  test.each([
    ['folder', /names a folder/],
    ['missing.pem', /not there.*whole path/],
    ['empty.pem', /is empty/],
    ['large.pem', /too large/],
  ])('%s is refused under its own name', (name, sentence) => {
    expect(() => readPrivateKey(join(dir, name))).toThrow(sentence);
    expect(() => readPrivateKey(join(dir, name))).toThrow(/^PRIVATE_KEY_PATH /);
  });
});

test('the answer is the same key, not only a key', () => {
  expect(createPrivateKey(parsePrivateKey(base64(der))).equals(pair.privateKey)).toBe(true);
});
