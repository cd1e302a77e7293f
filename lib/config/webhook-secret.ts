import { ConfigError } from '../core/errors.js';

type Source = Readonly<Record<string, string | undefined>>;

/**
 * The secret that GitHub signs deliveries with. Read apart from the rest so that the webhook function can refuse
 * before it loads anything heavy.
 *
 * "development" is refused because Probot falls back to it when no secret is set: anybody could sign with it.
 */
export function readWebhookSecret(source: Source): string {
  const secret = source['WEBHOOK_SECRET']?.trim() ?? '';
  if (secret === '') {
    throw new ConfigError(
      'WEBHOOK_SECRET is not set, so nobody could tell a delivery of GitHub from a forged one. Set it to the ' +
        'webhook secret of your GitHub App (a long random text, the same in both places).',
      'WEBHOOK_SECRET',
    );
  }
  if (secret === 'development') {
    throw new ConfigError(
      'WEBHOOK_SECRET is "development", which everybody knows. Set it to a long random text, the same as in your ' +
        'GitHub App.',
      'WEBHOOK_SECRET',
    );
  }
  return secret;
}
