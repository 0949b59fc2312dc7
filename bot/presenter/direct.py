"""The asker's direct conversation with the bot, for what a thread does not take."""

from functools import partial

from agent_core.ids import SessionId, UserId
from bot.presenter.journal import Journal
from bot.presenter.words import Words
from bot.slack_api import SlackApi
from bot.threads import ThreadRef, parse_session, parse_user


class DirectPlace:
    """One thread with the asker alone for a turn, begun once, when it is first needed."""

    def __init__(self, api: SlackApi, thread: ThreadRef, journal: Journal) -> None:
        self._api = api
        self._thread = thread
        self._journal = journal

    async def known(self) -> ThreadRef | None:
        """The thread, if it was begun."""
        begun = (await self._journal.open()).direct
        return parse_session(SessionId(begun)) if begun else None

    async def open(self, op: str, words: Words, asker: UserId) -> ThreadRef:
        """The thread, which can be read back as any other.

        Raises:
            SlackError: Slack gave no answer, or the asker cannot be written to.
        """
        if place := await self.known():
            return place
        op = f"{op}:notice"
        await self._journal.once(op, partial(self._begin, op, words, asker))
        return parse_session(SessionId((await self._journal.open()).direct))

    async def _begin(self, op: str, words: Words, asker: UserId, may_exist: bool) -> None:
        team, user = parse_user(asker)
        place = await self._api.post_direct(
            team,
            user,
            f"_{words.not_in_thread}_",
            op_id=op,
            since=self._thread.root_ts,
            may_exist=may_exist,
        )
        (await self._journal.open()).direct = place.session
