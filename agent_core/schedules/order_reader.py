"""Orders for digests: the small model reads what a person wants, and code checks what it read.

A grammar is not needed to be safe. The model gets the person's own words and schedules alone, its
only tool fills in a form, what it filled in must stand in those words, and it becomes no more than
a proposal that its owner agrees to.
"""

import asyncio
import re
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agent_core.errors import ModelError
from agent_core.ids import UserId
from agent_core.messages import user_message
from agent_core.models import Model, ModelRequest, Reply, ToolSpec
from agent_core.schedules.rule import (
    FIRST_YEAR,
    LAST_YEAR,
    BadRule,
    Fault,
    Rule,
    check_rule,
    read_recurrence,
    wall_at,
)
from agent_core.schedules.rule import zone_named as zone_of
from agent_core.schedules.schedule import Schedule

READ_ORDER = "read_order"
MAX_ORDER_CHARS = 2_000
"""A longer text is a document and orders nothing."""
MAX_TASK_CHARS = 1_000
MAX_YEARS_AHEAD = 10
PATIENCE_S = 8.0

_STEMS = (
    "digest", "every", "each", "daily", "hourly", "weekly", "monthly", "yearly", "quarterly",
    "weekday", "regularly", "from now on", "jede", "täglich", "wöchentlich", "monatlich", "werktag",
    "regelmäßig", "montags", "dienstags", "mittwochs", "donnerstags", "freitags", "chaque",
    "tous les", "toutes les", "quotidien", "hebdomadaire", "mensuel", "cada", "todos los",
    "todas las", "diario", "semanal", "ogni", "tutti i", "settimanal", "elke", "iedere",
    "dagelijks", "wekelijks", "todos os", "todas as", "diariamente", "毎", "ダイジェスト",
)  # fmt: skip
"""Of words in most orders. They only save a call: what has none of them is the classifier's."""
_DIGESTS = ("digest", "ダイジェスト")
_SMELL = re.compile(
    "|".join(rf"(?<![^\W_]){re.escape(stem)}" for stem in _STEMS if stem[0] < "\u3000")
)
_JAPANESE = tuple(stem for stem in _STEMS if stem[0] >= "\u3000")
_QUOTED = re.compile(r"^[ \t]*>.*$|```.*?(?:```|\Z)", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"\w")

Intent = Literal["order", "change", "list", "pause", "resume", "run", "delete", "none"]
Missing = Literal["", "task", "day", "time", "channel", "which"]
_CHANGES = {"task", "channel", "reads", "rrule", "zone", "begins", "ends", "only_when_new"}


class ReaderAway(Exception):
    """The small model gave no reading: it has no key, fails, or is late."""


