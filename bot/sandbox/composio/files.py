"""Files at the service: uploads behind presigned addresses, and people's remote folders."""

import hashlib
import posixpath
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from bot.sandbox.composio.records import make_id

HOME = "/home/user"
MOUNT = "/mnt/files"
ROOTS = (HOME, MOUNT, "/tmp")  # noqa: S108 - a remote path, nothing on this machine
_MD5_CHARS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file that was announced; its data is None until somebody has sent it."""

    id: str
    filename: str
    mimetype: str
    key: str
    token: str
    """The secret part of its presigned address."""
    md5: str
    data: bytes | None = None

    @property
    def path(self) -> str:
        """The presigned address without its origin."""
        return f"/s3/{self.token}/{quote(self.filename)}"


class Storage:
    """All uploads of all people: whoever knows a key may use it, as at the real service."""

    def __init__(self) -> None:
        self._files: dict[str, StoredFile] = {}

    def announce(
        self, filename: str, mimetype: str, *, place: str = "", md5: str = ""
    ) -> StoredFile:
        """A place for a file that will be sent to its address."""
        token = secrets.token_hex(12)
        name = posixpath.basename(filename) or "file"
        key = f"projects/pr_sandbox/requests/{place}/{token[:8]}/{name}"
        stored = StoredFile(
            id=make_id("rf"), filename=name, mimetype=mimetype, key=key, token=token, md5=md5
        )
        self._files[token] = stored
        return stored

    def fill(self, token: str, data: bytes) -> bool:
        """Keep what was sent to an address; False where it does not have the announced checksum.

        Raises:
            KeyError: no file was announced under the token.
        """
        stored = self._files[token]
        digest = hashlib.md5(data, usedforsecurity=False).hexdigest()
        if len(stored.md5) == _MD5_CHARS and stored.md5.lower() != digest:
            return False
        self._files[token] = replace(stored, data=data)
        return True

    def keep(self, filename: str, mimetype: str, data: bytes) -> StoredFile:
        """A file that is there at once."""
        token = self.announce(filename, mimetype).token
        self.fill(token, data)
        return self._files[token]

    def find(self, *, key: str = "", file_id: str = "", token: str = "") -> StoredFile | None:
        """The file of a key, an id or an address's token, only once its data is there."""
        for file in self._files.values():
            is_meant = (key and file.key == key) or (file_id and file.id == file_id)
            if file.data is not None and (is_meant or (token and file.token == token)):
                return file
        return None


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
