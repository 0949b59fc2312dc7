"""Between ingress and core: hands messages over, attaches presenters, keeps attached files."""

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from agent_core.ids import SessionId, TurnId
from agent_core.messages import Attachment, InboundMessage
from agent_core.runtime import Runtime
from bot.inbound import SlackFile
from bot.ingress.kept_files import write_file
from bot.presenting import Presenting
from bot.slack_api import DownloadRefused, SlackApi

logger = logging.getLogger(__name__)

FOLDER = "downloads"
MAX_ATTACHMENT_BYTES = 50 * 1024 * 1024
MAX_NAME_BYTES = 120
_ID = re.compile(r"[A-Z0-9]{1,64}")
_UNSAFE = re.compile(r"[^\w.\- ]+")


class FrontDoor:
    """The ingress's `Front`: a message becomes a turn, and the turn is shown."""

    def __init__(self, runtime: Runtime, presenting: Presenting) -> None:
        self._runtime = runtime
        self._presenting = presenting

    async def handle(self, message: InboundMessage) -> TurnId | None:
        turn_id = await self._runtime.handle(message)
        if turn_id is not None:
            self._presenting.attach(await self._runtime.turn(turn_id))
        return turn_id

    async def knows(self, session: SessionId) -> bool:
        return await self._runtime.knows(session)


class WorkspaceFiles:
    """The ingress's `FileKeeper`: attached files land in the session's `downloads/`."""

    def __init__(self, runtime: Runtime, api: SlackApi, clock: Callable[[], datetime]) -> None:
        self._runtime = runtime
        self._api = api
        self._clock = clock

    async def keep(
        self, session: SessionId, files: tuple[SlackFile, ...]
    ) -> tuple[Attachment, ...]:
        """Download the files; one that cannot be had stays in the message, with a word on it."""
        workspace = await self._runtime.workspace(session, self._clock())
        return tuple([await self._keep_one(workspace, file) for file in files])

    async def _keep_one(self, workspace: Path, file: SlackFile) -> Attachment:
        if file.size_bytes > MAX_ATTACHMENT_BYTES:
            return _missing(file, f"is bigger than {MAX_ATTACHMENT_BYTES // 1024**2} MB")
        try:
            content = await self._api.files.download(
                file.url_private, max_bytes=MAX_ATTACHMENT_BYTES
            )
        except DownloadRefused:
            return _missing(file, "could not be downloaded")
        name = f"{_safe_id(file.id)}_{safe_name(file.name)}"
        try:
            await asyncio.to_thread(write_file, workspace, FOLDER, name, content)
        except OSError:
            logger.exception("an attached file was not saved")
            return _missing(file, "could not be saved")
        return _described(file, f"{FOLDER}/{name}", len(content))


def safe_name(name: str) -> str:
    """A file name without separators, control or direction characters, at most 120 bytes."""
    cleaned = _UNSAFE.sub("_", name).strip(". ")
    return cleaned.encode()[-MAX_NAME_BYTES:].decode("utf-8", "ignore") or "file"


def _safe_id(file_id: str) -> str:
    """Slack's id; of what does not look like one a mark that tells two apart."""
    if _ID.fullmatch(file_id):
        return file_id
    return hashlib.sha256(file_id.encode("utf-8", "replace")).hexdigest()[:16]


def _missing(file: SlackFile, why: str) -> Attachment:
    return _described(file, f"{safe_name(file.name)} ({why})", 0)


def _described(file: SlackFile, path: str, size_bytes: int) -> Attachment:
    return Attachment(name=file.name, path=path, mimetype=file.mimetype, size_bytes=size_bytes)