class OrderDraft(BaseModel):
    """What a person wants of digests. Nothing of it holds before it is checked."""

    model_config = ConfigDict(extra="ignore")

    intent: Intent
    which: int | None = None
    task: str = ""
    channel: str = ""
    reads: str = ""
    rrule: str = ""
    zone: str = ""
    begins: date | None = Field(default=None, description="2026-05-01")
    ends: datetime | None = Field(default=None, description="2026-05-31T17:00")
    only_when_new: bool | None = None
    question: str = Field(default="", max_length=2_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a person wrote, and what it may be about."""

    text: str
    asker: UserId
    now: datetime
    zone: str
    """The asker's; empty where nobody knows it."""
    channels: tuple[str, ...] = ()
    """The channels that the words name, as the surface spells them."""
    earlier: tuple[str, ...] = ()
    """The asker's own earlier words about the pending order."""
    pending: OrderDraft | None = None
    """What they ordered and did not agree to yet, or was asked back about."""
    schedules: tuple[Schedule, ...] = ()
    """Those that the asker may know of."""
    here: Schedule | None = None
    """The one that the thread is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a person wants, checked; `intent` "none" where it is nothing about digests."""

    intent: Intent
    schedule: Schedule | None = None
    """Which one is meant; None where the pending order is, or a new one."""
    draft: OrderDraft | None = None
    """Of an order or a change: the order as it is now, with all that was known before."""
    rule: Rule | None = None
    """Of an order or a change to which nothing is missing."""
    missing: Missing = ""
    """What is asked for, with `question` or with words of the surface's."""
    question: str = ""
    fault: Fault | Literal["", "not_there"] = ""
    """Why it cannot be."""


NO_ORDER = OrderDraft(intent="none")


def smells_of_order(text: str) -> bool:
    """Whether it is worth a call to ask if a text orders something."""
    low = text.casefold()
    return len(text) <= MAX_ORDER_CHARS and (
        _SMELL.search(low) is not None or any(stem in low for stem in _JAPANESE)
    )


def says_digest(text: str) -> bool:
    """Whether a text speaks of digests by name."""
    return any(stem in text.casefold() for stem in _DIGESTS)


def own_words(text: str) -> str:
    """A text without what it quotes."""
    return _QUOTED.sub("\n", text).strip()


class OrderReader:
    """Asks the small model once for a message; its answer is checked before anybody sees it."""

    def __init__(self, model: Model, *, patience_s: float = PATIENCE_S) -> None:
        self._model = model
        self._patience_s = patience_s

    async def draft(self, said: Said) -> OrderDraft:
        """What the model reads in a person's words; for `check_draft` to look at.

        Raises:
            ReaderAway: the model is not there, fails, or is late.
        """
        if len(said.text) > MAX_ORDER_CHARS or not own_words(said.text):
            return NO_ORDER
        request = ModelRequest(
            system=_instructions(),
            messages=(user_message(briefing(said)),),
            tools=(READ_ORDER_SPEC,),
            must_call=READ_ORDER,
            max_tokens=1_000,
            effort="low",
        )
        try:
            async with asyncio.timeout(self._patience_s):
                reply = await _whole(self._model, request)
        except (ModelError, TimeoutError) as error:
            raise ReaderAway(str(error)) from error
        calls = [call for call in reply.message.tool_calls if call.name == READ_ORDER]
        try:
            [call] = calls
            return OrderDraft.model_validate(call.arguments)
        except ValueError:  # of pydantic, or not one call
            return NO_ORDER


def briefing(said: Said) -> str:
    """All that the model is told: no words but the person's own."""
    zone = _zone(said.zone)
    own = [each for each in said.schedules if each.order.owner == said.asker]
    others = [str(each.number) for each in said.schedules if each.order.owner != said.asker]
    lines = [
        f"Now: {wall_at(said.now, zone_of(zone)):%A, %Y-%m-%d %H:%M}",
        f"Zone of the person: {zone}",
        f"Channels in the message: {' '.join(said.channels) or '(none)'}",
        "Their digests:" if own else "Their digests: (none)",
        *(_listed(each) for each in own),
    ]
    if others:
        lines.append(f"Digests of others, by number alone: {', '.join(others)}")
    if said.here is not None:
        lines.append(f"The thread is about digest {said.here.number}.")
    if said.pending is not None:
        lines.append(f"Pending: {said.pending.model_dump_json(exclude_defaults=True)}")
    words = own_words(said.text).replace("<message>", "").replace("</message>", "")
    return "\n".join([*lines, "<message>", words, "</message>"])


def check_draft(draft: OrderDraft, said: Said) -> Reading:
    """What holds of a draft; a proposal only where all of it stands in the person's own words."""
    match draft.intent:
        case "none" | "list":
            named = draft.channel if draft.channel in said.channels else ""
            return Reading(intent=draft.intent, draft=OrderDraft(intent="list", channel=named))
        case "order" if draft.task or said.pending is None:
            return _ordered(draft, None, said)
        case "order" | "change":
            return _changed(draft, said)
        case "pause" | "resume" | "run" | "delete":
            if draft.intent == "delete" and draft.which is None and said.pending is not None:
                return Reading(intent="delete")
            return _meant(draft, said)


def _changed(draft: OrderDraft, said: Said) -> Reading:
    """The pending order or a stored one, with what is different; a draft only where anything is."""
    draft = draft.model_copy(update={"intent": "change"})
    meant = Reading(intent="change")
    known = said.pending
    if known is None or draft.which is not None or known.which is not None:
        which = draft.which if draft.which is not None else known and known.which
        meant = _meant(draft.model_copy(update={"which": which}), said)
        if meant.schedule is None:
            return meant
        is_known = known is not None and known.which == meant.schedule.number
        known = known if known is not None and is_known else _as_draft(meant.schedule)
    told = draft.model_dump(include=_CHANGES, exclude_defaults=True)
    if not told and not draft.question:
        return meant
    merged = known.model_copy(update={**told, "question": draft.question})
    return _ordered(merged, meant.schedule, said)


def _meant(draft: OrderDraft, said: Said) -> Reading:
    """The schedule that is meant: by its number, by the thread, or as the only one it can be."""
    own = [each for each in said.schedules if each.order.owner == said.asker]
    if draft.which is not None:
        found = [each for each in said.schedules if each.number == draft.which]
    else:
        found = [said.here] if said.here is not None else own
    if len(found) == 1:
        return Reading(intent=draft.intent, schedule=found[0])
    if found:
        return Reading(intent=draft.intent, missing="which")
    return Reading(intent=draft.intent, fault="not_there")


def _ordered(draft: OrderDraft, schedule: Schedule | None, said: Said) -> Reading:
    """An order that is whole becomes a rule; of another one, one thing is asked or refused."""
    known = (schedule.order.task if schedule else "", said.pending.task if said.pending else "")
    task = draft.task if draft.task in known and draft.task else _copied(draft.task, said)
    checked = draft.model_copy(update={"task": task, "zone": draft.zone or _zone(said.zone)})
    base = Reading(intent="change" if schedule else "order", schedule=schedule, draft=checked)
    allowed = {"", *said.channels, said.pending.channel if said.pending else ""}
    if not {draft.channel, draft.reads} <= allowed | {said.pending.reads if said.pending else ""}:
        named = checked.model_copy(update={"channel": "", "reads": ""})
        return replace(base, draft=named, missing="channel")
    question = " ".join(draft.question.split())[:300]
    if not _WORD.search(task):
        asks_more = not draft.task and bool(question)
        return replace(base, missing="task", question=question if asks_more else "")
    if question:
        return replace(base, missing="day", question=question)
    return _timed(checked, base, said)


def _timed(draft: OrderDraft, base: Reading, said: Said) -> Reading:
    recurrence = draft.rrule.strip().removeprefix("RRULE:").removesuffix(";")
    if not recurrence:
        return replace(base, missing="day")
    try:
        rule = _rule(recurrence, draft, base, said)
        check_rule(rule, said.now)
    except BadRule as bad:
        return replace(base, fault=bad.reason)
    read = read_recurrence(recurrence)
    if not read.hours and read.frequency in ("DAILY", "WEEKLY", "MONTHLY", "YEARLY"):
        return replace(base, missing="time")
    return replace(base, rule=rule)


def _rule(recurrence: str, draft: OrderDraft, base: Reading, said: Said) -> Rule:
    try:
        zone = zone_of(draft.zone)
    except LookupError as error:
        raise BadRule("unknown_zone", "There is no time zone of this name.") from error
    if draft.begins is not None and draft.begins.year > said.now.year + MAX_YEARS_AHEAD:
        raise BadRule("never", "It would not begin within ten years.")
    begins = said.now.astimezone(UTC).replace(second=0, microsecond=0)
    if draft.begins is not None and draft.begins > wall_at(said.now, zone).date():
        begins = datetime.combine(draft.begins, time(), tzinfo=zone).astimezone(UTC)
    elif base.schedule is not None:
        begins = base.schedule.order.rule.begins
    ends = draft.ends if draft.ends is None or draft.ends.year <= LAST_YEAR else None
    if ends is not None and ends.year < FIRST_YEAR:
        raise BadRule("over", "The last of these times has passed.")
    if ends is not None and ends.tzinfo is None:
        is_day = ends.time() == time()
        ends = ends + timedelta(days=1, seconds=-1) if is_day else ends
        ends = ends.replace(tzinfo=zone)
    return Rule(
        recurrence=recurrence,
        zone=draft.zone,
        begins=begins,
        ends=ends.astimezone(UTC) if ends is not None else None,
    )


def _as_draft(schedule: Schedule) -> OrderDraft:
    """A stored order as the model would have read it; its channel stays where it is not named."""
    order = schedule.order
    return OrderDraft(
        intent="change",
        which=schedule.number,
        task=order.task,
        rrule=order.rule.recurrence,
        zone=order.rule.zone,
        ends=order.rule.ends,
        only_when_new=order.when_nothing_new == "be_silent",
    )


def _copied(task: str, said: Said) -> str:
    """The task as it stands in the person's own words, with their capitals; empty if it does not.

    White space counts once, as it is read.
    """
    wanted = " ".join(task.split())
    if not wanted or len(wanted) > MAX_TASK_CHARS:
        return ""
    for text in (said.text, *said.earlier):
        own = " ".join(own_words(text).split())
        if (place := own.casefold().find(wanted.casefold())) >= 0:
            same = own[place : place + len(wanted)]
            return same if same.casefold() == wanted.casefold() else wanted
    return ""


def _zone(zone: str) -> str:
    try:
        return zone_of(zone).key
    except LookupError:
        return "UTC"


def _listed(schedule: Schedule) -> str:
    order = schedule.order
    told = f"{schedule.number}. {' '.join(order.task.split())} | {order.rule.recurrence}"
    return f"{told} | {order.rule.zone} | {schedule.status}"


async def _whole(model: Model, request: ModelRequest) -> Reply:
    async with aclosing(model.stream(request)) as stream:
        async for item in stream:
            if isinstance(item, Reply):
                return item
    raise TimeoutError


@cache
def _instructions() -> str:
    return (files("agent_core.schedules") / "order.md").read_text(encoding="utf-8").strip()


READ_ORDER_SPEC = ToolSpec(
    name=READ_ORDER,
    description="Says what the person wants of digests, in fields.",
    input_schema=OrderDraft.model_json_schema(),
)
