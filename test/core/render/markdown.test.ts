import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import {
  bold,
  cell,
  clip,
  codeSpan,
  fence,
  inline,
  link,
  prose,
  withMarkers,
} from '../../../lib/core/render/markdown.js';

/** As GitHub reads it: HTML is let through, links are not made of plain text here. */
const markdown = new MarkdownIt({ html: true });
type Token = ReturnType<typeof markdown.parse>[number];
const tokensOf = (text: string): readonly Token[] =>
  markdown.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);
const textOf = (text: string): string =>
  markdown
    .parse(text, {})
    .map((token) =>
      (token.children ?? [])
        .map((child) => (child.type === 'text' || child.type === 'text_special' ? child.content : '\u0001'))
        .join(''),
    )
    .join('\n');
const htmlOf = (text: string): readonly string[] =>
  tokensOf(text)
    .filter(({ type }) => type.startsWith('html_'))
    .map(({ content }) => content);
const liveMention = /(^|[^\w`])@[a-z0-9]/i;

const { input } = JSON.parse(
  readFileSync(new URL('../../fixtures/suggestions/bodies.json', import.meta.url), 'utf8'),
) as { input: { replacements: string[] } };

describe('a suggestion block', () => {
  test.each([...input.replacements, '````md\n```js\nrun(2)\n```\n````', '`````', '@octo-team', '-->'])(
    '%j',
    (replacement) => {
      const body = `**Important (F1): a**\n\nb\n\n${fence(replacement, 'suggestion')}\n\nQuotes found 1 of 1.`;
      const blocks = tokensOf(body).filter(({ type }) => type === 'fence' || type === 'code_block');
      expect(blocks).toHaveLength(1);
      expect(blocks[0]?.info).toBe('suggestion');
      const wanted = replacement.replace(/\r\n/g, '\n');
      expect(blocks[0]?.content).toBe(wanted === '' || wanted.endsWith('\n') ? wanted : `${wanted}\n`);
      expect(tokensOf(body).at(-2)?.content ?? '').toBe('Quotes found 1 of 1.');
    },
  );
});

describe('prose', () => {
  test.each([
    [
      'plain text',
      'A plain sentence, with (brackets) and `code`.',
      'A plain sentence, with (brackets) and `code`.',
    ],
    ['a list', '- one\n- two', '- one\n- two'],
    ['HTML', 'a <b>bold</b> <!-- note --> claim', 'a &lt;b>bold&lt;/b> &lt;!-- note --> claim'],
    ['HTML in code', 'renders `<div>` there', 'renders `<div>` there'],
    ['a mention', 'ask @octo-team and @other/sub', 'ask @\u200bocto-team and @\u200bother/sub'],
    ['a mention in code', 'uses `@Override`', 'uses `@Override`'],
    ['an escaped mention', 'ask \\@octo-team', 'ask \\@\u200bocto-team'],
    ['an entity', 'ask &#64;octo-team', 'ask &amp;#\u200b64;octo-team'],
    ['a reference', 'fixes #12', 'fixes #\u200b12'],
    ['a picture', '![x](https://evil.test/?q=1)', '!\\[x](https://evil.test/?q=1)'],
    ['a heading', '# Big', '\\# Big'],
    ['a rule', 'a\n---\nb', 'a\n\\---\nb'],
    ['a table', 'a | b\n--- | ---', 'a | b\n\\--- | ---'],
    ['an open code span', 'the ` mark of @bob `x', 'the ` mark of @bob `x'],
    ['an unclosed code span', 'a ` b\n@bob ` c', 'a \\` b\n@\u200bbob \\` c'],
    ['an open fence', 'see\n```js\nrun()', 'see\n```js\nrun()\n```'],
    ['a suggestion of its own', '```suggestion\nrm -rf\n```', '```\nrm -rf\n```'],
    ['a fence in a fence', '````md\n```js\n```\n````', '````md\n```js\n```\n````'],
    ['a diagram', '```mermaid\ngraph TD; a-->b\n```', '```\ngraph TD; a-->b\n```'],
    ['tildes', '~~~\n@bob\n~~~', '```\n@bob\n```'],
    ['control characters', 'a\u0007b\u202ec', 'abc'],
  ])('%s', (_, given, wanted) => expect(prose(given)).toBe(wanted));
});

/** Pieces that break Markdown when they meet. */
const nasty = fc
  .array(
    fc.constantFrom(
      '`',
      '``',
      '```',
      '````',
      '~~~',
      '\n',
      '\n\n',
      '\\',
      '@',
      '@octo-team',
      '<',
      '<!--',
      '-->',
      '--!>',
      '<b>',
      '</details>',
      '&#64;',
      '&lt;',
      '[',
      '](',
      'a](https://x.test)',
      '![',
      '!',
      '#',
      '12',
      '# ',
      '- ',
      '> ',
      '1. ',
      '    ',
      '\t',
      '  ',
      '*',
      '**',
      '_',
      '|',
      '---',
      '===',
      'word',
      ' ',
      '"',
      "'",
      '$',
      ':',
      '\r\n',
      'suggestion',
      '<details>',
      'https://x.test/@bob',
      '\u202e',
      '\u0000',
      'é',
      '😀',
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''));

