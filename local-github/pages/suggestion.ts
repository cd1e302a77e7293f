import { markup, type Markup } from './frame.js';

/** What a suggestion changes: the lines it replaces and the lines it puts there, as a small diff. */
export const showSuggestion = (replaced: readonly string[], suggested: string): Markup => {
  const lines = suggested === '' ? [] : suggested.replace(/\n$/, '').split('\n');
  const row = (kind: 'del' | 'add', sign: string, line: string): Markup =>
    markup`<tr class="${kind}"><td class="sign">${sign}</td><td>${line}</td></tr>`;
  return markup`<table class="code suggestion">
    <caption>Suggested change</caption>
    <tbody>
      ${replaced.map((line) => row('del', '-', line))}${lines.map((line) => row('add', '+', line))}
    </tbody>
  </table>`;
};
