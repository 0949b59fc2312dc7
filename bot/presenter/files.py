"""The files of a turn in its thread, each uploaded once.

They are read from the session's workspace and from nowhere else.
"""

import asyncio
import logging
import os
import re
import stat
from collections.abc import Iterable
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

from agent_core.events import ArtifactSaved
from bot.presenter.journal import Place
from bot.render import Draft, clean, foreign_line, inert, limits
from bot.slack_api import SlackRefused
from bot.threads import ThreadRef

_log = logging.getLogger(__name__)

_FILE_REFUSALS: Final = {
    "file_type_not_allowed": "no-such-type",
    "file_upload_size_restricted": "too-big",
    "file_uploads_disabled": "no-uploads",
    "missing_scope": "no-scope",
    "no_permission": "no-scope",
    "storage_limit_reached": "no-room",
}
"""Why Slack did not take a file, so far as a person can do something about it."""

PUBLIC_DIRECTORY = "work_products"
_UNSAFE = re.compile(r"[^\w.\- ()]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


class ArtifactRefused(Exception):
    """The file may not be, or cannot be, handed out. The message names the reason's sentence."""


def read_artifact(workspace: Path, path: str, *, max_bytes: int = limits.FILE_BYTES) -> bytes:
    """The file at `path`, relative to the workspace.

    Only regular files below `work_products/`, reached without any link, with no second name
    elsewhere, and no bigger than `max_bytes`. Raises ArtifactRefused for all others.
    """
    parts = PurePosixPath(path).parts
    if len(parts) < 2 or parts[0] != PUBLIC_DIRECTORY or ".." in parts:
        raise ArtifactRefused("not-public")
    try:
        return _read_below(workspace, parts, max_bytes)
    except OSError as error:
        raise ArtifactRefused("unreadable") from error


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


def _read_below(workspace: Path, parts: tuple[str, ...], max_bytes: int) -> bytes:
    """Every step is opened from the one before and without following links."""
    directory = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)
            os.close(directory)
            directory = inner
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        return _read_open(os.open(parts[-1], flags, dir_fd=directory), max_bytes)
    finally:
        os.close(directory)


def _read_open(descriptor: int, max_bytes: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_nlink != 1:
            raise ArtifactRefused("not-plain")
        if about.st_size == 0:
            raise ArtifactRefused("empty")
        if about.st_size > max_bytes:
            raise ArtifactRefused("too-big-for-us")
        return file.read(about.st_size)


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")


class ThreadFiles:
    """Uploads files into the turn's place; one that cannot be had is named in a sentence."""

    def __init__(self, place: Place, workspace: Path) -> None:
        self._place = place
        self._workspace = workspace

    async def hand_out(self, saved: Iterable[ArtifactSaved]) -> None:
        """Upload files of the workspace, or say of one why not.

        Raises SlackError where Slack gave no answer; the files can be uploaded later.
        """
        for file in saved:
            op = f"{file.turn}:file:{file.path}"
            try:
                content = await asyncio.to_thread(read_artifact, self._workspace, file.path)
            except ArtifactRefused as refused:
                await self._say_why(op, file.title or file.path, str(refused))
            else:
                name = file_name(PurePosixPath(file.path).name)
                await self.upload(op, name, content, file.title)

    async def upload(self, op: str, name: str, content: bytes, title: str = "") -> None:
        """Upload what was read already, or say why not."""
        words = " ".join(inert(title).split())[: limits.FILE_TITLE_CHARS] or name
        try:
            await self._place.once(op, partial(self._write, name, content, words))
        except SlackRefused as refused:
            _log.warning("a file was refused: %s", refused)
            why = _FILE_REFUSALS.get(refused.code, "other")
            await self._say_why(op, title or name, why)

    async def _write(
        self, name: str, content: bytes, title: str, place: ThreadRef, op: str, may_exist: bool
    ) -> None:
        journal, files = self._place.journal, self._place.api.files
        begun = (await journal.open()).files.get(op, "")
        if may_exist and begun and await files.is_shared(begun, place.channel):
            return

        async def remember(file_id: str) -> None:
            (await journal.open()).files[op] = file_id
            await journal.save()

        await files.upload(place, name=name, content=content, title=title, remember=remember)

    async def _say_why(self, op: str, name: str, why: str) -> None:
        words = self._place.board.words
        what = foreign_line(name, limits.PROGRESS_WORD_CHARS)
        text = words("progress-no-file", what=what, why=words(f"progress-file-refusal-{why}"))
        await self._place.post(f"{op}:why", Draft(text=text))
