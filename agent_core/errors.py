"""Every exception that the core raises on purpose.

    AgentError
    ├── ModelError                  the provider failed; the operator sees it, a person never raw
    │   ├── ModelUnavailable        may pass: overload, rate limit, connection, a cut stream
    │   ├── ModelRejected           will not pass: key, spend limit, bad request
    │   │   └── RequestTooLarge     the request itself is too big
    │   └── ReplyTruncated          the output limit was hit inside a tool call
    ├── ToolServerError             an MCP server could not be started or listed
    ├── SessionError                the stored conversation cannot be used
    │   └── TurnSetAside            its process died of a turn, more than once
    ├── ScheduleError               a schedule is not there
    │   └── BadRule                 what recurs cannot recur so (`schedules.rule`)
    ├── ChildRefused                a child run cannot be had; the model is told why
    ├── SurfaceRefused              people's place does not let it be done; the model is told why
    ├── InterventionRefused         nothing is there to step in at
    ├── AskRefused                  a decision was not this person's, or came too late
    └── SettingsError               the configuration is incomplete or contradicts itself

A failing tool call is not here: it is a value that the model sees (`tools.ToolOutput`).
"""

from collections.abc import Sequence
from typing import Literal


class AgentError(Exception):
    """Root of the tree."""


class ModelError(AgentError):
    """A model call failed.

    Attributes:
        status: HTTP status, or None when there was no answer.
        kind: The provider's error type, such as `overloaded_error`.
        retry_after_s: When the provider wishes to be asked again, if it said so.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        kind: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.retry_after_s = retry_after_s


class ModelUnavailable(ModelError):
    """The call may succeed later."""


class ModelRejected(ModelError):
    """Asking again cannot help: wrong key, spend limit reached, malformed request."""


class RequestTooLarge(ModelRejected):
    """The request exceeds the provider's size or context limit."""


class ReplyTruncated(ModelError):
    """The output limit was hit inside a tool call: the call is not whole and MUST NOT run."""


class ToolServerError(AgentError):
    """An MCP server could not be started, or did not list its tools in time."""


class ComposioRefusedError(ToolServerError):
    """Composio answered with an error: `status` is that of HTTP, `body` what came with it."""

    def __init__(self, message: str, *, status: int, body: object = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class SessionError(AgentError):
    """A session's stored state is missing or cannot be read."""


class TurnSetAside(SessionError):
    """Processes that were at work on a turn died, one after the other; it is not tried again."""


class ScheduleError(AgentError):
    """A schedule is not there, or what recurs cannot recur so."""


class ChildRefused(AgentError):
    """A child run cannot be started, or there is none to wait for. The model is told in words."""


class SurfaceRefused(AgentError):
    """Something cannot be read or changed where people talk. The model is told in words."""


class InterventionRefused(AgentError):
    """A person wanted to step in where nothing is, or where it is over; the message says which."""


AskRefusal = Literal[
    "not_yours",
    "not_your_words",
    "over",
    "busy",
    "decided",
    "unknown",
    "no_link",
    "tainted",
    "not_editable",
]


class AskRefused(AgentError):
    """Somebody wanted to decide what they may not, or what is not to be decided any more.

    `deciders` are the people who may decide, where somebody else wanted to.
    """

    def __init__(self, why: AskRefusal, *, deciders: Sequence[str] = ()) -> None:
        super().__init__(why)
        self.why: AskRefusal = why
        self.deciders = deciders


class SettingsError(AgentError):
    """The configuration is incomplete; the message says what to set and how to get it."""
