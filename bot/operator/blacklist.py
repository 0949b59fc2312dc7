"""`bot blacklist`: lists and clears the pages and hosts that are skipped for a while."""

import typer

from agent_core.operator import blacklisted, clear_blacklist
from agent_core.settings import CoreSettings
from bot.operator import with_settings


def list_entries() -> int:
    """Print what failed for good in the last days; returns the exit code."""

    async def work(core: CoreSettings) -> int:
        entries = blacklisted(core)
        for entry in entries:
            state = "skipped" if entry.is_blocked else "tried"
            when = entry.last_failure[:16].replace("T", " ")
            typer.echo(f"{state:<8} {entry.failures:>3} times, last {when} UTC  {entry.name}")
        if not entries:
            typer.echo("No page or site is skipped.")
        return 0

    return with_settings(work)


def clear(name: str) -> int:
    """Forget what failed; returns the exit code, 1 where there was nothing of the name."""

    async def work(core: CoreSettings) -> int:
        count = await clear_blacklist(core, name)
        typer.echo(f"{count} {'record' if count == 1 else 'records'} cleared.")
        return 0 if count or not name else 1

    return with_settings(work)
