/**
 * The words by which a short plain reply is read, in six languages: English, German, French, Spanish, Portuguese and
 * Japanese. Lower-case, without accents, with straight apostrophes. Lists of words, so that a person can add to them:
 * what is missing here costs a look of the model and never a wrong reading.
 */
/** `it`: only for the words that look like Spanish ones. */
export type Language = 'en' | 'de' | 'fr' | 'es' | 'pt' | 'ja' | 'it';

export type Lead = {
  readonly kind: 'yes' | 'no' | 'unsure';
  readonly languages: readonly Language[];
  readonly words: readonly string[];
  /** Words that may follow without a comma between: `yes it is`, `no we own it`. */
  readonly follow: string;
  /** Only where nothing but a reason after a comma or a full stop follows. */
  readonly exact?: boolean;
};

const because = 'because|bc|cuz|cause|since|as|weil|denn|da|car|parce que|puisque|porque|pois';

const englishFollow = `${because}|it|it's|its|this|that|that's|thats|these|they|they're|we|we're|our|ours|the|there|i|definitely|absolutely`;

const germanFollow = `${because}|das|dies|diese|dieser|dieses|es|der|die|wir|ist|unser|unsere`;

const frenchFollow = `${because}|c'est|ce|cela|ca|cette|le|la|les|il|elle|on|nous|notre`;

