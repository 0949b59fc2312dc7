"""What people press and write below answers: the last word of each counts, and they are thanked."""

import logging
from collections.abc import Callable
from datetime import datetime

from agent_core.errors import SessionError
from agent_core.ids import SessionId, TurnId
from agent_core.messages import JsonObject
from agent_core.runtime import Feedback, Runtime
from agent_core.words import Words
from bot.ingress import Press, Submission
from bot.presenter.answer import FEEDBACK
from bot.render import entry, limits, modal
from bot.slack_api import People, SlackApi
from bot.threads import ThreadRef, parse_session, user_id
from bot.words import BOT

logger = logging.getLogger(__name__)


class FeedbackClicks:
    """The `Gestures` of feedback. A press that comes again changes nothing."""

    def __init__(
        self, runtime: Runtime, api: SlackApi, people: People, clock: Callable[[], datetime]
    ) -> None:
        self._runtime = runtime
        self._api = api
        self._people = people
        self._clock = clock

    async def press(self, press: Press) -> None:
        """Keep it; who is not content may say more, in a form."""
        verdict, _, named = press.value.partition(" ")
        try:
            turn = (await self._runtime.turn(TurnId(named))).id
        except SessionError:
            logger.warning("feedback on an unknown turn: %s", named[:80])
            return
        given = Feedback(
            turn=turn,
            person=user_id(press.team, press.user),
            verdict="up" if verdict == "up" else "down",
            at=self._clock(),
        )
        await self._runtime.feedback.give(given)
        form = _form(turn, await self._words(press.user), press.thread)
        if given.verdict == "up" or not await self._api.open_view(press.trigger_id, form):
            await self._thank(press.user, press.thread)

    async def submit(self, submission: Submission) -> None:
        """Keep what somebody added."""
        place, turn = submission.private_metadata.split(" ", 1)
        if text := submission.values.get("comment", "").strip():
            who = user_id(submission.team, submission.user)
            await self._runtime.feedback.comment(TurnId(turn), who, text)
        await self._thank(submission.user, parse_session(SessionId(place)))

    async def _thank(self, user: str, thread: ThreadRef) -> None:
        thanks = (await self._words(user))("feedback-thanks")
        await self._api.post_ephemeral(thread.channel, user, thanks, thread_ts=thread.root_ts)

    async def _words(self, user: str) -> Words:
        return BOT.of(await self._people.language(user))


def _form(turn: TurnId, words: Words, thread: ThreadRef) -> JsonObject:
    field = {"type": "plain_text_input", "multiline": True, "max_length": limits.SECTION_CHARS}
    asked = entry("comment", words("feedback-what"), field, optional=True)
    labels = (words("feedback-title"), words("feedback-send"), words("feedback-skip"))
    about = f"{thread.session} {turn}"
    return modal(f"{FEEDBACK}comment", *labels, private_metadata=about, blocks=[asked])
