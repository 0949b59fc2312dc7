"""Hands: taint, consents, the audit of effects, and pinned tool definitions."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """From 0003."""
    op.add_column("sessions", sa.Column("tainted_by", sa.String))
    op.execute("UPDATE sessions SET tainted_by = 'unknown'")  # what they read was not noted
    op.create_table(
        "consents",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("session", sa.String, nullable=False, index=True),
        sa.Column("turn", sa.String, nullable=False, index=True),
        sa.Column("asker", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("for_thread", sa.Boolean, nullable=False),
        sa.Column("decided_by", sa.String),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("session", sa.String, nullable=False, index=True),
        sa.Column("turn", sa.String, nullable=False),
        sa.Column("run", sa.String, nullable=False),
        sa.Column("call", sa.String, nullable=False),
        sa.Column("asker", sa.String, nullable=False),
        sa.Column("tool", sa.String, nullable=False),
        sa.Column("actions", sa.JSON, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("consent", sa.String, nullable=False),
        sa.Column("approved_by", sa.String, nullable=False),
        sa.Column("outcome", sa.String, nullable=False),
        sa.UniqueConstraint("turn", "run", "call", "outcome"),
    )
    op.create_table(
        "tool_pins",
        sa.Column("server", sa.String, primary_key=True),
        sa.Column("tool", sa.String, primary_key=True),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("definition", sa.JSON, nullable=False),
        sa.Column("changed", sa.JSON(none_as_null=True)),
    )
