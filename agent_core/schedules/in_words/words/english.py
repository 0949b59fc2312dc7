"""English words for recurring moments."""

from agent_core.schedules.in_words.words.vocabulary import ANY_DAY, WEEKDAYS, WEEKEND, Words

_DAYS = {
    "monday": "MO", "mon": "MO", "tuesday": "TU", "tue": "TU", "tues": "TU",
    "wednesday": "WE", "wed": "WE", "thursday": "TH", "thu": "TH", "thur": "TH", "thurs": "TH",
    "friday": "FR", "fri": "FR", "saturday": "SA", "sat": "SA", "sunday": "SU", "sun": "SU",
    "weekday": WEEKDAYS, "week day": WEEKDAYS, "workday": WEEKDAYS, "work day": WEEKDAYS,
    "working day": WEEKDAYS, "business day": WEEKDAYS, "weekend": WEEKEND,
}  # fmt: skip
_MONTH = "(?:(?:of|in) (?:the|each|every|a) month|each month|every month|monthly)"
_ON_A_CLOCK = "[0-9]{1,2}(?:[:.][0-9]{2})?(?: ?(?:am|pm))?"
_NEXT = (
    "(?=[\\s,;:.!-]*(?:$|(?:at|around|about|by|here|an?|the|please|pls|until|from|starting|noon|"
    "@|(?:in|to)(?= #)|[0-9]{1,2}(?::[0-9]{2})? ?(?:am|pm)|"
    "(?:post|send|share|publish|give|write|report|summari[sz]e|check|research)"
    "(?= (?:an?|the|us|me|our|in|to|here|new|news|on) ))(?!\\w)))"
)
"""What follows a day of the month, and no noun: every 20th customer is no date."""

