import { createPrivateKey } from 'node:crypto';
import { ConfigError } from '../core/errors.js';

/**
 * The app's private key as PEM, from the shapes that dashboards and shells leave it in: real line breaks, `\n` written
 * out, one line with spaces, base64 of the whole file, with or without quotes around it. Never repeats the value.
 */
export function parsePrivateKey(value: string): string {
  const text = unquote(value.trim()).replace(/\\r/g, '').replace(/\\n/g, '\n').replace(/\r\n?/g, '\n').trim();
  const pem = text.startsWith('-----BEGIN') ? rewrap(text) : fromBase64(text);
  if (pem === null) throw notAKey('it does not begin with "-----BEGIN"');
  try {
    if (createPrivateKey(pem).asymmetricKeyType !== 'rsa') throw notAKey('it is not an RSA key');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw notAKey('it cannot be read: a part may be missing');
  }
  return pem;
}

const notAKey = (why: string): ConfigError =>
  new ConfigError(
    `PRIVATE_KEY is set but ${why}. Set it to the whole .pem file that GitHub gave you for the app, with real line ` +
      'breaks, with \\n for each line break, or as base64 of the file (base64 -w0 key.pem).',
    'PRIVATE_KEY',
  );

function unquote(value: string): string {
  const first = value[0];
  return value.length > 1 && (first === '"' || first === "'") && value.endsWith(first)
    ? value.slice(1, -1).trim()
    : value;
}

function fromBase64(value: string): string | null {
  if (!/^[A-Za-z0-9+/_=\s-]+$/.test(value)) return null;
  const decoded = Buffer.from(value, 'base64').toString('utf8').trim();
  return decoded.startsWith('-----BEGIN') ? decoded.replace(/\r\n?/g, '\n') : null;
}

/** A key whose line breaks became spaces: the label lines stay whole, the rest is broken at 64 characters. */
function rewrap(value: string): string {
  const parts = /^-----BEGIN ([A-Z ]+)-----([\s\S]*)-----END \1-----$/.exec(value);
  if (parts === null) return value;
  const body = (parts[2] ?? '').replace(/\s+/g, '');
  const lines = body.match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${parts[1]}-----`, ...lines, `-----END ${parts[1]}-----`, ''].join('\n');
}
