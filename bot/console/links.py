"""“Open live view” below a progress post: whoever presses it gets a link of their own, alone."""

from collections.abc import Callable

from agent_core.ids import SessionId, UserId
from agent_core.runtime import detect_language
from bot.console.access import Access
from bot.console.passes import Passes
from bot.ingress import Press, Submission
from bot.slack_api import SlackApi
from bot.threads import user_id
from bot.words import BOT


class Links:
    """The `Gestures` of that button, and the addresses that it gives out.

    Args:
        address: Where the live view is served, without a slash at its end; None where it is not.
    """

    def __init__(
        self, passes: Passes, access: Access, api: SlackApi, address: Callable[[], str | None]
    ) -> None:
        self._passes = passes
        self._access = access
        self._api = api
        self._address = address

    async def press(self, press: Press) -> None:
        """Answer the person alone. Raises SlackError; the press may come again."""
        user, thread = user_id(press.team, press.user), press.thread
        person = await self._access.person(user)
        words = BOT.of(detect_language(locale=person.locale if person else ""))
        url = self.url(user, thread.session)
        if await self._access.level(user, thread.session) == "none":
            told = words("live-not-yours")
        else:
            told = words("live-off") if url is None else words("live-link", url=url)
        await self._api.post_ephemeral(thread.channel, press.user, told, thread_ts=thread.root_ts)

    async def submit(self, submission: Submission) -> None:
        """There is no form."""

    def url(self, user: UserId, session: SessionId) -> str | None:
        """A link for one person; None where nothing is served."""
        address = self._address()
        return address and f"{address}/enter?token={self._passes.link(user, session)}"
