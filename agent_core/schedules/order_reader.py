"""Reader of orders for digests: the small model fills in a form, and code checks the form.

No grammar is needed to be safe. The model gets the person's own words and schedules alone, its
only tool is the form, every value must stand in those words, and the result is a proposal that its
owner has to agree to.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from agent_core.clock import find_zone
from agent_core.errors import ModelError
from agent_core.ids import UserId
from agent_core.messages import Payer, user_message
from agent_core.models import Model, ModelRequest, ToolSpec, filled_form
from agent_core.prompts import prompt
from agent_core.schedules.rule import (
    ELAPSED,
    LAST_YEAR,
    BadRule,
    Rule,
    RuleFault,
    check_rule,
    read_recurrence,
    wall_at,
    zone_named,
)
from agent_core.schedules.schedule import Schedule

READ_ORDER = "read_order"
MAX_ORDER_CHARS = 2_000
"""A longer text is a document and orders nothing."""
MAX_TASK_CHARS = 1_000
PATIENCE_S = 8.0

_QUOTED = re.compile(r"^[ \t]*>.*$|```.*?(?:```|\Z)", re.MULTILINE | re.DOTALL)

Intent = Literal["order", "change", "list", "pause", "resume", "run", "delete", "none"]
Missing = Literal["", "task", "day", "time", "channel", "which"]


class ReaderAway(Exception):
    """The small model gave no reading: it has no key, fails, or is late."""


class OrderDraft(BaseModel):
    """What a person wants of digests. Nothing of it holds before it is checked."""

    intent: Intent
    which: int | None = None
    same_as: int | None = None
    task: str = ""
    channel: str = ""
    reads: str = ""
    rrule: str = ""
    zone: str = ""
    begins: datetime | None = Field(default=None, description="2026-05-01")
    ends: datetime | None = Field(default=None, description="2026-05-31 or 2026-05-29T12:00")
    """On the clocks of the zone; midnight stands for the whole day."""
    only_when_new: bool | None = None
    question: str = Field(default="", max_length=2_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderMessage:
    """What a person wrote, and what it may be about."""

    text: str
    asker: UserId
    now: datetime
    zone: str
    """The asker's; empty where nobody knows it."""
    channels: tuple[str, ...] = ()
    """The channels that the words name, as the surface spells them."""
    pending: OrderDraft | None = None
    """What they ordered and did not agree to yet, or was asked back about."""
    schedules: tuple[Schedule, ...] = ()
    """Those that may be meant; the model is told of the asker's own."""
    here: Schedule | None = None
    """The one that the thread is about."""
    payer: Payer | None = None
    usual_time: str = ""
    """Taken where they name no time, such as `07:30`; empty where they are asked then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderReading:
    """What a person wants, checked; `intent` "none" where it is nothing about digests."""

    intent: Intent
    schedule: Schedule | None = None
    """Which one is meant; None where the pending order is, or a new one."""
    draft: OrderDraft | None = None
    """Of an order or a change: the order as it is now, with all that was known before.

    Of a list: the channel that is asked about, if there is one.
    """
    rule: Rule | None = None
    """Of an order or a change to which nothing is missing."""
    missing: Missing = ""
    """What is asked for, with `question` or with words of the surface's."""
    question: str = ""
    fault: RuleFault | Literal["", "not_there"] = ""
    """Why it cannot be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingOrder:
    """What one person ordered in one thread and has not settled; empty where nothing waits."""

    heard_at: datetime | None = None
    """The moment of their newest message about it; None before the first."""
    language: str = ""
    """Of their words about it."""
    draft: OrderDraft | None = None
    """What is known of it."""
    proposal: str = ""
    """The key of the message that led to the newest proposal."""


NO_ORDER = OrderDraft(intent="none")


def own_words(text: str) -> str:
    """A text without what it quotes."""
    return _QUOTED.sub("\n", text).strip()


class OrderReader:
    """Asks the small model once for a message; its answer is checked before anybody sees it."""

    def __init__(self, model: Model, *, patience_s: float = PATIENCE_S) -> None:
        self._model = model
        self._patience_s = patience_s

    async def draft(self, message: OrderMessage) -> OrderDraft:
        """What the model reads in a person's words, for `check_draft`. Raises ReaderAway."""
        if len(message.text) > MAX_ORDER_CHARS or not own_words(message.text):
            return NO_ORDER
        request = ModelRequest(
            system=prompt("read_order"),
            messages=(user_message(briefing(message)),),
            tools=(READ_ORDER_SPEC,),
            must_call=READ_ORDER,
            max_tokens=1_000,
            effort="low",
            payer=message.payer,
        )
        try:
            draft, _ = await filled_form(
                self._model, request, OrderDraft, patience_s=self._patience_s
            )
        except (ModelError, TimeoutError) as error:
            raise ReaderAway(str(error)) from error
        return draft or NO_ORDER


