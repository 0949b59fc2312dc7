"""`bot config effective`: the settings that hold in a team, channel or thread, and from where."""

import typer

from agent_core.operator import effective_settings
from agent_core.settings import CoreSettings, read_settings
from bot.operator import with_settings
from bot.settings import BotSettings


def show_effective(scope: str) -> int:
    """Print each setting with its value and origin. Returns the exit code, as `bot audit`."""
    settings, _ = read_settings(BotSettings)

    async def work(core: CoreSettings) -> int:
        effective = await effective_settings(core, settings, scope)
        for name, values in effective.held.items():
            for held in values:
                typer.echo(f"{name:<20}{held.text or '-':<40}  {held.origin}")
        return 0

    return with_settings(work)
