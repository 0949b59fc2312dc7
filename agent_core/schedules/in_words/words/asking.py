"""The words around a recurrence: how people ask for posts, and how they talk of other things.

Patterns for folded texts, of all our languages together: "digest" is said in each of them.
"""

import re

from agent_core.schedules.in_words.words.vocabulary import fold


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{folded(text)})(?!\w)")


def folded(text: str) -> str:
    """A pattern of words as they are read: without accents, a blank for some white space."""
    return fold("".join(text.split("\n"))).replace("  ", "").replace(" ", r"\s{1,3}")


_LEADS = folded(
    """please|pls|plz|hey|hi|hello|thanks|thank you|good morning|kindly|also|and|then|bot|so|just|
    ok|okay|always|
    (?:can|could|would|will) (?:you|u|ya)(?: please| pls| kindly)?|
    (?:can|could|may) we (?:have|get)|
    (?:i|we)(?:'d love|'d like| would love| would like| want| need)(?: you)?(?: to)?(?: (?:have|
    get|see))?|
    you (?:should|shall)|bitte|hallo|auch|dann|immer|guten morgen|guten tag|danke|
    (?:kannst du|könntest du|könnt ihr|könntet ihr|
    würdest du|würdet ihr|magst du)(?: uns| mir)?|
    (?:ich|wir) (?:möchte|möchten|will|wollen|hätte gern|hätten gern|brauche|brauchen)|
    s'il te plaît|s'il vous plaît|svp|stp|bonjour|salut|(?:(?:est-ce que )?tu peux|
    peux-tu|pourrais-tu|pouvez-vous|pourriez-vous)(?: nous| me)?|(?:je|nous) (?:veux|voulons|
    voudrais|voudrions|aimerais)|
    merci|gracias|buenos días|buenas|
    por favor|hola|(?:nos |me )?(?:puedes|podrías|puede|podría|podéis)|quiero|queremos|quisiera|
    me gustaría|nos gustaría"""
)
LEAD = re.compile(rf"(?:[\s,.:;!¡¿*_-]++|(?:{_LEADS})(?!\w)){{0,12}}")
"""Politeness and the like at the beginning of a sentence."""

POLITE_QUESTION = _pattern(
    """(?:(?:hey|hi|hello|please|bot),? )?(?:can|could|would|will) (?:you|u|ya|we)|please|pls|
    kannst du|könntest du|könnt ihr|würdest du|bitte|(?:est-ce que )?tu peux|peux-tu|pourrais-tu|
    pouvez-vous|pourriez-vous|s'il te plaît|svp|magst du|könntet ihr|würdet ihr|
    (?:nos |me )?(?:puedes|podrías|puede|podría|podéis)|por favor"""
)
QUESTION = _pattern(
    """what|what's|how|how's|why|when|who|where|which|whose|is|are|was|were|does|did|has|have|
    do (?:you|we|they|i|the|people|our|all|any)|should|shall|might|explain|describe|
    wie|warum|wieso|wann|wer|wo|was|welche[rsnm]?|ist|sind|gibt es|läuft|laufen|hat|haben|wird|
    werden|soll|sollen|kommt|erkläre?|que|quoi|qu'est-ce|comment|pourquoi|quand|qui|où|quels?|
    quelles?|est|sont|est-ce|combien|explique|como|por que|cuando|quien|donde|cual|cuales|cuanto|
    es|son|explica"""
)

_OBJECT = folded(
    """us|me|the team|das team|die gruppe|alle|everyone|everybody|to us|to me|uns|mir|dem team|"
    "allen|nous|moi|nos|a nous|
    a l'equipe|al equipo|-nous|-moi"""
)
OBJECT = re.compile(rf"(?:[\s,]{{0,3}}-?(?:{_OBJECT})(?![\w']))?")
"""For whom, behind a verb."""

