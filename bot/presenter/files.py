"""The files of a turn in its thread, each uploaded once."""

import asyncio
import logging
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from agent_core.ids import UserId
from bot.presenter.artifacts import Artifact, ArtifactRefused, read_artifact
from bot.presenter.direct import DirectPlace
from bot.presenter.journal import Journal
from bot.presenter.words import Words
from bot.render import inert, limits, one_line
from bot.slack_api import PlaceRefused, SlackApi, SlackRefused
from bot.threads import ThreadRef

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Handout:
    """A file of the workspace that the turn announced."""

    op: str
    path: str
    title: str


class ThreadFiles:
    """Uploads files into the thread; one that cannot be had is named in a sentence.

    Where the thread takes nothing, both go to the asker directly.
    """

    def __init__(
        self,
        api: SlackApi,
        thread: ThreadRef,
        journal: Journal,
        workspace: Path,
        direct: DirectPlace,
    ) -> None:
        self._api = api
        self._thread = thread
        self._journal = journal
        self._workspace = workspace
        self._direct = direct

    async def hand_out(self, handout: Handout, words: Words, asker: UserId) -> None:
        """Upload the file, or say why not.

        Raises:
            SlackError: Slack gave no answer; the file can be uploaded later.
        """
        try:
            artifact = await asyncio.to_thread(read_artifact, self._workspace, handout.path)
        except ArtifactRefused as refused:
            await self._say_why(handout, words, asker, str(refused))
        else:
            await self.upload(handout, artifact, words, asker)

    async def upload(
        self, handout: Handout, artifact: Artifact, words: Words, asker: UserId
    ) -> None:
        """Upload what was read already, or say why not."""
        try:
            await self._upload_where_taken(handout, artifact, words, asker)
        except SlackRefused as refused:
            _log.warning("a file was refused: %s", refused)
            await self._say_why(handout, words, asker, words.why_not_taken(refused.code))

    async def _upload_where_taken(
        self, handout: Handout, artifact: Artifact, words: Words, asker: UserId
    ) -> None:
        place = await self._direct.known() or self._thread
        try:
            await self._journal.once(handout.op, partial(self._write, place, handout, artifact))
        except PlaceRefused:
            direct = replace(handout, op=f"{handout.op}:direct")
            place = await self._direct.open(direct.op, words, asker)
            await self._journal.once(direct.op, partial(self._write, place, direct, artifact))

    async def _write(
        self, place: ThreadRef, handout: Handout, artifact: Artifact, may_exist: bool
    ) -> None:
        bookmark = await self._journal.open()
        begun = bookmark.files.get(handout.op, "")
        if may_exist and begun and await self._api.files.is_shared(begun, place.channel):
            return
        await self._api.files.upload(
            place,
            name=artifact.name,
            content=artifact.content,
            title=_title(handout, artifact),
            remember=partial(self._remember, handout.op),
        )

    async def _remember(self, op: str, file_id: str) -> None:
        bookmark = await self._journal.open()
        bookmark.files[op] = file_id
        await self._journal.save()

    async def _say_why(self, handout: Handout, words: Words, asker: UserId, why: str) -> None:
        what = one_line(handout.title or handout.path, limits.PROGRESS_WORD_CHARS)
        text = words.no_file.format(what=what, why=one_line(why, limits.COMMENT_CHARS))
        op = f"{handout.op}:why"
        try:
            place = await self._direct.known() or self._thread
            await self._journal.once(op, partial(self._post, place, op, text))
        except PlaceRefused:
            place = await self._direct.open(op, words, asker)
            op = f"{op}:direct"
            await self._journal.once(op, partial(self._post, place, op, text))

    async def _post(self, place: ThreadRef, op: str, text: str, may_exist: bool) -> None:
        await self._api.post(place, text, op_id=op, may_exist=may_exist)


def _title(handout: Handout, artifact: Artifact) -> str:
    """A title is shown as it is, so it is not escaped."""
    words = " ".join(inert(handout.title).split())
    return words[: limits.FILE_TITLE_CHARS] or artifact.name
