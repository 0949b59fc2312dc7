"""What the stand-in remembers and refuses: calls, executions, outcomes, errors."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, cast

from aiohttp import web

Data = dict[str, Any]


def as_data(value: object) -> Data:
    """A JSON object; an empty one in the place of anything else."""
    return cast("Data", value) if isinstance(value, dict) else {}


def make_id(prefix: str) -> str:
    """An id that nobody can guess."""
    return f"{prefix}_{secrets.token_hex(10)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterSession:
    """One person's session as it was made."""

    user_id: str
    tools: Sequence[str]
    """The slugs that it lists, and that may be called over MCP."""
    direct_chars: float
    """Of a batch's results that come directly; longer ones are left in the workbench."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedToolCall:
    """One tool call that reached the stand-in."""

    user_id: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppExecution:
    """One app tool that ran for a person."""

    user_id: str
    """Whose session the call named."""
    slug: str
    arguments: Mapping[str, Any]
    account_user_id: str | None
    """Whom the account belongs to; None for a toolkit that needs none."""
    identity: str
    at: datetime
    reads_only: bool
    error: str | None
    """The app's refusal; a call that was refused changed nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What a tool call gives back: data, or an error, or both where only a part went wrong."""

    data: Data = field(default_factory=dict[str, Any])
    error: str | None = None
    has_run: bool = True
    """Whether the tool itself was reached; without an account it is not."""

    def as_json(self) -> Data:
        return {
            "data": self.data,
            "error": self.error,
            "successful": self.error is None,
        }


class ToolError(Exception):
    """A tool's refusal, in the app's own words; the call changed nothing."""


@dataclass(eq=False)
class RestError(Exception):
    """A request that is answered with an error, in Composio's envelope."""

    status: int
    slug: str
    message: str

    def as_response(self) -> web.Response:
        envelope = {
            **asdict(self),
            "code": self.status,
            "request_id": make_id("req"),
            "suggested_fix": "",
        }
        return web.json_response({"error": envelope}, status=self.status)
