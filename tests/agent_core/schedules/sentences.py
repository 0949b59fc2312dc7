"""What the tests of reading share: the tables of sentences, and a moment to read them at."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from agent_core.schedules.reading import (
    Request,
    read_request,
)
from agent_core.schedules.rule import Rule

HERE = Path(__file__).parent
BERLIN = "Europe/Berlin"
NOW = datetime(2026, 3, 27, 7, 59, 50, 250_000, tzinfo=UTC)
"""A Friday, ten seconds before nine in Berlin, two days before its clocks change."""

Row = tuple[str, str, str, str, str]


def rows_of(name: str) -> Iterator[str]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return (line for line in lines if line and not line.startswith("#"))


def requests_in_words() -> list[Row]:
    rows: list[Row] = []
    for line in rows_of("requests_in_words.txt"):
        language, text, recurrence, task, *channel = (part.strip() for part in line.split("|"))
        rows.append((language, text.strip(), recurrence, task, "".join(channel)))
    return rows


def ask(text: str, zone: str = BERLIN, now: datetime = NOW) -> Request | None:
    return read_request(text, zone=zone, now=now)


def asked(text: str, zone: str = BERLIN, now: datetime = NOW) -> Request:
    request = ask(text, zone, now)
    assert request is not None, text
    return request


def rule_of(text: str, zone: str = BERLIN, now: datetime = NOW) -> Rule:
    rule = asked(text, zone, now).rule
    assert rule is not None, text
    return rule


def local(moment: datetime | None, zone: str = BERLIN) -> str:
    return "" if moment is None else f"{moment.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M:%S}"
