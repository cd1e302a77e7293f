#!/usr/bin/env node
// Plain JavaScript on purpose: it must parse on any Node, to say which one is needed.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 18)) {
  process.stderr.write(
    `Evident needs Node 20.18 or newer; this is ${process.versions.node}. Install a newer one, e.g. from nodejs.org, and run it again.\n`,
  );
  process.exit(2);
}
try {
  const { register } = await import('tsx/esm/api');
  register();
} catch {
  process.stderr.write('The dependencies are not installed. Run `npm ci` in this folder first.\n');
  process.exit(2);
}
const { main } = await import('../cli/main.ts');
process.exitCode = await main(process.argv.slice(2));
