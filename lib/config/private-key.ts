import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from '../core/errors.js';

/** The variable that holds the key, or names its file: sentences speak of it, never of its value. */
type Variable = 'PRIVATE_KEY' | 'PRIVATE_KEY_PATH';

/**
 * The app's private key, from the shapes that dashboards, shells and files leave it in: PKCS#1 or PKCS#8, real line
 * breaks or written-out ones, one line with spaces, quotes around it, base64 of the file, base64 without its label lines.
 * Always answers PKCS#1 PEM, the form that GitHub gives, so that one key is one text however it was set. Never repeats
 * the value.
 */
export function parsePrivateKey(value: string, variable: Variable = 'PRIVATE_KEY'): string {
  const text = plain(value);
  if (text === '') throw refused(variable, 'is empty');
  const key = LABEL.test(text) ? fromPem(text, variable) : fromBase64(text, variable);
  if (key.asymmetricKeyType !== 'rsa') throw refused(variable, ...notRsa);
  return key.export({ type: 'pkcs1', format: 'pem' }) as string;
}

/** The key in a file: `PRIVATE_KEY_PATH`. */
export function readPrivateKey(path: string): string {
  return parsePrivateKey(readKeyFile(path), 'PRIVATE_KEY_PATH');
}

/** A key has 2 to 4 KB; more than this is some other file. */
const MOST_BYTES = 64 * 1024;

function readKeyFile(path: string): string {
  const at = 'PRIVATE_KEY_PATH';
  try {
    const found = statSync(path);
    if (!found.isFile())
      throw refused(at, 'names a folder', 'Name the .pem file that is in it, with its whole path.');
    if (found.size > MOST_BYTES) throw refused(at, 'names a file that is too large to be a key');
    return decoded(readFileSync(path));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EACCES' || code === 'EPERM')
      throw refused(
        at,
        'names a file that this user may not read',
        'Give it the right to read the file, or put the key into PRIVATE_KEY.',
      );
    throw refused(
      at,
      'names a file that is not there',
      'Give the whole path of the .pem file as this machine sees it, or put the key into PRIVATE_KEY.',
    );
  }
}

const mend =
  'Set it to the whole .pem file that GitHub gave you for the app, with real line breaks, with \\n for each line ' +
  'break, or as base64 of the file (base64 -w0 key.pem).';
const mendFile =
  'Let it name the .pem file that GitHub gave you for the app ("Generate a private key" on its settings page).';

const refused = (variable: Variable, why: string, how?: string): ConfigError =>
  new ConfigError(`${variable} ${why}. ${how ?? (variable === 'PRIVATE_KEY' ? mend : mendFile)}`, variable);

const anotherOne =
  'Generate one on the settings page of your GitHub App, under "Private keys", and use that file.';
const notRsa = ['holds a key that is not an RSA key', anotherOne] as const;

/** Without what editors, shells and `.env` files put around it; written-out line breaks become real ones. */
function plain(value: string): string {
  const text = value
    .replace(/\u{feff}|\u{200b}|\u{200c}|\u{200d}|\u{2060}/gu, '')
    .replace(/\u{a0}/gu, ' ')
    .trim()
    .replace(/^(?:export\s+)?PRIVATE_KEY\s*[=:]\s*/, '');
  return unquote(text)
    .replace(/\\+r/g, '')
    .replace(/\\+n/g, '\n')
    .replace(/\r\n?/g, '\n')
    .replace(/\\$/gm, '')
    .trim();
}

function unquote(value: string): string {
  const quoted = /^(["'`])([\s\S]*)\1$/.exec(value);
  return quoted === null ? value : unquote((quoted[2] ?? '').trim());
}

/** Dashes of a text program count too, so that the sentence can speak of them. */
const LABEL = /[-\u{2010}-\u{2015}]{2,}\s*(?:BEGIN|END)\b/u;
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g;
const PRIVATE = /^(?:RSA )?PRIVATE KEY$/;

function fromPem(text: string, variable: Variable): KeyObject {
  const blocks = [...text.matchAll(BLOCK)].map(([, label = '', body = '']) => ({ label, body }));
  const keys = blocks.filter(({ label }) => PRIVATE.test(label));
  const [key] = keys;
  if (key === undefined) {
    const other = blocks[0]?.label ?? /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text)?.[1];
    if (other === undefined || PRIVATE.test(other)) throw refused(variable, ...cutWhere(text));
    throw refused(variable, ...otherThing(other));
  }
  if (keys.length > 1)
    throw refused(
      variable,
      `holds ${keys.length} private keys`,
      'Keep the one that the settings page of your GitHub App lists; an app may have several, this needs one.',
    );
  if (/Proc-Type:.*ENCRYPTED|DEK-Info:/i.test(key.body)) throw refused(variable, ...encrypted);
  const body = key.body.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(body))
    throw refused(variable, 'holds a key with characters in it that no key has: it was changed on its way');
  return readDer(Buffer.from(body, 'base64')) ?? unreadable(variable);
}

