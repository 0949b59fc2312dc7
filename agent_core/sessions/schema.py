"""The tables, for SQLite and Postgres alike."""

from datetime import UTC, datetime
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
    String,
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


def _given(kind: Any, *names: str, **options: Any) -> list[Column[Any]]:
    """Columns of one kind that are never empty."""
    return [Column(name, kind, nullable=False, **options) for name in names]


def _keys(*names: str) -> list[Column[Any]]:
    return _given(String, *names, primary_key=True)


def _counted() -> Column[int]:
    """A key that says in which order rows came."""
    return Column("id", Integer, primary_key=True, autoincrement=True)


sessions = Table(
    "sessions",
    metadata,
    *_keys("id"),
    *_given(String, "workspace"),
    *_given(Moment, "created_at"),
    Column("tainted_by", String),
)

turns = Table(
    "turns",
    metadata,
    *_keys("id"),
    *_given(String, "session", "status", index=True),
    *_given(Integer, "seq", "generation"),
    *_given(JSON, "inbound"),
    *_given(String, "kind", server_default="work"),
    *_given(String, "asker", server_default="", index=True),
    *_given(Integer, "tries", "tried_from", server_default="0"),
    Column("outcome", String),
    Column("answer", Text),
    Column("taken_by", String, index=True),
    Column("stop", JSON(none_as_null=True)),
    Column("wait", JSON(none_as_null=True)),
    UniqueConstraint("session", "seq"),
)

messages = Table(
    "messages",
    metadata,
    *_keys("turn", "run"),
    Column("seq", Integer, primary_key=True),
    *_given(JSON, "body"),
)

events = Table(
    "events",
    metadata,
    _counted(),
    *_given(String, "session", "turn", index=True),
    *_given(String, "run", "kind"),
    *_given(Integer, "step", "attempt", "n"),
    *_given(JSON, "body"),
    UniqueConstraint("turn", "run", "step", "attempt", "n"),
)

inbox = Table(
    "inbox",
    metadata,
    _counted(),
    *_given(String, "turn", "run", "item", "kind"),
    *_given(JSON, "body"),
    Column("seq", Integer),
    UniqueConstraint("turn", "run", "item"),
)
"""What runs have yet to take in (`seq` is NULL), and where in their history they took it in."""

ledger = Table(
    "ledger",
    metadata,
    *_keys("key"),
    *_given(JSON, "body"),
    *_given(Moment, "at", index=True),
    *_given(Boolean, "settled"),
    *_given(String, "process", "delivery", server_default=""),
)

cursors = Table(
    "cursors",
    metadata,
    *_keys("reader", "turn"),
    *_given(JSON, "state"),
    *_given(Boolean, "done"),
)

processes = Table("processes", metadata, *_keys("id"), *_given(Float, "seen_s"))

leases = Table(
    "leases",
    metadata,
    *_keys("session"),
    *_given(String, "process", index=True),
    *_given(Integer, "fence"),
)

effects = Table("effects", metadata, *_keys("turn", "run", "call"))

programs = Table(
    "programs",
    metadata,
    *_keys("turn", "run"),
    *_given(String, "call"),
    *_given(JSON, "body"),
    *_given(LargeBinary, "variables", "paused"),
)

marks = Table("marks", metadata, *_keys("name"), *_given(Text, "value"))

schedules = Table(
    "schedules",
    metadata,
    *_keys("id"),
    *_given(String, "team", "status", "reason"),
    *_given(String, "place", "owner", index=True),
    *_given(JSON, "order"),
    *_given(Integer, "failures"),
    *_given(Moment, "created_at"),
    Column("number", Integer),
    Column("next_due", Moment, index=True),
    UniqueConstraint("team", "number"),
)

slots = Table(
    "slots",
    metadata,
    *_keys("schedule"),
    Column("at", Moment, primary_key=True),
    *_given(String, "state", index=True),
    *_given(Moment, "claimed_at"),
    *_given(Integer, "left_out"),
    *_given(Boolean, "by_hand"),
    *_given(String, "root"),
)

pending_orders = Table(
    "pending_orders",
    metadata,
    *_keys("session", "person"),
    *_given(JSON, "body"),
)

reported = Table(
    "reported",
    metadata,
    *_keys("schedule", "kind", "what"),
    *_given(Moment, "at"),
)

asks = Table(
    "asks",
    metadata,
    *_keys("id"),
    *_given(String, "session", "turn", index=True),
    *_given(String, "run", "call_id", "asker", "state"),
    *_given(Integer, "edition"),
    *_given(JSON, "body"),
    *_given(Text, "reason"),
    *_given(Moment, "deadline"),
    Column("decision", String),
    Column("decided_by", String),
    Column("decided_at", Moment),
)

disclosures = Table(
    "disclosures",
    metadata,
    *_keys("id"),
    *_given(String, "session", index=True),
    *_given(String, "turn"),
    *_given(JSON, "price"),
)

audit = Table(
    "audit",
    metadata,
    _counted(),
    *_given(Moment, "at", index=True),
    *_given(String, "session", index=True),
    *_given(String, "turn", "run", "call", "asker", "tool", "digest", "outcome"),
    *_given(JSON, "actions"),
    Column("ask", String),
    Column("approved_by", String),
    UniqueConstraint("turn", "run", "call", "outcome"),
)

tool_pins = Table(
    "tool_pins",
    metadata,
    *_keys("server", "tool"),
    *_given(String, "digest"),
    *_given(Moment, "accepted_at"),
    *_given(JSON, "definition"),
    Column("proposal", JSON(none_as_null=True)),
)

preferences = Table("preferences", metadata, *_keys("scope", "name"), *_given(Text, "value"))

feedback = Table(
    "feedback",
    metadata,
    *_keys("turn", "person"),
    *_given(String, "verdict"),
    *_given(Moment, "at"),
    *_given(Text, "comment"),
)
