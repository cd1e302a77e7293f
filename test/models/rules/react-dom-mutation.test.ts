import { file, reviewChange } from './review-change.js';
import type { Edit } from './review-change.js';

const component = (mutation: string, node = '<div id="promo">{shown && <p>{text}</p>}</div>') => ({
  base: file(
    "import { useEffect, useRef } from 'react';",
    '',
    'export function Promo({ text, shown }) {',
    '  const box = useRef(null);',
    `  return ${node};`,
    '}',
  ),
  head: file(
    "import { useEffect, useRef } from 'react';",
    '',
    'export function Promo({ text, shown }) {',
    '  const box = useRef(null);',
    `  useEffect(() => { ${mutation} });`,
    `  return ${node};`,
    '}',
  ),
});

const adds = (
  mutation: string,
  node?: string,
  others: Readonly<Record<string, string>> = {},
  path = 'src/Promo.tsx',
): Edit => {
  const { base, head } = component(mutation, node);
  return { base: { [path]: base, ...others }, head: { [path]: head, ...others } };
};

test.each([
  ['jQuery html', "$('#promo').html(text);"],
  ['jQuery append', "jQuery('#promo').append(text);"],
  ['jQuery empty', "$('#promo').empty();"],
  ['innerHTML', "document.getElementById('promo').innerHTML = text;"],
  ['appendChild', "document.querySelector('#promo')!.appendChild(node);"],
])('%s on a node whose children React renders is asked about', async (_name, mutation) => {
  const { accepted, dropped } = await reviewChange(adds(mutation));
  expect(dropped).toEqual([]);
  expect(accepted.findings).toEqual([]);
  expect(accepted.questions).toMatchObject([
    {
      finding: {
        rule: 'react-dom-mutation',
        severity: 'important',
        anchor: { path: 'src/Promo.tsx', line: 5 },
      },
      answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
    },
  ]);
  expect(accepted.questions[0]!.question).toMatch(/^is this .* required by a third-party widget\?$/);
});

test('a ref and a class name the node too', async () => {
  const byRef = await reviewChange(adds('box.current.innerHTML = text;', '<div ref={box}>{text}</div>'));
  expect(byRef.accepted.questions).toHaveLength(1);
  const byClass = await reviewChange(
    adds("$('.promo').html(text);", '<div className="wide promo">{text}</div>'),
  );
  expect(byClass.accepted.questions).toHaveLength(1);
});

test('what was searched is the record of the run', async () => {
  const { accepted } = await reviewChange(
    adds("$('#promo').html(text);", undefined, {
      'package.json': '{}\n',
      'public/index.html': file('<div id="root"></div>'),
    }),
  );
  expect(accepted.questions).toMatchObject([
    {
      searched: ['#promo', 'data-widget', '<script'],
      read: ['src/Promo.tsx', 'package.json', 'public/index.html'],
    },
  ]);
});

test.each<readonly [string, Edit]>([
  [
    'a node without children, the usual way to hand one over',
    adds("$('#promo').html(text);", '<div id="promo" />'),
  ],
  ['an empty node', adds("$('#promo').html(text);", '<div id="promo"></div>')],
  ['fixed text', adds("$('#promo').html(text);", '<div id="promo">Loading</div>')],
  [
    'dangerouslySetInnerHTML',
    adds("$('#promo').html(text);", '<div id="promo" dangerouslySetInnerHTML={{ __html: text }}></div>'),
  ],
  ['another node', adds("$('#other').html(text);")],
  ['a read', adds("log($('#promo').html());")],
  ['a comparison', adds('if (box.current.innerHTML === text) stop();', '<div ref={box}>{text}</div>')],
  [
    'a node that another file names',
    adds("$('#promo').html(text);", undefined, {
      'public/index.html': file('<script src="w.js" data-target="#promo"></script>'),
    }),
  ],
  [
    'a file without React',
    {
      base: { 'a.js': file('x();') },
      head: { 'a.js': file('x();', "$('#promo').html('<div id=\"promo\">{a}</div>');") },
    },
  ],
  ['a test', adds("$('#promo').html(text);", undefined, {}, 'src/Promo.test.tsx')],
  ['a comment', adds("/* $('#promo').html(text); */")],
  [
    'a line that was there before',
    {
      base: { 'src/P.tsx': component("$('#promo').html(text);").head },
      head: { 'src/P.tsx': `${component("$('#promo').html(text);").head}// end\n` },
    },
  ],
])('nothing is asked of %s', async (_name, edit) => {
  const { accepted } = await reviewChange(edit);
  expect([...accepted.findings, ...accepted.questions]).toEqual([]);
});
