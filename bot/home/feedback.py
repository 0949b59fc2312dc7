"""Feedback on answers: of what a person presses the last word counts, and they are thanked."""

import logging
from dataclasses import dataclass

from agent_core.errors import SessionError
from agent_core.runtime import Runtime
from bot.clicks import FeedbackClick, Gesture
from bot.slack_api import Person, SlackApi, language_of
from bot.threads import parse_session
from bot.words import BOT

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class FeedbackClicks:
    """The handler of the two buttons. A press that comes again changes nothing."""

    _runtime: Runtime
    _api: SlackApi

    async def give(
        self,
        click: FeedbackClick,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Keep it, and thank the person alone."""
        try:
            turn = await self._runtime.turn(click.turn)
        except SessionError:
            logger.warning("feedback on an unknown turn: %s", click.turn[:80])
            return
        await self._runtime.preferences.put(f"feedback:{turn.id}", gesture.by, click.verdict)
        thread = parse_session(gesture.session)
        thanks = BOT.say(language_of(person), "feedback-thanks")
        await self._api.post_ephemeral(
            thread.channel,
            person.id,
            thanks,
            thread_ts=thread.root_ts,
        )
