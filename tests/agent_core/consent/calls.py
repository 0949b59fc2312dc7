"""Calls as a model makes them."""

from typing import Any

from agent_core.ids import ToolCallId
from agent_core.messages import JsonObject, ToolCall

BATCH = "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL"


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id=ToolCallId("call_1"), name=name, arguments=arguments)


def entry(slug: str, **arguments: Any) -> JsonObject:
    return {"tool_slug": slug, "arguments": arguments}


def batch(*entries: object) -> ToolCall:
    return call(BATCH, tools=list(entries), sync_response_to_workbench=False)
