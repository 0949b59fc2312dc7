"""Calls as a model makes them."""

from typing import Any

from agent_core.ids import ToolCallId
from agent_core.messages import JsonObject, ToolCall
from agent_core.tools import OpenedCall, opened

BATCH = "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL"


def call(name: str, **arguments: Any) -> OpenedCall:
    return opened(ToolCall(id=ToolCallId("call_1"), name=name, arguments=arguments))


def entry(slug: str, **arguments: Any) -> JsonObject:
    return {"tool_slug": slug, "arguments": arguments}


def batch(*entries: object) -> OpenedCall:
    return call(BATCH, tools=list(entries), sync_response_to_workbench=False)
