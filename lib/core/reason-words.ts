/**
 * The words by which code understands what is said after a yes or a no. Lower-case, without accents, with straight
 * apostrophes. What is missing here is not understood: it costs a look of the model and never a wrong reading.
 */
import type { Language } from './answer-words.js';

/** One pattern a language. */
export type Words = Readonly<Record<Exclude<Language, 'it'>, string>>;

/** Whole clauses that only say the yes again, or say where it comes from. */
export const agreeing: Words = {
  en: [
    '(?:it|this|that|they|these|those|we|i) (?:is|are|am|does|do|did|has|have|was|were)(?: indeed| so| intended)?(?: for sure)?',
    '(?:very much |most )?(?:definitely|absolutely|certainly|indeed|exactly|correct|always|intentionally|deliberately|obviously|confirmed|required|intended|intentional)',
    'of course|for sure|trust me|100%|all of (?:it|them|these|those)|all \\d+|this is so',
    "that(?: is|'?s) (?:right(?: as it is)?|correct|it|the plan|the idea|the intent(?:ion)?|the case|how it is|intentional|on purpose|by design)",
    "i(?:'ve| have| did)?(?: just| already| can)? ?(?:(?:double ?-?)?check(?:ed)?|confirm(?:ed)?|verif(?:y|ied)|asked)(?: (?:it|this|that|them))?(?: (?:with|against) .{1,60})?",
    "(?:i am|i'm|im|we are|we're) (?:very |absolutely |100% |completely )?(?:sure|certain|positive)(?: of (?:it|this|that)| about (?:it|this|that))?",
    'as (?:before|always|documented|intended|designed|expected|required|agreed|requested|(?:per|in|described in|documented in|discussed in|agreed with) .{1,60})',
    '(?:per|see|cf|via) (?:the |their |our )?(?:readme|docs?|spec|contract|adr|rfc|api)(?: (?:no )?\\d+)?(?: @[\\p{L}\\p{N}/-]+)?|(?:per|see) x{8,}|since (?:\\d{4}|v\\d.{0,60})|same as before',
    'x{8,}|cc(?: .{1,60})?|@[\\p{L}\\p{N}/-]+ can confirm(?: (?:it|this|that))?',
  ].join('|'),
  de: 'genau|natürlich|naturlich|naturlich ist (?:es|das) so|klar|absichtlich|absolut|richtig|korrekt|auf jeden fall|auf alle falle|selbstverstandlich|definitiv|(?:das |es )?ist (?:es|das|so|so gewollt|gewollt|beabsichtigt|absicht)|das ist (?:es|so|richtig|korrekt)|wie (?:besprochen|dokumentiert|vorgesehen|geplant|vorher|bisher)|siehe .{1,60}|immer|seit .{1,60}|tut es|machen wir|haben wir|brauchen wir',
  fr: "tout a fait|exactement|exact|absolument|bien sur|bien entendu|effectivement|certainement|c'est (?:ca|exact|le cas|voulu|correct|bien ca|bien le cas|(?:fait )?expres)|comme (?:prevu|avant|documente)|voir .{1,60}|toujours|depuis .{1,60}",
  es: 'claro|claro que si|exacto|exactamente|correcto|por supuesto|efectivamente|asi es|lo es|eso es|es asi|(?:(?:es|fue|esta|esta hecho|esta asi|se hizo)(?: asi)? )?(?:a proposito|adrede)|como (?:antes|siempre|esta documentado)|ver .{1,60}|siempre|desde (?!que ).{1,60}',
  pt: 'claro|exato|exatamente|correto|com certeza|isso(?: mesmo)?|e|e isso|e sim|(?:(?:e|foi|foi feito|esta)(?: assim)? )?de proposito|certamente|como (?:antes|sempre|documentado)|ver .{1,60}|sempre',
  ja: 'そうです|その(?:通|とお)りです|もちろんです|もちろん|正しいです|合っています|間違いありません',
};

