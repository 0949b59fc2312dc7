"""The handlers of a question's buttons and form: the same as if the person had written it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from agent_core.errors import SessionError
from agent_core.ids import turn_of
from agent_core.messages import InboundMessage
from agent_core.runtime import Question, Runtime, StoredTurn
from bot.clicks import QuestionClick, QuestionForm, Refused
from bot.inbound import post_key
from bot.ingress import Gesture
from bot.presenter.questions import answer_form
from bot.slack_api import Person, SlackApi, language_of
from bot.words import BOT


@dataclass(slots=True)
class Answers:
    """The answer's identity is the question's post: there is one."""

    _runtime: Runtime
    _api: SlackApi
    _clock: Callable[[], datetime]

    async def choose(self, click: QuestionClick, gesture: Gesture, person: Person) -> None:
        """Answer, or open the form. Raises SlackError; the press may come again."""
        turn, wait, why = await self._find(click, gesture)
        channel, ts = gesture.sender.channel, gesture.message_ts
        if click.kind == "question.other":
            if why:
                raise Refused(f"question-{why}")
            about = QuestionForm(turn=click.turn, call=click.call, channel=channel, ts=ts)
            form = answer_form(about, BOT.of(language_of(person)))
            if not await self._api.open_view(gesture.trigger_id, form):
                raise Refused("question-write-it")
            return
        key = post_key(gesture.sender.team, channel, ts)
        if turn is None or wait is None or not 0 < click.option <= len(wait.options):
            raise Refused(f"question-{why or 'over'}")
        text = wait.options[click.option - 1]
        await self._give(turn, gesture, person, key, text, why, is_choice=True)

    async def submit(self, form: QuestionForm, gesture: Gesture, person: Person) -> None:
        """Answer in the person's own words."""
        turn, _, why = await self._find(form, gesture)
        text = gesture.values.get("answer", "").strip()
        if turn is None:
            raise Refused(f"question-{why}")
        if text:
            key = post_key(gesture.sender.team, form.channel, form.ts)
            await self._give(turn, gesture, person, key, text, why)

    async def _find(
        self, asked: QuestionClick | QuestionForm, gesture: Gesture
    ) -> tuple[StoredTurn | None, Question | None, str]:
        """The question, and why it is not open to this person, if so."""
        try:
            turn = await self._runtime.turn(asked.turn)
        except SessionError:
            return None, None, "over"
        wait = turn.wait if isinstance(turn.wait, Question) else None
        if wait is None or wait.call_id != asked.call:
            return turn, None, "over"
        if turn.status != "waiting" or wait.is_over(self._clock()):
            return turn, wait, "over"
        return turn, wait, "" if gesture.by == wait.asker else "not-yours"

    async def _give(
        self,
        turn: StoredTurn,
        gesture: Gesture,
        person: Person,
        key: str,
        text: str,
        why: str,
        *,
        is_choice: bool = False,
    ) -> None:
        """An answer that was taken and comes again is no news. Raises Refused with `why`."""
        if not why:
            message = InboundMessage(
                session=turn.session,
                key=key,
                asker=gesture.by,
                author_name=person.name,
                text=text,
                received_at=self._clock(),
                author_locale=person.locale,
                author_zone=person.zone,
                places=turn.inbound.places,
                is_choice=is_choice,
            )
            await self._runtime.handle(message, is_answer=True)
        try:
            taken = (await self._runtime.turn(turn_of(key))).inbound
        except SessionError:
            if why:
                raise Refused(f"question-{why}") from None
            return
        if (taken.asker, taken.text) != (gesture.by, text):
            raise Refused(f"question-{why or 'over'}")
