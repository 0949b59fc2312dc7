"""`bot backup`, `restore`, `hold`, `erase` and `export`: what is kept, and what is not any more."""

import asyncio
from pathlib import Path

import typer

from agent_core.backup import back_up, restore
from agent_core.clock import machine_time
from agent_core.operator import kept_of
from agent_core.runtime import OPERATOR
from agent_core.settings import CoreSettings
from bot.operator import refuse, with_settings

ERASES = (
    "This deletes what the bot keeps of {person}: the threads that they began with all files, what "
    "they asked for in others' threads and all that the bot wrote and made there, digests, "
    "preferences and ratings. What works with their words is stopped first. It cannot be undone.\n"
    "It cannot delete posts in Slack, accounts at Composio, backups and copies that were made "
    "before, nor what is under legal hold. The audit keeps ids and hashes."
)


def make_backup(target: Path) -> int:
    """Write an archive. Returns the exit code."""

    async def work(core: CoreSettings) -> int:
        archive = await asyncio.to_thread(back_up, core, target, machine_time())
        typer.echo(f"{archive} holds the databases and the workspaces.")
        return 0

    return with_settings(work)


def restore_backup(archive: Path) -> int:
    """Unpack an archive. Returns the exit code."""

    async def work(core: CoreSettings) -> int:
        await asyncio.to_thread(restore, core, archive)
        typer.echo("All is back; `bot start` goes on with what was open.")
        return 0

    return with_settings(work)


def hold(channel: str, *, ends: bool) -> int:
    """Put a channel under legal hold or end that, and list holds. Returns the exit code."""

    async def work(core: CoreSettings) -> int:
        async with kept_of(core) as erasure:
            if channel:
                await erasure.hold(channel, ends=ends)
            for held, since in (await erasure.holds()).items():
                typer.echo(f"{held} is under legal hold since {since}.")
        return 0

    return with_settings(work)


def erase(user: str, *, is_sure: bool) -> int:
    """Erase a person. Returns the exit code, 1 where something is left."""

    async def work(core: CoreSettings) -> int:
        async with kept_of(core) as erasure:
            people = await erasure.store.people(user)
            if len(people) != 1:
                return refuse(1, f"{len(people)} people are {user}: write TEAM:USER.")
            typer.echo(ERASES.format(person=people[0]))
            if not is_sure:
                typer.confirm("Delete it?", abort=True)
            count, left = await erasure.erase(people[0], OPERATOR)
        typer.echo(f"Deleted in {count} threads.")
        why = "Nothing was deleted in {}: it is under legal hold, or work goes on there."
        return refuse(bool(left), *map(why.format, left))

    return with_settings(work)
