"""What people do with the buttons and the form of approvals and connections.

Who may decide what is the core's to say. Here it is made sure that a press stands in the thread
that it is about, and that whoever is refused is told why, and nobody else.
"""

import asyncio
import logging
from collections.abc import Mapping

from agent_core.errors import ConsentRefused, ToolServerError
from agent_core.ids import ConsentId, SessionId, UserId
from agent_core.messages import JsonObject
from agent_core.runtime import detect_language
from agent_core.runtime.consents import Consents
from bot.ingress import Press, Submission
from bot.presenter.approval import details_form
from bot.presenter.apps import OPEN, PREFIX, read_value, reason_form
from bot.presenter.consents import fresh_links
from bot.presenter.journal import whisper
from bot.presenter.previews import edit_form, read_changes
from bot.render import Draft
from bot.slack_api import People, SlackApi, SlackRefused
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
        person = await self._people.person(press.user)
        language = detect_language(locale=person.locale if person else "")
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
            await whisper(self._api, press.thread, by, Draft(text=_sentence(why, language)))

    async def submit(self, submission: Submission) -> Mapping[str, str] | None:
        """Reject for the reason that was written, or none; or ask again for what was edited."""
        name, language, place = submission.private_metadata.rsplit(" ", 2)
        consent, by = ConsentId(name), user_id(submission.team, submission.user)
        values = submission.values
        try:
            await self._require_in(consent, SessionId(place))
            if submission.callback_id == f"{PREFIX}edit":
                await self._edit(consent, by, values)
            else:
                reason = values.get("reason", "").strip()
                await self._consents.decide(consent, by, verdict="reject", reason=reason)
        except ConsentRefused as refused:
            return {next(iter(values), "reason"): _sentence(refused.why, language)}
        return None

    async def _edit(self, consent: ConsentId, by: UserId, values: Mapping[str, str]) -> None:
        await self._consents.check_may_decide(consent, by)
        wait = await self._consents.asked(consent)
        if wait is None or len(wait.actions) != 1:
            raise ConsentRefused("It is not waited for.", why="over")
        if changes := read_changes(wait.actions[0], values):
            await self._consents.edit(consent, by, changes)

    async def _do(self, name: str, by: UserId, press: Press, language: str) -> str:
        """What is to be told to the person alone, if anything."""
        consent, toolkits = read_value(press.value)
        thread, words = press.thread, BOT.of(language)
        await self._require_in(consent, thread.session)
        match name:
            case "reject" if await self._ask_why(consent, by, press, language):
                pass
            case "approve" | "approve_thread" | "reject":
                await self._consents.decide(consent, by, verdict=name)
            case "edit" | "details":
                return await self._show(name, consent, by, press, language)
            case "link" | "open":
                if name == OPEN:
                    await self._consents.open_link(consent, by)
                    if float(press.action_ts) - float(press.message_ts) < RENEW_AFTER_S:
                        return ""
                link = self._consents.connect_link
                draft = await fresh_links(link, consent, by, toolkits, words)
                await whisper(self._api, thread, by, draft)
            case "skip":
                await self._consents.skip_connection(consent, by)
            case "check":
                is_connected = await self._consents.check_connection(consent, by)
                return "" if is_connected else "not_connected_yet"
            case _:
                logger.warning("a button of another version was pressed: %s", name[:80])
        return ""

    async def _show(
        self, name: str, consent: ConsentId, by: UserId, press: Press, language: str
    ) -> str:
        """Open the form with all arguments, or that in which their texts are changed."""
        wait, words = await self._consents.asked(consent), BOT.of(language)
        if wait is None:
            return "over"
        if name == "edit":
            await self._consents.check_may_decide(consent, by)
            place = f"{consent} {language} {press.thread.session}"
            form = edit_form(wait.actions[0], words, place)
        else:
            form = await asyncio.to_thread(details_form, wait.actions, words)
        return "" if await self._open(press, form) else "press_again"

    async def _ask_why(self, consent: ConsentId, by: UserId, press: Press, language: str) -> bool:
        """Whether a form is open now; where none can be, the press alone rejects."""
        await self._consents.check_may_decide(consent, by)
        place = press.thread.session
        form = reason_form(consent, BOT.of(language), language=language, place=place)
        return await self._open(press, form)

    async def _open(self, press: Press, form: JsonObject) -> bool:
        """Whether a form is open now."""
        try:
            return await self._api.open_view(press.trigger_id, form)
        except SlackRefused as refused:
            logger.warning("no form was opened: %s", refused)
            return False

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
