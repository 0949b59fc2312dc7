"""The files of a turn in its thread, each uploaded once."""

import asyncio
import logging
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bot.presenter.artifacts import Artifact, ArtifactRefused, read_artifact
from bot.presenter.journal import Journal
from bot.presenter.words import Words
from bot.render import inert, limits, one_line
from bot.slack_api import SlackApi, SlackRefused
from bot.threads import ThreadRef

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Handout:
    """A file of the workspace that the turn announced."""

    op: str
    path: str
    title: str


class ThreadFiles:
    """Uploads files into the thread; one that cannot be had is named in a sentence."""

    def __init__(self, api: SlackApi, thread: ThreadRef, journal: Journal, workspace: Path) -> None:
        self._api = api
        self._thread = thread
        self._journal = journal
        self._workspace = workspace

    async def hand_out(self, handout: Handout, words: Words) -> None:
        """Upload the file, or say why not.

        Raises:
            SlackError: Slack gave no answer; the file can be uploaded later.
        """
        try:
            artifact = await asyncio.to_thread(read_artifact, self._workspace, handout.path)
        except ArtifactRefused as refused:
            await self._say_why(handout, words, str(refused))
        else:
            await self.upload(handout, artifact, words)

    async def upload(self, handout: Handout, artifact: Artifact, words: Words) -> None:
        """Upload what was read already, or say why not."""
        try:
            await self._journal.once(handout.op, partial(self._write, handout, artifact))
        except SlackRefused as refused:
            _log.warning("a file was refused: %s", refused)
            await self._say_why(handout, words, f"Slack said {refused.code}")

    async def _write(self, handout: Handout, artifact: Artifact, may_exist: bool) -> None:
        bookmark = await self._journal.open()
        begun = bookmark.files.get(handout.op, "")
        if may_exist and begun and await self._api.files.is_shared(begun, self._thread.channel):
            return
        await self._api.files.upload(
            self._thread,
            name=artifact.name,
            content=artifact.content,
            title=_title(handout, artifact),
            comment=one_line(handout.title, limits.COMMENT_CHARS),
            remember=partial(self._remember, handout.op),
        )

    async def _remember(self, op: str, file_id: str) -> None:
        bookmark = await self._journal.open()
        bookmark.files[op] = file_id
        await self._journal.save()

    async def _say_why(self, handout: Handout, words: Words, why: str) -> None:
        what = one_line(handout.title or handout.path, limits.PROGRESS_WORD_CHARS)
        text = words.no_file.format(what=what, why=one_line(why, limits.COMMENT_CHARS))
        op = f"{handout.op}:why"

        async def write(may_exist: bool) -> None:
            await self._api.post(self._thread, text, op_id=op, may_exist=may_exist)

        await self._journal.once(op, write)


def _title(handout: Handout, artifact: Artifact) -> str:
    """A title is shown as it is, so it is not escaped."""
    words = " ".join(inert(handout.title).split())
    return words[: limits.FILE_TITLE_CHARS] or artifact.name
