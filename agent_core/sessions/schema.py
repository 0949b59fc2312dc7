"""The tables, for SQLite and Postgres alike."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    DDL,
    JSON,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    event,
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


Json = JSON(none_as_null=True)


def _columns(
    kind: Any, *names: str, nullable: bool = False, index: bool = False
) -> list[Column[Any]]:
    return [Column(name, kind, nullable=nullable, index=index) for name in names]


def _keys(*names: str) -> list[Column[Any]]:
    return [Column(name, Text, primary_key=True) for name in names]


def _counted() -> Column[int]:
    """A key that says in which order rows came."""
    return Column("id", Integer, primary_key=True)


sessions = Table(
    "sessions",
    metadata,
    *_keys("id"),
    *_columns(Text, "workspace"),
    *_columns(Moment, "created_at"),
    *_columns(Text, "tainted_by", nullable=True),
)

quoted_authors = Table(
    "quoted_authors",
    metadata,
    *_keys("session", "author"),
)
"""Whose words tools brought into a session, as from another one or from a channel's posts."""

turns = Table(
    "turns",
    metadata,
    *_keys("id"),
    *_columns(Text, "session", "status", index=True),
    *_columns(Integer, "seq", "generation"),
    *_columns(Json, "inbound"),
    *_columns(Text, "kind"),
    *_columns(Text, "asker", index=True),
    *_columns(Integer, "tries", "tried_from"),
    *_columns(Text, "outcome", "answer", nullable=True),
    *_columns(Text, "taken_by", index=True, nullable=True),
    *_columns(Json, "stop", "wait", nullable=True),
    UniqueConstraint("session", "seq"),
)

messages = Table(
    "messages",
    metadata,
    *_keys("turn", "run"),
    Column("seq", Integer, primary_key=True),
    *_columns(Json, "body"),
)

events = Table(
    "events",
    metadata,
    _counted(),
    *_columns(Text, "session", "turn", index=True),
    *_columns(Text, "run", "kind"),
    *_columns(Integer, "step", "attempt", "n"),
    *_columns(Json, "body"),
    UniqueConstraint("turn", "run", "step", "attempt", "n"),
)

inbox = Table(
    "inbox",
    metadata,
    _counted(),
    *_columns(Text, "turn", "run", "item", "kind"),
    *_columns(Json, "body"),
    *_columns(Integer, "seq", nullable=True),
    UniqueConstraint("turn", "run", "item"),
)
"""What runs have yet to take in (`seq` is NULL), and where in their history they took it in."""

ledger = Table(
    "ledger",
    metadata,
    *_keys("key"),
    *_columns(Json, "body"),
    *_columns(Moment, "at", index=True),
    *_columns(Boolean, "settled"),
    *_columns(Text, "process", "delivery"),
)

verdicts = Table(
    "verdicts",
    metadata,
    *_keys("key"),
    *_columns(Moment, "at"),
    *_columns(Text, "verdict"),
)
"""Why gestures were left unanswered, by their keys."""

cursors = Table(
    "cursors",
    metadata,
    *_keys("reader", "turn"),
    *_columns(Json, "state"),
    *_columns(Boolean, "done"),
)

processes = Table(
    "processes",
    metadata,
    *_keys("id"),
    *_columns(Float, "seen_s"),
)

leases = Table(
    "leases",
    metadata,
    *_keys("session"),
    *_columns(Text, "process", index=True),
    *_columns(Integer, "fence"),
)

effects = Table(
    "effects",
    metadata,
    *_keys("turn", "run", "call"),
)

programs = Table(
    "programs",
    metadata,
    *_keys("turn", "run"),
    *_columns(Text, "call"),
    *_columns(Json, "body"),
    *_columns(LargeBinary, "variables", "paused"),
)

marks = Table(
    "marks",
    metadata,
    *_keys("name"),
    *_columns(Text, "value"),
)

schedules = Table(
    "schedules",
    metadata,
    *_keys("id"),
    *_columns(Text, "team", "status", "reason"),
    *_columns(Text, "place", index=True),
    *_columns(Json, "order"),
    *_columns(Integer, "failures"),
    *_columns(Integer, "number", nullable=True),
    *_columns(Moment, "next_due", index=True, nullable=True),
    UniqueConstraint("team", "number"),
)

slots = Table(
    "slots",
    metadata,
    *_keys("schedule"),
    Column("at", Moment, primary_key=True),
    *_columns(Text, "state", index=True),
    *_columns(Moment, "claimed_at"),
    *_columns(Integer, "left_out"),
    *_columns(Boolean, "by_hand"),
    *_columns(Text, "root"),
)

pending_orders = Table(
    "pending_orders",
    metadata,
    *_keys("session", "person"),
    *_columns(Json, "body"),
)

reported = Table(
    "reported",
    metadata,
    *_keys("schedule", "kind", "what"),
    *_columns(Moment, "at"),
)

asks = Table(
    "asks",
    metadata,
    *_keys("id"),
    *_columns(Text, "session", "turn", index=True),
    *_columns(Text, "run", "call_id", "asker", "state"),
    *_columns(Integer, "edition"),
    *_columns(Json, "body"),
    *_columns(Text, "reason"),
    *_columns(Moment, "deadline"),
    *_columns(Text, "decision", "decided_by", nullable=True),
)

disclosures = Table(
    "disclosures",
    metadata,
    *_keys("id"),
    *_columns(Text, "session", index=True),
    *_columns(Text, "turn"),
    *_columns(Json, "price"),
)

audit_chain = Table(
    "audit_chain",
    metadata,
    Column("number", Integer, primary_key=True),
    *_columns(Text, "at", index=True),
    *_columns(Text, "kind", "who", "about"),
    Column("key", Text, unique=True, nullable=False),
    *_columns(Text, "digest", "previous", "hash"),
)
"""Append-only; all but the number is text, so that a hash is over what stands there."""

audit_contents = Table(
    "audit_contents",
    metadata,
    Column("number", Integer, ForeignKey("audit_chain.number"), primary_key=True),
    *_columns(Text, "body"),
)

audit_head = Table(
    "audit_head",
    metadata,
    _counted(),
    *_columns(Integer, "number"),
    *_columns(Text, "hash"),
)
"""One row: the chain's newest record. Whoever appends holds its lock until the commit."""
FIRST_HEAD = "INSERT INTO audit_head (id, number, hash) VALUES (1, 0, '')"
event.listen(audit_head, "after_create", DDL(FIRST_HEAD))

tool_pins = Table(
    "tool_pins",
    metadata,
    *_keys("server", "tool"),
    *_columns(Text, "digest"),
    *_columns(Json, "definition"),
    *_columns(Json, "proposal", nullable=True),
)

preferences = Table(
    "preferences",
    metadata,
    *_keys("scope", "name"),
    *_columns(Text, "value"),
)

spending = Table(
    "spending",
    metadata,
    *_keys("scope"),
    *_columns(Float, "settled_usd"),
    *_columns(Boolean, "is_told"),
)
"""What model calls of a turn, person, thread, channel or team cost in a month; `is_told` says that
the admins know that the cap is near."""

reservations = Table(
    "reservations",
    metadata,
    *_keys("scope", "call"),
    *_columns(Text, "process", index=True),
    *_columns(Float, "usd"),
)
"""Model calls under way, and what each may cost at most."""
