"""A schedule, its slots and its reports, as the tests of posts need them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from bot.digests.report import Report, divide

from agent_core.ids import SessionId, UserId
from agent_core.prompts.language import Language
from agent_core.schedules.rule import Rule
from agent_core.schedules.schedule import Order, Schedule, ScheduleId, Slot
from bot.digests.posts import Telling

LANGUAGES: tuple[Language, ...] = get_args(Language)
NOW = datetime(2026, 3, 27, 8, tzinfo=UTC)
RULE = Rule(
    recurrence="FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0",
    zone="Europe/Berlin",
    begins=datetime(2026, 3, 2, 8, 30, tzinfo=UTC),
)
LONG_RULE = replace(
    RULE,
    recurrence="FREQ=DAILY;BYHOUR=" + ",".join(map(str, range(24))) + ";BYMINUTE=0,15,30,45",
    zone="America/Argentina/ComodRivadavia",
)
ORDER = Order(
    team="T1",
    place="C0NEWS",
    owner=UserId("T1:U1"),
    owner_name="Ann",
    owner_locale="en-US",
    task="battery storage",
    rule=RULE,
    when_nothing_new="post",
    origin=SessionId("T1:C1:1.000000"),
)
SCHEDULE = Schedule(
    id=ScheduleId("0123456789abcdef"),
    number=3,
    order=ORDER,
    status="active",
    reason="",
    failures=0,
    next_due=datetime(2026, 3, 30, 7, tzinfo=UTC),
    created_at=NOW,
)
SLOT = Slot(
    schedule=SCHEDULE.id, at=NOW, state="begun", claimed_at=NOW, left_out=0, by_hand=False, root=""
)
ANSWER = """\
# Battery storage grows
- Spain approves 2 GW, 20 March, [El Mundo](https://elmundo.example/spain)
- A plant in Essen opens, 19 March, [WAZ](https://waz.example/essen)
---
More.
"""
BEFORE = NOW - timedelta(days=1)

_PING = re.compile(r"<[@!#][^>]*>|@(?:here|channel|everyone)\b", re.IGNORECASE)


def schedule(
    task: str = "battery storage",
    mode: str = "post",
    status: str = "active",
    reason: str = "",
    rule: Rule = RULE,
    number: int = 3,
    place: str = "C0NEWS",
    zone: str = "",
) -> Schedule:
    order = replace(
        ORDER, task=task, when_nothing_new=mode, rule=rule, place=place, owner_zone=zone
    )
    due = SCHEDULE.next_due if status == "active" else None
    return replace(SCHEDULE, order=order, status=status, reason=reason, number=number, next_due=due)


def telling(before: datetime | None = None, of: Schedule = SCHEDULE, **slot: Any) -> Telling:
    return Telling(schedule=of, slot=replace(SLOT, **slot), before=before)


def report(answer: str = ANSWER, sources: Sequence[str] = ()) -> Report:
    return divide(answer, task="t", pages=[], known_sources=sources, known_claims=[])


def everything(_url: str) -> bool:
    return True


def nothing(_url: str) -> bool:
    return False


def pings(text: str) -> set[str]:
    return set(_PING.findall(text))
