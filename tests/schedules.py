"""An order and its schedule, as tests and benches make them: on weekdays at nine in Berlin."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from agent_core.ids import SessionId, UserId
from agent_core.schedules.rule import Rule
from agent_core.schedules.schedule import Order, Schedule, ScheduleId

FRIDAY = datetime(2026, 3, 27, 7, 0, tzinfo=UTC)
WEEKDAYS = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"
_ORDER = Order(
    team="T1",
    place="C1",
    owner=UserId("T1:U1"),
    owner_name="Ann",
    owner_locale="",
    task="battery storage",
    rule=Rule(recurrence=WEEKDAYS, zone="Europe/Berlin", begins=FRIDAY),
    origin=SessionId("T1:C1:1.000001"),
)


def an_order(**changes: Any) -> Order:
    return replace(_ORDER, **changes)


def a_schedule(order: Order = _ORDER, number: int = 1, **changes: Any) -> Schedule:
    schedule = Schedule(
        id=ScheduleId(f"s{number}"),
        number=number,
        order=order,
        status="active",
        reason="",
        failures=0,
        next_due=FRIDAY,
    )
    return replace(schedule, **changes)
