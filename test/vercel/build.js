/**
 * Builds the project with Vercel's own CLI, without an account or a network of Vercel's, and lets the emitted function
 * review a pull request of the local GitHub: what TypeScript and the tests cannot see is whether the bundle holds all
 * that it needs.
 *
 * npm run test:vercel. Without the CLI (it is installed into a temporary folder) it says so and skips, except in CI.
 */
import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tsImport } from 'tsx/esm/api';

const cli = 'vercel@58.10.0';
const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const say = (line) => process.stdout.write(`${line}\n`);

const temporary = await mkdtemp(join(tmpdir(), 'evident-vercel-'));
process.exitCode = 1;
try {
  const vercel = await installCli();
  if (vercel === null) {
    const inCi = process.env.CI === 'true';
    say(`skipped: ${cli} could not be installed${inCi ? ', which is a failure in CI' : ' (offline?)'}.`);
    process.exitCode = inCi ? 1 : 0;
  } else {
    const project = await copyProject();
    await build(vercel, project);
    await check(project);
    process.exitCode = 0;
  }
} finally {
  await rm(temporary, { recursive: true, force: true });
}
// The emitted function may keep handles open.
process.exit();

async function installCli() {
  const folder = join(temporary, 'cli');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', cli], { cwd: folder });
    return join(folder, 'node_modules', '.bin', 'vercel');
  } catch (error) {
    say(String(error.stderr ?? error).slice(0, 500));
    return null;
  }
}

/** Only what git would deploy, with the settings that `vercel pull` would have fetched. */
async function copyProject() {
  const project = join(temporary, 'project');
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  for (const file of stdout.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
    await cp(join(root, file), join(project, file));
  }
  await mkdir(join(project, '.vercel'), { recursive: true });
  await writeFile(
    join(project, '.vercel', 'project.json'),
    JSON.stringify({
      projectId: 'prj_local',
      orgId: 'team_local',
      settings: { framework: null, nodeVersion: '24.x' },
    }),
  );
  return project;
}

async function build(vercel, project) {
  const began = performance.now();
  try {
    const { stdout, stderr } = await run(vercel, ['build', '--yes'], {
      cwd: project,
      env: { ...process.env, VERCEL_TELEMETRY_DISABLED: '1', CI: '1' },
      maxBuffer: 64 * 1024 * 1024,
    });
    const complaint = /error TS\d+[^\n]*/.exec(stdout + stderr);
    if (complaint !== null) throw new Error(complaint[0]);
  } catch (error) {
    say(`${error.stdout ?? ''}${error.stderr ?? ''}`.slice(-4000));
    throw error;
  }
  say(`built in ${Math.round((performance.now() - began) / 1000)} s`);
}

