"""Files at the service: uploads behind presigned addresses, and people's remote folders."""

import posixpath
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
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


class RemoteFolder:
    """One person's remote files, in a directory of this machine for each root."""

    def __init__(self, directory: Path) -> None:
        self.roots: Mapping[str, Path] = {root: directory / root.strip("/") for root in ROOTS}
        for root in self.roots.values():
            root.mkdir(parents=True)

    def read(self, path: str) -> bytes:
        """Raises FileNotFoundError."""
        return self.local(path).read_bytes()

    def put(self, path: str, data: bytes) -> None:
        """Keep a file, making its folders."""
        target = self.local(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def local(self, path: str) -> Path:
        """Where a remote path lies on this machine.

        Raises:
            FileNotFoundError: it is outside of the roots.
        """
        full = posixpath.normpath(posixpath.join(HOME, path))
        for root, directory in self.roots.items():
            target = (directory / full.removeprefix(root).lstrip("/")).resolve()
            is_below = f"{full}/".startswith(f"{root}/")
            if is_below and target.is_relative_to(directory.resolve()):
                return target
        raise FileNotFoundError(2, "No such file or directory", full)


class RemoteFiles:
    """Everybody's remote folders. They are on disk, and gone when the stand-in ends."""

    def __init__(self) -> None:
        self._directory: TemporaryDirectory[str] | None = None
        self._folders: dict[str, RemoteFolder] = {}

    def of(self, user_id: str) -> RemoteFolder:
        """A person's folder; made at first need."""
        if self._directory is None:
            self._directory = TemporaryDirectory(prefix="composio-")
        if user_id not in self._folders:
            place = Path(self._directory.name, str(len(self._folders)))
            self._folders[user_id] = RemoteFolder(place)
        return self._folders[user_id]

    def close(self) -> None:
        """Remove all of them."""
        if self._directory is not None:
            self._directory.cleanup()
