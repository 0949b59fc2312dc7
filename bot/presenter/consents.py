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
from bot.presenter.apps import app_name, app_names, connection_value, consent_button, link_button
from bot.presenter.files import Artifact, ThreadFiles
from bot.presenter.journal import Place
from bot.render import Draft, actions, local_time, mention, section
from bot.slack_api import ContentRefused, SlackApi, SlackError, SlackRefused
from bot.threads import parse_user
from bot.words import BOT

_log = logging.getLogger(__name__)


def waiting_draft(event: AuthRequired, words: Words) -> Draft:
    """What everybody sees; it holds no link."""
    what = app_names(event.toolkits, words("consent-conjunction"))
    who, when = mention(event.asker), local_time(event.deadline)
    text = words("consent-to-connect", who=who, what=what, when=when)
    value = connection_value(event.consent, event.toolkits)
    return Draft(
        text=text,
        blocks=(
            section(text),
            actions(*(consent_button(name, words, value) for name in ("link", "skip"))),
        ),
    )


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
    check = consent_button("check", words, connection_value(consent, toolkits))
    return Draft(text=text, blocks=(section(text), actions(*opening, check)))


class Links(Protocol):
    """Where links come from, the core's `Consents`."""

    async def connect_link(self, consent: ConsentId, by: UserId, toolkit: str) -> str:
        """A fresh link. Raises `ConsentRefused` where `by` gets none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Where one person is told something that nobody else sees."""

    user: UserId
    channel: str
    thread_ts: str
    language: str

    async def tell(self, api: SlackApi, draft: Draft) -> None:
        """Raises SlackError where Slack did not show it."""
        await api.post_ephemeral(
            self.channel,
            parse_user(self.user)[1],
            draft.text,
            blocks=draft.blocks,
            thread_ts=self.thread_ts,
        )


async def tell_links(
    api: SlackApi, links: Links, listener: Listener, consent: ConsentId, toolkits: Sequence[str]
) -> None:
    """Show a fresh link for each app to this person alone.

    An app that gives none now does not cost the others.

    Raises:
        ConsentRefused: They get none.
        SlackError: Slack did not show it.
    """
    found: dict[str, str] = {}
    for toolkit in toolkits:
        try:
            found[toolkit] = await links.connect_link(consent, listener.user, toolkit)
        except ConsentRefused as refused:
            if refused.why != "no_link":
                raise
    if not found:
        raise ConsentRefused("There is no link for any of the apps.", why="no_link")
    await listener.tell(api, link_draft(consent, found, BOT.of(listener.language)))


class ConsentPosts:
    """The posts of one turn."""

    def __init__(self, place: Place, files: ThreadFiles, links: Links | None) -> None:
        self._place = place
        self._files = files
        self._links = links
        self._requests: dict[ConsentId, ApprovalRequested] = {}

    async def request(self, event: ApprovalRequested) -> None:
        """Post what is to be approved, as whole as Slack takes it.

        Raises:
            SlackError: Slack gave no answer; ask again later.
        """
        self._requests[event.consent] = event
        op, words = _approval_op(event), self._place.board.words
        if await self._posted(op):
            return
        for form in fitting_forms(event, words):
            attached = form != "whole" and await self._attach(event, op)
            draft = approval_draft(event, words, form, is_attached=attached)
            try:
                await self._place.post(f"{op}:{form}", draft)
            except ContentRefused as refused:
                _log.warning("an approval is posted with less: %s", refused)
            else:
                return

    async def decide(self, event: ApprovalDecided) -> None:
        """Take the buttons away and say how it ended. Without the request nothing stands there."""
        request, words = self._requests.get(event.consent), self._place.board.words
        if request is None:
            return
        forms = fitting_forms(request, words)
        drafts = (decided_draft(request, event, words, form) for form in forms)
        await self._settle(_approval_op(request), drafts, ended_as=event.verdict)

    async def invite(self, event: AuthRequired) -> None:
        """Post for all that the asker is waited for, and show the links to the asker alone.

        Raises:
            SlackError: Slack gave no answer; ask again later.
        """
        op = _connection_op(event)
        await self._place.post(op, waiting_draft(event, self._place.board.words))
        await self._place.journal.once(f"{op}:link", partial(self._whisper, event))

    async def end(self, event: AuthEnded) -> None:
        """Say in that post how it ended."""
        drafts = [ended_draft(event, self._place.board.words)]
        await self._settle(_connection_op(event), drafts, ended_as=event.outcome)

    async def _posted(self, op: str) -> str:
        """Where the post is, in whatever form: channel and `ts`; empty where there is none."""
        posts = (await self._place.journal.open()).posts
        names = [op, *(f"{op}:{form}" for form in ("whole", "cut", "bare"))]
        found = [posts.get(name) or posts.get(f"{name}:direct") for name in names]
        return next(filter(None, found), "")

    async def _attach(self, event: ApprovalRequested, op: str) -> bool:
        """Whether the file with everything is there; nobody approves what they cannot read."""
        name, content = approval_file(event)
        file_op = f"{op}:file"
        await self._files.upload(file_op, Artifact(name=name, content=content))
        done = (await self._place.journal.open()).done
        return file_op in done or f"{file_op}:direct" in done

    async def _whisper(self, event: AuthRequired, _may_exist: bool) -> None:
        """A courtesy: the button in the post shows the links as well."""
        if self._links is None:
            return
        place, board = await self._place.current(), self._place.board
        listener = Listener(
            user=event.asker,
            channel=place.channel,
            thread_ts=place.root_ts,
            language=board.language,
        )
        try:
            api = self._place.api
            await tell_links(api, self._links, listener, event.consent, event.toolkits)
        except SlackRefused as refused:
            _log.warning("no link was shown: %s", refused)
        except SlackError:
            raise
        except AgentError as error:
            _log.warning("there is no link to show: %s", type(error).__name__)

    async def _settle(self, op: str, drafts: Iterable[Draft], *, ended_as: str) -> None:
        if where := await self._posted(op):
            edit = partial(self._edit, where, drafts)
            await self._place.journal.once(f"{op}:{ended_as}", edit)

    async def _edit(self, where: str, drafts: Iterable[Draft], _may_exist: bool) -> None:
        """As the first of the drafts that Slack takes; a post that is gone needs none."""
        channel, _, ts = where.partition(" ")
        for draft in drafts:
            try:
                await self._place.api.update(channel, ts, draft.text, blocks=draft.blocks)
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
