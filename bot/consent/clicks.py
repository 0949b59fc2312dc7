"""The handlers of the buttons and the forms of approvals and connections.

Who may decide what is the core's to say. Here it is made sure that a press stands in the thread
that it is about.
"""

import asyncio
import logging
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial

from agent_core.errors import ConsentRefused, ToolServerError
from agent_core.events import PlannedAction
from agent_core.ids import ConsentId, SessionId
from agent_core.messages import JsonObject
from agent_core.runtime.consents import ApprovalChoice, Consents
from agent_core.words import Words
from bot.clicks import ApprovalClick, ApprovalForm, ConnectionClick, Refused
from bot.ingress import Gesture
from bot.presenter.approval import details_form, edit_form, read_changes, reason_form
from bot.presenter.consents import fresh_links
from bot.render import PostDraft
from bot.slack_api import Person, SlackApi, language_of
from bot.threads import parse_session
from bot.words import BOT

logger = logging.getLogger(__name__)

RENEW_AFTER_S = 480.0
"""Composio's links live for ten minutes, and one may have been minted a while before."""


class ConsentClicks:
    """Every handler raises Refused where the core refuses it, and SlackError."""

    def __init__(self, consents: Consents, api: SlackApi) -> None:
        self._consents = consents
        self._api = api

    async def decide(self, click: ApprovalClick, gesture: Gesture, person: Person) -> None:
        """Approve a call, or open the form to reject or edit it or to see it whole."""
        session = gesture.thread.session
        with _refusals():
            await self._require_in(click.consent, session)
            match click.kind:
                case "consent.approve":
                    await self._decide(click, gesture, "approve")
                case "consent.approve_thread":
                    await self._decide(click, gesture, "approve_thread")
                case "consent.reject":
                    await self._consents.check_may_decide(click.consent, gesture.by)
                    about = ApprovalForm(
                        kind="consent.reason_form", consent=click.consent, session=session
                    )
                    form = reason_form(_words(person), about)
                    if not await self._api.open_view(gesture.trigger_id, form):
                        await self._decide(click, gesture, "reject")
                case "consent.edit" | "consent.details":
                    form = await self._form(click, gesture, _words(person))
                    if not await self._api.open_view(gesture.trigger_id, form):
                        raise Refused("consent-refusal-press-again")

    async def submit(self, form: ApprovalForm, gesture: Gesture, person: Person) -> None:
        """Reject for the reason that was written, or none; or ask again for what was edited."""
        by, values = gesture.by, gesture.values
        with _refusals():
            await self._require_in(form.consent, form.session)
            if form.kind == "consent.reason_form":
                reason = values.get("reason", "").strip()
                await self._consents.decide(form.consent, by, verdict="reject", reason=reason)
                return
            await self._consents.check_may_decide(form.consent, by)
            [action] = await self._actions(form.consent)
            if changes := read_changes(action, values):
                await self._consents.edit(form.consent, by, changes)

    async def connect(self, click: ConnectionClick, gesture: Gesture, person: Person) -> None:
        """Show links, skip, or look for the account. A post with links goes when the wait does."""
        consent, by = click.consent, gesture.by
        take_away = partial(self._api.take_away, gesture.response_url)
        with _refusals(of_link=True):
            await self._require_in(consent, gesture.thread.session)
            if click.kind == "consent.skip":
                await self._consents.skip_connection(consent, by)
                return
            if click.kind == "consent.open":
                await self._consents.open_link(consent, by, take_away)
                if float(gesture.pressed_ts) - float(gesture.message_ts) < RENEW_AFTER_S:
                    return
            if click.kind == "consent.check":
                if not await self._consents.check_connection(consent, by):
                    raise Refused("consent-refusal-not-connected-yet")
                await take_away()
                return
            await take_away()
            link = self._consents.connect_link
            draft = await fresh_links(link, consent, by, click.apps, _words(person))
            await self._show(draft, gesture)

    async def _show(self, draft: PostDraft, gesture: Gesture) -> None:
        thread = gesture.thread
        await self._api.post_ephemeral(
            thread.channel,
            gesture.sender.user,
            draft.text,
            thread_ts=thread.root_ts,
            blocks=draft.blocks,
        )

    async def _decide(
        self, click: ApprovalClick, gesture: Gesture, verdict: ApprovalChoice
    ) -> None:
        await self._consents.decide(click.consent, gesture.by, verdict=verdict)

    async def _form(self, click: ApprovalClick, gesture: Gesture, words: Words) -> JsonObject:
        """For other texts, or with all arguments."""
        if click.kind == "consent.edit":
            await self._consents.check_may_edit(click.consent, gesture.by)
        actions = await self._actions(click.consent)
        if click.kind == "consent.details":
            return await asyncio.to_thread(details_form, actions, words)
        session = gesture.thread.session
        about = ApprovalForm(kind="consent.edit_form", consent=click.consent, session=session)
        return edit_form(actions[0], words, about)

    async def _actions(self, consent: ConsentId) -> tuple[PlannedAction, ...]:
        wait = await self._consents.asked(consent)
        if wait is None:
            raise ConsentRefused("It is not waited for.", why="over")
        return wait.actions

    async def _require_in(self, consent: ConsentId, session: SessionId) -> None:
        """What was asked in another thread is not decided in this one.

        Where a thread took no posts, it was asked in the asker's direct conversation.
        """
        asked = await self._consents.find(consent)
        is_direct = parse_session(session).channel.startswith("D")
        if asked is None or not (is_direct or session == asked.session):
            raise ConsentRefused("Nothing of this was asked here.", why="unknown")


@contextmanager
def _refusals(*, of_link: bool = False) -> Generator[None]:
    """What the core refuses is said in a sentence; a link has one of its own."""
    try:
        yield
    except ConsentRefused as refused:
        why = refused.why.replace("_", "-")
        why = "not-your-link" if of_link and why == "not-yours" else why
        raise Refused(f"consent-refusal-{why}") from refused
    except ToolServerError as error:
        logger.warning("a press came to nothing: %s", error)
        raise Refused("consent-refusal-press-again") from error


def _words(person: Person) -> Words:
    return BOT.of(language_of(person))
