"""The secrets in the presigned addresses of mounted files."""

import secrets
from dataclasses import dataclass, field

from bot.sandbox.composio.errors import RestError
from bot.sandbox.composio.workbench import RemoteTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounted:
    tree: RemoteTree
    path: str
    mimetype: str


@dataclass(slots=True)
class MountTokens:
    """Which file each address stands for."""

    _mounted: dict[str, Mounted] = field(default_factory=dict[str, Mounted])

    def issue(self, tree: RemoteTree, path: str, mimetype: str) -> str:
        token = secrets.token_hex(12)
        self._mounted[token] = Mounted(tree=tree, path=path, mimetype=mimetype)
        return token

    def find(self, token: str) -> Mounted:
        """Raises RestError: no address with this token was given out."""
        if token not in self._mounted:
            raise RestError(403, "S3_AccessDenied", "This address is not valid")
        return self._mounted[token]
