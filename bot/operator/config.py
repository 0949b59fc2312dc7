"""`bot config effective`: the settings that hold in a team, channel or thread, and from where."""

import json
import re
from collections.abc import Sequence

import typer

from agent_core.operator import effective_settings
from agent_core.scoped_settings import EffectiveSettings, as_text
from agent_core.settings import CoreSettings, read_settings
from bot.operator import refuse, with_settings
from bot.settings import BotSettings

_TEAM = re.compile(r"[TE][A-Z0-9]+")
_SCOPE = re.compile(r"([TE][A-Z0-9]+|([TE][A-Z0-9]+:)?[CGD][A-Z0-9]+(:\d+\.\d+)?)")
_NAME_CHARS = 20
_VALUE_CHARS = 40


def show_effective(wanted: str, *, as_json: bool = False) -> int:
    """Print each setting with its value and origin. Returns the exit code, as `bot audit`."""
    if not _SCOPE.fullmatch(wanted):
        return refuse(
            2,
            f"{wanted!r} names no scope: write a channel's id such as C0123ABCD, a thread as "
            "C0123ABCD:1700000000.000100, or a team's id.",
        )
    settings, _ = read_settings(BotSettings)

    async def work(core: CoreSettings) -> int:
        effective = await effective_settings(
            core, lambda stored: scope_named(wanted, stored), follow_ups=settings.own_follow_ups
        )
        lines = [_as_json(effective)] if as_json else _lines(effective)
        for line in lines:
            typer.echo(line)
        return 0

    return with_settings(work)


def scope_named(wanted: str, stored: Sequence[str]) -> str:
    """The scope of a channel or thread, in the team whose settings are stored here."""
    if _TEAM.match(wanted):
        return wanted
    channel = wanted.partition(":")[0]
    firsts = {scope.partition(":")[0] for scope in stored}
    teams = sorted(team for team in firsts if _TEAM.fullmatch(team))
    own = [team for team in teams if f"{team}:{channel}" in stored] or teams
    return f"{own[0] if own else ''}:{wanted}"


def _lines(effective: EffectiveSettings) -> list[str]:
    lines: list[str] = []
    for name, values in effective.held.items():
        for held in values:
            value = as_text(held.value) or "-"
            lines.append(f"{name:<{_NAME_CHARS}}{value:<{_VALUE_CHARS}}  {held.origin}")
    return lines


def _as_json(effective: EffectiveSettings) -> str:
    record = {
        name: [{"value": held.value, "origin": held.origin} for held in values]
        for name, values in effective.held.items()
    }
    return json.dumps(record, ensure_ascii=False)
