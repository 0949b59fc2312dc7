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

MAX_ENDING_BYTES = 16
PUBLIC_DIRECTORY = "work_products"
_UNSAFE = re.compile(r"[^\w.\- ()]+")
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
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
    ending = _cut(ending, MAX_ENDING_BYTES)
    room = limits.FILE_NAME_BYTES - len(ending.encode()) - 1
    return f"{_cut(stem, room)}.{ending}"


def _read(workspace: Path, path: str, max_bytes: int) -> bytes:
    """Every step is opened from the one before and without following links."""
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or PurePosixPath(path).is_absolute():
        raise ArtifactRefused("it lies elsewhere")
    *folders, name = parts
    try:
        directory = os.open(workspace, _DIRECTORY)
        try:
            for folder in folders:
                inner = os.open(folder, _DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)
                os.close(directory)
                directory = inner
            return _read_file(os.open(name, _FILE, dir_fd=directory), max_bytes)
        finally:
            os.close(directory)
    except OSError as error:
        raise ArtifactRefused("it cannot be read") from error


def _read_file(descriptor: int, max_bytes: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_nlink != 1:
            raise ArtifactRefused("it is no plain file")
        if not 0 < about.st_size <= max_bytes:
            raise ArtifactRefused("it is empty or too big")
        return file.read(about.st_size)


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")


def handed_out(saved: Iterable[ArtifactSaved]) -> list[ArtifactSaved]:
    """What the person gets: of a run's reports the last one, since drafts are written again.

    What lies beside a report under its name, such as its PDF, goes with it.
    """
    files = list({each.path: each for each in saved}.values())
    reports = [each for each in files if each.mimetype == REPORT]
    newest = {each.run: each.path for each in reports}
    drafts = {_stem(each) for each in reports if each.path != newest[each.run]}
    return [each for each in files if _stem(each) not in drafts]


def _stem(file: ArtifactSaved) -> str:
    stem, _, _ = file.path.rpartition(".")
    return stem


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
        uploads: list[Upload] = []
        missing: list[str] = []
        for file in saved:
            try:
                content = await asyncio.to_thread(read_artifact, self._workspace, file.path)
            except ArtifactRefused as refused:
                _log.warning("%s is not handed out: %s", file.path, refused)
                missing.append(file.title or file.path)
            else:
                uploads.append(self._upload(file, content))
        uploads += more
        if not uploads:
            await post_answer(self._destination, op, drafts)
        else:
            await post_answer(self._destination, op, drafts[:-1])
            last = op.part(max(len(drafts) - 1, 0))
            missing += await self._post_last(last, drafts[-1:], uploads)
        await self._say_missing(op, missing)

    async def _post_last(
        self, op: Op, draft: Sequence[PostDraft], uploads: Sequence[Upload]
    ) -> list[str]:
        """One post with words and files; or two, where Slack refuses it or takes no files now."""
        bookmark = await self._destination.journal.open()
        words = op.part("words")
        if words.part(0) not in bookmark.begun:
            blocks: list[JsonObject] = []
            for each in draft:
                blocks += each.blocks or sections(each.text)
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
        line = " ".join(inert(file.title).split())
        title = line[: limits.FILE_TITLE_CHARS] or name
        alt_text = ""
        if file.mimetype.startswith("image/"):
            alt_text = self._destination.board.words("progress-picture-of", what=title)
        return Upload(name=name, content=content, title=title, alt_text=alt_text)

    async def _share(
        self, op: Op, uploads: Sequence[Upload], blocks: Sequence[JsonObject] = ()
    ) -> list[str]:
        """Post them, and name those that Slack does not take. Raises SlackRefused if it is all."""
        missing: list[str] = []
        await self._destination.once(op, partial(self._write, uploads, blocks, missing))
        return missing

    async def _write(
        self,
        uploads: Sequence[Upload],
        blocks: Sequence[JsonObject],
        missing: list[str],
        thread: ThreadRef,
        op: Op,
        may_exist: bool,
    ) -> None:
        journal = self._destination.journal
        files = self._destination.api.files
        bookmark = await journal.open()
        file_id = bookmark.files.get(op)
        if may_exist and file_id and await files.is_shared(file_id, thread.channel):
            return

        async def remember(ids: Sequence[str]) -> None:
            bookmark.files[op] = ids[0]
            await journal.save()

        refused = await files.share(thread, uploads, blocks=blocks, remember=remember)
        missing += [upload.title for upload, _ in refused]

    async def _say_missing(self, op: Op, names: Sequence[str]) -> None:
        words = self._destination.board.words
        for name in names:
            what = foreign_line(name, limits.PROGRESS_WORD_CHARS)
            draft = PostDraft(text=words("progress-no-file", what=what))
            await self._destination.post(op.part(name, "why"), draft)
