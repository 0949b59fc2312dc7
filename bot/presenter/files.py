"""The files of a turn in its thread, each uploaded once.

They are read from the session's workspace and from nowhere else.
"""

import asyncio
import logging
import os
import re
import stat
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

from bot.presenter.journal import Place
from bot.render import Draft, clean, inert, limits, one_line
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file to upload."""

    name: str
    content: bytes


def read_artifact(workspace: Path, path: str, *, max_bytes: int = limits.FILE_BYTES) -> Artifact:
    """The file at `path`, relative to the workspace.

    Only regular files below `work_products/`, reached without any link, with no second name
    elsewhere, and no bigger than `max_bytes`.

    Raises:
        ArtifactRefused: Any of that does not hold.
    """
    parts = PurePosixPath(path).parts
    if len(parts) < 2 or parts[0] != PUBLIC_DIRECTORY or ".." in parts:
        raise ArtifactRefused("not-public")
    try:
        content = _read_below(workspace, parts, max_bytes)
    except OSError as error:
        raise ArtifactRefused("unreadable") from error
    return Artifact(name=file_name(parts[-1]), content=content)


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
    """Uploads files into the turn's place; one that cannot be had is named in a sentence.

    Each has an op id, and a title that is shown as it is.
    """

    def __init__(self, place: Place, workspace: Path) -> None:
        self._place = place
        self._workspace = workspace

    async def hand_out(self, op: str, path: str, title: str) -> None:
        """Upload a file of the workspace, or say why not.

        Raises:
            SlackError: Slack gave no answer; the file can be uploaded later.
        """
        try:
            artifact = await asyncio.to_thread(read_artifact, self._workspace, path)
        except ArtifactRefused as refused:
            await self._say_why(op, title or path, str(refused))
        else:
            await self.upload(op, artifact, title)

    async def upload(self, op: str, artifact: Artifact, title: str = "") -> None:
        """Upload what was read already, or say why not."""
        words = " ".join(inert(title).split())[: limits.FILE_TITLE_CHARS] or artifact.name
        try:
            await self._place.once(op, partial(self._write, artifact, words))
        except SlackRefused as refused:
            _log.warning("a file was refused: %s", refused)
            why = _FILE_REFUSALS.get(refused.code, "other")
            await self._say_why(op, title or artifact.name, why)

    async def _write(
        self, artifact: Artifact, title: str, place: ThreadRef, op: str, may_exist: bool
    ) -> None:
        journal, files = self._place.journal, self._place.api.files
        begun = (await journal.open()).files.get(op, "")
        if may_exist and begun and await files.is_shared(begun, place.channel):
            return

        async def remember(file_id: str) -> None:
            (await journal.open()).files[op] = file_id
            await journal.save()

        await files.upload(
            place, name=artifact.name, content=artifact.content, title=title, remember=remember
        )

    async def _say_why(self, op: str, name: str, why: str) -> None:
        words = self._place.board.words
        what = one_line(name, limits.PROGRESS_WORD_CHARS)
        text = words("progress-no-file", what=what, why=words(f"progress-file-refusal-{why}"))
        await self._place.post(f"{op}:why", Draft(text=text))
