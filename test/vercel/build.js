/**
 * Builds the project with Vercel's own CLI, without an account or a network of Vercel's, and lets the emitted function
 * serve signed deliveries: what TypeScript and the tests cannot see is whether the bundle holds all that it needs.
 *
 * npm run test:vercel. Without the CLI (it is installed into a temporary folder) it says so and skips, except in CI.
 */
import { execFile } from 'node:child_process';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

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
  const webhook = await load(join(functions, 'github', 'webhooks.func'));
  equal('maxDuration', webhook.config.maxDuration, 300);

  const secret = 'a secret of this test';
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  Object.assign(process.env, {
    APP_ID: '17',
    PRIVATE_KEY: privateKey.export({ type: 'pkcs1', format: 'pem' }),
    WEBHOOK_SECRET: secret,
    EVIDENT_MODEL: 'rules',
    // Nothing listens there: the run begins, is refused, and ends; only its start is looked at.
    GITHUB_API_URL: 'http://127.0.0.1:9',
    LOG_LEVEL: 'info',
  });
  const kept = [];
  globalThis[Symbol.for('@vercel/request-context')] = {
    get: () => ({ waitUntil: (work) => kept.push(work) }),
  };

  const { url, close } = await serve(webhook.handler);
  const body = JSON.stringify({
    action: 'opened',
    number: 1,
    pull_request: { state: 'open', draft: false, head: { sha: 'a'.repeat(40) }, base: { ref: 'main' } },
    repository: { name: 'shop', owner: { login: 'octo-org' } },
    installation: { id: 1 },
    sender: { login: 'octocat', type: 'User' },
  });
  const sign = (text) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  const deliver = async (text, signature, event = 'pull_request') => {
    const headers = {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': 'd1',
      'x-hub-signature-256': signature,
    };
    const response = await fetch(url, { method: 'POST', headers, body: text });
    return { status: response.status, text: await response.text() };
  };
  const began = performance.now();
  equal('signed delivery', (await deliver(body, sign(body))).status, 202);
  const took = Math.round(performance.now() - began);
  if (took > 2000) throw new Error(`the answer took ${took} ms`);
  equal('kept alive by waitUntil', kept.length, 1);
  equal('forged signature', (await deliver(body, sign(`${body} `))).status, 401);
  equal('signed text that is not JSON', (await deliver('{', sign('{'))).status, 400);
  equal('ping', (await deliver('{}', sign('{}'), 'ping')).status, 202);
  equal('GET', (await fetch(url)).status, 405);
  const lines = [];
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text, ...rest) => (lines.push(String(text)), write(text, ...rest));
  await Promise.all(kept);
  process.stdout.write = write;
  // A module missing from the bundle shows only when the work begins.
  const broken = lines.find((line) => /Cannot find (module|package)|ERR_MODULE_NOT_FOUND/.test(line));
  if (broken !== undefined) throw new Error(broken);
  process.env.WEBHOOK_SECRET = '';
  equal('without a secret', (await deliver(body, sign(body))).status, 500);
  await close();

  const health = await serve((await load(join(functions, 'health.func'))).handler);
  const answer = await (await fetch(health.url)).json();
  equal('health names what is missing', answer.missing?.setting, 'WEBHOOK_SECRET');
  equal(
    'health knows the version',
    answer.version,
    JSON.parse(await readFile(join(root, 'package.json'))).version,
  );
  await health.close();
  say(`the emitted functions answer as they should (202 in ${took} ms, cold)`);
}

async function load(folder) {
  const config = JSON.parse(await readFile(join(folder, '.vc-config.json'), 'utf8'));
  let listener = await import(pathToFileURL(join(folder, config.handler)).href);
  for (let depth = 0; depth < 5 && listener.default; depth += 1) listener = listener.default;
  return { config, handler: listener };
}

async function serve(handler) {
  const server = createServer(handler);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

function equal(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
  say(`ok  ${what}: ${found}`);
}
