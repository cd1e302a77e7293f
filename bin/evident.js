#!/usr/bin/env node
// Plain JavaScript on purpose, without `await` at the top: it must parse on an old Node, to say which one is needed.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 18)) {
  process.stderr.write(
    `Evident needs Node 20.18 or newer; this is ${process.versions.node}. Install a newer one, e.g. from nodejs.org, and run it again.\n`,
  );
  process.exit(2);
}

// A reader that has had enough (`| head`) ends the program as it ends any other, without a stack.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(141);
  });
}

async function run() {
  try {
    const { register } = await import('tsx/esm/api');
    register();
  } catch {
    process.stderr.write('The dependencies are not installed. Run `npm ci` in this folder first.\n');
    return 2;
  }
  const { main } = await import('../cli/main.ts');
  return main(process.argv.slice(2));
}

run().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    // A defect of ours: whoever reports it needs the stack. 1 would say that something was found.
    process.stderr.write(`${(error && error.stack) || error}\n`);
    process.exitCode = 3;
  },
);
