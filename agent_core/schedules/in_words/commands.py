"""Words that manage schedules: list, pause, resume, run, edit, delete, and which one is meant."""

import re
from dataclasses import dataclass

from agent_core.prompts.language import Language
from agent_core.schedules.in_words.grammar import WORDS
from agent_core.schedules.in_words.words.managing import (
    ALL,
    ARTICLES,
    ENDINGS,
    EVERYTHING,
    LEAD,
    LISTS,
    NOUNS,
    ONES,
    SMALL,
    STOPS_WORK,
    THIS,
    THIS_DONE,
    TO,
    VERBS,
    WHERE,
    Verb,
)
from agent_core.schedules.in_words.words.vocabulary import (
    DAY_CODES,
    fold,
    folded_keys,
    normalise,
    one_of,
)
from agent_core.schedules.recurrence import read_recurrence
from agent_core.schedules.rule import Rule

_MAX_CHARS = 120
_WORKING_DAYS = 5
_FREQUENCIES = {
    "hour": "HOURLY", "day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY",
}  # fmt: skip
_LANGUAGES: tuple[Language, ...] = ("en", "de", "fr", "es")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """An order about schedules that are there."""

    verb: Verb
    which: str
    """The words that name it, `ALL_OF_THEM`, or a list's `#channel`; empty for the only one."""
    language: Language
    change: str = ""
    """Of `edit`: what is to be different, as it was written; empty where it is not said."""
    is_pointed_at: bool = False
    """Whether it is named by no more than "it": only read with `about_one`."""


ALL_OF_THEM = "all"
_WORD_OR_CHANNEL = re.compile(r"#[\w-]+|\w+")
_NOT_ONE_OF_OURS = re.compile(
    r"(?:an?|some|ein|einen?|un|une|una)(?!\w)"
    r"|.*(?<!\w)(?:schedule|zeitplan) (?:of|for|fur|der)(?!\w)"
)
_PURPOSE = re.compile(r"\s(?:to|so|with|damit|auf|pour|para|a las?|um)(?!\w).*")
_MAX_WORDS = 5


def read_command(text: str, *, about_one: bool = False) -> Command | None:
    """The order about schedules that a whole text gives; None for all other texts.

    An order to stop or pause that names neither a digest nor a day or number is about the work
    that is going on, and none of ours. With `about_one`, where the conversation is about one
    schedule, "pause it" and "run again" mean that one; "stop it" still means the work.
    """
    if len(text) > _MAX_CHARS:
        return None
    plain = " ".join(normalise(text).split()).strip(" .!?¿¡")
    if lead := re.match(rf"(?:(?:{fold(LEAD)})(?!\w),? ?)+", fold(plain)):
        plain = plain[lead.end() :]
    found = [
        (_begins_natively(fold(plain), each), command)
        for each in _LANGUAGES
        if (command := _read(plain, each, about_one=about_one)) is not None
    ]
    return max(found, key=lambda each: each[0])[1] if found else None


def _begins_natively(folded: str, language: Language) -> bool:
    """Whether the second word is the language's article: "pause den Digest" is German."""
    rest = folded.partition(" ")[2]
    beside = f"{ARTICLES[language]}|{THIS[language]}"
    return re.match(rf"(?:{fold(beside)})(?!\w)", rest) is not None


def _read(plain: str, language: Language, *, about_one: bool) -> Command | None:
    folded = fold(plain)
    if (listed := _listed(plain, language)) is not None:
        return Command(verb="list", which=listed, language=language)
    if about_one and (command := _pointed_at(plain, language)):
        return command
    return _changing(plain, language) or _plain_order(folded, language)


def _listed(plain: str, language: Language) -> str | None:
    """Of which channel a list is asked for, if it is one; empty for those of all."""
    pattern = LISTS[language].replace("<nouns>", f"(?:{NOUNS[language]})")
    first, *further = fold(pattern).split("<where>")
    named = [WHERE.replace("<where>", f"<where{number}>") for number in range(len(further))]
    whole = first + "".join(map(str.__add__, named, further))
    match = re.fullmatch(whole, fold(plain))
    if match is None:
        return None
    spans = (match.span(name) for name in match.groupdict())
    return next((f"#{plain[start:end]}" for start, end in spans if start < end), "")


def _plain_order(folded: str, language: Language) -> Command | None:
    for verb, words in VERBS[language].items():
        match = re.fullmatch(rf"(?:{fold(words)}) (?P<rest>.{{1,100}}?)(?: (?:{ENDINGS}))*", folded)
        if match and (which := _which(match["rest"], verb, language)) is not None:
            return Command(verb=_by_ending(verb, folded), which=which, language=language)
    return None


def _which(rest: str, verb: Verb, language: Language) -> str | None:
    if re.fullmatch(rf"(?:{fold(ALL[language])}) (?:{fold(NOUNS[language])})", rest):
        return ALL_OF_THEM
    if verb == "pause" and re.fullmatch(EVERYTHING, rest):
        return ALL_OF_THEM
    return _named(rest, language)


