"""The asker's direct conversation with the bot, for what a thread does not take."""

from agent_core.ids import SessionId, UserId
from bot.presenter.journal import Journal
from bot.presenter.words import Words
from bot.slack_api import SlackApi
from bot.threads import ThreadRef, parse_session, parse_user


class DirectPlace:
    """One thread with the asker alone for a turn, begun when it is first needed."""

    def __init__(self, api: SlackApi, journal: Journal) -> None:
        self._api = api
        self._journal = journal

    async def known(self) -> ThreadRef | None:
        """The thread, if it was begun."""
        begun = (await self._journal.open()).direct
        return parse_session(SessionId(begun)) if begun else None

    async def open(self, op: str, words: Words, asker: UserId) -> ThreadRef:
        """The thread, which can be read back as any other.

        A crash at its making may leave a second one without an answer.

        Raises:
            SlackError: Slack gave no answer, or the asker cannot be written to.
        """
        if place := await self.known():
            return place
        team, user = parse_user(asker)
        notice = f"_{words.not_in_thread}_"
        place = await self._api.post_direct(team, user, notice, op_id=f"{op}:notice")
        (await self._journal.open()).direct = place.session
        await self._journal.save()
        return place
