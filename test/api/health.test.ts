import { generateKeyPairSync } from 'node:crypto';
import { health } from '../../api/health.js';

const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;
const environment = {
  APP_ID: '17',
  PRIVATE_KEY: privateKey,
  WEBHOOK_SECRET: 'never shown 1',
  EVIDENT_MODEL: 'claude-sonnet-5-5',
  ANTHROPIC_API_KEY: 'never shown 2',
  ANTHROPIC_BASE_URL: 'https://never-shown-3.example',
};

test('a whole configuration is shown without its secrets', () => {
  const shown = health(environment);
  expect(shown).toMatchObject({
    configured: true,
    model: { name: 'claude-sonnet-5-5', kind: 'language_model' },
    settings: { gate: 'advisory' },
    warnings: [],
  });
  const text = JSON.stringify(shown);
  expect(text).not.toMatch(/never.shown/);
  expect(text).not.toContain('PRIVATE');
});

test.each(['APP_ID', 'PRIVATE_KEY', 'WEBHOOK_SECRET', 'ANTHROPIC_API_KEY'])(
  'without %s it says what is missing and how to mend it',
  (name) => {
    const shown = health({ ...environment, [name]: undefined, ANTHROPIC_BASE_URL: undefined });
    expect(shown).toMatchObject({ configured: false, missing: { setting: name } });
  },
);