_POSTING_WORDS = folded(
    """post|send|publish|share|drop|deliver|give|bring|tell|show|update|notify|inform|
    keep (?:us|me|the team) (?:posted|updated|informed)|let us know|let me know|
    schedule|set up|create|start (?:posting|sending|publishing)|start|make|add|prepare|have|
    do(?= an? (?:\\w{1,20} )?digest)|
    poste|postet|schick|schicke|schickt|sende|sendet|veröffentliche|veröffentlicht|teile|gib|gebt|
    bringe|bring|melde|informiere|liefere|plane|erstelle|mach|mache|
    halte? uns auf dem laufenden|halte|haltet|publie|publiez|postez|envoie|envoies|
    envoyez|envoyer|publier|partage|partagez|donne|donnez|programme|programmez|planifie|crée|fais|
    tiens(?:-nous| nous) au courant|publica|publicar|publique|postea|envía|enviar|envíe|envíanos|
    envíame|manda|mandar|mándanos|mándame|comparte|compartir|da|danos|dame|enviarnos|enviarme|
    mandarnos|
    mandarme|publicarnos|publicarme|compartirnos|darnos|darme|richte|programa|crea|haz"""
)
POSTING = re.compile(rf"(?:{_POSTING_WORDS})(?!\w)")
"""Verbs of posting; what they post is the task."""

PREPARING = _pattern(
    """bring|tell|show|create|start|make|add|prepare|have|bringe|erstelle|mach|mache|plane|crée|"
    "fais|
    crea|haz"""
)
"""Those that people use for work done once as well."""

WORKING = _pattern(
    """write(?: up)?|report|summari[sz]e|digest|brief|compile|schreib|schreibe|berichte|fasse?|
    verfasse|écris|rédige|résume|résumez|escribe|redacta|resume|resumir|informa"""
)
"""Verbs of writing: the task is what they are about."""

KEPT = _pattern(
    """remind|research|check|collect|gather|monitor|watch|track|find|list|look|search|review|
    analy[sz]e|compare|keep an eye on|recherchiere|prüfe|sammle|suche|beobachte|erinnere?|
    finde|liste|analysiere|vergleiche|recherche|vérifie|surveille|rappelle|cherche|trouve|compare|
    investiga|busca|comprueba|revisa|vigila|recopila|analiza|recuérdanos|recuérdame|compara"""
)
"""Verbs that belong to the task."""

REMINDING = _pattern("remind|erinnere?|rappelle|rappelez|recuérdanos|recuérdame|recuerda|recordar")

APPOINTING = _pattern("schedule|set up|plane|programme|planifie|programa|planifica")
"""Verbs whose recurrence may follow a preposition: schedule a digest for Mondays."""

THANKS = folded(
    """please|pls|thanks(?: a lot| so much| in advance)?|many thanks|
    thank you(?: so much| very much)?|thx|cheers|bitte|danke(?: schön| sehr)?|vielen dank|
    svp|s'il te plaît|s'il vous plaît|
    merci(?: beaucoup| d'avance)?|por favor|(?:muchas |mil )?gracias"""
)
"""Politeness at the end."""

TRAILING = re.compile(
    rf"""[\s,;]{{0,4}}(?:(?:{THANKS})
    [\s,;]{{0,4}})?(?:(?P<verb>{
        folded(
            "ein|auf dem laufenden|posten|schicken|senden|veröffentlichen|zusammenfassen|"
            "zusammen|schreiben|teilen|geben|"
            "berichten|liefern|zu posten|zu schicken"
        )
    }))?(?:[\s,;]{{0,4}}(?:{THANKS}))?
    [\s.!?…,;*_)]{{0,8}}""",
    re.VERBOSE,
)
"""What may follow the last word of a request; German has its verb there."""

_ARTICLES = folded("a|an|the|one|your|ein|eine|einen|die|den|das|der|un|une|le|la|les|una|el")
ARTICLE = re.compile(rf"(?:(?:{_ARTICLES})\s{{1,3}})?")
INDEFINITE = re.compile(rf"(?:{folded('a|an|one|ein|eine|einen|un|une|una')})?")
DEFINITE = re.compile(rf"(?:{_ARTICLES}|our|unseren?|notre|nuestro)?")
"""What stands between a verb and "daily digest": any article."""
_SIZES = folded(
    """short|brief|quick|concise|compact|small|little|new|kurze|kurzen|kurzer|kleinen|kleine|
    court|courte|petit|breve|pequeño"""
)
_DIGESTS = folded(
    """digests?|summary|summaries|overview|update|updates|brief|round-?up|briefing|recap|reports?|
    bulletin|newsletter|post|zusammenfassung|überblick|übersicht|bericht|berichte|résumé|synthèse|
    aperçu|point|rapport|récapitulatif|resumen|informe|boletín|síntesis|recopilación"""
)
_NEWS = folded(
    """news|headlines|neuigkeiten|nachrichten|neues|schlagzeilen|nouvelles|actualités|actus?|
    nouveautés|noticias|novedades|titulares"""
)
_ABOUT = folded(
    """on|about|of|regarding|covering|for|around|zum thema|zu|zum|zur|über|von|vom|aus|der|sur|
    à propos de|de la|de l'|des|du|de|d'|sobre|acerca de|del|con"""
)
DIGEST = re.compile(rf"(?:(?:{_SIZES})\s)?(?P<digest>{_DIGESTS})(?!\w)")
"""A digest by any name."""
NEWS = re.compile(rf"(?:(?:latest|important|wichtigsten|neuesten|aktuelle)\s)?(?:{_NEWS})(?!\w)")
ABOUT = re.compile(rf"\s{{0,3}}:?\s{{0,3}}(?:(?:{_ABOUT})(?:(?<=')|(?!\w)))?")
"""Between a digest and its subject."""

