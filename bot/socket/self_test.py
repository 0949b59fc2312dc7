"""While no payload comes: does Slack still know the bot?"""

import logging
from collections.abc import Awaitable, Callable

from bot.slack_api import Clock, SlackAuthRefused, SlackError, SlackLimited

Ask = Callable[[], Awaitable[object]]
"""Calls `auth.test`. Raises SlackError."""

logger = logging.getLogger(__name__)


class SelfTest:
    """A quiet team and a token that was taken away look alike from the socket.

    It only says what it finds: a new socket would not help.
    """

    def __init__(self, ask: Ask, *, clock: Clock, quiet_after_s: float) -> None:
        self._ask = ask
        self._clock = clock
        self._quiet_after_s = quiet_after_s
        self.doubt = ""
        """What was found wrong, in words for the operator; empty when nothing was."""

    async def watch(self, quiet_s: Callable[[], float]) -> None:
        """Look again and again, for ever; `quiet_s` says for how long nothing came."""
        while True:
            await self._clock.sleep(self._quiet_after_s)
            found = await self._look() if quiet_s() >= self._quiet_after_s else ""
            if found and found != self.doubt:
                logger.error("%s", found)
            self.doubt = found

    async def _look(self) -> str:
        try:
            await self._ask()
        except SlackLimited:
            return self.doubt
        except SlackAuthRefused as error:
            return f"Slack refuses SLACK_BOT_TOKEN ({error.code}): the bot cannot answer"
        except SlackError as error:
            return f"Slack's Web API does not answer ({error})"
        return ""
