"""The sign of one turn among those of the bot, in the hands of the turn's presenter."""

from dataclasses import dataclass

from bot.presenter.sign import Signs
from bot.slack_api import Guard
from bot.threads import ThreadRef


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSign:
    """Shown and taken back only as long as the turn is this process's."""

    signs: Signs
    thread: ThreadRef
    post_ts: str
    """The asker's post."""
    may_be_left: bool
    """The post came in through another process, which may have put a reaction on it."""
    guard: Guard | None

    async def show(self) -> None:
        """The turn is at work, or was seen and is next."""
        await self.signs.show(
            self.thread,
            self.post_ts,
            may_be_left=self.may_be_left,
            is_held=True,
            guard=self.guard,
        )

    async def rest(self) -> None:
        """The turn waits for a person."""
        await self.signs.rest(self.thread, self.post_ts, guard=self.guard)

    async def take_back(self) -> None:
        """The turn has ended."""
        await self.signs.take_back(self.thread, self.post_ts, guard=self.guard)

    async def leave(self) -> None:
        """The turn's message became part of another turn."""
        await self.signs.leave(self.thread, self.post_ts, guard=self.guard)

    def forget(self) -> None:
        """The turn is another process's now."""
        self.signs.forget(self.thread, self.post_ts)