describe('whatever a model writes', () => {
  const safe = (text: string): void => {
    const whole = `${text}\n\nCANARY`;
    const parsed = markdown.parse(whole, {});
    expect(htmlOf(whole)).toEqual([]);
    expect(tokensOf(whole).filter(({ type }) => type === 'image' || type === 'link_open')).toEqual([]);
    expect(textOf(whole)).not.toMatch(liveMention);
    expect(parsed.at(-2)?.content).toBe('CANARY');
    expect(parsed.at(-2)?.level).toBe(1);
    expect(
      tokensOf(whole).filter(({ type, info }) => type === 'fence' && info.trim() === 'suggestion'),
    ).toEqual([]);
  };
  test('prose is text and code, and ends where it ends', () => {
    fc.assert(
      fc.property(nasty, (text) => safe(prose(text))),
      { numRuns: 2000 },
    );
  });
  test('a line is text and code', () => {
    fc.assert(
      fc.property(nasty, (text) => safe(`- x, ${inline(text)}`.replace(/^- x/, 'x'))),
      { numRuns: 1000 },
    );
  });
  test('a bold line stays bold to its end', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const line = bold(`Important (F1): a ${text}`);
        safe(line);
        const children = markdown.parse(line, {})[1]?.children ?? [];
        const strong = children.filter(({ type }) => type === 'strong_open' || type === 'strong_close');
        expect(strong.length).toBeGreaterThanOrEqual(2);
        expect(children.find(({ type, content }) => type !== 'text' || content !== '')?.type).toBe(
          'strong_open',
        );
        expect(children.findLast(({ type, content }) => type !== 'text' || content !== '')?.type).toBe(
          'strong_close',
        );
      }),
      { numRuns: 1000 },
    );
  });
  test('code is one code span, with every character of it', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const children = markdown.parse(codeSpan(text), {})[1]?.children ?? [];
        const wanted = text.replace(/[\u0000-\u0008\u202e]/g, '').replace(/[\r\n\t]+/g, ' ');
        if (wanted.trim() === '') return;
        expect(children.map(({ type }) => type)).toEqual(['code_inline']);
        expect(children[0]?.content).toBe(wanted);
      }),
      { numRuns: 1000 },
    );
  });
  test('a block holds exactly its text', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const [token, ...rest] = markdown.parse(fence(text), {});
        expect(rest).toEqual([]);
        const wanted = text.replace(/\r\n?/g, '\n').replaceAll('\u0000', '\ufffd');
        expect(token?.content).toBe(wanted === '' || wanted.endsWith('\n') ? wanted : `${wanted}\n`);
      }),
      { numRuns: 1000 },
    );
  });
});

test('a link keeps its address, and nothing in it ends the link', () => {
  const url = 'https://github.test/o/r/blob/1/%40types/a%23b%20(c).ts#L1';
  const children = markdown.parse(link(codeSpan('a](b'), url), {})[1]?.children ?? [];
  expect(children.map(({ type }) => type)).toEqual(['link_open', 'code_inline', 'link_close']);
  expect(children[0]?.attrGet('href')).toBe(url.replace('(', '%28').replace(')', '%29'));
});

test('a cell keeps its pipes', () => expect(cell(codeSpan('a || b'))).toBe('`a \\|\\| b`'));

describe('a text that is too long', () => {
  const long = [
    'first',
    `<details><summary>more</summary>\n\n${fence(Array.from({ length: 400 }, (_, n) => `line ${n}`).join('\n'))}\n\nlast\n\n</details>`,
    'end',
  ].join('\n\n');

  test('is cut at a line, and what is open is closed', () => {
    const cut = clip(long, 2000);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(2000);
    const tokens = markdown.parse(cut, {});
    expect(tokens.filter(({ type }) => type === 'fence')).toHaveLength(1);
    expect(cut.split('<details>').length).toBe(cut.split('</details>').length);
    expect(tokens.at(-2)?.content).toBe('The rest is left out: too long for one comment.');
  });

  test('is left alone when it fits', () => expect(clip(long, 1_000_000)).toBe(long));

  test('never loses its markers', () => {
    const body = withMarkers('é'.repeat(90_000).replace(/.{100}/g, '$&\n'), ['<!-- evident:thread {} -->']);
    expect(Buffer.byteLength(body)).toBeLessThan(65_536);
    expect(body.endsWith('\n<!-- evident:thread {} -->')).toBe(true);
  });
});
