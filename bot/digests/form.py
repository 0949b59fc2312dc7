"""The form in which a digest is changed, and what was written into it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from agent_core.messages import JsonObject
from agent_core.prompts.language import Language
from agent_core.schedules.reading import read_request
from agent_core.schedules.rule import Rule
from agent_core.schedules.schedule import Schedule, WhenNothingNew
from agent_core.schedules.spoken import rule_words
from bot.digests.posts import PREFIX
from bot.digests.words import WORDS, Words

MAX_TASK_CHARS = 1_000
MAX_WHEN_CHARS = 200
SUBJECT = "digest"
"""Stands for the task when the words of the time are read alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What a person wants, as the form has it."""

    task: str
    rule: Rule
    channel: str
    when_nothing_new: WhenNothingNew


def form(schedule: Schedule, language: Language, *, place: str) -> JsonObject:
    """A modal that shows the schedule as it is.

    Args:
        schedule: What is changed.
        language: Of the labels.
        place: Where it was asked for, a session's id: the answer is told there.
    """
    words, order = WORDS[language], schedule.order
    when = rule_words(order.rule, language)
    return {
        "type": "modal",
        "callback_id": f"{PREFIX}form",
        "private_metadata": f"{schedule.id} {language} {place}",
        "title": _plain(words.form_title),
        "submit": _plain(words.form_save),
        "close": _plain(words.buttons["cancel"]),
        "blocks": [
            _input("task", words.form_task, _text(order.task, MAX_TASK_CHARS, multiline=True)),
            _input("when", words.form_when, _text(when, MAX_WHEN_CHARS)),
            _input("channel", words.form_channel, _channels(order.place)),
            _input("news", words.form_news, _news(words, order.when_nothing_new)),
        ],
    }


def read_form(
    values: Mapping[str, str], schedule: Schedule, language: Language, now: datetime
) -> Filled | dict[str, str]:
    """What was written, or what is wrong with it by the id of its block."""
    words, order = WORDS[language], schedule.order
    when = values.get("when", "")
    rule = order.rule
    if when.strip() != rule_words(order.rule, language):
        read = read_request(f"{when} {SUBJECT}", zone=order.rule.zone, now=now)
        if read is None or read.rule is None or read.missing & {"time", "day", "zone"}:
            return {"when": words.form_unclear}
        rule = read.rule
    task = " ".join(values.get("task", "").split())
    if not task:
        return {"task": words.form_task}
    return Filled(
        task=task[:MAX_TASK_CHARS],
        rule=rule,
        channel=values.get("channel") or order.place,
        when_nothing_new=cast("WhenNothingNew", values.get("news") or order.when_nothing_new),
    )


def _input(name: str, label: str, element: JsonObject) -> JsonObject:
    named = {**element, "action_id": name}
    return {"type": "input", "block_id": name, "label": _plain(label), "element": named}


def _text(value: str, max_length: int, *, multiline: bool = False) -> JsonObject:
    return {
        "type": "plain_text_input",
        "initial_value": value[:max_length],
        "max_length": max_length,
        "multiline": multiline,
    }


def _channels(channel: str) -> JsonObject:
    return {
        "type": "conversations_select",
        "initial_conversation": channel,
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }


def _news(words: Words, chosen: WhenNothingNew) -> JsonObject:
    labels: dict[WhenNothingNew, str] = {
        "post": words.news_post,
        "say_so": words.news_say_so,
        "be_silent": words.news_silent,
    }
    options = {name: {"text": _plain(label), "value": name} for name, label in labels.items()}
    return {
        "type": "static_select",
        "options": list(options.values()),
        "initial_option": options[chosen],
    }


def _plain(text: str) -> JsonObject:
    return {"type": "plain_text", "text": text[:75]}
