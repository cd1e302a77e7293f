import type { Category } from '../finding.js';

/**
 * Words and phrases by category. A phrase is words with a blank or a hyphen between them, whole words in any case; a
 * star at the end of a word takes any ending: `crash*` is crash, crashes, crashing.
 */
export type Keywords = Readonly<Record<Category | 'ignore', readonly string[]>>;

/** Finds the first word of the first category that has one: security, then logic, then quality. */
export type FindKeyword = (text: string) => { readonly category: Category; readonly word: string } | null;

/** `more` is added to the tables below. `ignore` is what is taken out of the text first, as meaning something else. */
export function createFindKeyword(more?: Partial<Keywords>): FindKeyword {
  const ignored = patternOf([...keywords.ignore, ...(more?.ignore ?? [])], 'giu');
  const tables = order.map((category) => ({
    category,
    pattern: patternOf([...(more?.[category] ?? []), ...keywords[category]], 'iu'),
  }));
  return (text) => {
    const rest = text.replace(ignored, ' ');
    for (const { category, pattern } of tables) {
      const word = pattern.exec(rest)?.[0];
      if (word !== undefined) return { category, word: word.toLowerCase() };
    }
    return null;
  };
}

const order = ['security', 'logic', 'quality'] as const satisfies readonly Category[];

/** Null when a phrase can be used, else what is wrong with it. */
export const checkKeyword = (phrase: string): string | null =>
  phrase.length <= 80 && /^[\p{L}\p{N}_'.+#/]+\*?(?:[ -][\p{L}\p{N}_'.+#/]+\*?){0,7}$/u.test(phrase)
    ? null
    : 'Expected words with single blanks between them, each with a star at its end or none, such as "path travers*".';

const patternOf = (phrases: readonly string[], flags: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:${phrases.map(sourceOf).join('|')})(?![\\p{L}\\p{N}_])`, flags);

const sourceOf = (phrase: string): string =>
  phrase
    .split(/[ -]/)
    .map((word) => {
      const [stem = ''] = word.split('*');
      return (
        stem.replace(/[.+]/g, String.raw`\$&`) + (word.endsWith('*') ? String.raw`[\p{L}\p{N}]{0,20}` : '')
      );
    })
    .join(String.raw`[\s-]{1,3}`);

const listed = (text: string): readonly string[] =>
  text
    .split(/[,\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '');

const keywords: Keywords = {
  ignore: listed(
    'dependency injection, constructor injection, inject* the dependenc*, nit* pick*, exception class*, error class*, security note*, security.md, no security impact*, no security implication*, no security risk*, no security concern*, no security issue*, no security problem*, no security relevan*, not a security',
  ),
  security: listed(`
    security, insecure, vulnerab*, exploit*, attack*, malicious*, hostile, threat, cve, cwe, owasp,
    injection*, sqli, xss, cross site, csrf, xsrf, ssrf, xxe, rce, idor, redos,
    code execution, arbitrary, shell command*, command execution, prototype pollution, eval,
    path traversal, directory traversal, travers* attack*, zip slip, open redirect*, clickjack*,
    sanitiz*, sanitis*, unsanitiz*, unsanitis*, unescaped, without escaping, untrusted, user input, user supplied, user controlled,
    credential*, password*, passwd, secret*, api key*, private key*, signing key*, access key*,
    access token*, session token*, auth token*, bearer token*, reset code*, plaintext, plain text, hard coded key*, hardcoded key*,
    auth bypass*, bypass* auth*, authenticat* bypass*, authoriz* bypass*, authoris* bypass*,
    authenticat*, unauthenticated, authoriz*, authoris*, unauthoriz*, unauthoris*, logged in, signed in,
    access control*, permission*, admin*, anybody can, anyone can, everybody can, from anybody, from anyone, any user, any signed in, other tenants, tenant filter*, of all customers, script tag*, identity token*, audience of,  ownership check*, privilege*, admin right*, least privilege,
    impersonat*, spoof*, forge*, tamper*, hijack*, phish*, take over the account, account takeover,
    sensitive data, sensitive information, personal data, pii, data exposure, data leak*, world readable, publicly readable,
    leak* timing, timing attack*, constant time, denial of service, brute force*, rate limit bypass*,
    encrypt*, decrypt*, unencrypted, md5, sha1, weak hash*, certificate verif*, certificate valid*, verif* the signature, signature verif*, without its signature,
    httponly, samesite, cors, jwt, predictable, cryptograph*, sandbox escape*, deserializ*, deserialis*, pickle
  `),
  logic: listed(`
    bug, bugs, crash*, exception*, unhandled, uncaught, panic*, segfault*, throw*, raise*,
    race, races, race condition*, deadlock*, livelock*, starv*, concurren*, thread safe*, atomic*, two workers, at the same time,
    truncat*, cut* off, cuts, in half, off by one, out of bounds, out of range, overflow*, underflow*, wrap* around, divi* by zero, division by zero, nan, rounding,
    null pointer*, null dereferenc*, dereferenc*, nullptr, undefined, keyerror, typeerror, nullpointerexception,
    silent fail*, silently, fail* silently, swallow*, error* vanish*, ignored, not handled, doesn't handle, does not handle, unchecked,
    infinite loop*, infinite recursion, endless*, never end*, forever, hang, hangs, spins, stuck, never reached, unreachable state,
    not awaited, isn't awaited, missing await, never released, never closed, not closed, never removed, memory leak*, resource leak*, leak, leaks, run* out of,
    wrong, incorrect*, invert*, always true, always false, always empty, never equal, negat* condition*,
    break, breaks, broken, breakage, regress*, corrupt*, overwrit*, overwritten, data loss, lose, loses, lost, los* data, drops, dropped, go missing, missing rows,
    stale cache*, stale data, stale value*, stale balance, expire*, timezone*, time zone*, one day,
    fails, failing, failed, failure*, edge case*, corner case*, twice, duplicate charge*, double charge*, skip*,
    retry forever, looks like success, returns null, returns undefined, is empty, are empty, empty string, still open,
    mutat*, modified while, in parallel, order of events, out of order, before it is, before either, never processed, never run, never fetched,
    never prun*, never clear*, never freed, never reset, never check*, never compar*, grows, closure*, by reference, last iteration, everything matches, returns -1, cache key*,
    reset, resets, starts where, the order of, unit of, milliseconds
  `),
  quality: listed(`
    nit, nits, nitpick*, style, stylistic, naming, name, names, rename*, typo*, spelling, grammar, wording, redundan*, unused, dead code, unnecessary, needless*, superfluous,
    duplicat*, copy paste*, repeat*, dry, magic number*, constant*, readab*, unclear, confusing, hard to follow, hard to read, clearer, cleaner, clean up, cleanup, simpl*, verbose, tidy,
    refactor*, extract*, split, inline, move, reuse, helper*, abstraction, consisten*, inconsisten*, convention*,
    format*, prettier, lint*, indent*, whitespace, blank line*, newline, line length, long line, semicolon*, early return*,
    comment, comments, commented out, doc, docs, docstring*, document*, jsdoc, readme, changelog, description*, log level, leftover*, left behind, debugging output, console.log, todo,
    import, imports, type, types, typing, any, cast, generic, private, public, visibility, const, let, unused variable*, reassign*,
    test, tests, test case*, coverage, fixture*, snapshot, deprecat*, commit, optional chaining, template string*, prefer, consider, suggest*
  `),
};
