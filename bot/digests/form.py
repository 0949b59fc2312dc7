"""The form in which a digest is ordered or changed. Pure."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import get_args

from agent_core.messages import JsonObject
from agent_core.runtime.schedules import (
    MAX_TASK_CHARS,
    Order,
    Rule,
    WhenNothingNew,
    read_recurrence,
    rule_words,
)
from bot.digests import posts
from bot.render import entry, modal, plain_text, section
from bot.words import BOT

DAYS = (
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    *(f"FREQ=WEEKLY;BYDAY={day}" for day in ("MO", "TU", "WE", "TH", "FR", "SA", "SU")),
    "FREQ=MONTHLY;BYMONTHDAY=1",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
)
NEWS: Mapping[str, WhenNothingNew] = {each: each for each in get_args(WhenNothingNew)}
_TIME = re.compile(r"\s*([01]?\d|2[0-3])[:.]([0-5]\d)\s*")


def form(order: Order, language: str, metadata: str) -> JsonObject:
    """A modal that shows an order as it is; a rule that its menus do not have stays as it is."""
    words, rule = BOT.of(language), order.rule
    days, time = _taken_apart(rule)
    labels = {each: rule_words(_of_days(each, rule), language) for each in DAYS}
    news = {each: words(f"digest-news-{each.replace('_', '-')}") for each in NEWS}
    channels = {
        "type": "conversations_select",
        "initial_conversation": order.place,
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }
    label = words("digest-form-time", zone=rule.zone)
    times = [section(rule_words(rule, language))]
    if days:
        times = [
            entry("days", words("digest-form-days"), _menu(labels, days)),
            entry("time", label, _text(time)),
        ]
    return modal(
        f"{posts.PREFIX}form",
        words("digest-form-title"),
        words("digest-form-save"),
        words("digest-button-cancel"),
        private_metadata=metadata,
        blocks=[
            entry("task", words("digest-form-task"), _text(order.task, multiline=True)),
            *times,
            entry("channel", words("digest-form-channel"), channels),
            entry("news", words("digest-form-news"), _menu(news, order.when_nothing_new)),
        ],
    )


def read_form(
    values: Mapping[str, str], order: Order, language: str, now: datetime
) -> Order | dict[str, str]:
    """The order with what was written, or what is wrong with that by the id of its block."""
    words, rule = BOT.of(language), order.rule
    task = " ".join(values.get("task", "").split())
    if not task:
        return {"task": words("digest-form-task")}
    if days := values.get("days"):
        time = _TIME.fullmatch(values.get("time") or "")
        if time is None:
            return {"time": words("digest-form-time-unclear")}
        recurrence = f"{days};BYHOUR={int(time[1])};BYMINUTE={int(time[2])}"
        if recurrence != rule.recurrence:
            rule = replace(rule, recurrence=recurrence, begins=_minute(now))
    return replace(
        order,
        task=task,
        rule=rule,
        place=values.get("channel") or order.place,
        when_nothing_new=NEWS.get(values.get("news", ""), order.when_nothing_new),
    )


def on_weekdays(zone: str, now: datetime, time: str = "") -> Rule:
    """With what the form of a new digest begins: at a person's usual time, or else at nine."""
    hour, minute = (time or "09:00").split(":")
    recurrence = f"{DAYS[1]};BYHOUR={int(hour)};BYMINUTE={int(minute)}"
    return Rule(recurrence=recurrence, zone=zone or "UTC", begins=_minute(now))


def _taken_apart(rule: Rule) -> tuple[str, str]:
    """The days of a rule as the menu has them, and its time; empty where the menu has not."""
    read = read_recurrence(rule.recurrence)
    for days in DAYS:
        for hour, minute in zip(read.hours[:1], read.minutes[:1] or (0,), strict=False):
            if read == read_recurrence(f"{days};BYHOUR={hour};BYMINUTE={minute}"):
                return days, f"{hour:02}:{minute:02}"
    return "", ""


def _of_days(days: str, rule: Rule) -> Rule:
    return Rule(recurrence=days, zone=rule.zone, begins=datetime(2026, 1, 1, 12, 1, tzinfo=UTC))


def _text(value: str, *, multiline: bool = False) -> JsonObject:
    return {
        "type": "plain_text_input",
        "initial_value": value[:MAX_TASK_CHARS],
        "max_length": MAX_TASK_CHARS,
        "multiline": multiline,
    }


def _menu(labels: Mapping[str, str], chosen: str) -> JsonObject:
    options = {name: {"text": plain_text(label), "value": name} for name, label in labels.items()}
    return {
        "type": "static_select",
        "options": list(options.values()),
        "initial_option": options[chosen],
    }


def _minute(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(second=0, microsecond=0)
