"""The names under which the model sees MCP tools: `mcp__<server>__<tool>`."""

import hashlib
import re

MAX_NAME_CHARS = 128
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")
_DIGEST_CHARS = 8


def full_name(server: str, tool: str) -> str:
    """The same name every time; one that is too long is cut and ends in a digest of the whole."""
    name = server_prefix(server) + clean(tool)
    if len(name) <= MAX_NAME_CHARS:
        return name
    digest = hashlib.sha256(f"{server}\n{tool}".encode()).hexdigest()[:_DIGEST_CHARS]
    return f"{name[: MAX_NAME_CHARS - _DIGEST_CHARS - 1]}_{digest}"


def server_prefix(server: str) -> str:
    """What the names of all of a server's tools begin with."""
    return f"mcp__{clean(server)}__"


def clean(name: str) -> str:
    """`name` with every character that providers refuse replaced by `_`."""
    return _FORBIDDEN.sub("_", name)
