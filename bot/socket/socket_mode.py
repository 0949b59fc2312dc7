"""The one owner of the connection to Slack: opens, replaces and closes it, and knows how it is."""

import logging
from collections.abc import Awaitable, Callable
from functools import partial

from agent_core.background import Background
from bot.slack_api import MonotonicClock, SlackAuthRefused, SlackError, SlackLimited
from bot.socket.connection import SocketConnection, Timing
from bot.socket.trouble import DEAF, REFRESH, UNEXPECTED, Pauses, Trouble, trouble_of_error

TokenCheck = Callable[[], Awaitable[object]]
"""Calls `auth.test`. Raises SlackError."""

OnHealed = Callable[[], None]

logger = logging.getLogger(__name__)


class SocketMode:
    """Keeps one connection open. A new one is open before an old one that still works is closed.

    `on_healed` is called after every time without an open connection. A first connection that
    opens at once follows no such time.
    """

    def __init__(
        self,
        open_next: Callable[[], Awaitable[SocketConnection]],
        *,
        clock: MonotonicClock,
        timing: Timing,
        ask: TokenCheck,
        on_healed: OnHealed,
    ) -> None:
        self._open_next = open_next
        self._clock = clock
        self._timing = timing
        self._pauses = Pauses(clock)
        self._on_healed = on_healed
        self._ask = ask
        self._doubt = ""
        """What is wrong though the socket is open, in words for the operator."""
        self._current: SocketConnection | None = None
        self.opened = 0
        """Connections so far; the first one counts."""
        self._reported = ""
        self._background = Background()
        self._retiring = Background()

    async def start(self) -> None:
        """Open the first connection; while Slack does not answer, that goes on in the background.

        Raises SlackAuthRefused where the app-level token is wrong.
        """
        trouble: Trouble | None = None
        try:
            self._current = await self._open_next()
            self._note_open()
        except SlackAuthRefused:
            raise
        except SlackError as error:
            trouble = trouble_of_error(error)
        self._background.run(lambda: self._keep(trouble), name="the socket")
        pause = partial(self._clock.sleep, self._timing.quiet_after_s)
        self._background.repeat(self._test, pause=pause, name="self-test")

    async def close(self) -> None:
        """End the connection; what came is acknowledged as far as it is soon dealt with."""
        await self._background.close()
        if self._current is not None:
            self._retire(self._current)
        patience_s = self._timing.drain_s + 2 * self._timing.close_limit_s
        await self._retiring.settle(patience_s=patience_s)
        await self._retiring.close()

    @property
    def is_open(self) -> bool:
        """Whether Slack's payloads reach the bot, found out without a call."""
        return self._current is not None and self._current.is_open

    @property
    def last_heard_s(self) -> float | None:
        """Seconds since the last frame or pong of the newest connection; None before the first."""
        return self._current.heard_s_ago if self._current else None

    @property
    def fault(self) -> str:
        """What is wrong, in words for the operator; empty when all is well."""
        return self._doubt if self.is_open else self._reported or DEAF.words

    async def _keep(self, trouble: Trouble | None) -> None:
        while True:
            if trouble is not None:
                await self._replace(trouble)
            trouble = await self._current.trouble() if self._current else UNEXPECTED

    async def _replace(self, trouble: Trouble) -> None:
        """Open the next connection. The old one goes on meanwhile if it can."""
        old, is_planned = self._current, trouble is REFRESH
        if old is not None and not is_planned:
            self._retire(old)
        self._current = await self._open_after(trouble)
        self._reported = ""
        if old is None or not is_planned or not old.is_open:
            logger.info("the socket to Slack is open again")
            self._on_healed()
        if old is not None and is_planned:
            self._retire(old)

    async def _open_after(self, trouble: Trouble) -> SocketConnection:
        """The next connection, whatever it takes."""
        while True:
            self._report(trouble)
            await self._clock.sleep(self._pauses.before_next(trouble))
            try:
                opened = await self._open_next()
            except SlackError as error:
                trouble = trouble_of_error(error)
            except Exception:
                logger.exception("the socket to Slack did not open")
                trouble = UNEXPECTED
            else:
                self._note_open()
                return opened

    def _note_open(self) -> None:
        self.opened += 1
        self._pauses.note_open()

    def _report(self, trouble: Trouble) -> None:
        """Tell the operator once, and not at every try."""
        if trouble.words != self._reported:
            logger.log(trouble.level, "%s", trouble.words)
        self._reported = trouble.words

    def _retire(self, connection: SocketConnection) -> None:
        self._retiring.run(connection.retire, name="an old socket")

    async def _test(self) -> None:
        """A quiet team and a token that was taken away look alike from the socket.

        This only says what it finds: a new socket would not help.
        """
        doubt = ""
        current = self._current
        quiet_after_s = self._timing.quiet_after_s
        if current is not None and current.is_open and current.quiet_s >= quiet_after_s:
            doubt = await self._doubt_of_token()
        if doubt and doubt != self._doubt:
            logger.error("%s", doubt)
        self._doubt = doubt

    async def _doubt_of_token(self) -> str:
        try:
            await self._ask()
        except SlackLimited:
            return self._doubt
        except SlackAuthRefused as error:
            return f"Slack refuses SLACK_BOT_TOKEN ({error.code}): the bot cannot answer"
        except SlackError as error:
            return f"Slack's Web API does not answer ({error})"
        return ""
