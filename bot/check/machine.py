"""What lies on this machine: the workspaces' root, the database, the toolkit, a browser."""

import asyncio
import shutil
from collections.abc import Sequence

from agent_core.errors import AgentError
from agent_core.runtime.checks import examine_database, list_toolkit
from agent_core.runtime.root import examine_root
from agent_core.sessions.lock import holder_of
from agent_core.settings import CoreSettings
from bot.check.findings import Check, Verdict, fine, warning, wrong

PLENTY_BYTES = 1024**3
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

_STORES = ("WORKSPACES_ROOT", "DATABASE_URL")


def machine_checks(core: CoreSettings) -> list[Check]:
    """In the order in which a start needs them."""
    return [
        Check(title="Workspaces", look=lambda: _look_at_root(core), needs=("WORKSPACES_ROOT",)),
        Check(title="Database", look=lambda: _look_at_database(core), needs=_STORES),
        Check(title="Other bots", look=lambda: _look_for_others(core), needs=_STORES),
        Check(
            title="Local toolkit",
            look=lambda: _look_at_toolkit(core),
            needs=("CRAWL_ALLOW", "CRAWL_CONNECT"),
        ),
        Check(title="Browser", look=_look_for_browser),
    ]


async def _look_at_root(core: CoreSettings) -> Verdict:
    root = await asyncio.to_thread(examine_root, core.workspaces_root)
    free = f"{root.free_bytes / 1024**3:.1f} GB free"
    if root.free_bytes < PLENTY_BYTES:
        return warning(f"{root.path} has only {free}; make room before it fills up.")
    made = "" if root.exists else ", made at the first start"
    return fine(f"{root.path}, {free}{made}.")


async def _look_at_database(core: CoreSettings) -> Verdict:
    try:
        version = await examine_database(core)
    except AgentError as error:
        return wrong(f"{error} {_remedy(core)}")
    return fine(f"{version}.")


def _remedy(core: CoreSettings) -> str:
    if core.database_url:
        return "See that DATABASE_URL is right and that the server runs."
    return "See that the file is whole and may be written, or set another WORKSPACES_ROOT."


async def _look_for_others(core: CoreSettings) -> Verdict:
    holder = await asyncio.to_thread(holder_of, core.state_url)
    if holder is None:
        return fine("no other bot of this database is in the way.")
    return warning(
        f"{holder} works with this database; a second start is refused until it ends, unless "
        "DATABASE_URL is a Postgres database."
    )


async def _look_at_toolkit(core: CoreSettings) -> Verdict:
    try:
        tools = await list_toolkit(core)
    except AgentError as error:
        return wrong(f"{error} Install the package anew; its log says more.")
    return fine(f"it started and lists {len(tools)} tools.")


async def _look_for_browser() -> Verdict:
    return judge_browser(find_browser())


def find_browser(path: str | None = None, names: Sequence[str] = BROWSERS) -> str | None:
    """Where a browser of the Chromium family is, on PATH or the given one."""
    return next(filter(None, (shutil.which(name, path=path) for name in names)), None)


def judge_browser(place: str | None) -> Verdict:
    """No version of the bot needs one so far."""
    if place is None:
        return warning(
            "no Chromium was found; pages that are empty without JavaScript stay unread, with or "
            "without one, until a later version uses it."
        )
    return fine(f"{place}, not used by this version.")
