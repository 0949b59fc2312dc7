"""The files of a turn in its thread: one post with the words that belong to them, made once.

They are read from the session's workspace and from nowhere else.
"""

import asyncio
import hashlib
import logging
import os
import re
import stat
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from agent_core.events import REPORT, ArtifactSaved, SentFile
from agent_core.messages import JsonObject
from bot.presenter.answer import post_answer
from bot.presenter.journal import Destination
from bot.render import PostDraft, clean, foreign_line, inert, limits, sections
from bot.slack_api import Op, SlackError, SlackRefused, Upload
from bot.threads import ThreadRef

_log = logging.getLogger(__name__)

PUBLIC_DIRECTORY = "work_products"
_UNSAFE = re.compile(r"[^\w.\- ()]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


class ArtifactRefused(Exception):
    """The file may not be, or cannot be, handed out."""


def read_artifact(workspace: Path, path: str, *, max_bytes: int = limits.FILE_BYTES) -> bytes:
    """The file at `path`, relative to the workspace.

    Only regular files below `work_products/`, reached without any link, with no second name
    elsewhere, and no bigger than `max_bytes`. Raises ArtifactRefused for all others.
    """
    if PurePosixPath(path).parts[:1] != (PUBLIC_DIRECTORY,):
        raise ArtifactRefused("it is no work product")
    return _read(workspace, path, max_bytes)


def read_sent(workspace: Path, file: SentFile) -> bytes:
    """What a call would send along. Raises ArtifactRefused where it is not what was uploaded."""
    content = _read(workspace, file.path, limits.FILE_BYTES)
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ArtifactRefused("it was changed")
    return content


def file_name(name: str) -> str:
    """A name that every system takes: no path, no hidden or reversed characters, not too long."""
    plain = _UNSAFE.sub("_", clean(name).replace("\n", " ")).strip(" .-") or "file"
    if _RESERVED.match(plain):
        plain = f"_{plain}"
    stem, dot, ending = plain.rpartition(".")
    if not dot:
        return _cut(plain, limits.FILE_NAME_BYTES)
    ending = _cut(ending, 16)
    return f"{_cut(stem, limits.FILE_NAME_BYTES - len(ending.encode()) - 1)}.{ending}"


def _read(workspace: Path, path: str, max_bytes: int) -> bytes:
    """Every step is opened from the one before and without following links."""
    *folders, name = PurePosixPath(path).parts or ("..",)
    if ".." in {*folders, name} or PurePosixPath(path).is_absolute():
        raise ArtifactRefused("it lies elsewhere")
    try:
        directory = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in folders:
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
                inner = os.open(part, flags, dir_fd=directory)
                os.close(directory)
                directory = inner
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            with os.fdopen(os.open(name, flags, dir_fd=directory), "rb") as file:
                about = os.fstat(file.fileno())
                if not stat.S_ISREG(about.st_mode) or about.st_nlink != 1:
                    raise ArtifactRefused("it is no plain file")
                if not 0 < about.st_size <= max_bytes:
                    raise ArtifactRefused("it is empty or too big")
                return file.read(about.st_size)
        finally:
            os.close(directory)
    except OSError as error:
        raise ArtifactRefused("it cannot be read") from error


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")


def handed_out(saved: Iterable[ArtifactSaved]) -> list[ArtifactSaved]:
    """What the person gets: of a run's reports the last one, since drafts are written again.

    What lies beside a report under its name, such as its PDF, goes with it.
    """
    files = list({each.path: each for each in saved}.values())
    reports = [each for each in files if each.mimetype == REPORT]
    newest = {each.run: each.path for each in reports}
    stem = {each.path: each.path.rpartition(".")[0] for each in files}
    old = {stem[each.path] for each in reports if each.path != newest[each.run]}
    return [each for each in files if stem[each.path] not in old]


class ThreadFiles:
    """Posts files into the turn's place; one that cannot be had is named in a sentence."""

    def __init__(self, destination: Destination, workspace: Path) -> None:
        self._destination = destination
        self._workspace = workspace

    async def post(
        self,
        op: Op,
        drafts: Sequence[PostDraft],
        saved: Iterable[ArtifactSaved],
        more: Sequence[Upload] = (),
    ) -> None:
        """Posts in order, the last one with files of the workspace and more; as `post_answer`."""
        uploads, missing = list[Upload](), list[str]()
        for file in saved:
            try:
                content = await asyncio.to_thread(read_artifact, self._workspace, file.path)
            except ArtifactRefused as refused:
                _log.warning("%s is not handed out: %s", file.path, refused)
                missing.append(file.title or file.path)
            else:
                uploads.append(self._upload(file, content))
        uploads += more
        apart = len(drafts) - 1 if uploads else len(drafts)
        await post_answer(self._destination, op, drafts[:apart])
        if uploads:
            last = op.part(max(apart, 0))
            missing += await self._post_last(last, drafts[apart:], uploads)
        await self._say_missing(op, missing)

    async def _post_last(
        self, op: Op, draft: Sequence[PostDraft], uploads: Sequence[Upload]
    ) -> list[str]:
        """One post with words and files; or two, where Slack refuses it or takes no files now."""
        bookmark, words = await self._destination.journal.open(), op.part("words")
        if words.part(0) not in bookmark.begun:
            blocks = [block for each in draft for block in each.blocks or sections(each.text)]
            try:
                return await self._share(op, uploads, blocks)
            except SlackRefused as refused:
                _log.warning("files are posted apart from their words: %s", refused)
            except SlackError:
                if not any(each.is_within(op) for each in bookmark.files):
                    await post_answer(self._destination, words, draft)
                raise
        await post_answer(self._destination, words, draft)
        await self.upload(op.part("files"), *uploads)
        return []

    async def upload(self, op: Op, *uploads: Upload) -> bool:
        """Post files by themselves, or say which are missing; whether all are there."""
        try:
            missing = await self._share(op, uploads)
        except SlackRefused as refused:
            _log.warning("files were refused: %s", refused)
            missing = [upload.title for upload in uploads]
        await self._say_missing(op, missing)
        return not missing

    async def show_sent(self, op: Op, file: SentFile) -> bool:
        """Post what a call would send along, once a turn; whether it can be looked at."""
        try:
            content = await asyncio.to_thread(read_sent, self._workspace, file)
        except ArtifactRefused as refused:
            _log.warning("%s cannot be shown before it is sent: %s", file.name, refused)
            return False
        name = file_name(file.name)
        return await self.upload(op.part(name), Upload(name=name, content=content, title=name))

    def _upload(self, file: ArtifactSaved, content: bytes) -> Upload:
        name = file_name(PurePosixPath(file.path).name)
        title = " ".join(inert(file.title).split())[: limits.FILE_TITLE_CHARS] or name
        is_picture = file.mimetype.startswith("image/")
        alt_text = (
            self._destination.board.words("progress-picture-of", what=title) if is_picture else ""
        )
        return Upload(name=name, content=content, title=title, alt_text=alt_text)

    async def _share(
        self, op: Op, uploads: Sequence[Upload], blocks: Sequence[JsonObject] = ()
    ) -> list[str]:
        """Post them, and name those that Slack does not take. Raises SlackRefused if it is all."""
        missing = list[str]()
        await self._destination.once(op, partial(self._write, uploads, blocks, missing))
        return missing

    async def _write(
        self,
        uploads: Sequence[Upload],
        blocks: Sequence[JsonObject],
        missing: list[str],
        place: ThreadRef,
        op: Op,
        may_exist: bool,
    ) -> None:
        journal, files = self._destination.journal, self._destination.api.files
        begun = (await journal.open()).files.get(op, "")
        if may_exist and begun and await files.is_shared(begun, place.channel):
            return

        async def remember(ids: Sequence[str]) -> None:
            (await journal.open()).files[op] = ids[0]
            await journal.save()

        refused = await files.share(place, uploads, blocks=blocks, remember=remember)
        missing += [upload.title for upload, _ in refused]

    async def _say_missing(self, op: Op, names: Sequence[str]) -> None:
        for name in names:
            what = foreign_line(name, limits.PROGRESS_WORD_CHARS)
            said = self._destination.board.words("progress-no-file", what=what)
            await self._destination.post(op.part(name, "why"), PostDraft(text=said))
