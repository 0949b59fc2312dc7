"""Lets days pass in minutes: time runs while the bot works, and jumps to what is due next."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.sandbox.moments import SharedClock
from bot.sandbox.watch import NoTurnError, Watch

LEAD_S = 2.0
"""How long before a due moment a jump ends, so that the bot sees the moment come."""


class NothingDueError(Exception):
    """The posts that were waited for will not come; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How much real time, and how many slots, are given to the bot."""

    work_s: float = 1800.0
    due_s: float = 20.0
    """Until a schedule is there that is due some time."""
    begin_s: float = 120.0
    """Until a slot whose moment has come is begun."""
    silent_slots: int = 10
    """In a row without a post."""


class Timelapse:
    """Puts the clock forward whenever the bot has nothing to do.

    Args:
        clock: The one that the bot and Slack go by.
        watch: Tells what the bot is at, and what is due.
        count: How many of the posts waited for are there.
        told: A moment in words.
    """

    def __init__(
        self,
        clock: SharedClock,
        watch: Watch,
        *,
        count: Callable[[], int],
        told: Callable[[float], str],
        patience: Patience | None = None,
    ) -> None:
        self._clock = clock
        self._watch = watch
        self._count = count
        self._told = told
        self._patience = patience or Patience()

    async def until_posts(self, wanted: int) -> None:
        """Let so many slots pass that `wanted` posts are there and the bot is at rest.

        Raises:
            NothingDueError: nothing is due any more, or slot after slot passes without a post.
            NoTurnError: the bot does not begin with a slot, or does not end.
        """
        silent = 0
        await self._rest()
        while (there := self._count()) < wanted:
            if silent == self._patience.silent_slots:
                raise NothingDueError(
                    f"{silent} slots in a row brought no post: {self._so_far(wanted)}"
                )
            await self._pass_slot(await self._next_due(wanted))
            silent = 0 if self._count() > there else silent + 1

    async def _pass_slot(self, due: datetime) -> None:
        """Go to a slot, and stay until the bot is done with it."""
        self._clock.jump_to(due.timestamp() - LEAD_S)

        async def is_begun() -> bool:
            then = await self._watch.next_due()
            return then is None or then > due

        moment = self._told(due.timestamp())
        await self._watch.until(
            is_begun,
            timeout_s=self._patience.begin_s,
            otherwise=f"The bot did not begin with what was due at {moment}",
        )
        await self._rest()

    async def _next_due(self, wanted: int) -> datetime:
        found: list[datetime] = []

        async def is_due() -> bool:
            due = await self._watch.next_due()
            found.extend([due] if due else [])
            return due is not None

        try:
            await self._watch.until(is_due, timeout_s=self._patience.due_s, otherwise="")
        except NoTurnError as error:
            knows = await self._watch.knows_schedules()
            reason = "No schedule is due any more" if knows else "The bot keeps no schedules"
            raise NothingDueError(f"{reason}: {self._so_far(wanted)}") from error
        return found[-1]

    async def _rest(self) -> None:
        await self._watch.rest(timeout_s=self._patience.work_s)

    def _so_far(self, wanted: int) -> str:
        now = self._told(self._clock.now())
        return (
            f"of {wanted} posts {self._count()} are there, and it is {now} by the sandbox's clock."
        )
