"""The tables of the first version: sessions, turns, history, events, ledger, cursors."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """From nothing."""
    op.create_table(
        "sessions",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("workspace", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "turns",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("session", sa.String, nullable=False, index=True),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("status", sa.String, nullable=False, index=True),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("inbound", sa.JSON, nullable=False),
        sa.Column("outcome", sa.String),
        sa.Column("answer", sa.Text),
        sa.UniqueConstraint("session", "seq"),
    )
    op.create_table(
        "messages",
        sa.Column("turn", sa.String, primary_key=True),
        sa.Column("run", sa.String, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("body", sa.JSON, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("session", sa.String, nullable=False, index=True),
        sa.Column("turn", sa.String, nullable=False, index=True),
        sa.Column("run", sa.String, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("n", sa.Integer, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.UniqueConstraint("turn", "run", "step", "attempt", "n"),
    )
    op.create_table(
        "ledger",
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("settled", sa.Boolean, nullable=False),
    )
    op.create_table(
        "cursors",
        sa.Column("reader", sa.String, primary_key=True),
        sa.Column("turn", sa.String, primary_key=True),
        sa.Column("state", sa.JSON, nullable=False),
        sa.Column("done", sa.Boolean, nullable=False),
    )
