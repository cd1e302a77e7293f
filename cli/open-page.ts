/**
 * How a page is shown to whoever sits in front of this machine; undefined where nobody could see it: no terminal, no
 * display, somebody else's machine (CI, a remote shell).
 */
export function pageOpener({
  env,
  platform,
  isTerminal,
}: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Both ends: what is typed and what is shown. */
  readonly isTerminal: boolean;
}): ((url: string) => Promise<void>) | undefined {
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  const remote = ['CI', 'SSH_CONNECTION', 'SSH_TTY'].some(has);
  const display =
    platform === 'darwin' ||
    platform === 'win32' ||
    ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some(has);
  return isTerminal && display && !remote ? openPage : undefined;
}

/** In the default browser. Rejects when there is none that starts. */
async function openPage(url: string): Promise<void> {
  const { default: open } = await import('open');
  const started = await open(url);
  // What it does afterwards is its own affair: an `error` that nobody hears would end this program.
  started.on('error', () => undefined);
}
