"""The words in which we say when something recurs, one table a language."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent_core.prompts.language import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenWords:
    """Names and patterns; a pattern's fields are named in it."""

    days: tuple[str, ...]
    """From Monday on."""
    short_days: tuple[str, ...]
    months: tuple[str, ...]
    every_days: str
    """{days}: one or more days of the week."""
    every_day: str
    every_workday: str
    every_weekend: str
    alternate: str
    """{n} weeks, {days}."""
    days_apart: str
    units: Mapping[str, tuple[str, str]]
    """By frequency: every one of them, and every {n} of them."""
    nth: str
    """{nth} {day} of each month."""
    workday: str
    day: str
    ordinals: Mapping[int, str]
    month_day: str
    """On the {days} of each month."""
    month_ordinal: str
    """The number of a day of the month."""
    months_apart: str
    """Every {n} months, {on}."""
    quarterly: str
    yearly: str
    """On {day} {month} each year."""
    years_apart: str
    on_nth: str
    """The {nth} {day} behind every {n} months or every quarter."""
    on_month_day: str
    only_in: str
    """In {months} alone."""
    times: str
    """At {times}."""
    both: str
    """Between the last two of a list."""
    date: str
    """{weekday} {day} {month} {year}."""
    until: str
    starting: str
    positions: str
    """{recurrence}, of these the {places}."""


ENGLISH = SpokenWords(
    days=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    short_days=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    months=(
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ),
    every_days="every {days}",
    every_day="every day",
    every_workday="every weekday",
    every_weekend="every weekend",
    alternate="every {n} weeks on {days}",
    days_apart="every {n} days",
    units={
        "HOURLY": ("every hour", "every {n} hours"),
        "MINUTELY": ("every minute", "every {n} minutes"),
        "SECONDLY": ("every second", "every {n} seconds"),
    },
    nth="on the {nth} {day} of each month",
    workday="weekday",
    day="day",
    ordinals={1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last",
              -2: "second to last"},
    month_day="on the {days} of each month",
    month_ordinal="{n}{suffix}",
    months_apart="every {n} months {on}",
    quarterly="every quarter {on}",
    yearly="every year on {day} {month}",
    years_apart="every {n} years on {day} {month}",
    on_nth="on the {nth} {day}",
    on_month_day="on the {days}",
    only_in="{recurrence} in {months}",
    times="at {times}",
    both="and",
    date="{weekday} {day} {month} {year}",
    until="until {day}",
    starting="from {day}",
    positions="{recurrence}, of these only number {places}",
)  # fmt: skip

GERMAN = SpokenWords(
    days=("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    short_days=("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"),
    months=(
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
        "Oktober", "November", "Dezember",
    ),
    every_days="jeden {days}",
    every_day="jeden Tag",
    every_workday="jeden Werktag",
    every_weekend="jedes Wochenende",
    alternate="alle {n} Wochen am {days}",
    days_apart="alle {n} Tage",
    units={
        "HOURLY": ("jede Stunde", "alle {n} Stunden"),
        "MINUTELY": ("jede Minute", "alle {n} Minuten"),
        "SECONDLY": ("jede Sekunde", "alle {n} Sekunden"),
    },
    nth="am {nth} {day} jedes Monats",
    workday="Werktag",
    day="Tag",
    ordinals={1: "ersten", 2: "zweiten", 3: "dritten", 4: "vierten", 5: "fünften", -1: "letzten",
              -2: "vorletzten"},
    month_day="am {days} jedes Monats",
    month_ordinal="{n}.",
    months_apart="alle {n} Monate {on}",
    quarterly="jedes Quartal {on}",
    yearly="jedes Jahr am {day}. {month}",
    years_apart="alle {n} Jahre am {day}. {month}",
    on_nth="am {nth} {day}",
    on_month_day="am {days}",
    only_in="{recurrence} im {months}",
    times="um {times} Uhr",
    both="und",
    date="{weekday}, {day}. {month} {year}",
    until="bis {day}",
    starting="ab {day}",
    positions="{recurrence}, davon nur Nummer {places}",
)  # fmt: skip

FRENCH = SpokenWords(
    days=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    short_days=("lun.", "mar.", "mer.", "jeu.", "ven.", "sam.", "dim."),
    months=(
        "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
        "octobre", "novembre", "décembre",
    ),
    every_days="chaque {days}",
    every_day="chaque jour",
    every_workday="chaque jour ouvré",
    every_weekend="chaque week-end",
    alternate="toutes les {n} semaines le {days}",
    days_apart="tous les {n} jours",
    units={
        "HOURLY": ("toutes les heures", "toutes les {n} heures"),
        "MINUTELY": ("toutes les minutes", "toutes les {n} minutes"),
        "SECONDLY": ("toutes les secondes", "toutes les {n} secondes"),
    },
    nth="le {nth} {day} du mois",
    workday="jour ouvré",
    day="jour",
    ordinals={1: "premier", 2: "deuxième", 3: "troisième", 4: "quatrième", 5: "cinquième",
              -1: "dernier", -2: "avant-dernier"},
    month_day="le {days} de chaque mois",
    month_ordinal="{n}",
    months_apart="tous les {n} mois {on}",
    quarterly="chaque trimestre {on}",
    yearly="chaque année le {day} {month}",
    years_apart="tous les {n} ans le {day} {month}",
    on_nth="le {nth} {day}",
    on_month_day="le {days}",
    only_in="{recurrence} en {months}",
    times="à {times}",
    both="et",
    date="{weekday} {day} {month} {year}",
    until="jusqu'au {day}",
    starting="à partir du {day}",
    positions="{recurrence}, dont seulement le numéro {places}",
)  # fmt: skip

SPANISH = SpokenWords(
    days=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    short_days=("lun", "mar", "mié", "jue", "vie", "sáb", "dom"),
    months=(
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
        "octubre", "noviembre", "diciembre",
    ),
    every_days="cada {days}",
    every_day="cada día",
    every_workday="cada día laborable",
    every_weekend="cada fin de semana",
    alternate="cada {n} semanas el {days}",
    days_apart="cada {n} días",
    units={
        "HOURLY": ("cada hora", "cada {n} horas"),
        "MINUTELY": ("cada minuto", "cada {n} minutos"),
        "SECONDLY": ("cada segundo", "cada {n} segundos"),
    },
    nth="el {nth} {day} de cada mes",
    workday="día laborable",
    day="día",
    ordinals={1: "primer", 2: "segundo", 3: "tercer", 4: "cuarto", 5: "quinto", -1: "último",
              -2: "penúltimo"},
    month_day="el {days} de cada mes",
    month_ordinal="{n}",
    months_apart="cada {n} meses {on}",
    quarterly="cada trimestre {on}",
    yearly="cada año el {day} de {month}",
    years_apart="cada {n} años el {day} de {month}",
    on_nth="el {nth} {day}",
    on_month_day="el {days}",
    only_in="{recurrence} en {months}",
    times="a las {times}",
    both="y",
    date="{weekday} {day} de {month} de {year}",
    until="hasta el {day}",
    starting="a partir del {day}",
    positions="{recurrence}, de ellos solo el número {places}",
)  # fmt: skip

SPOKEN: Mapping[Language, SpokenWords] = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
}
