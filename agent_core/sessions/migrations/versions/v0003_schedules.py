"""Schedules: what recurs, each slot of it, and what was reported."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """From 0002."""
    op.create_table(
        "schedules",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("team", sa.String, nullable=False),
        sa.Column("number", sa.Integer),
        sa.Column("place", sa.String, nullable=False, index=True),
        sa.Column("owner", sa.String, nullable=False, index=True),
        sa.Column("order", sa.JSON, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("next_due", sa.DateTime(timezone=True), index=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("team", "number"),
    )
    op.create_table(
        "slots",
        sa.Column("schedule", sa.String, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), primary_key=True),
        sa.Column("state", sa.String, nullable=False, index=True),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("left_out", sa.Integer, nullable=False),
        sa.Column("by_hand", sa.Boolean, nullable=False),
        sa.Column("root", sa.String, nullable=False),
    )
    op.create_table(
        "reported",
        sa.Column("schedule", sa.String, primary_key=True),
        sa.Column("kind", sa.String, primary_key=True),
        sa.Column("what", sa.String, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
