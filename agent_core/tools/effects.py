"""Which calls may be made a second time, and what is said of one that may have had its effect."""

from collections.abc import Sequence

from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import ToolOutput
from agent_core.tools.batches import inner_calls, is_batch
from agent_core.tools.slugs import canonical, reads, slug_of

LOST = (
    "The program was restarted while this call was under way, and its result is lost: it may or "
    "may not have happened. Look whether it had its effect before you make it again; a call that "
    "only reads can simply be made again."
)
_DISCOVERY = ("COMPOSIO_SEARCH_TOOLS", "COMPOSIO_GET_TOOL_SCHEMAS")


def is_repeatable(call: ToolCall, specs: Sequence[ToolSpec]) -> bool:
    """Whether making the call once more, after it may have run, changes nothing.

    A name that nobody knows does nothing. Of a batch each inner tool has to be one that reads.
    """
    spec = next((spec for spec in specs if spec.name == call.name), None)
    if spec is None or spec.is_repeatable:
        return True
    slug = slug_of(call.name)
    if is_batch(slug):
        return all(reads(inner.slug) for inner in inner_calls(slug, call.arguments))
    return canonical(slug) in _DISCOVERY


def lost_result() -> ToolOutput:
    """What comes of a call that was begun before a restart and may not be made again."""
    return ToolOutput(
        text=LOST, is_error=True, size_bytes=len(LOST.encode()), may_have_happened=True
    )
