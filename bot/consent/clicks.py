"""What people do with the buttons and the form of approvals and connections.

Who may decide what is the core's to say. Here it is made sure that a press stands in the thread
that it is about, and that whoever is refused is told why, and nobody else.
"""

import logging
from collections.abc import Mapping
from typing import Literal, Protocol

from agent_core.errors import ConsentRefused, ToolServerError
from agent_core.ids import ConsentId, SessionId, UserId
from agent_core.prompts.language import detect_language
from agent_core.runtime import Consent
from bot.ingress import Press, Submission
from bot.presenter.apps import OPEN, PREFIX, read_value, reason_form
from bot.presenter.consents import Ear, LinkWhisperer
from bot.slack_api import People, SlackApi, SlackRefused
from bot.threads import ThreadRef, parse_session, parse_user, user_id
from bot.words import BOT

logger = logging.getLogger(__name__)

Verdict = Literal["approve", "approve_thread", "reject"]

_OF_CONNECTIONS = frozenset({"link", "skip", "check"})
_VERDICTS: Mapping[str, Verdict] = {
    "approve": "approve",
    "approve_thread": "approve_thread",
    "reject": "reject",
}


class Consents(Protocol):
    """Decides, or says why not by `ConsentRefused`, the core's `Consents`."""

    async def decide(
        self, consent: ConsentId, by: UserId, *, verdict: Verdict, reason: str = ""
    ) -> None: ...

    async def check_may_decide(self, consent: ConsentId, by: UserId) -> None: ...

    async def connect_link(self, consent: ConsentId, by: UserId, toolkit: str) -> str:
        """A fresh link."""
        ...

    async def skip_connection(self, consent: ConsentId, by: UserId) -> None: ...

    async def check_connection(self, consent: ConsentId, by: UserId) -> bool:
        """Look now; whether the accounts are connected."""
        ...


class Asked(Protocol):
    """What was asked for."""

    async def find(self, consent: ConsentId) -> Consent | None: ...


class Clicks:
    """The `Gestures` of consents. A press that comes again is told that it was decided already."""

    def __init__(self, consents: Consents, asked: Asked, api: SlackApi, people: People) -> None:
        self._consents = consents
        self._asked = asked
        self._api = api
        self._people = people
        self._whisperer = LinkWhisperer(api, consents)

    async def press(self, press: Press) -> None:
        """Do what the button says, or tell the person alone why not.

        Raises:
            SlackError: Slack could not be asked; the press may come again.
        """
        name = press.action_id.removeprefix(PREFIX)
        if name.partition(".")[0] == OPEN:
            return  # the browser has opened the link
        ear = await self._ear(press)
        consent, toolkits = read_value(press.value)
        try:
            await self._require_here(consent, press)
            await self._do(name, consent, toolkits, ear, press)
        except ConsentRefused as refused:
            await self._tell(ear, _refusal(refused, is_connection=name in _OF_CONNECTIONS))
        except ToolServerError as error:
            logger.warning("a press came to nothing: %s", error)
            await self._tell(ear, "press_again")

    async def submit(self, submission: Submission) -> Mapping[str, str] | None:
        """Reject for the reason that was written, or none."""
        consent, language, place = _about(submission)
        by = user_id(submission.team, submission.user)
        reason = submission.values.get("reason", "").strip()
        try:
            await self._require_in(consent, SessionId(place))
            await self._consents.decide(consent, by, verdict="reject", reason=reason)
        except ConsentRefused as refused:
            return {"reason": _sentence(_refusal(refused, is_connection=False), language)}
        return None

    async def _do(
        self, name: str, consent: ConsentId, toolkits: tuple[str, ...], ear: Ear, press: Press
    ) -> None:
        match name:
            case "reject" if await self._ask_why(consent, ear, press):
                pass
            case "approve" | "approve_thread" | "reject":
                await self._consents.decide(consent, ear.user, verdict=_VERDICTS[name])
            case "link":
                await self._whisperer.tell(ear, consent, toolkits)
            case "skip":
                await self._consents.skip_connection(consent, ear.user)
            case "check":
                if not await self._consents.check_connection(consent, ear.user):
                    await self._tell(ear, "not_connected_yet")
            case _:
                logger.warning("a button of another version was pressed: %s", name[:80])

    async def _ask_why(self, consent: ConsentId, ear: Ear, press: Press) -> bool:
        """Whether a form is open now; where none can be, the press alone rejects."""
        await self._consents.check_may_decide(consent, ear.user)
        place = _thread(press).session
        form = reason_form(consent, BOT.of(ear.language), language=ear.language, place=place)
        try:
            return await self._api.views.open(press.trigger_id, form) is not None
        except SlackRefused as refused:
            logger.warning("no form for a reason was opened: %s", refused)
            return False

    async def _require_here(self, consent: ConsentId, press: Press) -> None:
        await self._require_in(consent, _thread(press).session)

    async def _require_in(self, consent: ConsentId, place: SessionId) -> None:
        """What was asked in another thread is not decided in this one.

        Where a thread took no posts, it was asked in the asker's direct conversation.
        """
        asked = await self._asked.find(consent)
        is_here = asked is not None and place == asked.session
        if not is_here and not (asked is not None and _is_direct(place)):
            raise ConsentRefused("Nothing of this was asked here.", why="unknown")

    async def _tell(self, ear: Ear, why: str) -> None:
        await self._api.post_ephemeral(
            ear.channel,
            parse_user(ear.user)[1],
            _sentence(why, ear.language),
            thread_ts=ear.thread_ts,
        )

    async def _ear(self, press: Press) -> Ear:
        person = await self._people.person(press.user)
        return Ear(
            user=user_id(press.team, press.user),
            channel=press.channel,
            thread_ts=press.thread_ts or press.message_ts,
            language=detect_language(locale=person.locale if person else ""),
        )


def _sentence(why: str, language: str) -> str:
    return BOT.say(language, f"consent-refusal-{why.replace('_', '-')}")


def _refusal(refused: ConsentRefused, *, is_connection: bool) -> str:
    if refused.why == "not_yours" and is_connection:
        return "not_your_link"
    return refused.why


def _thread(press: Press) -> ThreadRef:
    root_ts = press.thread_ts or press.message_ts
    return ThreadRef(team=press.team, channel=press.channel, root_ts=root_ts)


def _is_direct(place: SessionId) -> bool:
    return parse_session(place).channel.startswith("D")


def _about(submission: Submission) -> tuple[ConsentId, str, str]:
    consent, language, place = submission.private_metadata.rsplit(" ", 2)
    return ConsentId(consent), language, place