def briefing(message: OrderMessage) -> str:
    """All that the model is told: no words but the person's own."""
    zone = _zone_of(message)
    own = [each for each in message.schedules if each.order.owner == message.asker]
    lines = [
        f"Now: {wall_at(message.now, zone):%A, %Y-%m-%d %H:%M}",
        f"Zone of the person: {zone.key}",
        f"Channels in the message: {' '.join(message.channels) or '(none)'}",
        "Their digests:" if own else "Their digests: (none)",
    ]
    for each in own:
        task = " ".join(each.order.task.split())
        rule = each.order.rule
        lines.append(f"{each.number}. {task} | {rule.recurrence} | {rule.zone} | {each.status}")
    if message.usual_time:
        lines.append(f"Where they name no time it is {message.usual_time}: do not ask for one.")
    if message.here is not None:
        lines.append(f"The thread is about digest {message.here.number}.")
    if message.pending is not None:
        lines.append(f"Pending: {message.pending.model_dump_json(exclude_defaults=True)}")
    words = own_words(message.text).replace("<message>", "").replace("</message>", "")
    return "\n".join([*lines, "<message>", words, "</message>"])


def _zone_of(message: OrderMessage) -> ZoneInfo:
    return find_zone(message.zone) or zone_named("UTC")


def check_draft(draft: OrderDraft, message: OrderMessage) -> OrderReading:
    """What holds of a draft; a proposal only where all of it stands in the person's own words."""
    match draft.intent:
        case "none" | "list":
            return OrderReading(intent=draft.intent, draft=draft)
        case "order" if draft.task or message.pending is None:
            return _ordered(draft, None, message)
        case "order" | "change":
            return _changed(draft, message)
        case "delete" if draft.which is None and message.pending is not None:
            return OrderReading(intent="delete")
        case "pause" | "resume" | "run" | "delete":
            return _meant(draft.intent, draft.which, message)


def _changed(draft: OrderDraft, message: OrderMessage) -> OrderReading:
    """The pending order or a stored one, with what is different; a draft only where anything is."""
    reading = OrderReading(intent="change")
    known = message.pending
    which = draft.which
    if which is None and known is not None:
        which = known.which
    if known is None or which is not None:
        reading = _meant("change", which, message)
        if reading.schedule is None:
            return reading
        if known is None or known.which != reading.schedule.number:
            known = _as_draft(reading.schedule)
    changes = draft.model_dump(exclude={"intent", "which", "question"}, exclude_defaults=True)
    if not changes and not draft.question:
        return reading
    changes["question"] = draft.question
    return _ordered(known.model_copy(update=changes), reading.schedule, message)


def _meant(intent: Intent, which: int | None, message: OrderMessage) -> OrderReading:
    """The schedule that is meant: by its number, by the thread, or as the only one it can be."""
    if which is not None:
        candidates = [each for each in message.schedules if each.number == which]
    elif message.here is not None:
        candidates = [message.here]
    else:
        candidates = [each for each in message.schedules if each.order.owner == message.asker]
    if not candidates:
        return OrderReading(intent=intent, fault="not_there")
    if len(candidates) > 1:
        return OrderReading(intent=intent, missing="which")
    return OrderReading(intent=intent, schedule=candidates[0])


