import { literally, readFile, searchCode, together } from './look.js';
import type { Look } from './look.js';
import { isExample, isForeign, isTestLike } from './paths.js';
import { nothing } from './rule.js';
import type { Judgement, Rule } from './rule.js';
import { closing, isScript, languageOf, readSource } from './source-code.js';
import type { Source } from './source-code.js';
import type { ChangedFile, DiffRow } from './tool-texts.js';

/**
 * Code that reaches past React: an added line replaces or adds children of a node, by jQuery or by the DOM, whose
 * children React renders in the same file. React then removes nodes that are gone and throws. Where a
 * third-party widget owns the node this is how it is done, which the repository cannot tell, so it is a question.
 *
 * Nothing is said when the node is rendered without children (the usual way to hand a node over), or when
 * the page or another file loads something for that node.
 */
export const reactDomMutation: Rule = {
  name: 'react-dom-mutation',
  looksFor: 'code that changes what React renders',
  suspect: (change) =>
    change.files
      .filter(
        (file) =>
          isScript(languageOf(file.path) ?? 'go') &&
          !isTestLike(file.path) &&
          !isForeign(file.path) &&
          !isExample(file.path),
      )
      .flatMap((file) => {
        const seen = new Set<string>();
        return file.hunks.flat().flatMap((row) => {
          const mutation = row.kind === 'added' ? readMutation(row.text) : null;
          if (mutation === null || seen.has(mutation.node.name)) return [];
          seen.add(mutation.node.name);
          return [{ rule: 'react-dom-mutation', weigh: () => weigh(file, row, mutation) }];
        });
      })
      .slice(0, 4),
};

/** How a line names the node: by its id, by a class, or by the ref that React fills. */
type Node = { readonly kind: 'id' | 'class' | 'ref'; readonly name: string };
type Mutation = { readonly node: Node; readonly by: 'jQuery' | 'DOM' };

