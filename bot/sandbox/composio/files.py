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
        self, filename: str, mimetype: str, data: bytes | None = None, *, folder: str = ""
    ) -> StoredFile:
        """Store a file; without data, announce one that will be sent."""
        token = secrets.token_hex(12)
        name = posixpath.basename(filename) or "file"
        stored = StoredFile(
            id=make_id("rf"),
            filename=name,
            mimetype=mimetype,
            key=f"projects/pr_sandbox/requests/{folder}/{token[:8]}/{name}",
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


class RemoteFiles:
    """Everybody's remote folders, on disk while the stand-in lives."""

    def __init__(self) -> None:
        self.directory = Path()
        """Set when the stand-in opens."""
        self._people: dict[str, Mapping[str, Path]] = {}

    def roots(self, user_id: str) -> Mapping[str, Path]:
        """A person's remote roots, each with its folder on this machine; made at first need."""
        if user_id not in self._people:
            home = self.directory / str(len(self._people))
            folders = {root: home / root.strip("/") for root in ROOTS}
            for folder in folders.values():
                folder.mkdir(parents=True)
            self._people[user_id] = folders
        return self._people[user_id]

    def local(self, user_id: str, path: str) -> Path:
        """The path on this machine of a remote path.

        Raises FileNotFoundError outside of the roots.
        """
        full = Path(posixpath.normpath(posixpath.join(HOME, path)))
        for root, folder in self.roots(user_id).items():
            if full.is_relative_to(root):
                target = (folder / full.relative_to(root)).resolve()
                if target.is_relative_to(folder.resolve()):
                    return target
        raise FileNotFoundError(2, "No such file or directory", str(full))
