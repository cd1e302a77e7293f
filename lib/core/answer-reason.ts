import {
  accusing,
  clearing,
  doubts,
  japaneseAccusing,
  japaneseClearing,
  japaneseDoubts,
  japaneseNegation,
  negations,
  noWords,
  yesWords,
  type Language,
} from './answer-words.js';
import * as words from './reason-words.js';

/**
 * Whether what follows a yes or a no is understood and goes with it. Two halves, and both have to hold: nothing in it
 * limits, doubts, contradicts or turns the answer round, and every clause is one that code understands. It says the
 * answer again, gives a reason, states something of a thing that it names, or holds a word that speaks for the answer.
 * "Yes, unfortunately" and "no, later" say nothing that is wrong, and nothing that is understood.
 */
export function goesWith(
  kind: 'yes' | 'no',
  {
    languages,
    given,
    after,
  }: { readonly languages: readonly Language[]; readonly given: string; readonly after: string },
): boolean {
  const spoken = languages.filter((language) => !(language === 'it' && /^sí$/iu.test(given)));
  if (anyOf([doubts.all, ...spoken.map((language) => doubts[language])]).test(after)) return false;
  if (isJapanese(after) && japaneseDoubts.test(kind === 'no' ? after.replace(notSo, '') : after))
    return false;
  if ((kind === 'yes' ? opposite.no : opposite.yes).test(after)) return false;
  const clauses = clausesOf(after);
  const [first = ''] = clauses;
  if (clauses.some((clause) => limited.test(clause))) return false;
  if (kind === 'no' && (clauses.some((clause) => leftAlone.test(clause)) || affirmed.test(first)))
    return false;
  if (kind === 'yes' && negation.test(first) && !isReason(`${first} `)) return false;
  return clauses.every(
    (clause, index) =>
      isRepeated(kind, clause, spoken) ||
      (isConsistent(kind, clause) && isUnderstood(kind, clause, { isFirst: index === 0, spoken })),
  );
}

/** After another word it corrects it; after a no it is the no again. */
const notSo = /そうでは(?:ありません|ないです)|そうじゃないです/gu;

/** How a reason begins. */
export const isReason = (after: string): boolean =>
  /^(?:because|bc|cuz|cause|since|weil|denn|da|car|parce que|puisque|porque|pois)\s/u.test(after);

const isJapanese = (text: string): boolean => /[\u3040-\u30ff\u4e00-\u9fff]/u.test(text);