/** How an answer begins. Longer ones stand before those that they begin with. */
export const leads: readonly Lead[] = [
  {
    kind: 'unsure',
    languages: ['en'],
    words: [
      "(?:honestly,? )?(?:i'?m|i am) (?:really )?not (?:entirely |totally |completely |100% |quite |really )?(?:sure|certain)",
      '(?:honestly,? )?not (?:entirely |totally |completely |100% |quite |really )?(?:sure|certain)',
      "(?:i'?m |i am )?unsure",
      "(?:i )?(?:honestly |really )?(?:do not|don'?t) (?:really |honestly )?know",
      "(?:i )?(?:do not|don'?t) have (?:any|a) (?:idea|clue)",
      "(?:i have |i've |i've got |have )?(?:absolutely )?no (?:idea|clue)",
      "(?:i )?(?:can'?t|cannot|can not) (?:tell|say)",
      'hard to (?:say|tell)',
      "(?:i )?haven'?t (?:got )?a clue",
      '(?:i )?dunno',
      'idk',
      'uncertain',
      'who knows',
      'beats me',
    ],
    follow:
      '(?:about|on) (?:this|that|it)(?: one)?(?= *[.,;!]| *$)|tbh|honestly|sorry|yet|either|myself|at all|to be honest',
  },
  { kind: 'unsure', languages: ['en'], words: ['maybe', 'perhaps', 'possibly'], follow: '', exact: true },
  {
    kind: 'unsure',
    languages: ['de'],
    words: [
      '(?:ich )?(?:hab|habe) (?:da )?keine ahnung',
      'keine ahnung',
      '(?:ich )?wei(?:ß|ss) (?:ich |es |ich es )?(?:leider )?nicht',
      '(?:ich )?(?:bin )?(?:mir )?(?:da )?(?:nicht|unsicher|nicht ganz) (?:so )?(?:sicher)',
      '(?:ich )?(?:bin )?(?:mir )?(?:da )?unsicher',
      'kann ich (?:leider )?nicht sagen',
      'schwer zu sagen',
    ],
    follow: 'leider|ehrlich gesagt',
  },
  { kind: 'unsure', languages: ['de'], words: ['vielleicht'], follow: '', exact: true },
  {
    kind: 'unsure',
    languages: ['fr'],
    words: [
      "(?:(?:je|j') ?)?(?:ne |n')?(?:sais|sait) (?:vraiment )?pas",
      '(?:je )?(?:ne )?(?:suis )?pas (?:tout a fait |vraiment )?(?:sure?|certaine?)',
      "(?:(?:je )?n'?(?:ai|en ai) )?aucune idee",
      '(?:je )?(?:ne )?(?:peux|saurais) pas (?:le )?dire',
      'difficile a dire',
    ],
    follow: 'du tout|desole|desolee',
  },
  { kind: 'unsure', languages: ['fr'], words: ['peut[- ]etre'], follow: '', exact: true },
  {
    kind: 'unsure',
    languages: ['es'],
    words: [
      '(?:yo )?no (?:lo )?se',
      '(?:yo )?no estoy (?:muy |del todo )?segur[oa]',
      '(?:no tengo )?ni idea',
      'no tengo (?:ni )?idea',
      'no (?:sabria|puedo) decir(?:lo)?',
      'dificil de decir',
    ],
    follow: 'la verdad',
  },
  { kind: 'unsure', languages: ['es'], words: ['quizas?', 'tal vez', 'a lo mejor'], follow: '', exact: true },
  {
    kind: 'unsure',
    languages: ['pt'],
    words: [
      '(?:eu )?nao sei',
      '(?:eu )?nao tenho (?:certeza|ideia)',
      '(?:eu )?nao estou (?:certo|certa|segur[oa])',
      '(?:eu )?nao faco (?:a menor )?ideia',
      'sei la',
      'sem ideia',
      'dificil dizer',
    ],
    follow: 'nao|ao certo',
  },
  { kind: 'unsure', languages: ['pt'], words: ['talvez'], follow: '', exact: true },
  {
    kind: 'unsure',
    languages: ['ja'],
    words: [
      '(?:ちょっと|よく)?(?:分か|わか|判)(?:りません|らない(?:です)?)',
      '不明(?:です)?',
      '確信(?:が|は)(?:ありません|ない(?:です)?|持てません)',
      '自信(?:が|は)(?:ありません|ない(?:です)?)',
      '(?:なん|何)とも(?:言|い)えません',
    ],
    follow: '',
  },

  {
    kind: 'no',
    languages: ['en'],
    words: ['(?:definitely|absolutely|certainly|of course|surely) not', 'not at all', 'negative'],
    follow: because,
  },
  {
    kind: 'no',
    languages: ['en'],
    words: ["it(?: is|'s|s) not", "it (?:isn'?t|doesn'?t|does not)"],
    follow: because,
    exact: true,
  },
  { kind: 'no', languages: ['en'], words: ['nope', 'nah'], follow: `${englishFollow}|not|never` },
  { kind: 'no', languages: ['en', 'es', 'it'], words: ['no'], follow: `${englishFollow}|sorry|not|nope|no` },
  { kind: 'no', languages: ['en'], words: ['n'], follow: '', exact: true },
  {
    kind: 'no',
    languages: ['de'],
    words: [
      'auf (?:gar )?keinen fall',
      'nat(?:u|ue)rlich nicht',
      '(?:ganz )?(?:sicher|bestimmt|definitiv) nicht',
      'keinesfalls',
      '(?:uberhaupt|ueberhaupt|gar) nicht',
    ],
    follow: because,
  },
  { kind: 'no', languages: ['de'], words: ['nein', 'nee', 'noe', 'nej'], follow: germanFollow },
  {
    kind: 'no',
    languages: ['fr'],
    words: ['pas du tout', 'absolument pas', '(?:bien )?sur que non'],
    follow: because,
  },
  { kind: 'no', languages: ['fr'], words: ['non'], follow: frenchFollow },
  {
    kind: 'no',
    languages: ['es'],
    words: ['claro que no', 'por supuesto que no', 'para nada', 'en absoluto'],
    follow: because,
  },
  {
    kind: 'no',
    languages: ['pt'],
    words: ['claro que nao', 'com certeza nao', 'de jeito nenhum'],
    follow: because,
  },
  { kind: 'no', languages: ['pt'], words: ['nao'], follow: because },
  {
    kind: 'no',
    languages: ['ja'],
    words: [
      'いいえ',
      'いえ',
      'ううん',
      '(?:違|ちが)(?:います|う)(?:よ)?',
      'そうではありません',
      'そうではないです',
      'そうじゃないです',
    ],
    follow: '',
  },

  {
    kind: 'yes',
    languages: ['en'],
    words: [
      'definitely',
      'absolutely',
      'certainly',
      'of course',
      'affirmative',
      "that(?:'s| is) correct",
      'correct',
    ],
    follow: because,
  },
  { kind: 'yes', languages: ['en'], words: ['it (?:is|does)'], follow: because, exact: true },
  {
    kind: 'yes',
    languages: ['en'],
    words: ['yess?', 'yep', 'yepp', 'yup', 'yeah', 'yea', 'aye'],
    follow: `${englishFollow}|indeed|certainly|exactly|correct|of course|for sure|required|intended|intentional|intentionally|by design|on purpose|per|thanks|thank you|yes|yep`,
  },
  { kind: 'yes', languages: ['en'], words: ['y'], follow: '', exact: true },
  {
    kind: 'yes',
    languages: ['de'],
    words: ['auf jeden fall', 'nat(?:u|ue)rlich', 'jawohl', 'selbstverstandlich'],
    follow: because,
  },
  {
    kind: 'yes',
    languages: ['de'],
    words: ['ja', 'jep', 'jepp', 'jup'],
    follow: `${germanFollow}|genau|klar|nat(?:u|ue)rlich|auf jeden fall|absichtlich`,
  },
  {
    kind: 'yes',
    languages: ['fr'],
    words: ['tout a fait', 'absolument', 'bien sur', 'bien entendu'],
    follow: because,
  },
  {
    kind: 'yes',
    languages: ['fr'],
    words: ['oui', 'ouais'],
    follow: `${frenchFollow}|tout a fait|exactement|absolument|bien sur`,
  },
  { kind: 'yes', languages: ['es'], words: ['claro que si', 'por supuesto', 'asi es'], follow: because },
  {
    kind: 'yes',
    languages: ['es', 'it'],
    words: ['si'],
    follow: `${because}|claro|exacto|exactamente|por supuesto`,
  },
  { kind: 'yes', languages: ['pt'], words: ['claro que sim', 'com certeza'], follow: because },
  {
    kind: 'yes',
    languages: ['pt'],
    words: ['sim'],
    follow: `${because}|claro|exatamente|com certeza|e|o|a|isso`,
  },
  {
    kind: 'yes',
    languages: ['ja'],
    words: ['はい', 'ええ', 'うん', 'そうです', 'その(?:通|とお)りです'],
    follow: '',
  },
];

