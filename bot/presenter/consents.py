"""Approvals and connections in the thread: each posted once, and edited once when it has ended.

A link for connecting an account is for one person's eyes: it is in no post that others see, in no
log, and in nothing that the bot keeps.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from agent_core.errors import AgentError, ConsentRefused
from agent_core.events import ApprovalDecided, ApprovalRequested, AuthEnded, AuthRequired
from agent_core.ids import ConsentId, ToolCallId, TurnId, UserId
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot import clicks
from bot.clicks import ConnectionClick
from bot.presenter.approval import (
    approval_draft,
    approval_file,
    consent_button,
    decided_draft,
    file_name,
    is_short,
)
from bot.presenter.files import ThreadFiles
from bot.presenter.journal import Bookmark, Destination
from bot.presenter.tools import app_name, app_names
from bot.render import PostDraft, card, local_time, mention
from bot.slack_api import ContentRefused, Op, SlackApi, SlackError, SlackRefused, Upload
from bot.threads import parse_user

_log = logging.getLogger(__name__)


ConnectLink = Callable[[ConsentId, UserId, str], Awaitable[str]]
"""Gives a person a fresh link for an app. Raises `ConsentRefused` where they get none."""


async def fresh_links(
    connect_link: ConnectLink,
    consent: ConsentId,
    asker: UserId,
    toolkits: Sequence[str],
    words: Words,
) -> PostDraft:
    """What the asker alone sees: for each app a button that opens its link.

    An app that gives none now does not cost the others. Raises ConsentRefused where they get none.
    """
    found: dict[str, str] = {}
    for toolkit in toolkits:
        try:
            found[toolkit] = await connect_link(consent, asker, toolkit)
        except ConsentRefused as refused:
            if refused.why != "no_link":
                raise
    if not found:
        raise ConsentRefused("There is no link for any of the apps.", why="no_link")
    apps = tuple(found)
    text = words("consent-link", what=app_names(apps, words("consent-conjunction")))
    buttons: list[JsonObject] = []
    for number, (toolkit, url) in enumerate(found.items(), start=1):
        label = words("consent-connect", what=app_name(toolkit))
        click = ConnectionClick(kind="consent.open", consent=consent, apps=(toolkit,))
        buttons.append({**clicks.button(label, click, "primary", number=number), "url": url})
    check = ConnectionClick(kind="consent.check", consent=consent, apps=apps)
    return card(text, *buttons, consent_button(check, words))


class ConsentPosts:
    """The posts of one turn. What raises SlackError had no answer, and is asked again later."""

    def __init__(self, place: Destination, files: ThreadFiles, connect_link: ConnectLink) -> None:
        self._place = place
        self._files = files
        self._connect_link = connect_link
        self._requests: dict[ConsentId, ApprovalRequested] = {}
        self._edited: dict[ToolCallId, ApprovalDecided] = {}
        """By call, how the request ended that was edited."""

    async def ask(self, event: ApprovalRequested | AuthRequired) -> None:
        """Post what is waited for: an approval, or an account, with links for the asker alone."""
        if isinstance(event, ApprovalRequested):
            self._requests[event.consent] = event
            if not (await self._place.journal.open()).post_of(_op(event)):
                await self._request(event)
        else:
            op, words, what = _op(event), self._place.board.words, self._apps(event)
            who, when = mention(event.asker), local_time(event.deadline)
            text = words("consent-to-connect", who=who, what=what, when=when)
            consent, apps = event.consent, event.toolkits
            link = ConnectionClick(kind="consent.link", consent=consent, apps=apps)
            skip = ConnectionClick(kind="consent.skip", consent=consent, apps=apps)
            row = [consent_button(link, words), consent_button(skip, words)]
            await self._place.post(op, card(text, *row))
            await self._place.journal.once(op.part("link"), partial(self._whisper, event))

    async def end(self, event: ApprovalDecided | AuthEnded) -> None:
        """Take the buttons away and say how it ended; of what was edited the next request does."""
        if isinstance(event, AuthEnded):
            words, who, n = self._place.board.words, mention(event.asker), len(event.toolkits)
            said = words(f"consent-ended-{event.outcome}", n=n, who=who, what=self._apps(event))
            await self._place.settle(_op(event), event.outcome, card(said))
        elif event.verdict == "edited":
            self._edited[event.call_id] = event
        else:
            await self._settle(event)

    def _apps(self, event: AuthRequired | AuthEnded) -> str:
        return app_names(event.toolkits, self._place.board.words("consent-conjunction"))

    async def _request(self, event: ApprovalRequested) -> None:
        """Whole, or beside a file with all of it: nobody approves what they cannot read.

        One that was edited takes the place of what it was before, unless it is too long for it.
        """
        op, words, before = _op(event), self._place.board.words, self._edited.get(event.call_id)
        sent, show = Op(event.turn).part("sent"), self._files.show_sent
        unseen = [f for f in event.files if not await show(sent.part(f.sha256[:12]), f)]
        is_whole = await asyncio.to_thread(is_short, event, words)
        for whole in [True, False] if is_whole else [False]:
            is_attached = False
            if not whole:
                if before:
                    await self._settle(before)
                content = await asyncio.to_thread(approval_file, event, words)
                file = Upload(name=file_name(event), content=content, title=file_name(event))
                is_attached = await self._files.upload(op.part("file"), file)
            draft = await asyncio.to_thread(
                *(approval_draft, event, words),
                is_whole=whole,
                is_attached=is_attached,
                unseen=unseen,
                edited=before,
            )
            instead_of = _op(before) if before and whole else None
            try:
                await self._place.post(op, draft, instead_of=instead_of)
            except ContentRefused as refused:
                _log.warning("an approval is not taken: %s", refused)
            else:
                return

    async def _settle(self, decided: ApprovalDecided) -> None:
        """Without the request nothing stands there."""
        if request := self._requests.get(decided.consent):
            words = self._place.board.words
            draft = await asyncio.to_thread(decided_draft, request, decided, words)
            await self._place.settle(_op(request), decided.verdict, draft)

    async def _whisper(self, event: AuthRequired, _may_exist: bool) -> None:
        """A courtesy: the button in the post shows the links as well."""
        words, link = self._place.board.words, self._connect_link
        try:
            draft = await fresh_links(link, event.consent, event.asker, event.toolkits, words)
            there, (_, user) = await self._place.current(), parse_user(event.asker)
            await self._place.api.post_ephemeral(
                there.channel, user, draft.text, thread_ts=there.root_ts, blocks=draft.blocks
            )
        except AgentError as error:
            if isinstance(error, SlackError) and not isinstance(error, SlackRefused):
                raise
            _log.warning("no link is shown: %s", type(error).__name__)


async def consent_link(
    api: SlackApi, state: JsonObject | None, turn: TurnId, consent: ConsentId
) -> str:
    """Where a turn's request stands, from its bookmark; empty where that is not known."""
    bookmark = Bookmark.model_validate(state or {})
    if not (stands := bookmark.post_of(Op(turn).part("consent", consent))):
        return ""
    try:
        return await api.channels.permalink(stands.channel, stands.ts)
    except SlackError as error:
        _log.warning("a request has no link: %s", error)
        return ""


def _op(event: ApprovalRequested | ApprovalDecided | AuthRequired | AuthEnded) -> Op:
    return Op(event.turn).part("consent", event.consent)