/** Whole clauses that only say the no again. */
export const denying: Words = {
  en: [
    "(?:(?:it|this|that|they|these|those|there|we|i) ?)?(?:is|are|am|'s|'re|'m|does|do|did|has|have|was|were|should|must|may|can|will)(?: not|n'?t)(?: any ?more| at all)?",
    '(?:definitely|absolutely|certainly|of course|surely) not|not (?:at all|any ?more|intended|intentional|on purpose|needed|required|used)|never(?: was| has been| did| were)?',
    'sorry|my (?:bad|mistake|fault|error|oversight)(?: there)?|unintentional|unintended|accidental|by accident|(?:just )?(?:ours|production|in-?house|leftovers?)',
    "(?:i am|i'm|im|we are|we're) (?:very |absolutely |100% |completely )?(?:sure|certain|positive)(?: of (?:it|this|that)| about (?:it|this|that))?",
  ].join('|'),
  de: '(?:das |es )?ist (?:es |das )?nicht(?: so)?(?: mehr)?|tut es nicht|(?:haben|machen|brauchen|nutzen) wir nicht(?: mehr)?|gibt es nicht(?: mehr)?|(?:uberhaupt|ganz sicher|sicher|bestimmt|definitiv|gar) nicht|auf keinen fall|keinesfalls|nicht mehr|leider|leider nicht|leider nein|niemals|nie',
  fr: "(?:ce |il |elle )?(?:n'est|est) pas(?: le cas| ca)?|pas du tout|absolument pas|plus maintenant|jamais|desolee?|pardon|bien sur que non|il n'y en a (?:pas|plus)|on n'en a (?:pas|plus)|pas besoin",
  es: '(?:no )?lo es|no lo es|para nada|en absoluto|claro que no|nunca|jamas|perdon|lo siento|ya no|no hay',
  pt: '(?:nao )?e|nao e|de jeito nenhum|claro que nao|nunca|jamais|desculp[ae]|nao ha|nao tem',
  ja: '(?:違|ちが)います|そうではありません|そうじゃないです|そうではないです',
};

/** What speaks for a yes where no negation stands before it. */
export const supporting: Words = {
  en: "required|requires?|needed|needs?|necessary|mandatory|intended|intent|intention(?:al|ally)?|deliberate(?:ly)?|expected|by design|designed|on purpose|purposely|supposed to|wants?|wanted|meant|asked for|guarantees?|guaranteed|validate[ds]?|sanitize[ds]?|escape[ds]|checked upstream|checks for|lock(?:s|ed)|idempotent|dedup\\p{L}*|handled|own(?:s|ed)|ours|injects?|draws?|mounts?|loads?|loaded|ships|share[sd]?|uses|used|rel(?:y|ies)|vendors?|vendor's|partner'?s?|third[- ]party|legacy|widgets?|external|sandbox|dummy|fake|fixtures?|test|tests|example|sample|generated|revoked|rotated|public|documented|readme|contract|decision|decided|discussed|always|compat\\p{L}*|workaround|convention|same|has to be|have to be|must|at least one|non-?empty|at most once|comes? from|gets? (?:it|this|that|them) from|cdn",
  de: '\\p{L}*absicht(?:lich|igt)?|beabsichtigt|gewollt|braucht?|brauchen|benotigt|notig|notwendig|erforderlich|gewunscht|vorgesehen|geplant|test\\p{L}*|dokumentiert|partners?|widgets?|extern\\p{L}*|legacy|anbieter\\p{L}*|garantiert|validiert|kommt vo[mn]|liegt an|immer|muss so',
  fr: 'voulue?|intentionnel(?:le)?|expres|prevue?|necessaire|requise?|besoin|attendue?|utilise\\p{L}*|de test|exige\\p{L}*|partenaires?|widgets?|externe|fourni\\p{L}*|vient d[ue]|documente\\p{L}*|garanti\\p{L}*|validee?s?|pour (?:ca|cela)|obligatoire|toujours',
  es: 'intencional|a proposito|adrede|necesit\\p{L}*|necesari[oa]|requier\\p{L}*|requerid[oa]|de prueba|previst[oa]|esperad[oa]|documentad[oa]|widgets?|socios?|extern[oa]|hace falta|garantiza\\p{L}*|valid\\p{L}*|obligatori[oa]|siempre',
  pt: 'intencional|de proposito|proposital|precis\\p{L}*|necessari[oa]|exig\\p{L}*|de teste|previst[oa]|esperad[oa]|documentad[oa]|widgets?|parceiros?|extern[oa]|garant\\p{L}*|valid\\p{L}*|obrigatori[oa]|sempre',
  ja: '',
};

