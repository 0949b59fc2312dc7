"""Spanish words for recurring moments."""

from agent_core.schedules.in_words.words.vocabulary import ANY_DAY, WEEKDAYS, WEEKEND, Words

_NAMES = {
    "lunes": "MO", "martes": "TU", "miércoles": "WE", "jueves": "TH", "viernes": "FR",
    "sábado": "SA", "sábados": "SA", "domingo": "SU", "domingos": "SU",
}  # fmt: skip
_WORKDAYS = {
    f"{day} {kind}": WEEKDAYS
    for day, kind in (
        ("día", "laborable"), ("días", "laborables"), ("día", "laboral"), ("días", "laborales"),
        ("día", "hábil"), ("días", "hábiles"), ("día", "de trabajo"), ("días", "de semana"),
    )
}  # fmt: skip
_MONTH = "(?:del mes|de cada mes|de todos los meses|cada mes|al mes)"
_NEXT = (
    "(?=[\\s,;:.!-]*(?:$|(?:a las?|un|una|el|la|los|las|en(?= #)|por favor|aqui|publica|envia|"
    "manda|comparte|danos)(?!\\w)))"
)
"""What follows a day of the month, and no noun: cada día 20 personas."""

SPANISH = Words(
    language="es",
    days=_NAMES | _WORKDAYS | {"fin de semana": WEEKEND, "fines de semana": WEEKEND},
    plural_days={f"los {day}": codes for day, codes in (_NAMES | _WORKDAYS).items()}
    | {"entre semana": WEEKDAYS, "l-v": WEEKDAYS, "los fines de semana": WEEKEND},
    nth_days={"día": ANY_DAY},
    months={
        "enero": 1, "febrero": 2, "marzo": 3, "abril": 4, "mayo": 5, "junio": 6, "julio": 7,
        "agosto": 8, "septiembre": 9, "setiembre": 9, "octubre": 10, "noviembre": 11,
        "diciembre": 12,
    },
    numbers={
        "un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7,
        "ocho": 8, "nueve": 9, "diez": 10, "once": 11, "doce": 12, "quince": 15, "veinte": 20,
        "treinta": 30,
    },
    ordinals={
        "primer": 1, "primero": 1, "primera": 1, "1er": 1, "segundo": 2, "segunda": 2, "tercer": 3,
        "tercero": 3, "cuarto": 4, "quinto": 5, "último": -1, "última": -1, "penúltimo": -2,
    },
    other="dos",
    units={
        "segundo": "second", "segundos": "second", "minuto": "minute", "minutos": "minute",
        "min": "minute", "hora": "hour", "horas": "hour", "h": "hour", "día": "day",
        "días": "day", "semana": "week", "semanas": "week", "mes": "month", "meses": "month",
        "trimestre": "quarter", "trimestres": "quarter", "año": "year", "años": "year",
    },
    adverbs={
        "diario": ("day", 1), "diaria": ("day", 1), "diariamente": ("day", 1),
        "a diario": ("day", 1), "semanal": ("week", 1), "semanalmente": ("week", 1),
        "quincenal": ("week", 2), "bisemanal": ("week", 0), "bimensual": ("month", 0),
        "bimestral": ("month", 2), "mensual": ("month", 1), "mensualmente": ("month", 1),
        "trimestral": ("quarter", 1), "trimestralmente": ("quarter", 1), "anual": ("year", 1),
        "anualmente": ("year", 1),
    },
    fixed={
        "cada media hora": ("minute", 30), "cada cuarto de hora": ("minute", 15),
        "un día sí y otro no": ("day", 2), "una semana sí y otra no": ("week", 2),
    },
    parts={
        "mañana": "morning", "mañanas": "morning", "tarde": "afternoon", "tardes": "afternoon",
        "noche": "evening", "noches": "evening", "mediodía": "noon",
    },
    counts={"una vez": 1, "dos veces": 2, "2 veces": 2, "tres veces": 3, "3 veces": 3,
            "cuatro veces": 4},
    recurring=(
        "(?:cada|todos los|todas las) (?:<n> )?<unit>",
        "(?:cada|todos los) (?:<ord> )?<days>(?: por la <part>)?",
        "un <day> (?:si y otro no|de cada <other>)",
        "(?:cada <other>) <days>",
        f"(?:el |cada )?<ords> <nth_days> {_MONTH}",
        "el <ords> <days>(?! (?:de|del) )",
        "<plurals>(?: por la <part>)?",
        "(?:de )?<day> a <day2>",
        "(?:cada|todas las) <part>",
        "<count> (?:al|a la|por|cada) <unit>",
        "por las <part>",
        f"(?:el |cada |todos los )?(?:dias? )?<mdays> {_MONTH}",
        f"(?:cada|todos los) dias? <mdays>{_NEXT}",
        "cada <date>",
        "(?:el )?<ords> <nth_days> (?:del|de cada) <unit>",
    ),
    detail=(
        "(?:el|los) <days>(?: por la <part>)?",
        "(?:el )(?:dia )?<mdays>",
        "el <ords> <nth_days>(?: del (?:mes|trimestre))?",
        "el <date>",
        "por la <part>",
    ),
    joiner="(?: ?, ?(?:y )?| y | ?& ?| ?/ ?| ?\\+ ?)(?:(?:los|el|cada|todos los|a las|a la) )?",
    mday="<d>(?:\\.?º)?",
    at="a las|a la|sobre las|hacia las",
    clocks=(
        ("<h>[:.]<m> ?(?:h|horas|hrs)(?: <half>)?", 0), ("<h>:<m>(?: ?<half>)?", 0),
        ("<h> ?(?:h|horas)(?: <half>)?", 0), ("<h> ?<half>", 0),
        ("<h> y media(?: <half>)?", 30), ("<h> y cuarto(?: <half>)?", 15),
        ("<h> menos cuarto(?: <half>)?", -15),
    ),
    bare_clocks=(("<h>\\.<m>", 0), ("<h>(?: en punto)?", 0)),
    fixed_clocks={"al mediodía": 720, "a mediodía": 720, "mediodía": 720, "a medianoche": 0,
                  "medianoche": 0},
    halves={
        "de la mañana": "morning", "de la tarde": "afternoon", "de la noche": "evening",
        "am": "morning", "a.m.": "morning", "pm": "afternoon", "p.m.": "afternoon",
    },
    until="hasta(?: el| la)?",
    starting="desde(?: el)?|a partir (?:del?|de)|empezando (?:el|por el)|comenzando el",
    dates=(
        "<iso>", "<slashed>", "<dotted>",
        "(?:<wd>,? )?(?:el )?<d>(?:º)? de <month>(?: (?:de|del) <y>)?",
        "(?:pr[oó]ximo )?<wd>(?: que viene)?", "<relative>", "<month_end>",
    ),
    relative_days={"hoy": 0, "ahora": 0, "mañana": 1, "pasado mañana": 2},
    month_end="(?:el )?(?:fin|final|finales) (?:del? mes|de <month>)(?: de <y>)?",
    lasting="durante(?: l[ao]s)? (?:pr[oó]xim[ao]s )?<n> (?:pr[oó]xim[ao]s )?<unit>",
    unread=(
        ("hasta(?: [^\\s.,;#]{1,30}){1,4}", "day"),
        ("(?:excepto|salvo|menos)(?: el| los)? <days>", "day"),
        ("(?:excepto|salvo|menos)(?: [^\\s.,;#]{1,30}){1,3}", "day"),
        ("o (?:el |los )?<days>", "day"),
        ("o (?:a las? )?<h>(?::<m>)?", "time"),
        ("(?:entre|de) (?:las )?[^\\s.,;#]{1,12} (?:y|a) (?:las )?[^\\s.,;#]{1,12}", "time"),
    ),
    zone_before="hora de|hora del",
    zone_in="en|de",
    month_ends=(
        "a (?:fin|finales) de (?:cada )?mes", "al final de cada mes", "cada (?:fin|final) de mes",
    ),
    own_zone="nuestra hora|mi hora|hora local",
)  # fmt: skip
"""Spanish days are the same in the plural; the article tells los lunes from el lunes."""
