"""What people do with the buttons and the form of approvals and connections.

Who may decide what is the core's to say. Here it is made sure that a press stands in the thread
that it is about, and that whoever is refused is told why, and nobody else.
"""

import asyncio
import logging
from collections.abc import Mapping
from functools import partial

from agent_core.errors import ConsentRefused, ToolServerError
from agent_core.events import PlannedAction
from agent_core.ids import ConsentId, SessionId, UserId
from agent_core.messages import JsonObject
from agent_core.runtime.consents import Consents
from agent_core.words import Words
from bot.ingress import Press, Submission
from bot.presenter.approval import (
    OPEN,
    PREFIX,
    details_form,
    edit_form,
    read_changes,
    read_value,
    reason_form,
)
from bot.presenter.consents import fresh_links
from bot.render import PostDraft
from bot.slack_api import People, SlackApi
from bot.threads import parse_session, user_id
from bot.words import BOT

logger = logging.getLogger(__name__)

_OF_CONNECTIONS = frozenset({"link", "skip", "check", OPEN})
RENEW_AFTER_S = 480.0
"""Composio's links live for ten minutes, and one may have been minted a while before."""


class Clicks:
    """The `Gestures` of consents. A press that comes again is told that it was decided already."""

    def __init__(self, consents: Consents, api: SlackApi, people: People) -> None:
        self._consents = consents
        self._api = api
        self._people = people

    async def press(self, press: Press) -> None:
        """Do what the button says, or tell the person alone why not.

        Raises SlackError where Slack could not be asked; the press may come again.
        """
        name = press.action_id.removeprefix(PREFIX)
        if name.startswith(f"{OPEN}.") and press.value:
            name = OPEN
        language = await self._people.language(press.user)
        by, why = user_id(press.team, press.user), ""
        try:
            why = await self._do(name, by, press, language)
        except ConsentRefused as refused:
            is_link = refused.why == "not_yours" and name in _OF_CONNECTIONS
            why = "not_your_link" if is_link else refused.why
        except ToolServerError as error:
            logger.warning("a press came to nothing: %s", error)
            why = "press_again"
        if why:
            await self._whisper(press, PostDraft(text=_sentence(why, language)))

    async def submit(self, submission: Submission) -> Mapping[str, str] | None:
        """Reject for the reason that was written, or none; or ask again for what was edited."""
        name, language, place = submission.private_metadata.rsplit(" ", 2)
        consent, by = ConsentId(name), user_id(submission.team, submission.user)
        values = submission.values
        try:
            await self._require_in(consent, SessionId(place))
            if submission.callback_id == f"{PREFIX}reason":
                reason = values.get("reason", "").strip()
                await self._consents.decide(consent, by, verdict="reject", reason=reason)
                return None
            await self._consents.check_may_decide(consent, by)
            [action] = await self._actions(consent)
            if changes := read_changes(action, values):
                await self._consents.edit(consent, by, changes)
        except ConsentRefused as refused:
            return {next(iter(values), "reason"): _sentence(refused.why, language)}
        return None

    async def _do(self, name: str, by: UserId, press: Press, language: str) -> str:
        """What is to be told to the person alone, if anything."""
        consent, _ = read_value(press.value)
        thread, words = press.thread, BOT.of(language)
        await self._require_in(consent, thread.session)
        match name:
            case "approve" | "approve_thread":
                await self._consents.decide(consent, by, verdict=name)
            case "reject" | "edit" | "details":
                form = await self._form(name, consent, by, words, f"{language} {thread.session}")
                if await self._api.open_view(press.trigger_id, form):
                    return ""
                if name != "reject":
                    return "press_again"
                await self._consents.decide(consent, by, verdict=name)
            case _ if name in _OF_CONNECTIONS:
                return await self._connect(name, by, press, words)
            case _:
                logger.warning("a button of another version was pressed: %s", name[:80])
        return ""

    async def _connect(self, name: str, by: UserId, press: Press, words: Words) -> str:
        """As `_do`, for the buttons of a connection. What shows a link goes when the wait does."""
        consent, toolkits = read_value(press.value)
        take_away = partial(self._api.take_away, press.response_url)
        if name == OPEN:
            await self._consents.open_link(consent, by, take_away)
            if float(press.action_ts) - float(press.message_ts) < RENEW_AFTER_S:
                return ""
        elif name == "skip":
            await self._consents.skip_connection(consent, by)
            return ""
        elif name == "check" and not await self._consents.check_connection(consent, by):
            return "not_connected_yet"
        await take_away()
        if name != "check":
            link = self._consents.connect_link
            draft = await fresh_links(link, consent, by, toolkits, words)
            await self._whisper(press, draft)
        return ""

    async def _whisper(self, press: Press, draft: PostDraft) -> None:
        thread = press.thread
        await self._api.post_ephemeral(
            thread.channel, press.user, draft.text, thread_ts=thread.root_ts, blocks=draft.blocks
        )

    async def _form(
        self, name: str, consent: ConsentId, by: UserId, words: Words, place: str
    ) -> JsonObject:
        """For a reason, for other texts, or with all arguments."""
        if name == "edit":
            await self._consents.check_may_edit(consent, by)
        elif name == "reject":
            await self._consents.check_may_decide(consent, by)
            return reason_form(words, f"{consent} {place}")
        actions = await self._actions(consent)
        if name == "edit":
            return edit_form(actions[0], words, f"{consent} {place}")
        return await asyncio.to_thread(details_form, actions, words)

    async def _actions(self, consent: ConsentId) -> tuple[PlannedAction, ...]:
        if (wait := await self._consents.asked(consent)) is None:
            raise ConsentRefused("It is not waited for.", why="over")
        return wait.actions

    async def _require_in(self, consent: ConsentId, place: SessionId) -> None:
        """What was asked in another thread is not decided in this one.

        Where a thread took no posts, it was asked in the asker's direct conversation.
        """
        asked = await self._consents.find(consent)
        is_direct = parse_session(place).channel.startswith("D")
        if asked is None or not (is_direct or place == asked.session):
            raise ConsentRefused("Nothing of this was asked here.", why="unknown")


def _sentence(why: str, language: str) -> str:
    return BOT.say(language, f"consent-refusal-{why.replace('_', '-')}")
