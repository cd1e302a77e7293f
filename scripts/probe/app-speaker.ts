import { createSign } from 'node:crypto';
import { at, createSpeaker, type Meter, numberAt, saidBy, textAt } from './speaker.js';
import type { AppSpeaker } from './stage.js';

/** The app as itself, on one repository: signs in with its key, asks for a token of its own. */
export async function createAppSpeaker({
  apiUrl,
  appId,
  privateKey,
  owner,
  repo,
  meter,
}: {
  readonly apiUrl: string;
  readonly appId: number;
  /** PEM */
  readonly privateKey: string;
  readonly owner: string;
  readonly repo: string;
  readonly meter: Meter;
}): Promise<AppSpeaker> {
  const asApp = createSpeaker({ apiUrl, meter, token: async () => `Bearer ${signIn(appId, privateKey)}` });
  const app = await asApp.rest('GET', '/app');
  if (app.status !== 200) throw new Error(`GitHub does not know the app by this key: ${saidBy(app)}.`);
  const installation = await asApp.rest('GET', `/repos/${owner}/${repo}/installation`);
  if (installation.status !== 200)
    throw new Error(`The app is not installed on ${owner}/${repo}: ${saidBy(installation)}.`);
  const askToken = (wish: unknown) =>
    asApp.rest('POST', `/app/installations/${numberAt(installation.data, 'id')}/access_tokens`, wish);
  const speakWith = async (wish: Readonly<Record<string, unknown>>) => {
    const answer = await askToken({ repositories: [repo], ...wish });
    if (answer.status !== 201) throw new Error(`The app gets no such token: ${saidBy(answer)}.`);
    const token = `Bearer ${textAt(answer.data, 'token')}`;
    return createSpeaker({ apiUrl, meter, token: async () => token });
  };
  return {
    ...(await speakWith({})),
    slug: textAt(app.data, 'slug'),
    id: Number(at(app.data, 'id')),
    askToken,
    narrowed: (permissions) => speakWith({ permissions }),
  };
}

/** https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
function signIn(appId: number, privateKey: string): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: now - 60, exp: now + 540, iss: String(appId) })}`;
  return `${head}.${createSign('RSA-SHA256').update(head).sign(privateKey, 'base64url')}`;
}