/** Without the "and" that joins them. */
const clausesOf = (after: string): readonly string[] =>
  after
    .split(/[,;!()\n\u2014]|[.:](?=[\s.,;:!()]|$)|\s-\s/u)
    .map((clause) =>
      clause
        .replace(/[\s"]+/gu, ' ')
        .trim()
        .replace(/^(?:and|so|also|und|auch|et|y|e)\s+/u, '')
        .replace(/\.+$/u, ''),
    )
    .filter((clause) => /[\p{L}\p{N}\ufffc%]/u.test(clause));

function isConsistent(kind: 'yes' | 'no', clause: string): boolean {
  const count = [...clause.matchAll(everyNegation)].length;
  if (count > 1) return false;
  if (isJapanese(clause)) {
    const isNegated = japaneseNegation.test(clause);
    if (kind === 'yes')
      return (
        !japaneseAccusing.test(clause) &&
        !(japaneseClearing.test(clause) && isNegated && !/問題(?:ない|ありま|な)/u.test(clause))
      );
    return (
      !(japaneseClearing.test(clause) && (!isNegated || /問題(?:ない|ありま|な)/u.test(clause))) &&
      !(japaneseAccusing.test(clause) && isNegated)
    );
  }
  const clears = saidOf(clearing, kind === 'no' ? clause.replace(conceding, ' ') : clause);
  const accuses = saidOf(accusing, clause);
  return kind === 'yes'
    ? accuses === 'absent' && clears !== 'negated'
    : clears !== 'plain' && accuses !== 'negated';
}

/** "Yes, it is", "no, not at all": the answer again, and nothing else. */
const isRepeated = (kind: 'yes' | 'no', clause: string, spoken: readonly Language[]): boolean =>
  whole(among(kind === 'yes' ? words.agreeing : words.denying, spoken)).test(clause);

type Heard = { readonly isFirst: boolean; readonly spoken: readonly Language[] };

function isUnderstood(kind: 'yes' | 'no', clause: string, { isFirst, spoken }: Heard): boolean {
  if (isJapanese(clause))
    return (kind === 'yes' ? words.japaneseSupporting : words.japaneseAdmitting).test(clause);
  if (isReason(`${clause} `) || courtesy.test(clause)) return true;
  const isStatement = begins(among(words.statements, spoken)).test(clause) && /(?:\S+\s+){2}\S/u.test(clause);
  if (kind === 'yes')
    return (
      // "Yes, their API answers 422": what somebody else has explains it.
      (isStatement && (!isFirst || /^(?:their|[\p{L}\p{N}-]+'s) /u.test(clause))) ||
      saidOf(among(words.supporting, spoken), clause) === 'plain' ||
      (!isFirst && /^not (?:an?|the|our) /u.test(clause))
    );
  return (
    // "No, the widget needs it" speaks against the question, "no, that's a bug; the widget is gone" does not.
    (!isFirst && isStatement) ||
    saidOf(among(words.admitting, spoken), clause) === 'plain' ||
    saidOf(among(words.claims, spoken), clause) === 'negated' ||
    absent.test(clause)
  );
}

/** English words are used in every language. */
const among = (lists: words.Words, spoken: readonly Language[]): string =>
  (['en', 'de', 'fr', 'es', 'pt', 'ja'] as const)
    .filter((language) => (language === 'en' || spoken.includes(language)) && lists[language] !== '')
    .map((language) => lists[language])
    .join('|');

/** Where, when or for whom it holds: then it does not hold elsewhere. */
const limited =
  /^(?:with|in|on(?! purpose)|at|under|during|after|before|for(?! sure)|while|mit(?! absicht)|im|bei|auf(?! jeden| keinen)|fur|unter|nach|vor|avec|en|dans|pour(?! (?:ca|cela))|pendant|apres|avant|chez|con|para(?! nada)|durante|com(?! certeza)|em|na|despues|depois|not (?:in|on|for|here|now|today|with|at(?! all)|under|during|my|me|part|often)|nicht (?:in|im|auf|bei|fur|hier|jetzt|heute)|pas (?:en|dans|sur|ici|pour|que)|no (?:en|aqui|ahora|para)|nao (?:em|na|no|aqui|agora|para))(?![\p{L}\p{N}])/u;

/** "No, it is": to somebody else. */
const affirmed =
  /^(?:(?:in fact|indeed|actually|really) )?(?:it|this|that|these|those|there|he|she|they|we|i|this one|that one)(?: really| actually| indeed)?(?: ?'s|'re|'ve| is| are| was| were| does| do| did| has| have| can)?(?: indeed| actually| so)?$/u;

/** "No, no need", "no, don't touch it": a no to a change of the code. */
const leftAlone =
  /(?:unnecessary|unneeded|not necessary|not needed|needless|no need) to(?![\p{L}])|^no (?:need|changes?|action|fix|reason|worries|problems?|issues?|harm|risk|stress|time|rush|hurry|doubt|idea|way|point|thanks)(?![\p{L}])|(?:n't|not|dont|never) (?:change|touch|break|alter|modify|break|matter|hurt|do that|do this|relevant|applicable|important|worth|agree|reachable|dangerous|harmful|say|said|understand|follow|get (?:it|this|that)|true|right|correct|the (?:case|question|point)|how|what|mine|up to)(?![\p{L}])|^(?:nicht|ne pas) (?:andern|anfassen|changer|toucher)|(?:you|one|they) (?:do not|don't|dont) need|^kein(?:e|en)? (?:\p{L}*bedarf|anderung\p{L}*|angst|lust|plan|problem\p{L}*|sorgen?)(?![\p{L}])|(?:pas besoin de|no hay que|no hace falta|no necesita|nao precisa(?: de)?) (?:chang|cambi|mud|corre|corrig|toc|touch|modif)\p{L}*|(?:delete|remove|elimina|quita|supprime|apaga|corrige|fix) (?:this|that|your|the|tu|el|la|ton|ta|a|seu|sua) (?:comment\p{L}*|question|thread|bot|pregunta|pergunta)/u;

/** Said to a reviewer who is right; the words in it are no claim that the code is. */
const conceding =
  /(?<![\p{L}])(?:(?:good|nice|great|fair|valid) (?:catch|point|find|spot)|(?:you're|you are|youre)(?: \p{L}+ly)? right|(?:should|must|needs? to|has to|have to|can)(?: really| probably)?(?: be)? (?:removed?|fix(?:ed)?|changed?|deleted?|dropp?(?:ed)?|go(?: away)?|gone)|should ?(?:not|n't)(?: be)?(?: here| there)?)(?![\p{L}])/gu;

/** Of no meaning for the answer. */
const courtesy =
  /^(?:(?:many )?thanks?(?: you)?|thx|ty|cheers|danke|merci|gracias|obrigad[oa]|sorry|ありがとうございます)(?: again| so much| a lot)?(?: for (?:asking|checking|the (?:question|review|heads ?up)))?$/u;

/** "There is no widget": what was asked about is not there. */
const absent =
  /^(?:there(?:'s| is| are|'re) (?:no|not an?|none)|there (?:isn't|aren't|is not|are not)|(?:hier )?(?:gibt es |ist )?kein(?:e|er|en|em|es)?|(?:il )?n'y a (?:pas|plus|aucune?)|no hay|nao (?:ha|tem|existe)|nothing (?:uses|loads|needs|reads|calls|owns|guarantees|requires|depends)|(?:nobody|no one|nothing) (?:uses|needs|asked|wants|(?!knows|cares|says|minds|breaks|happens|changes)\p{L}+s (?:it|this|that|into|from|there)))(?![\p{L}])(?!.*(?:knows?|cares?|ahnung|sorge|zeit|eile|grund|temps|raison|tiempo|razon|tempo|razao|time|reason|rush|doubt|point|way|risk|harm|danger))/u;

/** Whether any of the words is said, and whether after a negation. Where both are found, the worse for a reader. */
function saidOf(list: string, clause: string): 'absent' | 'plain' | 'negated' | 'both' {
  let [plain, negated] = [false, false];
  for (const found of clause.matchAll(globally(list))) {
    if (negation.test(clause.slice(0, found.index))) negated = true;
    else plain = true;
  }
  return plain ? (negated ? 'both' : 'plain') : negated ? 'negated' : 'absent';
}

const boundary = (list: string): string => `(?<![\\p{L}\\p{N}])(?:${list})(?![\\p{L}\\p{N}])`;

/** Compiled once; they hold no state, because each is used from the beginning. */
const compiled = new Map<string, RegExp>();

function compile(source: string, flags = 'u'): RegExp {
  const name = `${flags}/${source}`;
  const known = compiled.get(name) ?? new RegExp(source, flags);
  compiled.set(name, known);
  return known;
}

export const anyOf = (lists: readonly string[]): RegExp =>
  compile(boundary(lists.filter((list) => list !== '').join('|')));

/** For `matchAll` and `replace`, which begin at the beginning. */
const globally = (list: string): RegExp => compile(boundary(list), 'gu');

const whole = (list: string): RegExp => compile(`^(?:${list})$`);

const begins = (list: string): RegExp => compile(`^(?:${list})(?![\\p{L}\\p{N}])`);

const negation = new RegExp(`${boundary(negations)}|n't(?![\\p{L}\\p{N}])`, 'u');
const everyNegation = new RegExp(negation.source, 'gu');

/** An answer word where a clause begins, or as the last word. */
const oppositeOf = (list: string): RegExp =>
  new RegExp(
    `(?:^|[,.;:!()"&+/|\u2014\\n-]|(?<![\\p{L}])(?:and|or|und|oder|et|ou|y|e|o|actually|then|well)\\s)\\s*(?:${list})(?![\\p{L}\\p{N}])|\\s(?:${list})[\\s.!]*$`,
    'u',
  );

/** The words for the one, found in what was given for the other. */
export const opposite = {
  yes: new RegExp(`${oppositeOf(yesWords).source}|はい|ええ[,.]`, 'u'),
  no: new RegExp(`${oppositeOf(noWords).source}|いいえ|違います|ちがいます`, 'u'),
};
