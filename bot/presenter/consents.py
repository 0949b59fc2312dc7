"""Approvals and connections in the thread: each posted once, and edited once when it has ended.

A link for connecting an account is for one person's eyes: it is in no post that others see, in no
log, and in nothing that the bot keeps.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from agent_core.errors import AgentError, ConsentRefused
from agent_core.events import ApprovalDecided, ApprovalRequested, AuthEnded, AuthRequired
from agent_core.ids import ConsentId, UserId
from agent_core.words import Words
from bot.presenter.approval import approval_draft, approval_file, decided_draft, fitting_forms
from bot.presenter.apps import app_name, app_names, buttons, connection_value, link_button
from bot.presenter.files import Artifact, Handout, ThreadFiles
from bot.presenter.journal import Journal, Place
from bot.render import Draft, local_time, mention, section
from bot.slack_api import ContentRefused, SlackApi, SlackError, SlackRefused
from bot.threads import ThreadRef, parse_user
from bot.words import BOT

_log = logging.getLogger(__name__)


def waiting_draft(event: AuthRequired, words: Words) -> Draft:
    """What everybody sees; it holds no link."""
    what = app_names(event.toolkits, words("consent-conjunction"))
    who, when = mention(event.asker), local_time(event.deadline)
    text = words("consent-to-connect", who=who, what=what, when=when)
    value = connection_value(event.consent, event.toolkits)
    return Draft(text=text, blocks=(section(text), buttons(("link", "skip"), words, value)))


def ended_draft(event: AuthEnded, words: Words) -> Draft:
    """What that post becomes."""
    what = app_names(event.toolkits, words("consent-conjunction"))
    text = words(
        f"consent-ended-{event.outcome}",
        n=len(event.toolkits),
        who=mention(event.asker),
        what=what,
    )
    return Draft(text=text, blocks=(section(text),))


def link_draft(consent: ConsentId, links: Mapping[str, str], words: Words) -> Draft:
    """What the asker alone sees: for each app a button that opens its link."""
    toolkits = tuple(links)
    text = words("consent-link", what=app_names(toolkits, words("consent-conjunction")))
    opening = [
        link_button(number, words("consent-connect", what=app_name(toolkit)), url)
        for number, (toolkit, url) in enumerate(links.items(), start=1)
    ]
    row = buttons(("check",), words, connection_value(consent, toolkits))
    row["elements"] = [*opening, *row["elements"]]
    return Draft(text=text, blocks=(section(text), row))


class Links(Protocol):
    """Where links come from, the core's `Consents`."""

    async def connect_link(self, consent: ConsentId, by: UserId, toolkit: str) -> str:
        """A fresh link. Raises `ConsentRefused` where `by` gets none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ear:
    """Where one person is told something that nobody else hears."""

    user: UserId
    channel: str
    thread_ts: str
    language: str


class LinkWhisperer:
    """Tells a person their links."""

    def __init__(self, api: SlackApi, links: Links) -> None:
        self._api = api
        self._links = links

    async def tell(self, ear: Ear, consent: ConsentId, toolkits: Sequence[str]) -> None:
        """Show a fresh link for each app to this person alone.

        Raises:
            ConsentRefused: They get none.
            SlackError: Slack did not show it.
        """
        found = await self._find(ear.user, consent, toolkits)
        draft = link_draft(consent, found, BOT.of(ear.language))
        await self._api.post_ephemeral(
            ear.channel,
            parse_user(ear.user)[1],
            draft.text,
            blocks=draft.blocks,
            thread_ts=ear.thread_ts,
        )

    async def _find(
        self, by: UserId, consent: ConsentId, toolkits: Sequence[str]
    ) -> dict[str, str]:
        """Those that can be had; an app that gives none now does not cost the others."""
        found: dict[str, str] = {}
        for toolkit in toolkits:
            try:
                found[toolkit] = await self._links.connect_link(consent, by, toolkit)
            except ConsentRefused as refused:
                if refused.why != "no_link":
                    raise
        if not found:
            raise ConsentRefused("There is no link for any of the apps.", why="no_link")
        return found


class ConsentPosts:
    """The posts of one turn."""

    def __init__(
        self,
        api: SlackApi,
        journal: Journal,
        place: Place,
        files: ThreadFiles,
        whisperer: LinkWhisperer | None,
    ) -> None:
        self._api = api
        self._journal = journal
        self._place = place
        self._files = files
        self._whisperer = whisperer
        self._requests: dict[ConsentId, ApprovalRequested] = {}

    async def request(self, event: ApprovalRequested, language: str) -> None:
        """Post what is to be approved, as whole as Slack takes it.

        Raises:
            SlackError: Slack gave no answer; ask again later.
        """
        self._requests[event.consent] = event
        op, words = _approval_op(event), BOT.of(language)
        if await self._is_posted(op):
            return
        for form in fitting_forms(event, words):
            attached = form != "whole" and await self._attach(event, op, language)
            draft = approval_draft(event, words, form, is_attached=attached)
            try:
                await self._post(op, f"{op}:{form}", draft, event.asker, language)
            except ContentRefused as refused:
                _log.warning("an approval is posted with less: %s", refused)
            else:
                return

    async def decide(self, event: ApprovalDecided, language: str) -> None:
        """Take the buttons away and say how it ended. Without the request nothing stands there."""
        request = self._requests.get(event.consent)
        if request is None:
            return
        words = BOT.of(language)
        forms = fitting_forms(request, words)
        drafts = (decided_draft(request, event, words, form) for form in forms)
        await self._settle(_approval_op(request), drafts, ended_as=event.verdict)

    async def invite(self, event: AuthRequired, language: str) -> None:
        """Post for all that the asker is waited for, and show the links to the asker alone.

        Raises:
            SlackError: Slack gave no answer; ask again later.
        """
        op = _connection_op(event)
        draft = waiting_draft(event, BOT.of(language))
        if not await self._is_posted(op):
            await self._post(op, op, draft, event.asker, language)
        await self._journal.once(f"{op}:link", partial(self._whisper, event, language))

    async def end(self, event: AuthEnded, language: str) -> None:
        """Say in that post how it ended."""
        drafts = [ended_draft(event, BOT.of(language))]
        await self._settle(_connection_op(event), drafts, ended_as=event.outcome)

    async def _is_posted(self, op: str) -> bool:
        return op in (await self._journal.open()).consents

    async def _attach(self, event: ApprovalRequested, op: str, language: str) -> bool:
        """Whether the file with everything is there; nobody approves what they cannot read."""
        name, content = approval_file(event)
        file_op = f"{op}:file"
        handout = Handout(op=file_op, path=name, title=name)
        artifact = Artifact(name=name, content=content)
        await self._files.upload(handout, artifact, BOT.of(language), event.asker)
        return bool({file_op, f"{file_op}:direct"} & (await self._journal.open()).done)

    async def _post(
        self, op: str, form_op: str, draft: Draft, asker: UserId, language: str
    ) -> None:
        write = partial(self._write, op, draft)
        await self._place.once(form_op, BOT.of(language), asker, write)

    async def _write(
        self, op: str, draft: Draft, place: ThreadRef, write_op: str, may_exist: bool
    ) -> None:
        ts = await self._api.post(
            place, draft.text, blocks=draft.blocks, op_id=write_op, may_exist=may_exist
        )
        (await self._journal.open()).consents[op] = f"{place.channel} {ts}"

    async def _whisper(self, event: AuthRequired, language: str, _may_exist: bool) -> None:
        """A courtesy: the button in the post shows the links as well."""
        if self._whisperer is None:
            return
        place = await self._place.current()
        ear = Ear(
            user=event.asker, channel=place.channel, thread_ts=place.root_ts, language=language
        )
        try:
            await self._whisperer.tell(ear, event.consent, event.toolkits)
        except SlackRefused as refused:
            _log.warning("no link was shown: %s", refused)
        except SlackError:
            raise
        except AgentError as error:
            _log.warning("there is no link to show: %s", type(error).__name__)

    async def _settle(self, op: str, drafts: Iterable[Draft], *, ended_as: str) -> None:
        where = (await self._journal.open()).consents.get(op)
        if where is None:
            return
        channel, _, ts = where.partition(" ")

        async def edit(_may_exist: bool) -> None:
            await self._edit(channel, ts, drafts)

        await self._journal.once(f"{op}:{ended_as}", edit)

    async def _edit(self, channel: str, ts: str, drafts: Iterable[Draft]) -> None:
        """As the first of the drafts that Slack takes; a post that is gone needs none."""
        for draft in drafts:
            try:
                await self._api.update(channel, ts, draft.text, blocks=draft.blocks)
            except ContentRefused as refused:
                _log.warning("a decision is shown with less: %s", refused)
            except SlackRefused as refused:
                _log.warning("a decision is not shown: %s", refused)
                return
            else:
                return


def _approval_op(event: ApprovalRequested) -> str:
    return f"{event.turn}:approval:{event.consent}"


def _connection_op(event: AuthRequired | AuthEnded) -> str:
    return f"{event.turn}:connection:{event.consent}"
