"""Clicks and forms of people on Asks: on questions, approvals and connections.

The core says who may decide. Here a click is held to the thread that the Ask stands in, and whoever
is refused is told why, and nobody else.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial

from agent_core.errors import AskRefused, ToolServerError
from agent_core.ids import AskId, SessionId, UserId
from agent_core.messages import InboundMessage, JsonObject
from agent_core.runtime import Ask, Asks, Question
from agent_core.words import Words
from bot.inbound import post_key
from bot.ingress import Press, Submission
from bot.presenter.approval import details_form, edit_form, read_changes, reason_form
from bot.presenter.ask_buttons import OPEN, QUESTIONS, read_value
from bot.presenter.connection import fresh_links
from bot.presenter.questions import answer_form
from bot.render import PostDraft
from bot.slack_api import People, SlackApi
from bot.threads import parse_session, parse_user, user_id
from bot.words import BOT

logger = logging.getLogger(__name__)

_OF_CONNECTIONS = frozenset({"link", "skip", "check", OPEN})
RENEW_AFTER_S = 480.0
"""Composio's links live for ten minutes, and one may have been minted a while before."""


class AskClicks:
    """The `Gestures` of Asks. A click that comes again is told that it was decided already."""

    def __init__(
        self, asks: Asks, api: SlackApi, people: People, clock: Callable[[], datetime]
    ) -> None:
        self._asks = asks
        self._api = api
        self._people = people
        self._clock = clock

    async def press(self, press: Press) -> None:
        """Do what the button says, or tell the person alone why not.

        Raises SlackError where Slack could not be asked; the press may come again.
        """
        language = await self._people.language(press.user)
        _, name, *_ = (*press.action_id.split("."), "")
        try:
            refusal = await self._do(name, press, language)
        except AskRefused as refused:
            refusal = _refusal(refused, name)
        except ToolServerError as error:
            logger.warning("a press came to nothing: %s", error)
            refusal = "consent-refusal-press-again"
        if refusal:
            await self._whisper(press, PostDraft(text=BOT.say(language, refusal)))

    async def submit(self, submission: Submission) -> Mapping[str, str] | None:
        """Answer in the person's own words, reject for a reason, or edit a call."""
        about, language, place = submission.private_metadata.rsplit(" ", 2)
        ask_id = AskId(about)
        by = user_id(submission.team, submission.user)
        values = submission.values
        _, name = submission.callback_id.split(".", 1)
        try:
            if submission.callback_id.startswith(QUESTIONS):
                text = values.get("answer", "").strip()
                if text:
                    await self._answer(ask_id, by, place, text)
                return None
            await self._require_in(ask_id, SessionId(place))
            if name == "reason":
                reason = values.get("reason", "").strip()
                await self._asks.decide(ask_id, by, "rejected", reason=reason)
                return None
            ask = await self._asks.check_may_decide(ask_id, by)
            if changes := read_changes(ask.approval.actions[0], values):
                await self._asks.edit(ask_id, by, changes)
        except AskRefused as refused:
            field = next(iter(values), "reason")
            return {field: BOT.say(language, _refusal(refused, name))}
        return None

    async def _do(self, name: str, press: Press, language: str) -> str:
        """The key of the sentence that the person alone is told; empty where it was done."""
        ask_id, more = read_value(press.value)
        by = user_id(press.team, press.user)
        words = BOT.of(language)
        if press.action_id.startswith(QUESTIONS):
            return await self._question(name, by, press, language)
        ask = await self._require_in(ask_id, press.thread.session)
        match name:
            case "approve":
                await self._asks.decide(ask_id, by, "approved")
            case "approve_thread":
                await self._asks.decide(ask_id, by, "approved_thread")
            case "reject" | "edit" | "details":
                about = f"{ask_id} {language} {press.thread.session}"
                form = await self._form(name, ask, by, words, about)
                if await self._api.open_view(press.trigger_id, form):
                    return ""
                if name != "reject":
                    return "consent-refusal-press-again"
                await self._asks.decide(ask_id, by, "rejected")
            case _ if name in _OF_CONNECTIONS:
                return await self._connect(name, ask_id, more, by, press, words)
            case _:
                logger.warning("a button of another version was pressed: %s", name[:80])
        return ""

    async def _question(self, name: str, by: UserId, press: Press, language: str) -> str:
        """As `_do`, for the options of a question, and the form for an answer in own words."""
        ask_id, more = read_value(press.value)
        place = f"{press.channel}:{press.message_ts}"
        if name == "other":
            await self._asks.check_may_answer(ask_id, by)
            form = answer_form(BOT.of(language), f"{ask_id} {language} {place}")
            is_open = await self._api.open_view(press.trigger_id, form)
            return "" if is_open else "question-write-it"
        ask = await self._asks.find(ask_id)
        options = ask.body.options if ask and isinstance(ask.body, Question) else ()
        number = int(more) if more.isdecimal() else 0
        if not 0 < number <= len(options):
            return "question-over"
        await self._answer(ask_id, by, place, options[number - 1], is_choice=True)
        return ""

    async def _answer(
        self, ask_id: AskId, by: UserId, place: str, text: str, *, is_choice: bool = False
    ) -> None:
        """Hand over an answer as a message; its identity is the question's post: there is one."""
        team, user = parse_user(by)
        channel, ts = place.split(":")
        person = await self._people.person(user)
        message = InboundMessage(
            session=SessionId(""),
            key=post_key(team, channel, ts),
            asker=by,
            author_name=person.name if person else "",
            text=text,
            received_at=self._clock(),
            author_locale=person.locale if person else "",
            author_zone=person.zone if person else "",
            is_choice=is_choice,
        )
        await self._asks.answer(ask_id, message)

    async def _connect(
        self, name: str, ask_id: AskId, apps: str, by: UserId, press: Press, words: Words
    ) -> str:
        """As `_do`, for the buttons of a connection. What shows a link goes when the wait does."""
        take_away = partial(self._api.take_away, press.response_url)
        if name == "skip":
            await self._asks.skip_connection(ask_id, by)
            return ""
        if name == OPEN:
            await self._asks.open_link(ask_id, by, take_away)
            if float(press.action_ts) - float(press.message_ts) < RENEW_AFTER_S:
                return ""
        if name == "check":
            if not await self._asks.check_connection(ask_id, by):
                return "consent-refusal-not-connected-yet"
            await take_away()
            return ""
        await take_away()
        link = self._asks.connect_link
        await self._whisper(press, await fresh_links(link, ask_id, by, apps.split(","), words))
        return ""

    async def _whisper(self, press: Press, draft: PostDraft) -> None:
        thread = press.thread
        await self._api.post_ephemeral(
            thread.channel, press.user, draft.text, thread_ts=thread.root_ts, blocks=draft.blocks
        )

    async def _form(self, name: str, ask: Ask, by: UserId, words: Words, about: str) -> JsonObject:
        """For a reason, for other texts, or with all arguments."""
        if name == "reject":
            await self._asks.check_may_decide(ask.id, by)
            return reason_form(words, about)
        if name == "edit":
            await self._asks.check_may_edit(ask.id, by)
            return edit_form(ask.approval.actions[0], words, about)
        if ask.state != "open":
            raise AskRefused("It is not waited for.", why="over")
        return await asyncio.to_thread(details_form, ask.approval.actions, words)

    async def _require_in(self, ask_id: AskId, place: SessionId) -> Ask:
        """The Ask, unless it stands in another thread: there alone it is decided.

        Where a thread took no posts, it was asked in the asker's direct conversation.
        """
        ask = await self._asks.find(ask_id)
        is_direct = parse_session(place).channel.startswith("D")
        if ask is None or not (is_direct or place == ask.session):
            raise AskRefused("Nothing of this was asked here.", why="unknown")
        return ask


def _refusal(refused: AskRefused, name: str) -> str:
    """The key of the sentence that tells a person why they were refused."""
    if name in {"option", "other", "form"}:
        return "question-not-yours" if refused.why == "not_yours" else "question-over"
    if refused.why == "not_yours" and name in _OF_CONNECTIONS:
        return "consent-refusal-not-your-link"
    return f"consent-refusal-{refused.why.replace('_', '-')}"