/** A bare word that confirms what somebody else said. Nothing may follow it. */
export const confirming =
  /^(?:ok|okay|o\.k\.|(?:i )?confirm(?:ed)?|ok(?:ay)?,? (?:i )?confirm(?:ed)?|(?:ich )?bestatige|bestatigt|(?:je )?confirme|confirmado|confirmo|承認(?:します|しました)?)$/;

/** Conditions, doubts and second thoughts: with one of them a reply is not plain. */
export const doubts: Readonly<Record<Language | 'all', string>> = {
  all: [
    "but|however|although|though|tho|except(?: for)?|apart from|unless|if|until|till|depend(?:s|ing)?|provided|assuming|(?:as|so) long as|only|when|whenever|where|once|maybe|perhaps|prob(?:ably|s)?|possibly|possible|might|may|could|would|should've|i guess|guess|suppose|i (?:think|believe|assume|reckon|feel|doubt)|think so|presumably|hopefully|supposedly|theoretically|in theory|kind of|kinda|sort of|sorta|mostly|partly|partially|sometimes|usually|generally|normally|often|for now|right now|yet|temporar(?:y|ily)|so far|at the moment|currently|likely|unlikely|not sure|unsure|not certain|idk|dunno|(?:do not|don't|dont) know|no idea|afaik|afaict|iirc|imo|imho|as far as|wait|hold on|scratch that|i mean|nvm|never ?mind|second thoughts?|whatever|just kidding|jk|kidding|sarcasm|/s|lol|haha|please|pls|plz|or|either|rather|instead|former|latter|half|let me|let's|ask|check with|not really|not exactly|not necessarily|not quite|not always|not only|not entirely|not all|almost|basically|technically|strictly speaking|other than|otherwise|or else|else|without (?:it|this|that)|(?:remov|chang|delet)ing (?:it|this|that) (?:would |will )?(?:break|fail|crash)\\p{L}*|apparently|allegedly|reportedly|seem(?:s|ed|ingly)?|look(?:s|ed)? like|appears?|hope(?:fully)?|wish|(?:pretty|fairly|rather|reasonably|almost|nearly|90%|80%) (?:much|sure|certain|always)|nearly|roughly|more or less|to (?:some|a certain|an) (?:extent|degree)|to a degree|up to a point|within reason|given|in (?:that|this|which|some|most|many|certain|rare) cases?|in case|in principle|providing|on (?:the )?condition|besides|aside from|exclud\\p{L}+|barring|not counting|just (?:for|on|in|not|the)|at least(?! (?:one|two|three|\\d))|on paper|from memory|from what|memory serves|last (?:i|time)|(?:to|best of) my knowledge|according to|i (?:hear|heard|remember|recall|was told|am told|wonder(?:ed)?|like|love|hate)|we hope|told|pending|subject to|await\\p{L}*|waiting|tb[acd]|to be (?:verified|confirmed|decided|checked|determined)|under (?:discussion|review)|still (?:discussing|checking|deciding|open)|undecided|needs? (?:check|confirm|review|look|a|an|to be|more|better|some|work|fix|test)\\p{L}*|used to|needed? to|needs to|want(?:ed)? to|(?:was|were|we|they) (?:needed|required|necessary|relied)|must(?: have|'ve)|(?:was|were) (?:once|originally|previously|formerly|the)|back then|at the time|in the past|originally|formerly|previously|historically|eventually|tomorrow|(?:the |in the |my )?next (?:commit|push|week|month|release|version|sprint|pr)|(?:in|on|for) (?:the )?(?:prod(?:uction)?|staging|dev(?:elopment)?|preview|mobile|desktop|ios|android|tests?|ci|weekdays|weekends|future|admins?|guests|some|most|many|certain)|opposite|contrary|reverse|the other way|vice versa|far from|as if|who (?:needs?|cares|wants)|what could|pigs fly|fingers crossed|famous last words|knock on wood|question|(?:chang\\p{L}* )?my mind",
    'the (?:first|second|other)(?: one| case| part| question)?',
    // Work that is still to be done before anybody knows, and a test that says something else than "it is a test".
    "(?:i|we|you) need to|need to (?:check|verify|look|think|discuss)|(?:must|has to|have to) go|flaky|rejected|tests? (?:is|are|was|were|failed|fails?|caught|broke|it|first|that|this)(?! (?:in|for|data|only))|besoin d(?:'un|e (?:verifier|regarder|revoir|voir))|necesito (?:revisar|verificar|comprobar|mirar|ver)\\p{L}*|necesita una prueba|preciso (?:verificar|checar|conferir|revisar|ver)|precisa de teste|braucht noch|geklart|tests? (?:ist|sind|est|esta)|testen wir|nicht mehr da|(?:ist|sind) weg",
    '(?:was|were|war|waren|etait|etaient|era|eran|eram) (?:needed|required|necessary|notig|notwendig|necessaire|necesari[oa]s?|necessari[oa]s?)',
    'aber|allerdings|jedoch|obwohl|ausser|außer|wenn|falls|sofern|solange|drauf an|darauf an|je nachdem|hangt|vielleicht|vllt|wahrscheinlich|vermutlich|moglicherweise|eventuell|evtl|glaube|denke|schatze|eigentlich|oder|teils|teilweise|manchmal|meistens|momentan|derzeit|noch nicht|nicht sicher|nicht wirklich|nicht unbedingt|eher|keine ahnung|wei(?:ß|ss) nicht|bitte|quatsch|nur|gerade|zurzeit|im moment|jein|naja|na ja|scheint|scheinbar|anscheinend|offenbar|angeblich|hoffentlich|hoffe|nehme ich an|nehm ich an|ziemlich|fast|nahezu|beinahe|mehr oder weniger|zumindest|wenigstens|mindestens|meines wissens|soweit|sobald|vorausgesetzt|unter der bedingung|mit ausnahme|abgesehen|oft|haufig|selten|laut|sieht (?:so|danach) aus|im gegenteil|umgekehrt|von wegen|denkste|fruher|ursprunglich|spater|bald|demnachst|sonst|ansonsten|ohne das|(?:in|im|auf) (?:prod|produktion|test|staging|mobil|manchen|einigen|den meisten)(?:\\p{L}*)|fehlt|fehlen',
    "mais|cependant|toutefois|pourtant|sauf|lorsque|tant que|depend|peut[- ]etre|probablement|sans doute|(?:je |j')(?:pense|crois|suppose|imagine)|il me semble|plutot|parfois|pas encore|pas vraiment|pas toujours|pas sure?|sais pas|s'il (?:te|vous) plait|stp|svp|en fait|sinon|seulement|uniquement|pour l'instant|pour le moment|attends|attendez|normalement|en principe|quand|ou bien|apparemment|sembl\\p{L}*|parait|on dirait|j'espere|esper\\p{L}*|(?:a ma|de ma) connaissance|que je sache|d'apres|selon|du moins|au moins|a peu pres|presque|plus ou moins|quasi(?:ment)?|en general|generalement|souvent|rarement|a (?:la )?condition|a moins|pourvu|des que|en theorie|theoriquement|a priori|hormis|excepte|a part|hors de|au contraire|a l'inverse|malheureusement|helas|autrefois|a l'origine|bientot|plus tard|demain|(?:en|dans) (?:prod|production|test|staging|certains|la plupart)|manqu\\p{L}*",
    'pero|aunque|sin embargo|excepto|salvo|cuando|mientras|depende|quizas?|tal vez|a lo mejor|probablemente|creo|supongo|pienso|imagino|a veces|todavia no|aun no|por favor|espera|en realidad|de momento|por ahora|solo|solamente|unicamente|mas o menos|no siempre|no del todo|parece\\p{L}*|al parecer|aparentemente|espero|ojala|que yo sepa|hasta donde|segun|al menos|por lo menos|casi|en general|generalmente|normalmente|a menudo|rara vez|a condicion|con tal|siempre (?:que|y cuando)|a menos|en caso|en teoria|en principio|al contrario|lo contrario|lamentablemente|por desgracia|originalmente|pronto|luego|manana|me parece|y los cerdos|en (?:prod|produccion|pruebas|staging|algunos|la mayoria)|falta\\p{L}*',
    'porem|contudo|embora|exceto|enquanto|talvez|provavelmente|acho|creio|suponho|as vezes|ainda nao|nao sei|na verdade|por enquanto|somente|apenas|quando|nem sempre|mais ou menos|parece\\p{L}*|aparentemente|pelo visto|tomara|que eu saiba|ate onde|segundo|pelo menos|ao menos|quase|em geral|geralmente|muitas vezes|raramente|desde que|contanto|caso|a menos|a nao ser|em teoria|em principio|pelo contrario|ao contrario|infelizmente|em breve|amanha|alguns|algumas|quer dizer|senao|em (?:prod|producao|testes?|staging|alguns|algumas)',
    'maar|mits|tenzij|misschien|kanske|kanskje|dock',
  ].join('|'),
  en: 'fast',
  de: 'doch|bis|men|hvis|als',
  fr: 'si|ou|quand meme',
  es: 'si|o',
  it: 'ma|pero|forse|se|credo',
  pt: 'se|mas|ou|so',
  ja: '',
};

