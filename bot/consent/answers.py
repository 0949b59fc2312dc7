"""What people do with a question's buttons and form: the same as if they had written it."""

from collections.abc import Callable, Mapping
from datetime import datetime

from agent_core.errors import SessionError
from agent_core.ids import UserId, turn_of
from agent_core.messages import InboundMessage
from agent_core.runtime import Question, Runtime, StoredTurn
from bot.inbound import post_key
from bot.ingress import Press, Submission
from bot.presenter.questions import OTHER, answer_form, read_value
from bot.slack_api import People, SlackApi
from bot.threads import parse_user, user_id
from bot.words import BOT


class QuestionClicks:
    """The `Gestures` of questions. The answer's identity is the question's post: there is one."""

    def __init__(
        self, runtime: Runtime, api: SlackApi, people: People, clock: Callable[[], datetime]
    ) -> None:
        self._runtime = runtime
        self._api = api
        self._people = people
        self._clock = clock

    async def press(self, press: Press) -> None:
        """Answer, open the form, or tell the person alone why not.

        Raises SlackError where Slack could not be asked; the press may come again.
        """
        *_, number = read_value(press.value)
        by, place = user_id(press.team, press.user), f"{press.channel} {press.message_ts}"
        language = await self._people.language(press.user)
        turn, wait, why = await self._find(press.value, by)
        if press.action_id == OTHER and not why:
            form = answer_form(press.value, BOT.of(language), place=place, language=language)
            why = "" if await self._api.open_view(press.trigger_id, form) else "write-it"
        elif turn and wait and 0 < number <= len(wait.options):
            text = wait.options[number - 1]
            why = await self._give(turn, by, place, text, why, is_choice=True)
        if why:
            said, thread = BOT.say(language, f"question-{why}"), press.thread
            await self._api.post_ephemeral(
                thread.channel, press.user, said, thread_ts=thread.root_ts
            )

    async def submit(self, submission: Submission) -> Mapping[str, str] | None:
        """Answer in the person's own words."""
        language, channel, ts, value = submission.private_metadata.split(" ", 3)
        by = user_id(submission.team, submission.user)
        turn, _, why = await self._find(value, by)
        text = submission.values.get("answer", "").strip()
        if turn and text:
            why = await self._give(turn, by, f"{channel} {ts}", text, why)
        return {"answer": BOT.say(language, f"question-{why}")} if why else None

    async def _find(self, value: str, by: UserId) -> tuple[StoredTurn | None, Question | None, str]:
        """The question, and why it is not open to this person, if so."""
        named, call, _ = read_value(value)
        try:
            turn = await self._runtime.turn(named)
        except SessionError:
            return None, None, "over"
        wait = turn.wait if isinstance(turn.wait, Question) else None
        if wait is None or wait.call_id != call:
            return turn, None, "over"
        if turn.status != "waiting" or wait.is_over(self._clock()):
            return turn, wait, "over"
        return turn, wait, "" if by == wait.asker else "not-yours"

    async def _give(
        self,
        turn: StoredTurn,
        by: UserId,
        place: str,
        text: str,
        why: str,
        *,
        is_choice: bool = False,
    ) -> str:
        """Why it was not taken, if so. What was taken, and comes again, is no news to anybody."""
        team, user = parse_user(by)
        key = post_key(team, *place.split(" "))
        if not why:
            person = await self._people.person(user)
            message = InboundMessage(
                session=turn.session,
                key=key,
                asker=by,
                author_name=person.name if person else "",
                text=text,
                received_at=self._clock(),
                author_locale=person.locale if person else "",
                author_zone=person.zone if person else "",
                places=turn.inbound.places,
                is_choice=is_choice,
            )
            await self._runtime.handle(message, is_answer=True)
        try:
            taken = (await self._runtime.turn(turn_of(key))).inbound
        except SessionError:
            return why
        return "" if (taken.asker, taken.text) == (by, text) else why or "over"
