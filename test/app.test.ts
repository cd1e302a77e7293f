import { generateKeyPairSync } from 'node:crypto';
import { createApp } from '../lib/app.js';
import type { App } from '../lib/app.js';
import type { Job } from '../lib/ports/job-runner.js';

const head = 'a'.repeat(40);
const payload = {
  action: 'opened',
  number: 7,
  pull_request: { state: 'open', draft: true, head: { sha: head }, base: { ref: 'main' } },
  repository: { name: 'shop', owner: { login: 'octo-org' } },
  installation: { id: 3 },
  sender: { login: 'octocat', type: 'User' },
};

async function appWith(): Promise<{ app: App; jobs: Job[]; logged: string[]; finish: () => void }> {
  const jobs: Job[] = [];
  const logged: string[] = [];
  let finish = (): void => {};
  const idle = new Promise<void>((resolve) => void (finish = resolve));
  const record = (_fields: object, message: string): void => void logged.push(message);
  const app = await createApp(
    {
      appId: 17,
      privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
        type: 'pkcs1',
        format: 'pem',
      }) as string,
      webhookSecret: 'secret of this test',
      apiUrl: 'http://127.0.0.1:1',
    },
    {
      runner: { enqueue: (job) => void jobs.push(job), follow: () => false, idle: () => idle },
      log: { info: record, warn: record, error: record },
    },
  );
  return { app, jobs, logged, finish };
}

test('a delivery becomes a job, and receiving it lasts as long as the work', async () => {
  const { app, jobs, finish } = await appWith();
  let settled = false;
  const received = app.receive({ id: 'd1', name: 'pull_request', payload }).then(() => (settled = true));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(jobs).toEqual([
    {
      delivery: 'd1',
      trigger: {
        kind: 'pull_request',
        reason: 'opened',
        owner: 'octo-org',
        repo: 'shop',
        number: 7,
        head,
        base: 'main',
        draft: true,
        installation: 3,
        sender: 'octocat',
      },
    },
  ]);
  expect(settled).toBe(false);
  finish();
  await received;
  expect(settled).toBe(true);
});

test.each([
  [
    'an action that starts nothing',
    { ...payload, action: 'assigned' },
    'ignored: nothing is done for pull_request assigned',
  ],
  ['a payload without an installation', { ...payload, installation: undefined }, /from a repository webhook/],
  ['a malformed payload', { ...payload, number: 'seven' }, /malformed at number/],
])('%s is logged with its reason and starts nothing', async (_name, given, reason) => {
  const { app, jobs, logged, finish } = await appWith();
  finish();
  await app.receive({ id: 'd2', name: 'pull_request', payload: given });
  expect(jobs).toEqual([]);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason));
});
