"""Orders as people write them, and the schedules that come of them."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from agent_core.messages import InboundMessage
from agent_core.prompts.language import Language, detect_language
from agent_core.schedules.reading import Request, read_correction
from agent_core.schedules.schedule import Schedule, ScheduleId
from agent_core.schedules.spoken import rule_words
from bot.digests.words import WORDS, Missing
from bot.render import Draft

_ASKED_FIRST: tuple[Missing, ...] = ("task", "day", "time", "zone", "channel")
_SUBJECT = "ThisSubject"
"""Stands for the task while a correction is read: a task may say anything, even a day."""
_ORDERED: Mapping[Language, str] = {
    "en": "{when} post a digest on {task} in #{place}",
    "de": "{when} poste einen Digest über {task} in #{place}",
    "fr": "{when} publie un digest sur {task} dans #{place}",
    "es": "{when} publica un digest sobre {task} en #{place}",
}


def schedule_id(key: str) -> ScheduleId:
    """The id of what a message orders: the same however often it is taken up."""
    return ScheduleId(hashlib.sha256(key.encode()).hexdigest()[:16])


def language_of(schedule: Schedule) -> Language:
    """The language in which a schedule is told."""
    return detect_language(schedule.order.task, locale=schedule.order.owner_locale)


def corrected(schedule: Schedule, text: str, now: datetime) -> Request | None:
    """What a schedule becomes by words such as "at 10"; None where they are no correction."""
    order, language = schedule.order, language_of(schedule)
    ordered = _ORDERED[language].format(
        when=rule_words(order.rule, language), task=_SUBJECT, place=order.place
    )
    request = read_correction(ordered, text, zone=order.rule.zone, now=now)
    if request is None:
        return None
    return replace(
        request,
        task=order.task if request.task == _SUBJECT else request.task,
        only_when_new=request.only_when_new or order.when_nothing_new == "be_silent",
        language=language,
    )


def question(request: Request, message: InboundMessage) -> Draft:
    """One question, for what is missing first."""
    missing = min(request.missing, key=_ASKED_FIRST.index)
    words = WORDS[request.language]
    if missing == "day" and request.alternatives:
        *further, last = [rule_words(rule, request.language) for rule in request.alternatives]
        asked = words.ask_which_rule.format(first=", ".join(further), second=last)
        return Draft(text=asked)
    return Draft(text=words.ask[missing].format(zone=message.author_zone or "UTC"))
