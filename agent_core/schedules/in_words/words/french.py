"""French words for recurring moments."""

from agent_core.schedules.in_words.words.vocabulary import ANY_DAY, WEEKDAYS, WEEKEND, Words

_NAMES = {
    "lundi": "MO", "mardi": "TU", "mercredi": "WE", "jeudi": "TH", "vendredi": "FR",
    "samedi": "SA", "dimanche": "SU",
}  # fmt: skip
_PLURALS = {f"{day}s": code for day, code in _NAMES.items()}
_MONTH = "(?:(?:du|de chaque|dans le) mois|chaque mois|tous les mois)"

FRENCH = Words(
    language="fr",
    days=_NAMES
    | _PLURALS
    | {
        "jour ouvré": WEEKDAYS, "jour ouvrable": WEEKDAYS, "jours ouvrés": WEEKDAYS,
        "jours ouvrables": WEEKDAYS, "jour de semaine": WEEKDAYS, "jours de semaine": WEEKDAYS,
        "week-end": WEEKEND, "weekend": WEEKEND, "week-ends": WEEKEND, "weekends": WEEKEND,
    },
    plural_days={f"les {day}": code for day, code in _PLURALS.items()}
    | {
        "en semaine": WEEKDAYS, "les jours ouvrés": WEEKDAYS, "les jours ouvrables": WEEKDAYS,
        "les jours de semaine": WEEKDAYS, "les week-ends": WEEKEND, "les weekends": WEEKEND,
    },
    nth_days={"jour": ANY_DAY},
    months={
        "janvier": 1, "février": 2, "mars": 3, "avril": 4, "mai": 5, "juin": 6, "juillet": 7,
        "août": 8, "septembre": 9, "octobre": 10, "novembre": 11, "décembre": 12,
    },
    numbers={
        "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7,
        "huit": 8, "neuf": 9, "dix": 10, "onze": 11, "douze": 12, "quinze": 15, "vingt": 20,
        "trente": 30,
    },
    ordinals={
        "premier": 1, "premiers": 1, "première": 1, "1er": 1, "deuxième": 2, "second": 2, "2e": 2,
        "troisième": 3, "3e": 3, "quatrième": 4, "4e": 4, "cinquième": 5, "dernier": -1,
        "derniers": -1, "dernière": -1, "avant-dernier": -2,
    },
    other="deux",
    units={
        "seconde": "second", "secondes": "second", "minute": "minute", "minutes": "minute",
        "min": "minute", "heure": "hour", "heures": "hour", "h": "hour", "jour": "day",
        "jours": "day", "semaine": "week", "semaines": "week", "mois": "month",
        "trimestre": "quarter", "trimestres": "quarter", "an": "year", "ans": "year",
        "année": "year", "années": "year",
    },
    adverbs={
        "quotidien": ("day", 1), "quotidienne": ("day", 1), "quotidiennement": ("day", 1),
        "hebdomadaire": ("week", 1), "mensuel": ("month", 1), "mensuelle": ("month", 1),
        "mensuellement": ("month", 1), "trimestriel": ("quarter", 1),
        "trimestrielle": ("quarter", 1), "bihebdomadaire": ("week", 0),
        "bimensuel": ("month", 0), "bimensuelle": ("month", 0), "bimestriel": ("month", 2),
        "bimestrielle": ("month", 2), "annuel": ("year", 1), "annuelle": ("year", 1),
    },
    fixed={
        "toutes les demi-heures": ("minute", 30), "chaque demi-heure": ("minute", 30),
        "tous les quarts d'heure": ("minute", 15), "chaque quart d'heure": ("minute", 15),
        "un jour sur deux": ("day", 2), "une semaine sur deux": ("week", 2),
        "un mois sur deux": ("month", 2),
    },
    parts={
        "matin": "morning", "matins": "morning", "après-midi": "afternoon", "soir": "evening",
        "soirs": "evening", "nuit": "night", "nuits": "night",
    },
    counts={"une fois": 1, "deux fois": 2, "2 fois": 2, "trois fois": 3, "3 fois": 3,
            "quatre fois": 4},
    recurring=(
        "(?:toutes les|tous les|chaque) (?:<n> )?<unit>",
        "(?:toutes les|tous les|chaque) (?:<ord> )?<days>(?: <part>)?",
        "un <day> sur <other>(?: <part>)?",
        "le <day> une semaine sur <other>",
        f"(?:le |chaque |tous les )?<ords> <nth_days> {_MONTH}",
        "le <ords> <days>(?! (?:de|du|d') )",
        "<plurals>(?: <part>)?",
        "le <days>(?: <part>)?(?! \\d)",
        "(?:du )?<day> (?:au|a) <day2>",
        "(?:toutes les|tous les|chaque) <part>",
        "<count> (?:par|chaque) <unit>",
        "les? <part>(?! (?:du|de|d')(?!\\w))",
        f"(?:le|chaque|tous les) <mdays> {_MONTH}",
        "chaque <date>",
        "(?:le )?<ords> <nth_days> (?:du|de chaque) <unit>",
    ),
    detail=(
        "le <days>(?: <part>)?",
        "le <mdays>",
        "le <ords> <nth_days>(?: du (?:mois|trimestre))?",
        "le <date>",
        "(?:le|dans la) <part>",
    ),
    joiner="(?: ?, ?(?:et )?| et | ?& ?| ?/ ?| ?\\+ ?)(?:(?:tous les|les|le|chaque|a) )?",
    mday="<d>(?:er)?",
    at="à|vers|pour",
    clocks=(
        ("<h> ?h ?<m>(?: <half>)?", 0), ("<h>:<m>(?: ?h)?(?: <half>)?", 0),
        ("<h> ?(?:h|heures?) et demie?(?: <half>)?", 30), ("<h> ?(?:h|heures?) et quart", 15),
        ("<h> ?(?:h|heures?) moins le quart", -15), ("<h> heures? <m>", 0),
        ("<h> ?(?:h|heures?)(?: <half>)?", 0),
    ),
    bare_clocks=(("<h>(?: <half>)?", 0),),
    fixed_clocks={"midi": 720, "minuit": 0},
    halves={
        "du matin": "morning", "de l'après-midi": "afternoon", "du soir": "evening",
        "de la nuit": "night",
    },
    until="jusqu'(?:au|à|en)(?: la)?",
    starting="à partir (?:du|de|d')|dès(?: le)?|depuis(?: le)?",
    dates=(
        "<iso>", "<slashed>", "<dotted>", "(?:<wd>,? (?:le )?)?<d>(?:er)? <month>(?: <y>)?",
        "<wd>(?: prochain)?", "<relative>", "<month_end>",
    ),
    relative_days={"aujourd'hui": 0, "maintenant": 0, "demain": 1, "après-demain": 2},
    month_end="(?:la )?fin (?:du mois|(?:de )?<month>)(?: <y>)?",
    lasting="(?:pendant|pour)(?: les)? <n> (?:prochaine?s )?<unit>",
    unread=(
        ("jusqu'(?:au|a|en)(?: [^\\s.,;#]{1,30}){1,4}", "day"),
        ("(?:sauf|excepté|hors)(?: le| les)? <days>", "day"),
        ("(?:sauf|excepté|hors)(?: [^\\s.,;#]{1,30}){1,3}", "day"),
        ("ou (?:le )?<days>", "day"),
        ("ou (?:a )?<h> ?(?:h|heures?)(?:<m>)?", "time"),
        ("(?:entre|de) [^\\s.,;#]{1,12} (?:et|a) [^\\s.,;#]{1,12}", "time"),
    ),
    zone_before="heure de|heure d'",
    zone_in="a",
    month_ends=(
        "(?:a la|en) fin de chaque mois", "(?:a )?chaque fin de mois", "tous les fins de mois",
    ),
    own_zone="notre heure|mon heure|heure locale",
)  # fmt: skip
"""French gives each day its article: le lundi and les lundis are each, lundi is one Monday."""
