"""Between ingress and core: hands messages over, attaches presenters, keeps attached files."""

import re
from collections.abc import Callable
from datetime import datetime

from agent_core.ids import SessionId, TurnId
from agent_core.messages import Attachment, InboundMessage
from agent_core.runtime import Runtime
from bot.inbound import SlackFile
from bot.presenting import Presenting
from bot.slack_api import DownloadRefused, SlackApi

MAX_ATTACHMENT_BYTES = 50 * 1024 * 1024
MAX_NAME_BYTES = 120
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
        kept: list[Attachment] = []
        for file in files:
            path = f"downloads/{file.id}_{safe_name(file.name)}"
            try:
                content = await self._api.files.download(
                    file.url_private, max_bytes=MAX_ATTACHMENT_BYTES
                )
            except DownloadRefused:
                kept.append(
                    _described(file, f"{safe_name(file.name)} (could not be downloaded)", 0)
                )
                continue
            (workspace / path).write_bytes(content)
            kept.append(_described(file, path, len(content)))
        return tuple(kept)


def safe_name(name: str) -> str:
    """A file name without separators, control or direction characters, at most 120 bytes."""
    cleaned = _UNSAFE.sub("_", name).strip(". ")
    return cleaned.encode()[-MAX_NAME_BYTES:].decode("utf-8", "ignore") or "file"


def _described(file: SlackFile, path: str, size_bytes: int) -> Attachment:
    return Attachment(name=file.name, path=path, mimetype=file.mimetype, size_bytes=size_bytes)
