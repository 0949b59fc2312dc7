"""What lies on this machine: workspaces, database, toolkit, a browser, Python for the agents."""

import asyncio
import sqlite3
from urllib.parse import urlsplit

from agent_core.errors import AgentError
from agent_core.operator import (
    configured_fleet,
    examine_browser,
    examine_database,
    examine_python,
    examine_root,
    list_toolkit,
)
from agent_core.runtime import holder_of
from agent_core.settings import CoreSettings
from bot.operator import Check, Finding, as_sentence, fine, warning, wrong
from bot.settings import BotSettings, is_loopback

PLENTY_BYTES = 1000**3

_STORES = ("WORKSPACES_ROOT", "DATABASE_URL")
_CONSOLE = ("CONSOLE_HOST", "CONSOLE_PORT", "CONSOLE_SECRET", "CONSOLE_URL")
_CRAWLING = ("CRAWL_ALLOW", "CRAWL_CONNECT")


def machine_checks(core: CoreSettings, bot: BotSettings) -> list[Check]:
    """In the order in which a start needs them."""
    return [
        Check(title="Workspaces", look=lambda: _look_at_root(core), needs=("WORKSPACES_ROOT",)),
        Check(title="Database", look=lambda: _look_at_database(core), needs=_STORES),
        Check(title="Other bots", look=lambda: _look_for_others(core), needs=_STORES),
        Check(title="Local toolkit", look=lambda: _look_at_toolkit(core), needs=_CRAWLING),
        Check(title="Browser", look=lambda: _look_at_browser(core)),
        Check(title="Python", look=_look_at_python),
        Check(title="Tool servers", look=lambda: _look_at_fleet(core)),
        Check(title="Live view", look=lambda: _look_at_console(bot), needs=_CONSOLE),
    ]


async def _look_at_root(core: CoreSettings) -> Finding:
    root = await asyncio.to_thread(examine_root, core.workspaces_root)
    free = f"{root.free_bytes / 1000**3:.1f} GB free"
    if root.free_bytes < PLENTY_BYTES:
        return warning(f"{root.path} has only {free}; make room before it fills up.")
    made = "" if root.exists else ", made at the first start"
    return fine(f"{root.path}, {free}{made}.")


async def _look_at_database(core: CoreSettings) -> Finding:
    try:
        version = await examine_database(core)
    except AgentError as error:
        return explain_database(error)
    return fine(f"{version}.")


def explain_database(error: AgentError) -> Finding:
    """What `examine_database` raised, and what to do about it."""
    match error.__cause__:
        case sqlite3.Error() as cause:
            return wrong(f"{error} {_remedy_of_file(cause)}")
        case None:
            return wrong(str(error))
        case _:
            return wrong(f"{error} See that DATABASE_URL is right and that the server runs.")


def _remedy_of_file(cause: sqlite3.Error) -> str:
    """By SQLite's kind of error, without its finer distinctions."""
    match getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return (
                "Another process holds it; end that process (a bot is named under “Other bots”), "
                "or wait until it is done, and check again."
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return "See that the file is whole: put a copy back, or set another WORKSPACES_ROOT."
        case _:
            return "See that the file may be written, or set another WORKSPACES_ROOT."


async def _look_for_others(core: CoreSettings) -> Finding:
    holder = await asyncio.to_thread(holder_of, core.state_url)
    if holder is None:
        return fine("no other bot of this database is in the way.")
    return warning(
        f"{holder} works with this database; a second start is refused until it ends, unless "
        "DATABASE_URL is a Postgres database."
    )


async def _look_at_toolkit(core: CoreSettings) -> Finding:
    try:
        tools = await list_toolkit(core)
    except AgentError as error:
        return wrong(f"{as_sentence(error)} Install the package anew; its log says more.")
    return fine(f"it started and lists {len(tools)} tools.")


async def _look_at_browser(core: CoreSettings) -> Finding:
    if core.crawl_browser == "off":
        return fine(
            "turned off; pages whose text is made by scripts stay unread, and reports have no PDF."
        )
    try:
        browser = await examine_browser(core)
    except AgentError as error:
        return wrong(as_sentence(error))
    path = browser["path"]
    if not path or browser["problem"]:
        fault = f"{path} did not start" if path else "no Chromium was found"
        return warning(
            f"{fault}: pages whose text is made by scripts stay unread, and reports have no PDF. "
            "Install one, with `apt install chromium` or `playwright install chromium`, or name it "
            "in CRAWL_BROWSER."
        )
    if not browser["prints"]:
        return warning(f"{path} reads pages that need it but prints none: reports have no PDF.")
    if not browser["sandboxed"]:
        return warning(
            f"{path} reads pages that need it and prints reports, without Chromium's own sandbox: "
            "neither root nor a container without user namespaces has one. Start the bot as "
            "another user."
        )
    return fine(f"{path} reads pages that need it and prints reports, in Chromium's own sandbox.")


async def _look_at_python() -> Finding:
    if fault := await asyncio.to_thread(examine_python):
        return warning(f"{fault}: the agents write no programs. Install the package anew.")
    return fine("the agents' programs run in Monty.")


async def _look_at_fleet(core: CoreSettings) -> Finding:
    """What is off is no fault: it waits for a key, a program or to be asked for."""
    servers = await asyncio.to_thread(configured_fleet, core)
    lines = [f"{each.name}: {each.off or 'on.'}" for each in servers]
    return fine("\n".join(["further servers, as `bot mcp list` shows them.", *lines]))


async def _look_at_console(bot: BotSettings) -> Finding:
    own = f"{bot.console_host} port {bot.console_port or 'any'}"
    if bot.console_url.startswith("https://"):
        return fine(f"people reach it at {bot.console_url}, and it is served on {own}.")
    if not bot.console_url:
        state = fine if is_loopback(bot.console_host) else warning
        return state(
            f"served on {own}, but posts have no “Open live view”: CONSOLE_URL does not say by "
            "which address people reach it."
        )
    if is_loopback(urlsplit(bot.console_url).hostname or ""):
        return fine(f"at {bot.console_url}, for people at this machine.")
    return warning(
        f"people reach it at {bot.console_url} without encryption. Put a server with a "
        "certificate before it, and name its https address in CONSOLE_URL."
    )
