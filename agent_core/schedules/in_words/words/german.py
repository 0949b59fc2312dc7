"""German words for recurring moments."""

from agent_core.schedules.in_words.words.vocabulary import ANY_DAY, WEEKDAYS, WEEKEND, Unit, Words

_NAMES = {
    "montag": "MO", "dienstag": "TU", "mittwoch": "WE", "donnerstag": "TH", "freitag": "FR",
    "samstag": "SA", "sonnabend": "SA", "sonntag": "SU",
}  # fmt: skip
_MONTH = "(?:(?:im|des|jedes|jeden|eines) (?:monats?)|in jedem monat|jeden monat)"
_ADVERB_STEMS: dict[str, tuple[Unit, int]] = {
    "stündlich": ("hour", 1), "täglich": ("day", 1), "wöchentlich": ("week", 1),
    "monatlich": ("month", 1), "vierteljährlich": ("quarter", 1), "quartalsweise": ("quarter", 1),
    "jährlich": ("year", 1), "halbjährlich": ("month", 6), "zweimonatlich": ("month", 2),
    "zweiwöchentlich": ("week", 2), "14-tägig": ("week", 2), "vierzehntägig": ("week", 2),
}  # fmt: skip
_ADVERBS = {
    f"{stem}{ending}": cadence
    for stem, cadence in _ADVERB_STEMS.items()
    for ending in ("", "e", "en", "er", "es")
}
_NEXT = (
    "(?=[\\s,;:!-]*(?:$|(?:um|gegen|ab|bis|eine?n?|den|die|das|bitte|hier|uns|mir|in(?= #)|"
    "poste|postet|schicke?|schickt|sende|sendet|gib|fasse?|schreibe?|teile)(?!\\w)))"
)
"""What follows a day of the month, and no noun: jeden 20. Kunden."""