/** Japanese has no spaces between words. */
export const japaneseDoubts =
  /でも|ただ|しかし|けど|けれど|[がも]、|場合|なら|れば|たら|かも|たぶん|多分|おそらく|恐らく|思い|思う|思わ|はず|でしょう|だろう|一部|時々|今のところ|まだ|限り|限ら|とき|時だけ|だけ|条件|次第|ください|待って|ですが|ますが|のみ|除[いきく]|以外|ほとんど|ほぼ|基本的|原則|理論|本番(?:環境)?(?:では|のみ)|らしい|みたい|ようです|聞い|知る限り|記憶|今は|現状|現在|当面|将来|次の|後で|あとで|残念|逆|予定|検討|調べ|見てみ|確認し|確認が|確認は|足り|そうではあり|そうじゃ|分から|わから|不明|または|一応/u;

/** What speaks for the code. Un-negated after a `no`, it contradicts it. */
export const clearing: string = [
  "required|requires?|needed|needs?|necessary|intended|intentional(?:ly)?|deliberate(?:ly)?|expected|by design|designed|on purpose|purpose(?:ful|ly)?|fine|safe|ok|okay|good|harmless|correct|right|supposed to|desired|want(?:s|ed)?|meant|feature|point|accept(?:able|ed|s)?|disagree|ignore|dismiss|skip|guards?|guard in|validat\\p{L}+|sanitiz\\p{L}+|escaped|n/a|must|has to|have to|should|keep|leave|works?|working|valid|false (?:positive|alarm)|legit(?:imate)?|allowed|handled|covered|tested|guarded|checked|guaranteed|always|impossible|can't|cannot|can not|never|see|look|you|your|you're|worry|worries|problem here|matter|true|untrue|confirmed|approved|agree|agreed|dup|duplicate|outdated|stale|obsolete|irrelevant|relevant|nonsense|wrong|incorrect|misread|misunder\\p{L}+|hallucinat\\p{L}+|rel(?:y|ies) on|uses? (?:it|this|that)|used by|(?:is|are) used",
  'egal|nichts zu|falsch|quatsch|unsinn|notig|notwendig|erforderlich|benotigt|brauchen|braucht|gebraucht|beabsichtigt|absichtlich|absicht|gewollt|erwartet|richtig|korrekt|in ordnung|passt|gut|muss|mussen|soll|sollte|gewunscht|stimmt|funktioniert|immer|nie|niemals|unmoglich|geht',
  'rien a|faux|fausse|necessaire|requise?|voulue?|expres|intentionnel(?:le)?|prevue?|attendue?|bon|bonne|normal|sur|sure|besoin|faut|doit|obligatoire|marche|toujours|jamais|bien|impossible',
  'mal|incorrect[oa]|equivocad[oa]|fals[oa]|necesari[oa]|requerid[oa]|intencional|a proposito|adrede|esperad[oa]|previst[oa]|correct[oa]|segur[oa]|hace falta|debe|hay que|funciona|siempre|nunca|imposible',
  'errad[oa]|incorret[oa]|necessari[oa]|exigid[oa]|de proposito|proposital|esperad[oa]|corret[oa]|certo|certa|bem|bom|precisa|deve|tem que|sempre|impossivel',
].join('|');

