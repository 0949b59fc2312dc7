"""The handlers of clicks and forms on Asks: on questions, approvals and connections.

The core says who may decide. Here a click is held to the thread that the Ask stands in.
"""

import asyncio
import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from agent_core.errors import AskRefused, ToolServerError
from agent_core.ids import AskId, SessionId, UserId
from agent_core.messages import InboundMessage, JsonObject
from agent_core.runtime import Ask, Asks, Question
from agent_core.words import Words
from bot.clicks import (
    ApprovalClick,
    ApprovalForm,
    ApprovalMenu,
    ConnectionClick,
    Gesture,
    QuestionClick,
    QuestionForm,
    Refused,
)
from bot.inbound import post_key
from bot.presenter.approval import (
    details_form,
    edit_form,
    read_changes,
    reason_form,
)
from bot.presenter.asks import answer_form, whisper_links
from bot.render import mention
from bot.slack_api import Person, SlackApi, language_of
from bot.threads import parse_session
from bot.words import BOT

logger = logging.getLogger(__name__)

RENEW_AFTER_S = 480.0
"""Composio's links live for ten minutes, and one may have been minted a while before."""


@dataclass(slots=True)
class AskClicks:
    """A click that comes again is answered: it was decided already.

    Every handler raises Refused where the core refuses it, and SlackError where Slack could not be
    asked; the click may come again.
    """

    _asks: Asks
    _api: SlackApi
    _clock: Callable[[], datetime]

    async def decide(
        self,
        click: ApprovalClick | ApprovalMenu,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Approve a call, or open the view to reject it, to edit it, or to see it whole."""
        what = click.choice if isinstance(click, ApprovalMenu) else click.kind.partition(".")[2]
        with _refusals("consent-refusal-not-yours"):
            ask = await self._require_in(click.ask, gesture.session)
            if what == "approve" or what == "approve_thread":
                decision = "approved" if what == "approve" else "approved_thread"
                await self._asks.decide(ask.id, gesture.by, decision)
                return
            view = await self._view(what, ask, gesture, BOT.of(language_of(person)))
            if await self._api.open_view(gesture.trigger_id, view):
                return
            if what != "reject":
                raise Refused("consent-refusal-press-again")
            await self._asks.decide(ask.id, gesture.by, "rejected")

    async def _view(self, what: str, ask: Ask, gesture: Gesture, words: Words) -> JsonObject:
        """The view that a button opens, for whoever may send it."""
        if what == "reject":
            await self._asks.check_may_decide(ask.id, gesture.by)
            return reason_form(ask.id, gesture.session, words)
        approval = ask.approval
        if what == "edit":
            await self._asks.check_may_edit(ask.id, gesture.by)
            return edit_form(approval.actions[0], ask.id, gesture.session, words)
        if ask.state != "open":
            raise AskRefused("over")
        return await asyncio.to_thread(details_form, approval.actions, approval.digest, words)

    async def submit(
        self,
        form: ApprovalForm,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Reject for the reason that was written, or none; or edit the call."""
        with _refusals("consent-refusal-not-yours"):
            await self._require_in(form.ask, form.session)
            if form.kind == "consent.reason_form":
                reason = gesture.values.get("reason", "").strip()
                await self._asks.decide(form.ask, gesture.by, "rejected", reason=reason)
                return
            ask = await self._asks.check_may_decide(form.ask, gesture.by)
            if changes := read_changes(ask.approval.actions[0], gesture.values):
                await self._asks.edit(ask.id, gesture.by, changes)

    async def connect(
        self,
        click: ConnectionClick,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Show links, skip, or look for the account. A post with links goes when the wait does."""
        take_away = partial(self._api.take_away, gesture.response_url)
        with _refusals("consent-refusal-not-your-link"):
            ask = await self._require_in(click.ask, gesture.session)
            if click.kind == "consent.skip":
                await self._asks.skip_connection(ask.id, gesture.by)
                return
            if click.kind == "consent.check":
                if not await self._asks.check_connection(ask.id, gesture.by):
                    raise Refused("consent-refusal-not-connected-yet")
                await take_away()
                return
            if click.kind == "consent.open":
                await self._asks.open_link(ask.id, gesture.by, take_away)
                if float(gesture.pressed_ts) - float(gesture.message_ts) < RENEW_AFTER_S:
                    return
            await take_away()
            await whisper_links(
                self._api,
                self._asks.connect_link,
                parse_session(gesture.session),
                ask.id,
                gesture.by,
                click.apps,
                BOT.of(language_of(person)),
            )

    async def choose(
        self,
        click: QuestionClick,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Answer with an option, or open the form for an answer in words of one's own."""
        channel, ts = gesture.sender.channel, gesture.message_ts
        with _refusals("question-not-yours", "question-over"):
            if click.kind == "question.other":
                await self._asks.check_may_answer(click.ask, gesture.by)
                about = QuestionForm(ask=click.ask, channel=channel, ts=ts)
                form = answer_form(BOT.of(language_of(person)), about)
                if not await self._api.open_view(gesture.trigger_id, form):
                    raise Refused("question-write-it")
                return
            ask = await self._asks.find(click.ask)
            options = ask.body.options if ask and isinstance(ask.body, Question) else ()
            if not 0 < click.option <= len(options):
                raise Refused("question-over")
            key = post_key(gesture.sender.team, channel, ts)
            message = self._answer(
                key,
                gesture,
                person,
                options[click.option - 1],
                is_choice=True,
            )
            await self._asks.answer(click.ask, message)

    async def answer(
        self,
        form: QuestionForm,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Answer in the person's own words."""
        text = gesture.values.get("answer", "").strip()
        if not text:
            return
        key = post_key(gesture.sender.team, form.channel, form.ts)
        with _refusals("question-not-yours", "question-over"):
            await self._asks.answer(form.ask, self._answer(key, gesture, person, text))

    def _answer(
        self,
        key: str,
        gesture: Gesture,
        person: Person,
        text: str,
        *,
        is_choice: bool = False,
    ) -> InboundMessage:
        """An answer as a message; its identity is the question's post: there is one."""
        return InboundMessage(
            session=SessionId(""),
            key=key,
            asker=gesture.by,
            author_name=person.name,
            text=text,
            received_at=self._clock(),
            author_locale=person.locale,
            author_zone=person.zone,
            is_choice=is_choice,
        )

    async def _require_in(self, ask_id: AskId, session: SessionId) -> Ask:
        """The Ask, unless it stands in another thread: there alone it is decided.

        Where a thread took no posts, it was asked in the asker's direct conversation.
        """
        ask = await self._asks.find(ask_id)
        is_direct = ":D" in session
        if ask is None or not (is_direct or session == ask.session):
            raise AskRefused("unknown")
        return ask


@contextmanager
def _refusals(not_yours: str, over: str = "") -> Generator[None]:
    """Whatever the core refuses is answered with a sentence; with `over` there are but two."""
    try:
        yield
    except AskRefused as refused:
        sentence = over or f"consent-refusal-{refused.why.replace('_', '-')}"
        if refused.why == "not_yours":
            sentence = not_yours
        deciders = [mention(UserId(each)) for each in refused.deciders]
        raise Refused(sentence, who=", ".join(deciders), n=len(deciders)) from refused
    except ToolServerError as error:
        logger.warning("a click came to nothing: %s", error)
        raise Refused("consent-refusal-press-again") from error
