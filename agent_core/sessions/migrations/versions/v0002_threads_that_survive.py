"""Several processes, waiting turns, steering, catch-up: what threads need to survive everything."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """From 0001."""
    op.add_column("turns", sa.Column("kind", sa.String, nullable=False, server_default="work"))
    op.add_column("turns", sa.Column("taken_by", sa.String, index=True))
    op.add_column("turns", sa.Column("taken_at", sa.String))
    op.add_column("turns", sa.Column("stop", sa.JSON))
    op.add_column("turns", sa.Column("question", sa.JSON))
    op.add_column("ledger", sa.Column("process", sa.String, nullable=False, server_default=""))
    op.add_column("ledger", sa.Column("delivery", sa.String, nullable=False, server_default=""))
    op.create_table(
        "processes",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("seen_s", sa.Float, nullable=False),
    )
    op.create_table(
        "leases",
        sa.Column("session", sa.String, primary_key=True),
        sa.Column("process", sa.String, nullable=False, index=True),
        sa.Column("fence", sa.Integer, nullable=False),
    )
    op.create_table(
        "effects",
        sa.Column("turn", sa.String, primary_key=True),
        sa.Column("run", sa.String, primary_key=True),
        sa.Column("call", sa.String, primary_key=True),
    )
    op.create_table(
        "marks",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