/** What speaks against the code, or says that it has been changed. After a `yes` it contradicts it. */
export const accusing: string = [
  "bugs?|buggy|slipped|los(?:t|es?|ing)|overwrit\\p{L}*|overwrote|twice|gone|lacks?|screwed|messed|overlook\\p{L}*|odd|weird|strange|off|terrible|awful|embarrassing|useless|stupid|silly|funny|placeholder|incoming|track(?:ed|ing)|wonder\\p{L}*|same question|corrupt\\p{L}*|insecure|the bot|i'm on it|am on it|we're on it|(?:we|i) (?:all )?know|known|aware|ack(?:nowledged)?|copy that|roger|noticed|fair|good idea|great idea|nice idea|suggestions?|appl(?:y|ied|ying)|merged|accept(?:ed)?|i like|better|do (?:it|that|this|so)|go ahead|go for it|(?:that|this) works|ok|okay|sounds|belong|meant|mean to|clean(?:ed|ing)? (?:it |this )?up|clean ?ups?|refactor(?:ed|ing)?|follow[- ]?up|next pr|separate pr|later|soon|ticket|backlog|wip|working on|holes?|exploit(?:able)?|risky?|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure)?|throws?|errors?|redundant|duplicated?|superfluous|obsolete|outdated|stale|deprecated|missing|off by one|race|was testing|temp|left ?overs|wrong|mistakes?|mistaken(?:ly)?|broken|breaks?|broke|breaking|fix|fixe[sd]|fixing|oops|whoops|oversight|accident(?:al|ally)?|good (?:catch|point|find|spot|question)|nice (?:catch|find|spot)|great (?:catch|find|spot)|fair (?:point|enough)|valid point|makes sense|well spotted|spotted|my bad|my fault|sorry|apologies|left ?over|left over|forgot(?:ten)?|missed|remove[ds]?|removing|delete[ds]?|deleting|drop|dropped|dropping|revert(?:ed|ing|s)?|chang(?:ed? (?:it|this|that|them)|ing|ed)|(?:to|will|should|can) change|rename[ds]?|will (?:do|change|update)|i'll|we'll|will|gonna|going to|todo|tbd|should|shouldn't|problem|problems|issue|issues|unintended|unintentional(?:ly)?|unexpected(?:ly)?|unnecessary|unneeded|unwanted|needless|unused|unsafe|incorrect(?:ly)?|invalid|dangerous|must be|updated?|updating|rewrit(?:e|ten|ing)|rewrote|dead code|agree|agreed|done|pushed|noted|understood|got it|see (?:it|what|the)|i see|true|typo|copy ?-? ?paste|debug(?:ging)?|you|your|you're|regression|legacy bug|bad|ugly|hack|harmful|vulnerab(?:le|ility)|leak(?:s|ed)?|concern(?:s|ing)?|worr(?:y|ied)|address(?:ed)?|resolved?",
  'stimmt|mach ich|hinweis|einverstanden|verstanden|alles klar|fehler|falsch|versehen|versehentlich|kaputt|fixe|fixen|gefixt|behoben|behebe|beheben|korrigiere|korrigieren|korrigiert|andere|andern|geandert|entferne|entfernen|entfernt|losche|geloscht|mist|hoppla|ups|gut gesehen|guter punkt|danke fur|vergessen|unnotig|uberflussig|unbeabsichtigt|ungewollt|werde|mache ich|erledigt|problem|stimmt nicht',
  "d'accord|entendu|compris|erreur|faux|fausse|oubli|oublie|corrige|corriger|casse|bien vu|desolee?|pardon|enleve|enlever|supprime|supprimer|retire|retirer|probleme|inutile|je vais|bonne remarque|c'est fait",
  'de acuerdo|vale|entendido|mal|equivoc\\p{L}*|errore?s?|fallo|roto|rompe|arregl\\p{L}*|corrij\\p{L}*|corrig\\p{L}*|olvid\\p{L}*|perdon|lo siento|quit\\p{L}*|elimin\\p{L}*|problema|buena observacion|innecesari[oa]|bien visto|voy a|hecho',
  'de acordo|combinado|entendi|erro|erros|errado|errada|engano|quebr\\p{L}*|consert\\p{L}*|esquec\\p{L}*|desculp\\p{L}*|remov\\p{L}*|apag\\p{L}*|boa observacao|bem observado|desnecessari[oa]|vou|feito',
].join('|');

