"""`bot why`: says what became of a post."""

import re

import typer

from agent_core.operator import fate_of
from agent_core.settings import CoreSettings
from bot.operator import refuse, with_settings
from bot.words import BOT

_LINK = re.compile(r".*/archives/(\w+)/p(\d+)(\d{6}).*")


def why(link: str) -> int:
    """Print what became of the post of a link. Returns the exit code, 2 for no link of a post."""
    post = _LINK.sub(r":\1:\2.\3", link)
    if post == link:
        return refuse(2, f"{link!r} is no link of a post: copy it from the post's menu in Slack.")

    async def work(core: CoreSettings) -> int:
        state = await fate_of(core, post)
        typer.echo(f"{BOT.say('en', 'why', state=state)} {link}")
        return 0

    return with_settings(work)
