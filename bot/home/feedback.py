"""Feedback on answers: of what a person presses the last word counts, and they are thanked."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from agent_core.errors import SessionError
from agent_core.ids import SessionId
from agent_core.messages import JsonObject
from agent_core.runtime import Feedback, Runtime
from agent_core.words import Words
from bot import clicks
from bot.clicks import FeedbackClick, FeedbackForm, Gesture
from bot.render import limits, text_entry
from bot.slack_api import Person, SlackApi, language_of
from bot.threads import parse_session
from bot.words import BOT

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class FeedbackClicks:
    """The handlers of the two buttons and of the form. A press that comes again changes nothing."""

    _runtime: Runtime
    _api: SlackApi
    _clock: Callable[[], datetime]

    async def give(
        self,
        click: FeedbackClick,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Keep it; who is not content may say more, in a form."""
        try:
            turn = await self._runtime.turn(click.turn)
        except SessionError:
            logger.warning("feedback on an unknown turn: %s", click.turn[:80])
            return
        feedback = Feedback(
            turn=turn.id,
            person=gesture.by,
            verdict=click.verdict,
            at=self._clock(),
        )
        await self._runtime.feedback.give(feedback)
        if click.verdict == "down":
            about = FeedbackForm(turn=turn.id, session=gesture.session)
            form = _form(about, BOT.of(language_of(person)))
            if await self._api.open_view(gesture.trigger_id, form):
                return
        await self._thank(person, gesture.session)

    async def comment(
        self,
        form: FeedbackForm,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Keep what somebody added."""
        if text := gesture.values.get("comment", "").strip():
            await self._runtime.feedback.comment(form.turn, gesture.by, text)
        await self._thank(person, form.session)

    async def _thank(self, person: Person, session: SessionId) -> None:
        thread = parse_session(session)
        thanks = BOT.say(language_of(person), "feedback-thanks")
        await self._api.post_ephemeral(
            thread.channel,
            person.id,
            thanks,
            thread_ts=thread.root_ts,
        )


def _form(about: FeedbackForm, words: Words) -> JsonObject:
    field = text_entry("comment", words("feedback-what"), limits.SECTION_CHARS, optional=True)
    return clicks.form(
        about,
        words("feedback-title"),
        words("feedback-send"),
        words("feedback-skip"),
        [field],
    )