POST_IT = re.compile(
    rf"""\s{{0,3}}(?:{
        folded(
            "and post(?: (?:it|them|that|this|the results?))?|and send (?:it|them)|"
            "and publish (?:it|them)|and share (?:it|them)|und poste (?:sie|es|das)|"
            "und schicke (?:sie|es|das)|"
            "et publie-les?|et envoie-les?|y publ[ií]calos?|y env[ií]alos?"
        )
    })(?=[\s.!?]*$)""",
    re.VERBOSE,
)
"""What goes without saying at the end of a task."""

BELONGS = re.compile(rf"\s{{0,3}}(?:{folded('of|des|du|del')}|in\s(?:19|20)\d\d)(?!\w)")
"""What follows "every day" where it is one of some days: every day of the log."""

AND_VERB = re.compile(rf"[\s,]{{0,4}}(?:{folded('and|und|et|y')})\s{{1,3}}")
ANOTHER = _pattern(
    """(?:another )?one (?:on|about|for)|(?:noch )?eine[nrs]? (?:über|zu|zum|zur)|
    une? (?:autre )?sur|(?:otro|uno|una) sobre"""
)
"""A second digest, which is told in words about the first."""
LAST_PREPOSITION = re.compile(rf"\s(?:{folded('for|on|at|and|für|um|am|und|pour|et|para|y')})\s*$")

_EACH = folded("every|each|jede[mnrs]?|alle|chaque|tous|toutes|cada|todos|todas")
EACH = re.compile(rf"(?<!\w)(?:{_EACH})(?!\w)")
"""Words that leave no doubt that something recurs: opening hours are "on Sundays" as well."""

WANTING = _pattern(
    "(?:i|we)(?:'d love|'d like| would love| would like| want| need)|"
    "(?:ich|wir) (?:möchten?|will|wollen|brauchen?)|je (?:veux|voudrais)|"
    "nous (?:voulons|voudrions)|"
    "quiero|queremos|quisiera"
)

SUBORDINATE = re.compile(
    rf"""(?<!\w)(?:{
        folded(
            "that|which|who|whose|where|whether|if|because|how|why|dass|ob|wenn|weil|warum|qui|"
            "dont|"
            "comment|pourquoi|como|donde|porque|quien"
        )
    })(?!\w)|(?<!lo\s)(?<!ce\s)(?<!\w)que(?!\w)|,\s(?:der|die|das|den|dem|was|wo|wie)(?!\w)""",
    re.VERBOSE,
)
"""Words that begin a clause of its own, whose verb the recurrence may belong to."""

DANGLING = re.compile(
    rf"""(?<!\w)(?:{
        folded(
            "is|are|was|were|be|been|happens?|happening|runs?|running|starts?|opens?|meets?|held|"
            "place|scheduled|due|called|executed|for|of|about|than|as|between|before|after|during|"
            "läuft|laufen|stattfindet|ist|sind|wird|für|von|über|vor|nach|est|sont|pour|de|du|des|"
            "se réunit|para|es|son|del|ocurre|or|oder|ou|not|nicht|the|a|an|der|die|das|le|la|el"
        )
    })\s*$""",
    re.VERBOSE,
)
"""A word before a recurrence that makes it part of something else."""

TECHNICAL = folded(
    """cron|crontab|cron-?jobs?|rrule|scripts?|code|function|funktion|skript|regex|query|tests?|
    pipeline|workflow|github action|calendar|kalender|meeting|invite|event|alarm|job|jobs"""
)
TECHNICAL_WORD = re.compile(rf"(?<!\w)(?:{TECHNICAL})(?!\w)")
"""Things that recur by themselves and are asked for once."""

