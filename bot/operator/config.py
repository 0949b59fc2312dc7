"""`bot config effective`: the settings that hold in a team, channel or thread, and from where."""

import re
from collections.abc import Sequence

import typer

from agent_core.operator import effective_settings
from agent_core.settings import CoreSettings, read_settings
from bot.operator import refuse, with_settings
from bot.settings import BotSettings

_TEAM = re.compile(r"[TE][A-Z0-9]+")
_SCOPE = re.compile(r"[TECGD][A-Z0-9]+(:[CGD][A-Z0-9]+)?(:\d+\.\d+)?")


def show_effective(wanted: str) -> int:
    """Print each setting with its value and origin. Returns the exit code, as `bot audit`."""
    if not _SCOPE.fullmatch(wanted):
        return refuse(
            2,
            f"{wanted!r} names no scope: write a channel's id such as C0123ABCD, a thread as "
            "C0123ABCD:1700000000.000100, or a team's id.",
        )
    settings, _ = read_settings(BotSettings)

    async def work(core: CoreSettings) -> int:
        follow_ups = settings.own_follow_ups
        effective = await effective_settings(
            core, lambda stored: scope_named(wanted, stored), follow_ups=follow_ups
        )
        for name, values in effective.held.items():
            for held in values:
                typer.echo(f"{name:<20}{held.text or '-':<40}  {held.origin}")
        return 0

    return with_settings(work)


def scope_named(wanted: str, stored: Sequence[str]) -> str:
    """The scope of a channel or thread, in the team whose settings are stored here."""
    if _TEAM.match(wanted):
        return wanted
    firsts = {scope.partition(":")[0] for scope in stored}
    teams = sorted(filter(_TEAM.fullmatch, firsts))
    return f"{teams[0] if teams else ''}:{wanted}"