/** Base64 of a `.pem` file, or what stands between its label lines. */
function fromBase64(text: string, variable: Variable): KeyObject {
  const body = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(body)) throw refused(variable, ...noKeyAtAll(text));
  const bytes = Buffer.from(body, 'base64');
  const inner = plain(decoded(bytes));
  if (LABEL.test(inner)) return fromPem(inner, variable);
  const key = readDer(bytes);
  if (key !== null) return key;
  // Both forms of a key begin so: 0x30, then a length of two bytes.
  if (bytes[0] === 0x30 && bytes[1] === 0x82) return unreadable(variable);
  throw refused(variable, ...noKeyAtAll(text));
}

/** UTF-16 is what Windows tools write. */
function decoded(bytes: Buffer): string {
  const isWide = bytes[1] === 0 || (bytes[0] === 0xff && bytes[1] === 0xfe);
  return bytes.toString(isWide ? 'utf16le' : 'utf8');
}

function readDer(key: Buffer): KeyObject | null {
  for (const type of ['pkcs1', 'pkcs8'] as const) {
    try {
      return createPrivateKey({ key, format: 'der', type });
    } catch {
      // The other form is tried, and the caller says what came of it.
    }
  }
  return null;
}

const unreadable = (variable: Variable): never => {
  throw refused(variable, 'holds a key that cannot be read: a part of it is missing or was changed');
};

type Why = readonly [why: string, how?: string];

const encrypted: Why = [
  'holds a key that is locked with a passphrase',
  'Unlock it first (openssl rsa -in key.pem -out plain.pem), or use the file as GitHub gave it.',
];

function cutWhere(text: string): Why {
  if (!text.includes('-----'))
    return [
      'holds a key whose dashes were turned into longer ones by a text program',
      'Copy it from the .pem file itself, or set it as base64 of the file (base64 -w0 key.pem).',
    ];
  if (!text.includes('-----BEGIN'))
    return ['holds a key that is cut: its first line, "-----BEGIN ...", is missing'];
  if (/^-----BEGIN [A-Z ]+-----$/.test(text))
    return [
      'holds only the first line of a key',
      'In a .env file put the key in double quotes with \\n for each line break, or set it as base64 (base64 -w0 key.pem).',
    ];
  return ['holds a key that is cut: its last line, "-----END ...", is missing'];
}

function otherThing(label: string): Why {
  switch (label) {
    case 'ENCRYPTED PRIVATE KEY':
      return encrypted;
    case 'OPENSSH PRIVATE KEY':
    case 'SSH2 ENCRYPTED PRIVATE KEY':
      return ['holds an SSH key, which is not the key of a GitHub App', anotherOne];
    case 'PUBLIC KEY':
    case 'RSA PUBLIC KEY':
    case 'SSH2 PUBLIC KEY':
      return ['holds a public key, which cannot sign', anotherOne];
    case 'CERTIFICATE':
    case 'TRUSTED CERTIFICATE':
    case 'CERTIFICATE REQUEST':
      return ['holds a certificate, not a private key', anotherOne];
    case 'EC PRIVATE KEY':
    case 'DSA PRIVATE KEY':
      return notRsa;
    default:
      return ['holds something that is not a private key', anotherOne];
  }
}

function noKeyAtAll(text: string): Why {
  if (/^(?:ssh-|ecdsa-)/.test(text))
    return ['holds an SSH key, which is not the key of a GitHub App', anotherOne];
  if (/^SHA256:/i.test(text))
    return [
      'holds the fingerprint that GitHub shows of a key, not the key',
      'GitHub gives a key out only once, as a file: generate a new one if the file is gone.',
    ];
  if (/^[^\s]+\.(?:pem|key)$/i.test(text))
    return ['looks like the name of a file', 'Put that name into PRIVATE_KEY_PATH instead.'];
  return ['is set but holds no key: it does not begin with "-----BEGIN"'];
}