def _changing(plain: str, language: Language) -> Command | None:
    """Change digest 4 to 10:30."""
    folded = fold(plain)
    match = re.fullmatch(
        rf"(?:{fold(VERBS[language]['edit'])}) (?P<rest>.{{1,80}}?)"
        rf" (?:{fold(TO[language])}) (?P<change>.{{1,80}})",
        folded,
    )
    if match is None or (which := _named(match["rest"], language)) is None:
        return None
    change = plain[match.start("change") :]
    return Command(verb="edit", which=which, language=language, change=change)


def _pointed_at(plain: str, language: Language) -> Command | None:
    """Pause it; run again; change it to 10."""
    folded = fold(plain)
    for verb, words in VERBS[language].items():
        whole = THIS_DONE[language].get(verb, "(?!)")
        this = fold(THIS[language])
        order = rf"(?!(?:{fold(STOPS_WORK)}) (?:{this})(?!\w))(?:{fold(words)}) (?:{this})"
        to = rf" (?:(?:{fold(TO[language])}) )?(?P<change>.{{1,80}})" if verb == "edit" else "(?!)"
        match = re.fullmatch(rf"(?:{fold(whole)}|{order})(?:(?: (?:{ENDINGS}))*|{to})", folded)
        if match:
            change = match.groupdict().get("change")
            return Command(
                verb=_by_ending(verb, folded),
                which="",
                language=language,
                change=plain[match.start("change") :] if change else "",
                is_pointed_at=True,
            )
    return None


def _by_ending(verb: Verb, folded: str) -> Verb:
    """German tells it at the end: setze den Digest fort, starte ihn wieder."""
    if verb in ("pause", "run") and re.search(r" (?:fort|wieder)$", folded):
        return "resume"
    if folded.startswith(("schalte ", "schalt ")) and folded.endswith((" ein", " an")):
        return "resume"
    return verb


def _named(rest: str, language: Language) -> str | None:
    """The words that name a schedule; None where they name none of ours."""
    plain = re.sub(rf"^(?:(?:{fold(ARTICLES[language])})\s?)+(?!\w)", "", rest).strip()
    if _NOT_ONE_OF_OURS.match(rest):
        return None
    noun = re.search(rf"(?<!\w)(?:{fold(NOUNS[language])})(?!\w)", plain)
    if noun is None and not _points(plain, language):
        return None
    words = _telling_words(_PURPOSE.sub("", plain))
    return " ".join(words) if len(words) <= _MAX_WORDS else None


def _telling_words(text: str) -> list[str]:
    return [word for word in _WORD_OR_CHANNEL.findall(text) if word not in SMALL]


def _points(plain: str, language: Language) -> bool:
    """Whether it is a day or number and little else: the Tuesday one, den am Dienstag, 2."""
    days = one_of([*WORDS[language].days, *WORDS[language].plural_days])
    named = rf"(?:{days}|#[\w-]+|\d{{1,3}}|weekly|daily|monthly|hourly)"
    one = rf"(?:{ONES[language]})" if ONES[language] else ""
    if language == "en":
        return re.fullmatch(rf"(?:{named} )+{one}|{one} (?:on|in|at) {named}", plain) is not None
    return re.fullmatch(rf"(?:am |vom |du |de |del |de los )?{named}", plain) is not None


def matches(which: str, *, number: int | None, task: str, rule: Rule, channel: str) -> bool:
    """Whether words such as "Tuesday", "2", "battery" or "#energy" all name this schedule.

    A day names a schedule of that day, not one of every workday. No words name each schedule.
    """
    subject = fold(normalise(task))
    return all(
        _names_number(word, number)
        or _names_channel(word, channel)
        or _names_rule(word, rule)
        or _names_task(word, subject)
        for word in _telling_words(fold(normalise(which)))
    )


def _names_number(word: str, number: int | None) -> bool:
    return word.removeprefix("#").isdecimal() and int(word.removeprefix("#")) == number


def _names_channel(word: str, channel: str) -> bool:
    return bool(channel) and word.removeprefix("#") == fold(normalise(channel))


def _names_task(word: str, subject: str) -> bool:
    stem = word[:-1] if len(word) > 3 and word.endswith("s") else word
    return not word.isdecimal() and re.search(rf"(?<!\w){re.escape(stem)}", subject) is not None


def _names_rule(word: str, rule: Rule) -> bool:
    recurrence = read_recurrence(rule.recurrence)
    due = {DAY_CODES[each.day] for each in recurrence.weekdays}
    for words in WORDS.values():
        codes = folded_keys({**words.days, **words.plural_days}).get(word)
        if codes and due == set(codes.split(",")):
            return True
        if codes and codes in due and len(due) < _WORKING_DAYS:
            return True
        unit, interval = folded_keys(words.adverbs).get(word, ("second", 1))
        if (_FREQUENCIES.get(unit), interval) == (recurrence.frequency, recurrence.interval):
            return True
    return False
