"""The words of orders about schedules: verbs, what they are called, and what names none of them."""

from typing import Literal

from agent_core.prompts.language import Language
from agent_core.schedules.in_words.words.vocabulary import fold

Verb = Literal["list", "pause", "resume", "run", "edit", "delete"]

VERBS: dict[Language, dict[Verb, str]] = {
    "en": {
        "pause": "pause|suspend|hold|mute|turn off|switch off|disable|deactivate",
        "resume": "resume|unpause|continue|restart|reactivate|unmute|turn on|switch on|enable",
        "run": "run|trigger|execute|fire",
        "edit": "edit|change|modify|reschedule|update|move|switch",
        "delete": "delete|remove|cancel|stop (?:sending|posting)|stop|end|drop|"
        "unsubscribe (?:us |me )?from",
    },
    "de": {
        "pause": "pausiere?|pause|unterbrich|setze?|deaktiviere?|schalte?",
        "resume": "setze? fort|starte? wieder|aktiviere?|nimm wieder auf",
        "run": "starte?|führe? aus|fuhr aus",
        "edit": "ändere?|bearbeite?|editiere?|verschiebe?|verlege?",
        "delete": "lösche?|entferne?|stoppe?|beende?|storniere?|bestelle?",
    },
    "fr": {
        "pause": "suspends?|suspendre|mets en pause|mettre en pause|désactive",
        "resume": "reprends?|reprendre|relance|réactive",
        "run": "lance|exécute|lancer|démarre",
        "edit": "modifie|change|modifier|édite|déplace|passe|décale",
        "delete": "supprime|supprimer|annule|arrête|enlève|efface",
    },
    "es": {
        "pause": "pausa|pausar|suspende|desactiva",
        "resume": "reanuda|reanudar|reactiva",
        "run": "ejecuta|lanza|ejecutar",
        "edit": "edita|editar|cambia|modifica|mueve|pasa",
        "delete": "elimina|eliminar|borra|borrar|cancela|detén|para|quita",
    },
}
NOUNS: dict[Language, str] = {
    "en": "digests?|schedules?|scheduled digests?",
    "de": "digests?|zeitpläne?|zeitplan|planungen|geplante[nr]? digests?",
    "fr": "digests?|planifications?|programmations?|résumés? (?:programmés?|planifiés?)",
    "es": "digests?|programaciones|programación|resúmenes programados|resumen programado",
}
LISTS: dict[Language, str] = {
    "en": "(?:(?:list|show|see|display|what are|which are)(?: me)? )?(?:all )?(?:the |my |our )?"
    "(?:<nouns>)(?: list)?<where>|(?:which|what) <nouns> "
    "(?:are there|do we have|do i have|exist|are set up|"
    "are (?:running|active|scheduled|on))?<where>"
    "|are there (?:any )?<nouns><where>",
    "de": "(?:(?:liste|zeige?|welche)(?: mir| uns)? )?"
    "(?:alle |die |meine |unsere )?<nouns><where>(?: auf| an)?"
    "|welche <nouns> (?:gibt es|haben wir|habe ich|laufen(?: gerade)?|"
    "sind (?:geplant|aktiv))<where>"
    "|liste <nouns> auf",
    "fr": "(?:(?:liste|montre|affiche|lister)(?:-moi|-nous)? )?(?:tous )?(?:les |mes |nos )?<nouns>"
    "<where>|quels (?:sont les )?<nouns>(?: (?:y a-t-il|existent|il y a|tournent|"
    "sont (?:actifs|programmés)))?<where>",
    "es": "(?:(?:lista|muestra|muéstrame|ver|listar) )?"
    "(?:todos )?(?:los |las |mis |nuestros )?<nouns><where>"
    "|(?:qué|cuáles) (?:son los )?<nouns>(?: hay| tenemos| están (?:activos|programados))?<where>",
}
WHERE = r"(?: (?:in|for|of|from|im|in|für|dans|de|en) (?:the )?<?#(?P<where>[\w-]+)(?:\|[^>]*)?>?)?"
"""Behind a list: of which channel."""
ONES: dict[Language, str] = {
    "en": "one|ones", "de": "", "fr": "", "es": "",
}  # fmt: skip
ARTICLES: dict[Language, str] = {
    "en": "the|my|our|this|that|all(?: the| our| my)?",
    "de": "den|die|das|diesen|meinen|unseren|der|alle(?: unsere| meine)?",
    "fr": "le|la|l'|ce|cette|mon|notre|tous les|celui (?:du|de)|celle (?:du|de)",
    "es": "el|la|este|esta|mi|nuestro|todos los",
}
ENDINGS = (
    "now|right now|again|please|jetzt|bitte|sofort|fort|aus|wieder|an|ein|ab|maintenant|svp|"
    "ahora|ya"
)
LEAD = (
    "please|pls|plz|can you|could you|would you|can we|bitte|kannst du|könntest du|svp|"
    "s'il te plaît|peux-tu|pourrais-tu|por favor|puedes|podrías|hey|hi|hello|ok|okay"
)
ALL: dict[Language, str] = {
    "en": "all(?: of)?(?: the| our| my| your)?|every",
    "de": "alle(?: unsere| meine| deine)?|sämtliche",
    "fr": "tous (?:les|mes|nos|tes)",
    "es": "todos (?:los|mis|nuestros|tus)",
}
"""Before "digests": none is named, and one has to be."""
EVERYTHING = "everything|alles|tout|todo"
THIS: dict[Language, str] = {
    "en": "it|this|that|this one",
    "de": "ihn|es|das|diesen",
    "fr": "-?le|-?la|ça|cela|celui-ci",
    "es": "lo|esto|este",
}
"""The digest in whose thread it is said."""
THIS_DONE: dict[Language, dict[Verb, str]] = {
    "en": {"run": "run (?:again|now)|run it (?:again|once more)|rerun(?: it)?"},
    "de": {"run": "starte ihn (?:noch mal|nochmal|noch einmal)"},
    "fr": {
        "pause": "mets-(?:le|la) en pause|suspends-(?:le|la)",
        "resume": "reprends-(?:le|la)|réactive-(?:le|la)",
        "run": "relance-(?:le|la)|lance-(?:le|la)",
        "delete": "supprime-(?:le|la)|efface-(?:le|la)|enlève-(?:le|la)",
        "edit": "(?:change|modifie|passe|déplace|décale)-(?:le|la)",
    },
    "es": {
        "pause": "páusalo|suspéndelo",
        "resume": "reanúdalo|reactívalo",
        "run": "ejecútalo|lánzalo(?: de nuevo)?",
        "delete": "elimínalo|bórralo|quítalo",
        "edit": "cámbialo|edítalo|modifícalo|muévelo|pásalo",
    },
}
"""Whole verbs that mean the digest in whose thread they are said."""
STOPS_WORK = "stop|end|drop|hold|cancel|continue|stoppe?|beende?|arrête|annule|cancela|para|detén"
"""Verbs that with a mere "it" mean the work that is going on."""
TO: dict[Language, str] = {
    "en": "to|so that it is|so it's", "de": "auf|zu", "fr": "à|a|en|au", "es": "a|para|en",
}  # fmt: skip
"""Between what is changed and what it becomes."""
SMALL = frozenset(
    fold(
        "the a an my our one ones digest digests schedule schedules number no nr nummer numero on "
        "of about in for at every each den die das der zu zum zur am um über le la les l du de des "
        "sur el los las del sobre en y and und et please now numéro programmé zeitplan report"
    ).split()
)
