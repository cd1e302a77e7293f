import type { PageCall } from '../http.js';
import { Refusal } from '../refusal.js';

/**
 * Pages answer to this machine's own names only. A name of somebody else's that leads here (DNS rebinding) would make
 * a stranger's page the same site as these.
 */
export const requireOwnHost = ({ world, headers }: PageCall): void => {
  if (hostOf(headers.host) === null)
    throw new Refusal(421, `These pages are for this machine only. Open ${world.url}/ instead.`);
};

/** A form must come from a page of ours: a browser says so in `Origin`, or else in `Sec-Fetch-Site` or `Referer`. */
export const requireOwnForm = ({ headers }: PageCall): void => {
  const host = hostOf(headers.host);
  const own = host === null ? null : `http://${host}`;
  const { origin, referer } = headers;
  const site = headers['sec-fetch-site'];
  const told =
    origin !== undefined
      ? origin === own
      : site !== undefined
        ? site === 'same-origin'
        : referer !== undefined && originOf(referer) === own;
  if (own === null || !told || (site !== undefined && site !== 'same-origin'))
    throw new Refusal(403, 'This form was not sent from a page of this local GitHub, so nothing was done.');
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? ''))
    throw new Refusal(415, 'Forms are taken as application/x-www-form-urlencoded only.');
};

/** The host as a browser would write it in an origin; null for any that is not this machine. */
const hostOf = (host: string | undefined): string | null => {
  const [, name, port = ''] = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i.exec(host ?? '') ?? [];
  if (name === undefined) return null;
  return `${name.toLowerCase()}${port === ':80' ? '' : port}`;
};

const originOf = (address: string): string | null => (URL.canParse(address) ? new URL(address).origin : null);
