"""The tables, for SQLite and Postgres alike, made from `schema.toml`."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

metadata = MetaData()


class Moment(TypeDecorator[datetime]):
    """A time in UTC, also where the database (SQLite) forgets the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """A time without a zone is a fault, as everywhere."""
        return value and value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Always with the zone."""
        if value is None or value.tzinfo is not None:
            return value and value.astimezone(UTC)
        return value.replace(tzinfo=UTC)


_DESCRIBED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_KINDS: dict[str, Any] = {
    "text": Text,
    "integer": Integer,
    "number": Float,
    "boolean": Boolean,
    "bytes": LargeBinary,
    "moment": Moment,
    "json": JSON(none_as_null=True),
}


def _table(name: str) -> Table:
    columns = dict(_DESCRIBED[name])
    unique = columns.pop("unique", None)
    table = Table(name, metadata, *(_column(*item) for item in columns.items()))
    if unique is not None:
        table.append_constraint(UniqueConstraint(*unique))
    return table


def _column(name: str, description: str) -> Column[Any]:
    kind, *traits = description.split()
    return Column(
        name,
        _KINDS[kind],
        primary_key="key" in traits,
        index="index" in traits,
        nullable="optional" in traits,
    )


sessions = _table("sessions")
turns = _table("turns")
messages = _table("messages")
events = _table("events")
inbox = _table("inbox")
ledger = _table("ledger")
cursors = _table("cursors")
processes = _table("processes")
leases = _table("leases")
effects = _table("effects")
programs = _table("programs")
marks = _table("marks")
schedules = _table("schedules")
slots = _table("slots")
pending_orders = _table("pending_orders")
reported = _table("reported")
asks = _table("asks")
disclosures = _table("disclosures")
audit = _table("audit")
tool_pins = _table("tool_pins")
preferences = _table("preferences")
feedback = _table("feedback")
