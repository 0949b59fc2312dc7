"""Files at the service: uploads behind presigned addresses, and people's remote folders."""

import posixpath
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bot.sandbox.composio.records import make_id

HOME = "/home/user"
ROOTS = (HOME, "/mnt/files", "/tmp")  # noqa: S108 - a remote path, nothing on this machine


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

    def keep(
        self, filename: str, mimetype: str, data: bytes | None = None, *, place: str = ""
    ) -> StoredFile:
        """A file that is there at once, or without data a place for one that will be sent."""
        token = secrets.token_hex(12)
        name = posixpath.basename(filename) or "file"
        key = f"projects/pr_sandbox/requests/{place}/{token[:8]}/{name}"
        self.announced[token] = stored = StoredFile(
            id=make_id("rf"), filename=name, mimetype=mimetype, key=key, token=token, data=data
        )
        return stored

    def find(self, *, key: str = "", file_id: str = "") -> StoredFile | None:
        """The file of a key or an id, only once its data is there."""
        files = (file for file in self.announced.values() if file.data is not None)
        return next((file for file in files if key == file.key or file_id == file.id), None)


class RemoteFiles:
    """Everybody's remote folders, on disk while the stand-in lives."""

    def __init__(self) -> None:
        self.directory = Path()
        """Where they lie, once the stand-in is open."""
        self._people: dict[str, Mapping[str, Path]] = {}

    def roots(self, user_id: str) -> Mapping[str, Path]:
        """Where on this machine a person's remote roots lie; made at first need."""
        if user_id not in self._people:
            place = self.directory / str(len(self._people))
            self._people[user_id] = {root: place / root.strip("/") for root in ROOTS}
            for root in self._people[user_id].values():
                root.mkdir(parents=True)
        return self._people[user_id]

    def local(self, user_id: str, path: str) -> Path:
        """Where a remote path lies on this machine.

        Raises FileNotFoundError outside of the roots.
        """
        full = posixpath.normpath(posixpath.join(HOME, path))
        for root, directory in self.roots(user_id).items():
            target = (directory / full.removeprefix(root).lstrip("/")).resolve()
            is_below = f"{full}/".startswith(f"{root}/")
            if is_below and target.is_relative_to(directory.resolve()):
                return target
        raise FileNotFoundError(2, "No such file or directory", full)
