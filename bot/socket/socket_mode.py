"""The one owner of the connection to Slack: opens, replaces and closes it, and knows how it is."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping

from bot.slack_api import Clock, SlackAuthRefused, SlackError
from bot.socket.connection import Connection
from bot.socket.door import Door
from bot.socket.health import SocketHealth
from bot.socket.pauses import Pauses
from bot.socket.self_test import Ask, SelfTest
from bot.socket.timing import Timing
from bot.socket.trouble import DEAF, UNEXPECTED, Kind, Trouble, trouble_of_error

OnHealed = Callable[[], Awaitable[None]]

_LEVELS: Mapping[Kind, int] = {"refresh": logging.INFO, "refused": logging.ERROR}

logger = logging.getLogger(__name__)


class SocketMode:
    """Keeps one connection open. A new one is open before an old one that still works is closed.

    `on_healed` is called after every time without an open connection, one call at a time and
    beside what comes. A first connection that opens at once follows no such time.
    """

    def __init__(
        self,
        door: Door,
        *,
        clock: Clock,
        timing: Timing,
        pauses: Pauses | None = None,
        ask: Ask | None = None,
        on_healed: OnHealed | None = None,
    ) -> None:
        self._door = door
        self._clock = clock
        self._timing = timing
        self._pauses = pauses or Pauses(clock)
        self._on_healed = on_healed
        self._one_healing = asyncio.Lock()
        self._self_test = ask and SelfTest(ask, clock=clock, quiet_after_s=timing.quiet_after_s)
        self._current: Connection | None = None
        self._said = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._retiring: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Open the first connection; while Slack does not answer, that goes on in the background.

        Raises:
            SlackAuthRefused: the app-level token is wrong.
        """
        trouble: Trouble | None = None
        try:
            self._current = await self._door.open()
            self._pauses.note_open()
        except SlackAuthRefused:
            raise
        except SlackError as error:
            trouble = trouble_of_error(error)
        _start(self._keep(trouble), self._tasks)
        if self._self_test is not None:
            _start(self._self_test.watch(self._quiet_s), self._tasks)

    async def close(self) -> None:
        """End the connection; what came is acknowledged as far as it is soon dealt with."""
        await _cancel(self._tasks)
        if self._current is not None:
            self._retire(self._current)
        if self._retiring:
            patience_s = self._timing.drain_s + 2 * self._timing.close_limit_s
            await asyncio.wait(self._retiring, timeout=patience_s)
        await _cancel(self._retiring)

    def health(self) -> SocketHealth:
        """How the socket is at this moment; found out without a call."""
        current = self._current
        connected = current is not None and current.is_open
        doubt = self._self_test.doubt if self._self_test else ""
        return SocketHealth(
            connected=connected,
            last_heard_s=current.heard_s_ago if current else None,
            reason=doubt if connected else self._said or DEAF.words,
        )

    async def _keep(self, trouble: Trouble | None) -> None:
        while True:
            if trouble is not None:
                await self._replace(trouble)
            trouble = await self._current.trouble() if self._current else UNEXPECTED

    async def _replace(self, trouble: Trouble) -> None:
        """Open the next connection. The old one goes on meanwhile if it can."""
        old, is_planned = self._current, trouble.kind == "refresh"
        if old is not None and not is_planned:
            self._retire(old)
        self._current = await self._open_after(trouble)
        self._said = ""
        if old is None or not is_planned or not old.is_open:
            _start(self._tell_healed(), self._tasks)
        if old is not None and is_planned:
            self._retire(old)

    async def _open_after(self, trouble: Trouble) -> Connection:
        """The next connection, whatever it takes."""
        while True:
            self._say(trouble)
            await self._clock.sleep(self._pauses.before_next(trouble))
            try:
                opened = await self._door.open()
            except SlackError as error:
                trouble = trouble_of_error(error)
            except Exception:
                logger.exception("the socket to Slack did not open")
                trouble = UNEXPECTED
            else:
                self._pauses.note_open()
                return opened

    def _say(self, trouble: Trouble) -> None:
        """Tell the operator once, and not at every try."""
        if trouble.words != self._said:
            logger.log(_LEVELS.get(trouble.kind, logging.WARNING), "%s", trouble.words)
        self._said = trouble.words

    def _retire(self, connection: Connection) -> None:
        _start(connection.retire(), self._retiring)

    def _quiet_s(self) -> float:
        current = self._current
        return current.quiet_s if current is not None and current.is_open else 0.0

    async def _tell_healed(self) -> None:
        """A look at what was missed that fails costs no connection."""
        logger.info("the socket to Slack is open again")
        if self._on_healed is None:
            return
        async with self._one_healing:
            try:
                await self._on_healed()
            except Exception:
                logger.exception("what came while there was no socket could not be looked for")


def _start(work: Coroutine[None, None, None], tasks: set[asyncio.Task[None]]) -> None:
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    task.add_done_callback(_note_failure)


def _note_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("a part of the socket failed", exc_info=error)


async def _cancel(tasks: set[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
