"""Between ingress and core: hands messages over, attaches presenters, keeps attached files."""

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
from bot.ingress.kept_files import new_file
from bot.ingress.left_out import MAX_MB
from bot.ingress.seams import Fault, LeftOut
from bot.presenting import Presenting
from bot.slack_api import DownloadRefused, FileTooBig, SlackApi

logger = logging.getLogger(__name__)

FOLDER = "downloads"
MAX_ATTACHMENT_BYTES = MAX_MB * 1024 * 1024
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

    async def withdraw(self, key: str) -> bool:
        return await self._runtime.withdraw(key)

    async def knows(self, session: SessionId) -> bool:
        return await self._runtime.knows(session)


class WorkspaceFiles:
    """The ingress's `FileKeeper`: attached files land in the session's `downloads/`."""

    def __init__(self, runtime: Runtime, api: SlackApi, clock: Callable[[], datetime]) -> None:
        self._runtime = runtime
        self._slack_files = api.files
        self._clock = clock

    async def keep(
        self, session: SessionId, files: tuple[SlackFile, ...]
    ) -> tuple[Attachment | LeftOut, ...]:
        """Download the files; one that cannot be had does not cost the others."""
        workspace = await self._runtime.workspace(session, self._clock())
        return tuple([await self._keep_one(workspace, file) for file in files])

    async def _keep_one(self, workspace: Path, file: SlackFile) -> Attachment | LeftOut:
        if file.size_bytes > MAX_ATTACHMENT_BYTES:
            return _left_out(file, "too_big")
        try:
            return await self._save(workspace, file)
        except FileTooBig:
            return _left_out(file, "too_big")
        except DownloadRefused as refused:
            logger.warning("an attached file was not downloaded: %s", refused)
            return _left_out(file, "not_given")
        except OSError:
            logger.exception("an attached file was not saved")
            return _left_out(file, "not_saved")

    async def _save(self, workspace: Path, file: SlackFile) -> Attachment:
        name = f"{_safe_id(file.id)}_{safe_name(file.name)}"
        with new_file(workspace, FOLDER, name) as saved:
            size_bytes = await self._slack_files.download(
                file.url_private, saved, max_bytes=MAX_ATTACHMENT_BYTES
            )
        return Attachment(
            name=file.name,
            path=f"{FOLDER}/{name}",
            mimetype=file.mimetype,
            size_bytes=size_bytes,
        )


def safe_name(name: str) -> str:
    """A file name without separators, control or direction characters, at most 120 bytes."""
    cleaned = _UNSAFE.sub("_", name).strip(". ")
    return cleaned.encode()[-MAX_NAME_BYTES:].decode("utf-8", "ignore") or "file"


def _safe_id(file_id: str) -> str:
    """Slack's id; of what does not look like one a mark that tells two apart."""
    if _ID.fullmatch(file_id):
        return file_id
    return hashlib.sha256(file_id.encode("utf-8", "replace")).hexdigest()[:16]


def _left_out(file: SlackFile, fault: Fault) -> LeftOut:
    return LeftOut(name=safe_name(file.name), fault=fault)