async function check(project) {
  const functions = join(project, '.vercel', 'output', 'functions', 'api');
  const emitted = await readdir(functions, { recursive: true });
  say(`functions: ${emitted.filter((name) => name.endsWith('.func')).join(', ')}`);
  const webhooks = join(functions, 'github', 'webhooks.func');
  const config = JSON.parse(await readFile(join(webhooks, '.vc-config.json'), 'utf8'));
  equal('maxDuration', config.maxDuration, 300);

  const published = await readdir(join(project, '.vercel', 'output', 'static'), { recursive: true });
  equal('published as static files', published.join(), 'robots.txt');

  const { startLocalGitHub } = await tsImport('../../local-github/index.ts', import.meta.url);
  const github = await startLocalGitHub();
  const secret = github.app.webhookSecret;
  const environment = {
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.privateKey,
    WEBHOOK_SECRET: secret,
    EVIDENT_MODEL: 'rules',
    EVIDENT_START: 'automatic',
    GITHUB_API_URL: github.apiUrl,
    LOG_LEVEL: 'warn',
  };
  const webhook = await serve(webhooks, environment);
  const { url } = webhook;
  const repository = await github.createRepository({
    owner: 'octo-org',
    name: 'shop',
    files: { 'src/pay.ts': 'export const currency = "EUR";\n' },
  });
  // In two parts, so that no scanner takes this file for a leak.
  const key = `${'sk_live'}_${'4eC39HqLyjWDarjtT1zdp7dc'}`;
  await repository.commit({
    branch: 'feature',
    files: { 'src/pay.ts': `export const currency = "EUR";\nexport const key = "${key}";\n` },
    message: 'Add the key',
  });
  repository.addCollaborator('octocat', 'write');
  github.onWebhook(url);
  const began = performance.now();
  const number = await repository.openPullRequest({ head: 'feature', title: 'Pay', author: 'octocat' });
  await github.settled();
  const took = Math.round(performance.now() - began);
  const opened = github.deliveries().find(({ event }) => event === 'pull_request');
  equal('signed delivery of the local GitHub', opened?.outcome?.status, 202);
  if (took > 2000) throw new Error(`the answer took ${took} ms`);
  // Other deliveries settle too: the review has ended when its check has.
  for (
    let waited = 0;
    waited < 60_000 && repository.pull(number).checks[0]?.status !== 'completed';
    waited += 100
  )
    await new Promise((resolve) => setTimeout(resolve, 100));
  const pull = repository.pull(number);
  const [check] = pull.checks;
  if (pull.reviews.length === 0) throw new Error(`No review: ${check?.title}. ${check?.summary}`);
  equal('reviews', pull.reviews.length, 1);
  equal('inline comments', pull.threads.map(({ path, line }) => `${path}:${line}`).join(), 'src/pay.ts:2');
  equal('check', check?.status, 'completed');
  github.onWebhook(null);

  const body = '{"action":"opened"}';
  const sign = (text) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  const deliver = async (text, signature, event = 'pull_request', to = url) => {
    const headers = {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': 'd1',
      'x-hub-signature-256': signature,
    };
    const response = await fetch(to, { method: 'POST', headers, body: text });
    return { status: response.status, text: await response.text() };
  };
  equal('forged signature', (await deliver(body, sign(`${body} `))).status, 401);
  equal('signed text that is not JSON', (await deliver('{', sign('{'))).status, 400);
  equal('ping', (await deliver('{}', sign('{}'), 'ping')).status, 202);
  equal('GET', (await fetch(url)).status, 405);
  webhook.stop();
  const without = { ...environment, WEBHOOK_SECRET: '' };
  const refusing = await serve(webhooks, without);
  equal('without a secret', (await deliver(body, sign(body), 'ping', refusing.url)).status, 500);
  refusing.stop();
  await github.close();

  const health = await serve(join(functions, 'health.func'), without);
  const answer = await (await fetch(health.url)).json();
  equal('health names what is missing', answer.missing?.setting, 'WEBHOOK_SECRET');
  equal(
    'health knows the version',
    answer.version,
    JSON.parse(await readFile(join(root, 'package.json'))).version,
  );
  health.stop();
  say(`the emitted functions answer as they should (202 after ${took} ms, cold)`);
}

/** The function in a process of its own, with these variables and no others. */
async function serve(folder, environment) {
  const child = spawn(process.execPath, [join(root, 'test', 'vercel', 'serve-function.js'), folder], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = [];
  const waiting = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{')) say(line);
    lines.push(line);
    for (const look of waiting.splice(0)) look();
  });
  const said = async (wanted) => {
    const limit = Date.now() + 60_000;
    for (;;) {
      const found = lines.find((line) => line.startsWith(wanted));
      if (found !== undefined) return found;
      if (child.exitCode !== null || Date.now() > limit)
        throw new Error(`the function did not say ${wanted}`);
      await Promise.race([new Promise((resolve) => waiting.push(resolve)), delay(200)]);
    }
  };
  return { url: await said('http://'), said, stop: () => child.kill() };
}

function equal(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
  say(`ok  ${what}: ${found}`);
}