/** What speaks for a no: the code is wrong, has changed, or is nobody else's. Where no negation stands before it. */
export const admitting: Words = {
  en: "bugs?|buggy|mistakes?|mistaken(?:ly)?|accident(?:al|ally)?|oversight|oops|whoops|left ?-?overs?|forgot(?:ten)?|missed|overlooked|my (?:bad|fault|error)|sorry|apologies|(?:good|nice|great) (?:catch|point|find|spot)|well spotted|thanks for (?:the catch|(?:catch|spott|find|point|notic|flagg|rais)ing)\\p{L}*|unintended|unintentional(?:ly)?|unexpected(?:ly)?|unnecessary|unneeded|unused|unwanted|redundant|deprecated|copy ?-? ?paste|typo|debug(?:ging)?|fix(?:ed|ing|es)?|will (?:fix|remove|change)|remove[ds]?|removing|delete[ds]?|deleting|drop(?:ped|ping)?|revert(?:ed|ing)?|(?:to|will|i'll|we'll|can|should|must|i|we) change|changed|changing|gone|moved|left|dead code|ours|our own|(?:we|i) own|(?:real|live|production|prod|actual)(?: (?:key|token|secret|credentials?|one|password|data))?|can be (?:null|empty|undefined|missing|negative|zero)|creates?|shouldn't|should not|should be (?:removed|deleted|fixed|changed)|not supposed to|must be (?:removed|fixed)",
  de: 'fehler|versehen|versehentlich|vergessen|uberbleibsel|entfern\\p{L}*|losche|geloscht|behebe|behoben|korrigier\\p{L}*|fixe|gefixt|geandert|unsere?[rsmn]?|eigene?[rsmn]?|echte?[rsn]?|produktiv\\p{L}*|unbeabsichtigt|ungewollt|unnotig|uberflussig|tippfehler|danke fur\\p{L}*|bug|kopiert|ausgebaut|entfallen',
  fr: "erreur|oubli\\p{L}*|corrig\\p{L}*|supprim\\p{L}*|retire\\p{L}*|enleve\\p{L}*|inutile|notre|nos|a nous|vraie?|desolee?|merci d'avoir|par accident|bug|copie-?colle|reste de",
  es: 'error|errores|descuido|olvid\\p{L}*|corrij\\p{L}*|corrig\\p{L}*|arregl\\p{L}*|elimin\\p{L}*|quit\\p{L}*|borr\\p{L}*|innecesari[oa]|nuestr[oa]s?|real|reales|produccion|perdon|lo siento|gracias por|accidente|fallo|bug|sobra\\p{L}*',
  pt: 'erros?|descuido|esquec\\p{L}*|corrig\\p{L}*|corrij\\p{L}*|remov\\p{L}*|apag\\p{L}*|desnecessari[oa]|noss[oa]s?|real|producao|desculp\\p{L}*|obrigad[oa] por|engano|acidente|bug|consert\\p{L}*|sobrou',
  ja: '',
};

/** What a question asks about. Under a negation it speaks for a no. */
export const claims: Words = {
  en: 'intended|intentional(?:ly)?|on purpose|purpose|deliberate(?:ly)?|by design|needed|needs?|required|requires?|necessary|expected|wanted|meant|supposed|uses?|used|guarantees?|guaranteed|sanitized|escaped|own|have|has|load[s]?|read[s]?|rel(?:y|ies)|decided|planned|asked for(?: it)?|widgets?|there|belong',
  de: 'gewollt|absicht|absichtlich|beabsichtigt|notig|notwendig|erforderlich|gebraucht|benotigt|braucht|brauchen|verwendet|benutzt|genutzt|nutzt|nutzen|vorgesehen|geplant|garantiert|widget',
  fr: 'voulue?s?|intentionnel(?:le)?s?|expres|necessaire|requise?s?|besoin|utilise\\p{L}*|sert|widget',
  es: 'intencional|a proposito|adrede|necesari[oa]|requerid[oa]|hace falta|us[ao]n?|existen?|necesit\\p{L}*|widget',
  pt: 'intencional|de proposito|proposital|necessari[oa]|precis\\p{L}*|us[ao]m?|existem?|widget',
  ja: '',
};

/** How a sentence about a thing begins: the vendor's script, unser Skript. Pronouns alone are about anything. */
export const statements: Words = {
  en: "(?:the|our|their|its|each|every|all)(?! (?:opposite|other|first|second|same|way|best|worst|contrary|usual|idea|question))|(?!(?:it|that|this|there|here|what|who|he|she|let|how|where|mona)'s)[\\p{L}\\p{N}-]+'s",
  de: '(?:der|die|unsere?|deren|dessen|alle|jede[rs]?|das(?! (?:ist|war|kann|muss|soll|sollte|wird|sind|hat|geht|passt|macht|bleibt|fehlt|sieht|habe|hab|werde|mache|ware|wurde|will|darf)(?![\\p{L}])))',
  fr: "(?:le|la|les|notre|nos|leur|leurs)|l'(?=\\p{L})",
  es: '(?:el|la|los|las|nuestr[oa]s?)',
  pt: '(?:o|a|os|as|noss[oa]s?)',
  ja: '',
};

/** Japanese clauses that speak for a yes, and for a no. */
export const japaneseSupporting =
  /必要|意図|仕様|わざと|想定(?:通り|どおり|内)|要件|テスト|外部|サードパーティ|パートナー|ベンダー|ウィジェット|保証|検証済|常に|そうです|その(?:通|とお)りです|もちろん|設計|サンプル|ダミー|によるもの|のため|ので|から/u;

export const japaneseAdmitting =
  /ミス|バグ|忘れ|修正|直し|直す|不要|誤り|誤って|本番の|想定外|削除|自社|うちの|不具合|残骸|残り|違います|ちがいます|(?:意図|必要|仕様|使[っわ用]|想定|そう)[^.,]{0,12}(?:ない|ません|なく)/u;
