"""Approvals and connections in the thread: each posted once, and edited once when it has ended."""

import logging
from collections.abc import Iterable
from functools import partial

from agent_core.errors import AgentError
from agent_core.events import ApprovalDecided, ApprovalRequested, AuthEnded, AuthRequired
from agent_core.ids import ConsentId, UserId
from agent_core.prompts.language import Language
from bot.presenter.artifacts import Artifact
from bot.presenter.consents.approval import (
    approval_draft,
    approval_file,
    decided_draft,
    fitting_forms,
)
from bot.presenter.consents.connection import ended_draft, waiting_draft
from bot.presenter.consents.links import Ear, LinkWhisperer
from bot.presenter.consents.words import WORDS
from bot.presenter.direct import DirectPlace
from bot.presenter.files import Handout, ThreadFiles
from bot.presenter.journal import Journal
from bot.presenter.words import WORDS as PRESENTER_WORDS
from bot.render import Draft
from bot.slack_api import ContentRefused, PlaceRefused, SlackApi, SlackError, SlackRefused
from bot.threads import ThreadRef

_log = logging.getLogger(__name__)


class ConsentPosts:
    """The posts of one turn. Where the thread takes none, they go to the asker directly."""

    def __init__(
        self,
        api: SlackApi,
        thread: ThreadRef,
        journal: Journal,
        direct: DirectPlace,
        files: ThreadFiles,
        whisperer: LinkWhisperer | None,
    ) -> None:
        self._api = api
        self._thread = thread
        self._journal = journal
        self._direct = direct
        self._files = files
        self._whisperer = whisperer
        self._requests: dict[ConsentId, ApprovalRequested] = {}

    async def request(self, event: ApprovalRequested, language: Language) -> None:
        """Post what is to be approved, as whole as Slack takes it.

        Raises:
            SlackError: Slack gave no answer; ask again later.
        """
        self._requests[event.consent] = event
        op, words = _approval_op(event), WORDS[language]
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

    async def decide(self, event: ApprovalDecided, language: Language) -> None:
        """Take the buttons away and say how it ended. Without the request nothing stands there."""
        request = self._requests.get(event.consent)
        if request is None:
            return
        words = WORDS[language]
        forms = fitting_forms(request, words)
        drafts = (decided_draft(request, event, words, form) for form in forms)
        await self._settle(_approval_op(request), drafts, ended_as=event.verdict)

    async def invite(self, event: AuthRequired, language: Language) -> None:
        """Post for all that the asker is waited for, and show the links to the asker alone.

        Raises:
            SlackError: Slack gave no answer; ask again later.
        """
        op = _connection_op(event)
        draft = waiting_draft(event, WORDS[language])
        if not await self._is_posted(op):
            await self._post(op, op, draft, event.asker, language)
        await self._journal.once(f"{op}:link", partial(self._whisper, event, language))

    async def end(self, event: AuthEnded, language: Language) -> None:
        """Say in that post how it ended."""
        drafts = [ended_draft(event, WORDS[language])]
        await self._settle(_connection_op(event), drafts, ended_as=event.outcome)

    async def _is_posted(self, op: str) -> bool:
        return op in (await self._journal.open()).consents

    async def _attach(self, event: ApprovalRequested, op: str, language: Language) -> bool:
        """Whether the file with everything is there; nobody approves what they cannot read."""
        name, content = approval_file(event)
        file_op = f"{op}:file"
        handout = Handout(op=file_op, path=name, title=name)
        artifact = Artifact(name=name, content=content)
        await self._files.upload(handout, artifact, PRESENTER_WORDS[language], event.asker)
        return bool({file_op, f"{file_op}:direct"} & (await self._journal.open()).done)

    async def _post(
        self, op: str, form_op: str, draft: Draft, asker: UserId, language: Language
    ) -> None:
        try:
            place = await self._direct.known() or self._thread
            await self._journal.once(form_op, partial(self._write, op, form_op, place, draft))
        except PlaceRefused as refused:
            _log.warning("asking directly: %s", refused)
            words, form_op = PRESENTER_WORDS[language], f"{form_op}:direct"
            place = await self._direct.open(form_op, words, asker)
            await self._journal.once(form_op, partial(self._write, op, form_op, place, draft))

    async def _write(
        self, op: str, form_op: str, place: ThreadRef, draft: Draft, may_exist: bool
    ) -> None:
        ts = await self._api.post(
            place, draft.text, blocks=draft.blocks, op_id=form_op, may_exist=may_exist
        )
        (await self._journal.open()).consents[op] = f"{place.channel} {ts}"

    async def _whisper(self, event: AuthRequired, language: Language, _may_exist: bool) -> None:
        """A courtesy: the button in the post shows the links as well."""
        if self._whisperer is None:
            return
        place = await self._direct.known() or self._thread
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
