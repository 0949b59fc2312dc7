"""The tables, for SQLite and Postgres alike."""

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    Integer,
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


sessions = Table(
    "sessions",
    metadata,
    Column("id", String, primary_key=True),
    Column("workspace", String, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("tainted_by", String),
)

turns = Table(
    "turns",
    metadata,
    Column("id", String, primary_key=True),
    Column("session", String, nullable=False, index=True),
    Column("seq", Integer, nullable=False),
    Column("status", String, nullable=False, index=True),
    Column("generation", Integer, nullable=False),
    Column("inbound", JSON, nullable=False),
    Column("outcome", String),
    Column("answer", Text),
    Column("kind", String, nullable=False, server_default="work"),
    Column("taken_by", String, index=True),
    Column("taken_at", String),
    Column("stop", JSON(none_as_null=True)),
    Column("wait", JSON(none_as_null=True)),
    UniqueConstraint("session", "seq"),
)

messages = Table(
    "messages",
    metadata,
    Column("turn", String, primary_key=True),
    Column("run", String, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("body", JSON, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("session", String, nullable=False, index=True),
    Column("turn", String, nullable=False, index=True),
    Column("run", String, nullable=False),
    Column("step", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("n", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("body", JSON, nullable=False),
    UniqueConstraint("turn", "run", "step", "attempt", "n"),
)

ledger = Table(
    "ledger",
    metadata,
    Column("key", String, primary_key=True),
    Column("body", JSON, nullable=False),
    Column("at", Moment, nullable=False, index=True),
    Column("settled", Boolean, nullable=False),
    Column("process", String, nullable=False, server_default=""),
    Column("delivery", String, nullable=False, server_default=""),
)

cursors = Table(
    "cursors",
    metadata,
    Column("reader", String, primary_key=True),
    Column("turn", String, primary_key=True),
    Column("state", JSON, nullable=False),
    Column("done", Boolean, nullable=False),
)

processes = Table(
    "processes",
    metadata,
    Column("id", String, primary_key=True),
    Column("seen_s", Float, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("session", String, primary_key=True),
    Column("process", String, nullable=False, index=True),
    Column("fence", Integer, nullable=False),
)

effects = Table(
    "effects",
    metadata,
    Column("turn", String, primary_key=True),
    Column("run", String, primary_key=True),
    Column("call", String, primary_key=True),
)

marks = Table(
    "marks",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", Text, nullable=False),
)

schedules = Table(
    "schedules",
    metadata,
    Column("id", String, primary_key=True),
    Column("team", String, nullable=False),
    Column("number", Integer),
    Column("place", String, nullable=False, index=True),
    Column("owner", String, nullable=False, index=True),
    Column("order", JSON, nullable=False),
    Column("status", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("next_due", Moment, index=True),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("team", "number"),
)

slots = Table(
    "slots",
    metadata,
    Column("schedule", String, primary_key=True),
    Column("at", Moment, primary_key=True),
    Column("state", String, nullable=False, index=True),
    Column("claimed_at", Moment, nullable=False),
    Column("left_out", Integer, nullable=False),
    Column("by_hand", Boolean, nullable=False),
    Column("root", String, nullable=False),
)

reported = Table(
    "reported",
    metadata,
    Column("schedule", String, primary_key=True),
    Column("kind", String, primary_key=True),
    Column("what", String, primary_key=True),
    Column("at", Moment, nullable=False),
)

consents = Table(
    "consents",
    metadata,
    Column("id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("session", String, nullable=False, index=True),
    Column("turn", String, nullable=False, index=True),
    Column("asker", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("body", JSON, nullable=False),
    Column("status", String, nullable=False),
    Column("for_thread", Boolean, nullable=False),
    Column("decided_by", String),
    Column("reason", Text, nullable=False),
    Column("deadline", Moment, nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("at", Moment, nullable=False, index=True),
    Column("session", String, nullable=False, index=True),
    Column("turn", String, nullable=False),
    Column("run", String, nullable=False),
    Column("call", String, nullable=False),
    Column("asker", String, nullable=False),
    Column("tool", String, nullable=False),
    Column("actions", JSON, nullable=False),
    Column("digest", String, nullable=False),
    Column("consent", String),
    Column("approved_by", String),
    Column("outcome", String, nullable=False),
    UniqueConstraint("turn", "run", "call", "outcome"),
)

tool_pins = Table(
    "tool_pins",
    metadata,
    Column("server", String, primary_key=True),
    Column("tool", String, primary_key=True),
    Column("digest", String, nullable=False),
    Column("accepted_at", Moment, nullable=False),
    Column("definition", JSON, nullable=False),
    Column("proposal", JSON(none_as_null=True)),
)