def _ordered(draft: OrderDraft, schedule: Schedule | None, message: OrderMessage) -> OrderReading:
    """An order that is whole becomes a rule; of another one, one thing is asked or refused."""
    pending = message.pending or NO_ORDER
    known_tasks = [pending.task, schedule.order.task if schedule else ""]
    task = draft.task
    if task not in known_tasks:
        task = _copied(task, message.text)
    zone = draft.zone or _zone_of(message).key
    draft = draft.model_copy(update={"task": task, "zone": zone})
    intent = "change" if schedule else "order"
    reading = OrderReading(intent=intent, schedule=schedule, draft=draft)
    known_channels = {"", *message.channels, pending.channel, pending.reads}
    if not known_channels.issuperset({draft.channel, draft.reads}):
        without_channels = draft.model_copy(update={"channel": "", "reads": ""})
        return replace(reading, draft=without_channels, missing="channel")
    if not task or draft.question or not draft.rrule:
        missing = "day" if task else "task"
        return replace(reading, missing=missing, question=draft.question)
    try:
        rule = _rule(draft, schedule, message)
        check_rule(rule, message.now)
    except BadRule as bad:
        return replace(reading, fault=bad.reason)
    recurrence = read_recurrence(rule.recurrence)
    if recurrence.hours or recurrence.frequency in ELAPSED:
        return replace(reading, rule=rule)
    if not message.usual_time:
        return replace(reading, missing="time")
    hour, minute = map(int, message.usual_time.split(":"))
    rrule = f"{draft.rrule};BYHOUR={hour};BYMINUTE={minute}"
    timed = draft.model_copy(update={"rrule": rrule})
    return _ordered(timed, schedule, message)


def _rule(draft: OrderDraft, schedule: Schedule | None, message: OrderMessage) -> Rule:
    zone = zone_named(draft.zone)
    today = wall_at(message.now, zone).date()
    if draft.begins is not None and draft.begins.date() > today:
        midnight = datetime.combine(draft.begins, time(), tzinfo=zone)
        begins = midnight.astimezone(UTC)
    elif schedule is not None:
        begins = schedule.order.rule.begins
    else:
        begins = message.now.astimezone(UTC).replace(second=0, microsecond=0)
    ends = None
    if draft.ends is not None and draft.ends.year <= LAST_YEAR:
        last_time = draft.ends.time()
        if last_time == time():
            last_time = time(23, 59, 59)
        ends = datetime.combine(draft.ends, last_time, tzinfo=zone).astimezone(UTC)
    recurrence = draft.rrule.strip().removeprefix("RRULE:").removesuffix(";")
    return Rule(
        recurrence=recurrence,
        zone=draft.zone,
        begins=begins,
        ends=ends,
    )


def _as_draft(schedule: Schedule) -> OrderDraft:
    """A stored order as the model would have read it; its channel stays where it is not named."""
    order = schedule.order
    rule = order.rule
    return OrderDraft(
        intent="change",
        which=schedule.number,
        task=order.task,
        rrule=rule.recurrence,
        zone=rule.zone,
        ends=wall_at(rule.ends, zone_named(rule.zone)) if rule.ends else None,
        only_when_new=order.when_nothing_new == "be_silent",
    )


def _copied(task: str, text: str) -> str:
    """The task as it stands in the person's own words, with their capitals; empty if it does not.

    White space counts once, as it is read.
    """
    wanted = " ".join(task.split())
    own = " ".join(own_words(text).split())
    if len(wanted) > MAX_TASK_CHARS or not re.search(r"\w", wanted):
        return ""
    match = re.search(re.escape(wanted), own, re.IGNORECASE)
    return match[0] if match else ""


READ_ORDER_SPEC = ToolSpec(
    name=READ_ORDER,
    description="Says what the person wants of digests, in fields.",
    input_schema=OrderDraft.model_json_schema(),
)