export const japaneseClearing =
  /必要|要り|意図|仕様|わざと|(?<!修)正し|いいです|いいんです|良いです|よいです|構いません|合って|間違|問題(?:ない|ありま|な)|想定(?!外)|(?:修正|変更|対応)(?:は|の)?(?:不要|必要)|大丈夫|常に|大切/u;

export const japaneseAccusing =
  /バグ|間違|まちが|ミス|修正|直し|直す|壊|削除|消し|誤り|誤って|忘れ|すみません|失礼|申し訳|不要|不具合|問題が|対応|変更|確かに|分かり|わかり|承知|了解|かしこまり|賛成|同意|そうします|やります|いたします|しておきます|本当だ|ほんとだ|なるほど|ご指摘/u;

export const japaneseNegation = /ない|なく|なかった|ません|ではあり|じゃあり|ずに/u;

/** Negations of a clause. French and Spanish pairs count once. */
export const negations =
  "not|n't|isnt|arent|wasnt|doesnt|dont|didnt|cant|wont|never|no|none|nothing|nobody|no one|nowhere|neither|nor|without|hardly|barely|nicht|kein(?:e|er|en|em|es)?|nie|niemals|nichts|niemand|ohne|pas|jamais|rien|aucune?|sans|personne|nunca|nada|nadie|ningun|ninguna?|sin|nao|ninguem|nenhuma?|sem|jamais";