ENGLISH = Words(
    language="en",
    days=_DAYS,
    plural_days={f"{day}s": codes for day, codes in _DAYS.items() if len(day) > 5}
    | {"m-f": WEEKDAYS, "mo-fr": WEEKDAYS, "mwf": "MO,WE,FR"},
    nth_days={"day": ANY_DAY},
    months={
        "january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4,
        "apr": 4, "may": 5, "june": 6, "jun": 6, "july": 7, "jul": 7, "august": 8, "aug": 8,
        "september": 9, "sep": 9, "sept": 9, "october": 10, "oct": 10, "november": 11, "nov": 11,
        "december": 12, "dec": 12,
    },
    numbers={
        "a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
        "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20,
        "thirty": 30, "forty-five": 45,
    },
    ordinals={
        "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
        "fifth": 5, "5th": 5, "last": -1, "second to last": -2,
    },
    other="other|alternate|second|2nd",
    units={
        "second": "second", "seconds": "second", "sec": "second", "minute": "minute",
        "minutes": "minute", "min": "minute", "mins": "minute", "hour": "hour", "hours": "hour",
        "hrs": "hour", "day": "day", "days": "day", "week": "week", "weeks": "week",
        "month": "month", "months": "month", "quarter": "quarter", "quarters": "quarter",
        "year": "year", "years": "year",
    },
    adverbs={
        "hourly": ("hour", 1), "daily": ("day", 1), "weekly": ("week", 1),
        "fortnightly": ("week", 2), "biweekly": ("week", 2), "bi-weekly": ("week", 2),
        "bimonthly": ("month", 0), "bi-monthly": ("month", 0), "semi-monthly": ("month", 0),
        "monthly": ("month", 1), "quarterly": ("quarter", 1),
        "yearly": ("year", 1), "annually": ("year", 1),
    },
    fixed={
        "every half hour": ("minute", 30), "every half an hour": ("minute", 30),
        "half-hourly": ("minute", 30), "every quarter of an hour": ("minute", 15),
        "every quarter hour": ("minute", 15), "every fortnight": ("week", 2),
    },
    parts={
        "morning": "morning", "mornings": "morning", "afternoon": "afternoon",
        "afternoons": "afternoon", "evening": "evening", "evenings": "evening", "night": "night",
        "nights": "night",
    },
    counts={"once": 1, "twice": 2, "two times": 2, "2 times": 2, "2x": 2, "three times": 3,
            "3 times": 3, "3x": 3, "four times": 4, "4 times": 4},
    recurring=(
        "(?:each and )?(?:every|each) (?:single )?(?:<n> |<ord> |<other> )?<unit>",
        "(?:on )?(?:each and )?(?:every|each) (?:<other> |<ord> )?<days>(?: <part>)?",
        f"(?:on )?(?:(?:the|every|each) )?<ords> <nth_days> {_MONTH}",
        "(?:on )?the <ords> <days>(?! (?:of|in) )",
        "(?:on )?(?:all )?<plurals>(?: <part>)?",
        "(?:on )?<days> <part>(?<=s)",
        "<several>(?: <part>)?",
        "(?:on )?(?:every )?(?:from )?<day> ?(?:to|through|thru|till|until|-) ?<day2>",
        "(?:every|each) <part>",
        "(?:in the )?<part>(?<=s)(?<!nights)",
        f"(?:on )?(?:every|each) <mdays>{_NEXT}",
        "<count> (?:a|per|each|every) <unit>",
        "<count> <adverb>",
        f"(?:on )?(?:the|every|each) <mdays> {_MONTH}",
        "(?:on )?(?:the )?<ords> <nth_days> (?:of|in) (?:the|each|every|a) <unit>",
        "(?:on )?(?:every|each) <date>",
    ),
    detail=(
        "on <days>(?: <part>)?",
        "on (?:the )?<mdays>",
        "on (?:the )?<ords> <nth_days>(?: of (?:the|each|every) (?:month|quarter))?",
        "on (?:the )?<date>",
        "(?:in the |at )<part>",
    ),
    joiner="(?: ?, ?(?:and )?| and | ?& ?| ?/ ?| ?\\+ ?)(?:(?:on|every|each|the) )?(?:the )?",
    mday="<d>(?:st|nd|rd|th)",
    at="at|@|around|about|by",
    clocks=(
        ("<h>(?:[:.]<m>)?(?: ?<half>)? sharp", 0),
        ("<h>[:.]<m> ?<half>", 0), ("<h>:<m>(?: ?h(?:ours|rs)?)?", 0), ("<h> ?<half>", 0),
        ("<h> ?-?ish", 0),
        ("<h> ?o'? ?clock(?: sharp| <half>)?", 0), ("half past <h>(?: <half>)?", 30),
        ("(?:a )?quarter past <h>(?: <half>)?", 15), ("(?:a )?quarter to <h>(?: <half>)?", -15),
        ("half <h>", 30),
    ),
    bare_clocks=(
        ("<h>\\.<m>", 0), ("<h><m>(?: ?h(?:ours|rs))?", 0), ("<h> fifteen", 15),
        ("<h> thirty", 30), ("<h> forty-five", 45), ("<h>", 0),
    ),
    fixed_clocks={"noon": 720, "midday": 720, "midnight": 0},
    halves={
        "am": "morning", "a.m.": "morning", "a.m": "morning", "in the morning": "morning",
        "pm": "afternoon", "p.m.": "afternoon", "p.m": "afternoon", "in the afternoon": "afternoon",
        "in the evening": "evening", "at night": "night", "noon": "noon",
    },
    until="until|till|til|through|up to|ending(?: on)?",
    starting="starting(?: on| from)?|beginning(?: on)?|from|as of|as from|since",
    dates=(
        "<iso>", "<dotted>", "<slashed>",
        "(?:(?:next|this) )?(?:<wd>,? )?(?:the )?<d>(?:st|nd|rd|th)?(?: of)? <month>(?:,? <y>)?",
        "(?:(?:next|this) )?(?:<wd>,? )?<month> (?:the )?<d>(?:st|nd|rd|th)?(?:,? <y>)?",
        "(?:(?:next|this|coming|the next) )?<wd>", "<relative>", "<month_end>",
    ),
    relative_days={"today": 0, "now": 0, "tomorrow": 1, "the day after tomorrow": 2},
    month_end="the end of (?:the month|<month>)(?: <y>)?",
    lasting="for (?:the )?(?:next |coming )?<n> (?:more )?<unit>",
    unread=(
        ("(?:until|till)(?: [^\\s.,;#]{1,30}){1,4}", "day"),
        ("(?:except|but|but not|excluding)(?: on)? (?:<plurals>|<days>)", "day"),
        ("(?:except|but not|excluding|unless)(?: [^\\s.,;#]{1,30}){1,3}", "day"),
        ("or <days>", "day"),
        (f"(?:at )?{_ON_A_CLOCK} ?- ?{_ON_A_CLOCK}", "time"),
        ("(?:or|to|till) (?:at )?<h>(?::<m>)?(?: ?<half>)?", "time"),
        ("(?:between|from) [^\\s.,;#]{1,12} (?:and|to|until) [^\\s.,;#]{1,12}", "time"),
    ),
    zone_after="time",
    zone_in="in",
    month_ends=(
        "(?:at |on )?(?:the )?end of (?:each|every) month",
        "(?:at |on )?(?:each|every) (?:end of (?:the )?month|month end)",
        "(?:at )?(?:end of month|eom)",
    ),
    own_zone="our time|my time|local time",
    day_before_month=False,
)  # fmt: skip
"""The days named in full, and the numbers and dates that people write around them."""