SUBJECT = re.compile(
    rf"""(?<!\w)(?:{
        folded(
            "i|we|they|he|she|it|there|our|my|their|his|her|people|everyone|everybody|is|are|was|"
            "were|runs?|starts?|happens?|opens?|meets?|restarts?|fails?|breaks?|crashes|goes|gets|"
            "has|have|had|does|do|did|comes?|takes?|seems|closes|sends|stops|ends|sinks?|"
            "ich|wir|er|sie|es|unser|unsere|mein|meine|startet|läuft|beginnt|kommt|ist|sind|gibt|"
            "geht|hat|haben|wird|werden|je|nous|il|elle|ils|notre|nos|mon|est|sont|a|ont|yo|"
            "nosotros|nuestro|nuestra|mi|hay|es|son|tiene|tienen|llega"
        )
    })(?!\w)""",
    re.VERBOSE,
)
"""Signs that a sentence tells something and does not ask for it."""

_NEW_EN = r"(?:there(?:\s?'s|\sis|\sare|\shas\sbeen)\s)?(?:something|anything|any|some|news|stuff)?"
ONLY_NEW = re.compile(
    rf"""[\s,;(-]{{0,3}}(?:(?:but|and|aber|mais|pero)\s)?(?:
      (?:(?:post|send)\s)?(?:only|just)\s(?:post\s|send\s|it\s)?(?:when|if)\s{_NEW_EN}\s?
          (?:is\s|that\sis\s|that's\s)?(?:new(?:s)?|has\schanged|changed)(?:\s(?:items|things|
          to\ssay))?
    | (?:if|when)\s{_NEW_EN}\s?(?:is\s)?new(?:s)?
    | only\s(?:when|if|what\sis)\snew
    | (?:only|when|if)\sthere(?:'s|\sis|\sare)\snews
    | unless\s(?:there\sis\s)?nothing(?:\sis)?\snew
    | (?:nur\s?,?\s)?(?:wenn|falls|sofern)\s(?:es\s)?(?:etwas|was)\sneues\s(?:gibt|da\sist|passiert)
    | nur\sbei\s(?:neuigkeiten|neuem) | nur\s(?:wenn|falls)\ses\sneuigkeiten\sgibt
    | (?:(?:seulement|uniquement|que|juste)\s)?(?:s'il\sy\sa|quand\sil\sy\sa|si)\s
          (?:du\snouveau|(?:quelque\schose|des\schoses)\sde\snouveau|des\snouveautes)
    | (?:(?:solo|unicamente|solamente)\s)?(?:si|cuando)\s(?:hay|haya)\s
          (?:algo\snuevo|novedades|noticias)
    )(?!\w)\)?""",
    re.VERBOSE,
)
"""Only when there is something new."""

SETTING_UP = re.compile(
    rf"""[\s,.:;!¡¿*_-]{{0,8}}(?:(?:{_LEADS})[\s,.:;!*_-]{{1,4}}){{0,6}}(?:{
        folded(
            "set up|schedule|richte|plane|programme|planifie|mets en place|programa|"
            "configura|planifica|programar|configurar|programmer|planifier|einrichten"
        )
    })(?:\s(?:{_OBJECT}))?\s{{1,3}}(?:{
        folded("an?|another|one|a new|the|einen?|einen neuen|un|un nouveau|un nuevo")
    })\s{{1,3}}(?:new\s)?digest(?!\w)"""
)
"""Somebody wants a digest again and again, whether or not they say when."""

UNREAD_WHEN = re.compile(
    rf"""[\s,.:;!¡¿*_-]{{0,8}}(?:(?:{_LEADS})[\s,.:;!*_-]{{1,4}}){{0,6}}
    (?P<when>(?:{_EACH}|after\severy|before\severy|at\severy|first\sthing\severy)
    (?:\s(?!(?:should|must|can|may|might|to|not|wants?|needs?)(?!\w))[^\s,;!?#]{{1,30}}){{1,12}}?)
    ,?\s(?:(?:{THANKS}),?\s)?(?=(?:[\w'-]{{2,14}})(?:[\s-](?:{_OBJECT}))?
    (?:\s(?:in|to|into|en|dans)\s\#[\w-]{{1,80}})?\s(?:{_ARTICLES})\s(?:[\w-]{{1,20}}\s)?digests?(?!\w))
    (?:{_POSTING_WORDS})(?!\w)""",
    re.VERBOSE,
)
"""A digest that is wanted at times which we cannot read: every full moon post a digest."""
