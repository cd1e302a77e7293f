import { keyboard, keys } from './keyboard.js';
import type { Told } from '../../cli/asker.js';

const choices = ['y', 'n', 'u', 'e', 's'] as const;

describe('a key', () => {
  test.each<[string, string, Told]>([
    ['one of the keys, at once', 'n', { kind: 'said', text: 'n' }],
    ['a capital', 'Y', { kind: 'said', text: 'y' }],
    ['another key, then one of them', 'xu', { kind: 'said', text: 'u' }],
    ['Enter alone, then one of them', `${keys.enter}s`, { kind: 'said', text: 's' }],
    ['Ctrl-C', keys.ctrlC, { kind: 'left' }],
    ['Ctrl-D', keys.ctrlD, { kind: 'left' }],
    ['Escape', keys.escape, { kind: 'back' }],
  ])('%s', async (_name, pressed, told) => {
    const { asker, shown } = keyboard(pressed);
    expect(await asker.key('answer', choices)).toEqual(told);
    expect(shown()).toContain('  answer> ');
  });

  test('an input that has ended is no answer', async () => {
    const { asker } = keyboard();
    expect(await asker.key('answer', choices)).toEqual({ kind: 'left' });
    expect(await asker.key('answer', choices)).toEqual({ kind: 'left' });
  });

  test('is shown behind its label', async () => {
    const { asker, shown } = keyboard('n');
    await asker.key('answer', choices);
    expect(shown()).toContain('answer> n');
  });
});

describe('a line', () => {
  test.each<[string, string, Told]>([
    ['words', `they own it${keys.enter}`, { kind: 'said', text: 'they own it' }],
    [
      'corrected words',
      `they opn${keys.backspace}${keys.backspace}wn${keys.enter}`,
      { kind: 'said', text: 'they own' },
    ],
    ['nothing, then words', `${keys.enter}theirs${keys.enter}`, { kind: 'said', text: 'theirs' }],
    ['Ctrl-C', `they${keys.ctrlC}`, { kind: 'left' }],
    ['Ctrl-D', keys.ctrlD, { kind: 'left' }],
    ['Escape', keys.escape, { kind: 'back' }],
  ])('%s', async (_name, pressed, told) => {
    const { asker } = keyboard(pressed);
    expect(await asker.line('why')).toEqual(told);
  });
});
