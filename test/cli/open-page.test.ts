import { pageOpener } from '../../cli/open-page.js';

describe('whether a browser is opened', () => {
  const desk = { DISPLAY: ':0' };
  test.each<[string, NodeJS.Platform, Readonly<Record<string, string>>, boolean, 'opened' | 'printed']>([
    ['a desktop with X', 'linux', desk, true, 'opened'],
    ['a desktop with Wayland', 'linux', { WAYLAND_DISPLAY: 'wayland-0' }, true, 'opened'],
    ['Linux inside Windows', 'linux', { WSL_DISTRO_NAME: 'Debian' }, true, 'opened'],
    ['a Mac', 'darwin', {}, true, 'opened'],
    ['Windows', 'win32', {}, true, 'opened'],
    ['a server without a display', 'linux', {}, true, 'printed'],
    ['a display that is set to nothing', 'linux', { DISPLAY: '' }, true, 'printed'],
    ['piped', 'linux', desk, false, 'printed'],
    ['CI on a Mac', 'darwin', { CI: 'true' }, true, 'printed'],
    [
      'a shell on a remote machine',
      'linux',
      { ...desk, SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' },
      true,
      'printed',
    ],
  ])('%s', (_name, platform, env, isTerminal, expected) => {
    expect(pageOpener({ env, platform, isTerminal }) === undefined ? 'printed' : 'opened').toBe(expected);
  });
});