/** Answer words as they stand at the beginning or the end of a clause. */
export const yesWords =
  'yes|yep|yup|yeah|yea|ja|jep|oui|ouais|si|sim|yessir|(?:definitely|absolutely|of course|certainly)(?! not)|correct';

export const noWords = 'no|nope|nah|nein|nee|noe|non|nao|negative|nej';

/** Thanks and closings of a mail. */
export const thanks =
  'thanks|thank you|thx|ty|cheers|danke|vielen dank|merci|gracias|muchas gracias|obrigad[oa]|ありがとう(?:ございます|ございました)?';

export const closings =
  'thanks|thank you|many thanks|thx|cheers|best|best regards|best wishes|regards|kind regards|warm regards|br|rgds|sincerely|greetings|viele gru(?:ß|ss)e|liebe gru(?:ß|ss)e|beste gru(?:ß|ss)e|freundliche gru(?:ß|ss)e|mit freundlichen gru(?:ß|ss)en|gru(?:ß|ss)e?|mfg|lg|vg|danke|vielen dank|danke und gru(?:ß|ss)|merci|cordialement|bien cordialement|bien a vous|bonne journee|gracias|muchas gracias|saludos|un saludo|saludos cordiales|obrigad[oa]|abracos?|atenciosamente|att|grato|grata|よろしくお願い(?:いた)?します|ありがとうございます|以上(?:です)?';

