"""Schedules in words: which recurring work a person's text asks for, and what it leaves open.

A whole recurrence is read or what is missing is named; nothing is guessed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Literal, get_args

from agent_core.prompts.language import Language, detect_language
from agent_core.schedules.in_words.answers import answered, chosen
from agent_core.schedules.in_words.commands import (
    ALL_OF_THEM,
    Command,
    matches,
    read_command,
)
from agent_core.schedules.in_words.composing import Missing, alternatives, compose
from agent_core.schedules.in_words.corrections import corrected
from agent_core.schedules.in_words.drafts import Draft, draft_of, unread_draft_of
from agent_core.schedules.in_words.typos import mended
from agent_core.schedules.in_words.words.correcting import NO, YES
from agent_core.schedules.in_words.words.vocabulary import fold, normalise
from agent_core.schedules.rule import Rule
from agent_core.schedules.zones import wall_at, zone_named

__all__ = [
    "ALL_OF_THEM",
    "MAX_CHARS",
    "Command",
    "Missing",
    "Request",
    "matches",
    "read_answer",
    "read_command",
    "read_consent",
    "read_correction",
    "read_request",
]

MAX_CHARS = 2_000
"""A longer text is a document and asks for nothing."""
MAX_CONSENT_CHARS = 60

_LANGUAGES: tuple[Language, ...] = get_args(Language)
_LAST_PLACE = re.compile(r"\s(?:in|im|en|dans)\s(?P<name>[^\W\d_][\w-]{1,79})$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Recurring work that somebody asks for."""

    task: str
    """What is to be done each time; empty exactly if `missing` has "task"."""
    channel: str
    """A channel's name or id without `#`; empty for the one in which it is asked."""
    rule: Rule | None
    """None as long as the day, the time or the zone is missing."""
    missing: frozenset[Missing]
    only_when_new: bool
    language: Language
    alternatives: tuple[Rule, ...] = ()
    """Where the day is missing because the text names several rules: these, of which one can be."""
    channel_is_sure: bool = True
    """Where False, `channel` is the last word of the task, behind "in", and may be no channel."""

    def in_its_channel(self) -> "Request":
        """The same where the last word of the task is a channel indeed."""
        task = _LAST_PLACE.sub("", self.task)
        return replace(self, task=task, channel_is_sure=True)

    def in_no_channel(self) -> "Request":
        """The same where it is none, and belongs to the task."""
        return replace(self, channel="", channel_is_sure=True)


def read_request(text: str, *, zone: str, now: datetime) -> Request | None:
    """The recurring work that a text asks for; None where it asks for none.

    The text is without the bot's mention. A zone that it names wins over `zone`, the asker's.
    """
    draft = _best_draft(text, zone=zone, now=now)
    return _request(draft, zone=zone, now=now) if draft else None


def read_answer(
    texts: str | Sequence[str], answer_text: str, *, zone: str, now: datetime
) -> Request | None:
    """A request together with the answer to the question about what was missing in it.

    `texts` begins with the request; those behind it are the answers to earlier questions. None
    where the first text is no request or the answer says nothing of what was asked. What the
    answer leaves open is still missing.
    """
    first, *further = [texts] if isinstance(texts, str) else texts
    draft = _best_draft(first, zone=zone, now=now)
    for each in further:
        draft = (_answered(draft, each, zone=zone, now=now) if draft else None) or draft
    completed = _answered(draft, answer_text, zone=zone, now=now) if draft else None
    return _request(completed, zone=zone, now=now) if completed else None


def read_correction(request_text: str, text: str, *, zone: str, now: datetime) -> Request | None:
    """A request with the parts that a text names instead of its own: "no, at 10".

    None where the first text is no request, and where the other says anything else beside. Another
    task is named behind "about", "über", "sur" or "sobre" alone.
    """
    draft = _best_draft(request_text, zone=zone, now=now)
    if draft is None or len(text) > MAX_CHARS:
        return None
    plain, today = normalise(text), _today(zone, now)
    found = [
        (reach, -len(request.missing), request)
        for spelt in dict.fromkeys((plain, mended(plain)))
        for language in dict.fromkeys((draft.language, *_LANGUAGES))
        for reach, each in corrected(draft, spelt, language, today)
        if (request := _request(each, zone=zone, now=now))
    ]
    return max(found, key=lambda each: each[:2])[2] if found else None


def read_consent(text: str) -> Literal["yes", "no"] | None:
    """What a whole text says to "Shall I do that?"; None where it says anything else."""
    if len(text) > MAX_CONSENT_CHARS:
        return None
    folded = fold(normalise(text)).strip(" \n!.,")
    if YES.fullmatch(folded):
        return "yes"
    return "no" if NO.fullmatch(folded) else None


def _best_draft(text: str, *, zone: str, now: datetime) -> Draft | None:
    """The draft in the language in which most of the text says when."""
    if len(text) > MAX_CHARS:
        return None
    plain, today = normalise(text), _today(zone, now)
    likely = detect_language(plain)
    for read in (draft_of, unread_draft_of):
        for spelt in dict.fromkeys((plain, mended(plain))):
            drafts = [draft for each in _LANGUAGES if (draft := read(spelt, each, today))]
            if drafts:
                return max(drafts, key=lambda draft: (draft.reach, draft.language == likely))
    return None


def _request(draft: Draft, *, zone: str, now: datetime) -> Request:
    composition = compose(draft.pieces, zone=zone, now=now)
    place = _LAST_PLACE.search(draft.task) if not draft.channels else None
    return Request(
        task=draft.task,
        channel=place["name"] if place else draft.channel,
        rule=composition.rule,
        missing=composition.missing.union(_missing(draft)),
        only_when_new=draft.only_when_new,
        language=draft.language,
        alternatives=tuple(
            rule
            for pieces in alternatives(draft.pieces)
            if (rule := compose(pieces, zone=zone, now=now).rule)
        ),
        channel_is_sure=place is None,
    )


def _missing(draft: Draft) -> Iterable[Missing]:
    if not draft.task:
        yield "task"
    if len(draft.channels) > 1:
        yield "channel"


def _answered(draft: Draft, text: str, *, zone: str, now: datetime) -> Draft | None:
    """The draft with what an answer says of what it lacks; None where it says nothing of that."""
    if len(text) > MAX_CHARS:
        return None
    if one := chosen(draft, text):
        return one
    asked, today = _request(draft, zone=zone, now=now).missing, _today(zone, now)
    plain = normalise(text)
    found: list[tuple[int, int, Draft]] = []
    for spelt in dict.fromkeys((plain, mended(plain))):
        for language in dict.fromkeys((draft.language, *_LANGUAGES)):
            for reach, each in answered(draft, spelt, language, today, asked):
                missing = _request(each, zone=zone, now=now).missing
                if missing < asked:
                    found.append((reach, -len(missing), each))
        if found:
            return max(found, key=lambda each: each[:2])[2]
    return None


def _today(zone: str, now: datetime) -> date:
    try:
        return wall_at(now, zone_named(zone)).date()
    except LookupError:
        return now.astimezone(UTC).date()


def warm_up() -> None:
    """Make ready what the first reading would wait for: some 0.2 s, once a process."""
    read_request("every day at 9 post the news", zone="UTC", now=datetime(2026, 1, 1, tzinfo=UTC))
