"""What a tool call would do: one action, or each of a batch."""

from dataclasses import dataclass

from agent_core.messages import JsonObject, ToolCall
from agent_core.tools.batches import inner_calls
from agent_core.tools.slugs import slug_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing that a call would do."""

    tool: str
    """The app's own name of the tool, as written; empty when nobody can tell: never allow it."""
    arguments: JsonObject
    """In full, as they would be sent; for an entry that cannot be read, the entry."""
    account: str = ""
    """The account that the call names; empty when it leaves the choice open."""


def actions_of(call: ToolCall) -> tuple[Action, ...]:
    """Every entry of a batch, of batches in it as well, or the call itself. Never empty."""
    found = inner_calls(slug_of(call.name), call.arguments)
    return tuple(
        Action(tool=inner.slug, arguments=inner.arguments, account=inner.account) for inner in found
    )