export const greetings =
  'hi|hello|hey|hallo|moin|servus|guten (?:tag|morgen)|bonjour|salut|bonsoir|hola|buenas|buenos dias|ola|oi|bom dia|boa tarde|こんにちは|お疲れ様です|good (?:morning|afternoon|evening)';

/** Doubt in a picture. */
export const doubtingEmoji =
  /[\u{1F914}\u{1F937}\u{1F928}\u{1F643}\u{1F615}\u{1FAE4}\u{1F644}\u{1F609}\u{1F61C}\u{1F61D}\u{2753}\u{2754}\u{2049}\u{1F9D0}\u{1F923}\u{1F602}\u{1FAE0}\u{1F440}]|:(?:shrug|thinking|thinking_face|woman_shrugging|man_shrugging|question|upside_down_face|roll_eyes|wink|joy|rofl|confused|eyes):|¯\\?_?\(ツ\)/u;

/** Pictures that change nothing: a smile, thanks, joy, and the signs that words are written with. */
export const plainEmoji =
  /[\u{1F600}\u{1F603}\u{1F604}\u{1F601}\u{1F642}\u{1F60A}\u{263A}\u{1F389}\u{1F64F}\u{1F4AF}\u{1F680}\u{2764}\u{2665}\u{1F4AA}\u{1F44F}\u{1F44B}\u{2728}\u{1F91D}\u{1F64C}\u00a9\u00ae\u2122\u2139\u2194]|:(?:slightly_smiling_face|smile|smiley|grinning|blush|tada|pray|100|rocket|heart|muscle|clap|wave|sparkles|handshake|raised_hands):/u;

export const yesEmoji =
  /[\u{1F44D}\u{2705}\u{2714}\u{1F44C}\u{1F197}\u{2611}]|:(?:\+1|thumbsup|white_check_mark|heavy_check_mark|ok_hand|ok):/u;

export const noEmoji =
  /[\u{1F44E}\u{274C}\u{274E}\u{2716}\u{1F645}\u{1F6AB}\u{26D4}]|:(?:-1|thumbsdown|x|no_good|no_entry|no_entry_sign|negative_squared_cross_mark):/u;
