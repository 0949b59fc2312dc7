"""What the terminal shows: the wait for the bot, then the thread as it grows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, suppress

from rich.console import Console
from rich.text import Text

from bot.inbound import plain_text
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.feed import Change
from bot.sandbox.slack.records import Post


def show_starting() -> AbstractContextManager[object]:
    """A moving line while the bot starts; where nobody watches a terminal, nothing."""
    return Console(stderr=True).status("The bot is starting …")


class Display:
    """Follows Slack's changes while it is open; silent with `quiet`."""

    def __init__(self, slack: SlackStandIn, *, quiet: bool) -> None:
        self._slack = slack
        self._quiet = quiet
        self._console = Console(highlight=False, soft_wrap=True)
        self._status = self._console.status("")
        self._names = {user_id: name for name, user_id in slack.users.items()}
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        if not self._quiet:
            self._task = asyncio.create_task(self._follow(self._slack.changes()))

    async def __aexit__(self, *_exc: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._status.stop()

    async def _follow(self, changes: AsyncIterator[Change]) -> None:
        async for change in changes:
            match change:
                case Change(Post() as post, previous=None, is_gone=False):
                    self._print(post)
                case Change(Post() as post, is_gone=False):
                    self._show_progress(post)
                case _:
                    continue

    def _print(self, post: Post) -> None:
        if post.text and post.subtype != "file_share":
            name = self._names.get(post.user, post.user)
            words = plain_text(post.text, names=self._names)
            self._line(Text.assemble((f"{name}: ", "bold"), words))
        for file in post.files:
            self._line(Text(f"   file: {file.name} ({len(file.content):,} bytes)", "cyan"))

    def _show_progress(self, post: Post) -> None:
        """An edited post is progress: its newest line, in place where the terminal can do that."""
        lines = [line.strip(" _*") for line in post.text.splitlines()]
        newest = next(filter(None, reversed(lines)), "")
        if self._console.is_terminal:
            self._status.update(Text(newest))
            self._status.start()
        else:
            self._line(Text(f"   … {newest}", "dim"))

    def _line(self, text: Text) -> None:
        self._status.stop()
        self._console.print(text)