GERMAN = Words(
    language="de",
    days=_NAMES
    | {
        "mo": "MO", "di": "TU", "mi": "WE", "do": "TH", "fr": "FR", "sa": "SA", "so": "SU",
        "werktag": WEEKDAYS, "arbeitstag": WEEKDAYS, "wochentag": WEEKDAYS,
        "wochenende": WEEKEND,
    },
    plural_days={f"{day}s": code for day, code in _NAMES.items()}
    | {
        "werktags": WEEKDAYS, "wochentags": WEEKDAYS, "werktäglich": WEEKDAYS,
        "unter der woche": WEEKDAYS, "an werktagen": WEEKDAYS, "an wochentagen": WEEKDAYS,
        "an arbeitstagen": WEEKDAYS, "am wochenende": WEEKEND, "an wochenenden": WEEKEND,
    },
    nth_days={"tag": ANY_DAY},
    months={
        "januar": 1, "jan": 1, "jänner": 1, "februar": 2, "feb": 2, "märz": 3, "april": 4, "apr": 4,
        "mai": 5, "juni": 6, "jun": 6, "juli": 7, "jul": 7, "august": 8, "aug": 8, "september": 9,
        "sep": 9, "sept": 9, "oktober": 10, "okt": 10, "november": 11, "nov": 11, "dezember": 12,
        "dez": 12,
    },
    numbers={
        "eine": 1, "ein": 1, "eins": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
        "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "fünfzehn": 15,
        "zwanzig": 20, "dreißig": 30,
    },
    ordinals={
        f"{stem}{ending}": number
        for stem, number in {
            "erste": 1, "zweite": 2, "dritte": 3, "vierte": 4, "fünfte": 5, "letzte": -1,
            "vorletzte": -2,
        }.items()
        for ending in ("", "n", "r", "s")
    } | {"1.": 1, "2.": 2, "3.": 3, "4.": 4},
    other="zweite[nrs]?|2\\.",
    units={
        "sekunde": "second", "sekunden": "second", "minute": "minute", "minuten": "minute",
        "min": "minute", "stunde": "hour", "stunden": "hour", "std": "hour", "tag": "day",
        "tage": "day", "woche": "week", "wochen": "week", "monat": "month", "monate": "month",
        "quartal": "quarter", "quartale": "quarter", "jahr": "year", "jahre": "year",
    },
    adverbs=_ADVERBS,
    fixed={
        "jede halbe stunde": ("minute", 30), "halbstündlich": ("minute", 30),
        "jede viertelstunde": ("minute", 15), "alle viertelstunde": ("minute", 15),
    },
    parts={
        "morgen": "morning", "morgens": "morning", "vormittag": "morning",
        "vormittags": "morning", "früh": "morning", "mittag": "noon", "nachmittag": "afternoon",
        "nachmittags": "afternoon", "abend": "evening", "abends": "evening", "nacht": "night",
    },
    counts={"einmal": 1, "zweimal": 2, "2 mal": 2, "2x": 2, "zwei mal": 2, "dreimal": 3,
            "3 mal": 3, "3x": 3, "drei mal": 3, "viermal": 4},
    recurring=(
        "(?:jede[nrs]?|alle) (?:<n> |<ord> |<other> )?<unit>",
        "(?:an |am )?jede[mns]? (?:<other> |<ord> )?<days>(?: ?<part>)?",
        f"(?:am |an jedem |jeden |jeweils am )?<ords> <nth_days> {_MONTH}",
        "(?:jeweils )?am <ords> <days>(?! (?:im|des|in) )",
        "(?:immer |jeweils )?<plurals>(?: <part>)?",
        "<several>(?: <part>)?",
        "(?:immer )?(?:von )?<day>s? ?(?:bis|-) ?<day2>s?",
        "jede[nr]? <part>",
        "(?:immer )?(?:morgens|vormittags|nachmittags|abends)",
        "<count> (?:am|pro|in der|im|die|jeden|jede) <unit>",
        "<count> <adverb>",
        f"(?:jeweils )?(?:am|zum|jeden|an jedem) <mdays> {_MONTH}",
        f"(?:an )?jede[mn] <mdays>{_NEXT}",
        "(?:an )?jede[mn] <date>",
        "immer am <days>",
        "(?:am )?<ords> <nth_days> (?:im|des|jedes|jeden) <unit>s?",
    ),
    detail=(
        "(?:jeweils )?am <days>(?: ?<part>)?",
        "(?:jeweils )?(?:am|zum) <mdays>",
        "(?:jeweils )?am <ords> <nth_days>(?: (?:im|des) (?:monats?|quartals?))?",
        "(?:jeweils )?am <date>",
        "am <part>",
    ),
    joiner="(?: ?, ?(?:und )?| und | sowie | ?& ?| ?/ ?| ?\\+ ?)(?:(?:am|jeden|um|zum) )?",
    mday="<d>\\.",
    at="um|gegen",
    clocks=(
        ("<h>[:.]<m> ?(?:uhr|h)(?: <half>)?", 0), ("<h>:<m>(?: <half>)?", 0),
        ("<h> ?uhr <m>(?: <half>)?", 0), ("<h> ?(?:uhr|h)(?: <half>)?", 0),
        ("halb <h>(?: uhr)?(?: <half>)?", -30), ("viertel nach <h>(?: uhr)?", 15),
        ("(?:viertel vor|dreiviertel) <h>(?: uhr)?", -15),
    ),
    bare_clocks=(("<h>\\.<m>", 0), ("<h>(?: <half>)?", 0)),
    fixed_clocks={"mittags": 720, "mittag": 720, "mitternacht": 0},
    halves={
        "morgens": "morning", "früh": "morning", "vormittags": "morning", "mittags": "noon",
        "nachmittags": "afternoon", "abends": "evening", "nachts": "night",
    },
    until="bis(?: (?:zum|einschlie(?:ß|ss)lich|am))?",
    starting="ab(?: dem| kommenden| nächsten)?|vom|beginnend (?:am|mit)|angefangen am|seit",
    dates=(
        "<iso>", "(?:<wd>,? (?:dem |den )?)?<dotted>",
        "(?:<wd>,? (?:dem |den )?)?<d>\\.? <month>(?: <y>)?",
        "(?:(?:nächsten|kommenden|diesen) )?<wd>", "<relative>", "<month_end>",
    ),
    relative_days={"heute": 0, "sofort": 0, "jetzt": 0, "morgen": 1, "übermorgen": 2},
    month_end="(?:ende (?:des monats|<month>)|monatsende)(?: <y>)?",
    lasting="(?=(?:für|die|nächsten|kommenden) |\\w+ \\w+ lang(?!\\w))"
    "(?:für )?(?:die )?(?:nächsten |kommenden )?<n> <unit>(?: lang)?",
    unread=(
        ("bis(?: [^\\s.,;#]{1,30}){1,4}", "day"),
        ("(?:au(?:ß|ss)er|aber nicht|ausgenommen)(?: am| an)? (?:<plurals>|<days>)", "day"),
        ("(?:au(?:ß|ss)er|aber nicht|ausgenommen)(?: [^\\s.,;#]{1,30}){1,3}", "day"),
        ("oder (?:am )?<days>", "day"),
        ("(?:um )?[0-9]{1,2}(?:[:.][0-9]{2})? ?- ?[0-9]{1,2}(?:[:.][0-9]{2})?(?: uhr)?", "time"),
        ("oder (?:um )?<h>(?::<m>)?(?: uhr)?", "time"),
        ("(?:zwischen|von) [^\\s.,;#]{1,12} (?:und|bis) [^\\s.,;#]{1,12}(?: uhr)?", "time"),
    ),
    zone_after="zeit",
    zone_in="in",
    month_ends=(
        "(?:immer |jeweils )?(?:am |zum )?ende (?:jedes|jeden|eines jeden) monats",
        "(?:an )?jede[mns]? monatsende", "(?:immer |jeweils )?zum monatsende",
    ),
    own_zone="unserer zeit|meiner zeit|ortszeit",
)  # fmt: skip
"""German writes the 15th as `15.` and halves the hour to come: halb neun is 8:30."""
