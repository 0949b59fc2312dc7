"""The revisions that the code knows, in their order."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from alembic.script import Script, ScriptDirectory

FIRST = "0001"
FIRST_TABLES = frozenset({"sessions", "turns", "messages", "events", "ledger", "cursors"})
"""What the first version made, without writing a revision down."""


@cache
def scripts() -> ScriptDirectory:
    """The directory of revisions, as Alembic sees it."""
    here = Path(__file__).parent
    return ScriptDirectory(str(here), version_locations=[str(here / "versions")])


@cache
def known_revisions() -> Sequence[Script]:
    """All revisions, oldest first."""
    return tuple(reversed(list(scripts().walk_revisions())))


def newest() -> str:
    """The revision that the code works with."""
    return known_revisions()[-1].revision