const jqueryCall =
  /(?:\$|jQuery)\(\s*(?:(['"`])([#.])([\w-]+)\1|(\w+)\.current)\s*\)\s*\.(?:html|text|append|prepend|empty|replaceWith|load|appendTo|prependTo|wrapInner|remove|detach)\(\s*(\))?/;
const selectedNode =
  /(?:getElementById\(\s*(['"`])([\w-]+)\1\s*\)|querySelector\(\s*(['"`])([#.])([\w-]+)\3\s*\)|\b(\w+)\.current)[!?]?\s*\.\s*(?:(?:innerHTML|outerHTML|textContent|innerText)\s*\+?=(?!=)|(?:appendChild|insertBefore|removeChild|replaceChild|replaceChildren|append|prepend|insertAdjacentHTML|insertAdjacentElement)\()/;

export function readMutation(text: string): Mutation | null {
  if (/^\s*(?:\/\/|\*|\/\*|\{\/\*)/.test(text)) return null;
  const query = jqueryCall.exec(text);
  if (query !== null) {
    // `.html()` and `.text()` without an argument only read.
    if (query[5] !== undefined && !/\.(?:empty|remove|detach)\(\s*\)/.test(text)) return null;
    return { node: nodeOf(query[2], query[3], query[4]), by: 'jQuery' };
  }
  const direct = selectedNode.exec(text);
  if (direct === null) return null;
  return direct[2] === undefined
    ? { node: nodeOf(direct[4], direct[5], direct[6]), by: 'DOM' }
    : { node: { kind: 'id', name: direct[2] }, by: 'DOM' };
}

const nodeOf = (sign: string | undefined, name: string | undefined, ref: string | undefined): Node =>
  ref !== undefined ? { kind: 'ref', name: ref } : { kind: sign === '.' ? 'class' : 'id', name: name ?? '' };

/** What is left of a mutation when strings and comments are blanked. */
const reachesNode = /(?:\$|jQuery|getElementById|querySelector)\(|\.current\b/;

function* weigh(file: ChangedFile, row: DiffRow, { node, by }: Mutation): Look<Judgement> {
  const now = yield* readFile('head', file.path);
  const source = now === null ? null : readSource(file.path, now.lines);
  if (
    source === null ||
    source.lines[row.line - 1] !== row.text ||
    !reachesNode.test(source.code[row.line - 1]!)
  )
    return nothing;
  if (!/\bfrom\s+(['"])(?:react|preact(?:\/\w+)?)\1|require\((['"])react\2\)/.test(source.lines.join('\n')))
    return nothing;
  const rendered = renderedNode(source, node);
  if (rendered === null) return nothing;
  const selector = node.kind === 'id' ? `#${node.name}` : node.kind === 'class' ? `.${node.name}` : node.name;
  if (node.kind !== 'ref') {
    const [named] = yield* together([
      searchCode({ pattern: literally(selector) }),
      searchCode({ pattern: 'data-widget' }),
      searchCode({ pattern: '<script' }),
    ]);
    const owner = named?.matches.find(
      (match) =>
        match.path !== file.path &&
        !isTestLike(match.path) &&
        !isExample(match.path) &&
        !/\.(css|scss|less|sass)$/.test(match.path),
    );
    // Somebody else names the node: it may well be theirs, and that can be read rather than asked.
    if (named === null || owner !== undefined) return nothing;
    yield* together([readFile('head', 'package.json'), readFile('head', 'public/index.html')]);
  }
  const what = by === 'jQuery' ? 'jQuery change' : 'change of the DOM';
  return {
    kind: 'question',
    request: {
      reason:
        node.kind === 'ref'
          ? 'the repository does not say who else draws into this node'
          : `nothing loads or names a widget for \`${selector}\``,
      snippet: row.text.trim(),
      searched: [],
      question: `is this ${what} required by a third-party widget?`,
      answerEffects: { yes: 'suppress_finding', no: 'include_finding', unsure: 'lower_confidence' },
      finding: {
        path: file.path,
        line: row.line,
        side: 'RIGHT',
        code: row.text,
        rule: 'react-dom-mutation',
        severity: 'important',
        category: 'logic',
        confidence: 'medium',
        title: `this ${what} breaks React's rendering of \`${selector}\``,
        body:
          `React renders the children of \`${selector}\` (line ${rendered}). This line changes them behind its back, ` +
          'so the next state change makes React remove nodes that are gone, which throws `NotFoundError`. ' +
          'Keep the content in state and render it.',
        evidence: [
          {
            path: file.path,
            ref: 'head',
            start: rendered,
            end: rendered,
            quote: source.lines[rendered - 1]!,
          },
        ],
        absences: [],
      },
    },
  };
}

/** The line where the file renders this node with children of its own; null when it renders none into it. */
function renderedNode(source: Source, node: Node): number | null {
  const name = literally(node.name);
  const attribute =
    node.kind === 'id'
      ? `\\bid\\s*=\\s*\\{?\\s*(["'\`])${name}\\1`
      : node.kind === 'class'
        ? `\\bclass(?:Name)?\\s*=\\s*\\{?\\s*(["'\`])(?:[^"'\`]*\\s)?${name}(?:\\s[^"'\`]*)?\\1`
        : `\\bref\\s*=\\s*\\{\\s*${name}\\s*\\}`;
  const raw = source.lines.join('\n');
  const found = new RegExp(attribute).exec(raw);
  if (found === null) return null;
  const open = raw.lastIndexOf('<', found.index);
  const tag = /^<([a-z][\w-]*)/.exec(raw.slice(open))?.[1];
  const end = open === -1 ? -1 : endOfTag(raw, open);
  if (tag === undefined || end === -1 || end < found.index) return null;
  const attributes = raw.slice(open, end);
  if (attributes.endsWith('/') || /dangerouslySetInnerHTML|contentEditable/.test(attributes)) return null;
  const close = raw.indexOf(`</${tag}>`, end);
  if (close === -1) return null;
  const children = raw.slice(end + 1, close).replace(/\{\s*\/\*[\s\S]*?\*\/\s*\}/g, '');
  // Only what depends on values is rendered anew; fixed text is written once and left.
  if (!/\{[^}]*\S[^}]*\}|<[A-Z]/.test(children)) return null;
  return raw.slice(0, open).split('\n').length;
}

/** The offset of the `>` that ends the opening tag at `open`, stepping over `{...}`. */
function endOfTag(raw: string, open: number): number {
  for (let at = open; at < raw.length && at < open + 4000; at += 1) {
    if (raw[at] === '{') {
      const end = closing(raw, at);
      if (end === -1) return -1;
      at = end;
    } else if (raw[at] === '>') return at;
  }
  return -1;
}
