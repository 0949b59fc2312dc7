"""Files at the service, and the workbench in which people's code runs over them.

Uploads lie behind presigned addresses; each person has remote folders of their own.
"""

import posixpath
import secrets
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from bot.sandbox.composio.catalogue import Data, make_id

if TYPE_CHECKING:
    from pydantic_monty import AsyncMonty, ResourceLimits

LIMITS: "ResourceLimits" = {
    "max_feed_duration_secs": 20.0,
    "max_memory": 256_000_000,
    "max_suspensions": 20_000,
}
"""Of one run; reads and writes of files are suspensions."""
HOME = "/home/user"
FILES = "/mnt/files"
ROOTS = (HOME, FILES, "/tmp")  # noqa: S108 - a remote path, nothing on this machine


@dataclass(slots=True, kw_only=True)
class StoredFile:
    """A file that was announced; its data is None until somebody has sent it."""

    id: str
    filename: str
    mimetype: str
    key: str
    token: str
    """The secret part of its presigned address."""
    data: bytes | None = None

    @property
    def path(self) -> str:
        """The presigned address without its origin."""
        return f"/s3/{self.token}/{quote(self.filename)}"


class Storage:
    """All uploads of all people: whoever knows a key may use it, as at the real service."""

    def __init__(self) -> None:
        self.announced: dict[str, StoredFile] = {}
        """By the token of their address."""

    def keep(self, filename: str, mimetype: str, data: bytes | None = None) -> StoredFile:
        """Store a file; without data, announce one that will be sent."""
        token = secrets.token_hex(12)
        name = posixpath.basename(filename) or "file"
        stored = StoredFile(
            id=make_id("rf"),
            filename=name,
            mimetype=mimetype,
            key=f"projects/pr_sandbox/requests/{token[:8]}/{name}",
            token=token,
            data=data,
        )
        self.announced[token] = stored
        return stored

    def find(self, key_or_id: str) -> StoredFile | None:
        """The file of a key or an id, only once its data is there."""
        for file in self.announced.values():
            if file.data is not None and key_or_id in (file.key, file.id):
                return file
        return None


class Workbench:
    """Runs people's code over their own files, which stay between calls.

    Monty's worker processes run the code: there is no network, and no file but the person's own.
    """

    def __init__(self) -> None:
        self.directory = Path()
        """Everybody's remote folders; set when the stand-in opens."""
        self._open = AsyncExitStack()
        self._pool: AsyncMonty | None = None

    def roots(self, user_id: str) -> Mapping[str, Path]:
        """A person's remote roots, each with its folder on this machine; made at need."""
        home = self.directory / quote(user_id, safe="")
        folders = {root: home / root.strip("/") for root in ROOTS}
        for folder in folders.values():
            folder.mkdir(parents=True, exist_ok=True)
        return folders

    async def run(self, user_id: str, code: str) -> Data:
        """What the code printed and returned; of code that failed the data says so."""
        from pydantic_monty import AsyncMonty, CollectString, MontyError, MountDir

        if self._pool is None:
            self._pool = await self._open.enter_async_context(AsyncMonty())
        printed = CollectString()
        error = ""
        value = None
        mounts = [
            MountDir(host_path=local, virtual_path=root, mode="read-write")
            for root, local in self.roots(user_id).items()
        ]
        async with self._pool.checkout(limits=LIMITS) as notebook:
            try:
                value = await notebook.feed_run(
                    code, print_callback=printed, mount=mounts, cwd=HOME
                )
            except MontyError as raised:
                inner = raised.exception()
                error = f"{type(inner).__name__}: {inner}"
            finally:
                for mount in mounts:
                    mount.close()
        return {
            "results": "" if value is None else repr(value),
            "stdout": printed.output,
            "stderr": error,
            "error": error or None,
        }

    async def close(self) -> None:
        await self._open.aclose()
