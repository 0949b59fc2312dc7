"""Asks in the thread: each card posted once, and edited once when its Ask has ended.

What a card says stands in `questions.py`, `approval.py` and `connection.py`; who clicks on it is
seen to in `bot/asks`.
"""

import asyncio
import logging
from functools import partial

from agent_core.errors import AgentError
from agent_core.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    AuthEnded,
    AuthRequired,
    QuestionAsked,
)
from agent_core.ids import (
    ROOT_RUN,
    AskId,
    ToolCallId,
    TurnId,
)
from agent_core.messages import JsonObject
from bot.presenter.answer import post_answer
from bot.presenter.approval import (
    approval_draft,
    approval_file,
    decided_draft,
    file_name,
    is_short,
)
from bot.presenter.connection import (
    ConnectLink,
    connection_draft,
    connection_ended_draft,
    fresh_links,
)
from bot.presenter.files import ThreadFiles
from bot.presenter.journal import Bookmark, Destination
from bot.presenter.questions import question_drafts, question_ended_draft, question_ending
from bot.slack_api import (
    ContentRefused,
    Op,
    SlackApi,
    SlackError,
    SlackRefused,
    Upload,
)
from bot.threads import parse_user

_log = logging.getLogger(__name__)

AskEvent = QuestionAsked | ApprovalRequested | AuthRequired


class AskPosts:
    """The cards of one turn. What raises SlackError had no answer, and is asked again later."""

    def __init__(
        self, destination: Destination, files: ThreadFiles, connect_link: ConnectLink
    ) -> None:
        self._destination = destination
        self._files = files
        self._connect_link = connect_link
        self._question: QuestionAsked | None = None
        """The newest, while its card shows buttons."""
        self._ending = ""
        """How that question ended."""
        self._requests: dict[AskId, ApprovalRequested] = {}
        self._edited: dict[ToolCallId, ApprovalDecided] = {}
        """By call, how the edition of its approval ended that a person edited."""

    async def ask(self, event: AskEvent) -> None:
        """Post the card of an Ask; links to connect accounts are shown to the asker alone."""
        words = self._destination.board.words
        op = _op(event.turn, event.ask)
        match event:
            case QuestionAsked():
                await post_answer(self._destination, op, question_drafts(event, words))
            case ApprovalRequested():
                self._requests[event.ask] = event
                if not (await self._destination.journal.open()).post_of(op):
                    await self._request(event)
            case AuthRequired():
                await self._destination.post(op, connection_draft(event, words))
                await self._destination.journal.once(op.part("link"), partial(self._whisper, event))

    async def hear(self, event: AnyEvent) -> None:
        """Take the buttons away once an Ask has ended, and say how."""
        match event:
            case ApprovalDecided(verdict="edited"):
                self._edited[event.call_id] = event  # the next edition's card says so
            case ApprovalDecided():
                await self._settle(event)
            case AuthEnded():
                draft = connection_ended_draft(event, self._destination.board.words)
                await self._destination.settle(_op(event.turn, event.ask), event.outcome, draft)
            case QuestionAsked():
                self._question = event
                self._ending = ""
            case _ if event.run == ROOT_RUN:
                await self._hear_answer(event)
            case _:
                pass

    async def _hear_answer(self, event: AnyEvent) -> None:
        """A question ends with whatever goes on; an edit that fails is made with a later event."""
        asked = self._question
        if asked is None:
            return
        self._ending = self._ending or question_ending(asked, event, self._destination.board.words)
        if not self._ending:
            return
        draft = question_ended_draft(asked, self._ending)
        try:
            await self._destination.settle(_op(asked.turn, asked.ask), "ended", draft)
        except SlackError as error:
            _log.warning("a question's end is shown later: %s", error)
        else:
            self._question = None

    async def _request(self, event: ApprovalRequested) -> None:
        """Post an approval, whole or beside a file: nobody approves what they cannot read.

        An edition takes the place of the one before it, unless it is too long for that.
        """
        words = self._destination.board.words
        op = _op(event.turn, event.ask)
        before = self._edited.get(event.call_id)
        sent = Op(event.turn).part("sent")
        unseen = [
            file
            for file in event.files
            if not await self._files.show_sent(sent.part(file.sha256[:12]), file)
        ]
        if await asyncio.to_thread(is_short, event, words):
            draft = await asyncio.to_thread(
                approval_draft, event, words, is_whole=True, unseen=unseen, edited=before
            )
            instead_of = _op(before.turn, before.ask) if before else None
            try:
                await self._destination.post(op, draft, instead_of=instead_of)
            except ContentRefused as refused:
                _log.warning("an approval is not taken whole: %s", refused)
            else:
                return
        if before:
            await self._settle(before)
        content = await asyncio.to_thread(approval_file, event, words)
        file = Upload(name=file_name(event), content=content, title=file_name(event))
        is_attached = await self._files.upload(op.part("file"), file)
        draft = await asyncio.to_thread(
            approval_draft,
            event,
            words,
            is_whole=False,
            is_attached=is_attached,
            unseen=unseen,
            edited=before,
        )
        try:
            await self._destination.post(op, draft)
        except ContentRefused as refused:
            _log.warning("an approval is not taken: %s", refused)

    async def _settle(self, decided: ApprovalDecided) -> None:
        """Say in an approval's card how it ended. Without the request there is no card."""
        request = self._requests.get(decided.ask)
        if request is None:
            return
        words = self._destination.board.words
        draft = await asyncio.to_thread(decided_draft, request, decided, words)
        await self._destination.settle(_op(decided.turn, decided.ask), decided.verdict, draft)

    async def _whisper(self, event: AuthRequired, _may_exist: bool) -> None:
        """A courtesy: the button in the post shows the links as well."""
        words = self._destination.board.words
        try:
            draft = await fresh_links(
                self._connect_link, event.ask, event.asker, event.toolkits, words
            )
            thread = await self._destination.current()
            _, user = parse_user(event.asker)
            await self._destination.api.post_ephemeral(
                thread.channel, user, draft.text, thread_ts=thread.root_ts, blocks=draft.blocks
            )
        except AgentError as error:
            if isinstance(error, SlackError) and not isinstance(error, SlackRefused):
                raise
            _log.warning("no link is shown: %s", type(error).__name__)


async def ask_link(
    api: SlackApi,
    state: JsonObject | None,
    turn: TurnId,
    ask: AskId,
) -> str:
    """The address of an Ask's card, from its turn's bookmark; empty where that is not known."""
    receipt = Bookmark.model_validate(state or {}).post_of(_op(turn, ask))
    if receipt is None:
        return ""
    try:
        return await api.channels.permalink(receipt.channel, receipt.ts)
    except SlackError as error:
        _log.warning("a request has no link: %s", error)
        return ""


def _op(turn: TurnId, ask: AskId) -> Op:
    return Op(turn).part("ask", ask)
