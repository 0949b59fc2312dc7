"""Uploaded files: objects behind presigned addresses, and the keys under which tools find them."""

import hashlib
import secrets
from dataclasses import dataclass, field, replace
from urllib.parse import quote

MD5_CHARS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file that was announced; its data is None until somebody has sent it."""

    id: str
    key: str
    token: str
    """The secret part of its presigned address."""
    filename: str
    mimetype: str
    tool_slug: str = ""
    toolkit_slug: str = ""
    md5: str = ""
    data: bytes | None = None

    @property
    def path(self) -> str:
        """The presigned address without its origin."""
        return f"/s3/{self.token}/{quote(self.filename)}"

    def fits(self, data: bytes) -> bool:
        """Whether data has the announced checksum; one in another notation is not checked."""
        if len(self.md5) != MD5_CHARS:
            return True
        return hashlib.md5(data, usedforsecurity=False).hexdigest() == self.md5.lower()


@dataclass(slots=True)
class Storage:
    """All files of all people: whoever knows a key may use it, as at the real service."""

    _files: dict[str, StoredFile] = field(default_factory=dict[str, StoredFile])

    def announce(
        self,
        filename: str,
        mimetype: str,
        *,
        tool_slug: str = "",
        toolkit_slug: str = "",
        md5: str = "",
    ) -> StoredFile:
        token = secrets.token_hex(12)
        name = filename.rpartition("/")[2] or "file"
        stored = StoredFile(
            id=f"rf_{secrets.token_hex(6)}",
            key=f"projects/pr_sandbox/requests/{toolkit_slug}/{tool_slug}/{token[:8]}/{name}",
            token=token,
            filename=name,
            mimetype=mimetype,
            tool_slug=tool_slug,
            toolkit_slug=toolkit_slug,
            md5=md5,
        )
        self._files[stored.key] = stored
        return stored

    def fill(self, token: str, data: bytes) -> bool:
        """Keep the data sent to a presigned address; False where the checksum differs.

        Raises:
            KeyError: no file was announced under the token.
        """
        stored = self._by_token(token)
        if not stored.fits(data):
            return False
        self._files[stored.key] = replace(stored, data=data)
        return True

    def keep(self, filename: str, mimetype: str, data: bytes) -> StoredFile:
        """A file that is there at once."""
        announced = self.announce(filename, mimetype)
        self.fill(announced.token, data)
        return self._files[announced.key]

    def find(self, key: str) -> StoredFile | None:
        """The file of a key, only once its data is there."""
        stored = self._files.get(key)
        return stored if stored is not None and stored.data is not None else None

    def open(self, token: str) -> StoredFile:
        """The file at a presigned address.

        Raises:
            KeyError: there is no such file, or its data has not come.
        """
        stored = self._by_token(token)
        if stored.data is None:
            raise KeyError(token)
        return stored

    def _by_token(self, token: str) -> StoredFile:
        for stored in self._files.values():
            if secrets.compare_digest(stored.token.encode(), token.encode()):
                return stored
        raise KeyError(token)
