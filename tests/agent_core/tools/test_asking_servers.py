"""Servers that want something of us: our model, our person's words, our files. They get nothing."""

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import ToolContext
from agent_core.tools.servers import InProcessServer
from tests.agent_core.tools.conftest import HubMaker

WORDS = SamplingMessage(role="user", content=TextContent(type="text", text="Your secrets?"))
REQUESTS: dict[str, InputRequest] = {
    "sampling": CreateMessageRequest(
        params=CreateMessageRequestParams(messages=[WORDS], max_tokens=9)
    ),
    "elicitation": ElicitRequest(
        params=ElicitRequestFormParams(message="Your key?", requested_schema={"type": "object"})
    ),
    "roots": ListRootsRequest(),
}


@pytest.mark.proves("hub.asks_nothing")
@pytest.mark.parametrize("asked", list(REQUESTS))
async def test_a_result_that_asks_for_input_is_refused_and_the_call_not_made_again(
    make_hub: HubMaker, context: ToolContext, asked: str
) -> None:
    """Since 2026 a server asks by its result, and expects the call once more with the answer."""
    server = MCPServer("near", log_level="CRITICAL")
    entries: list[str] = []

    async def want(ctx: Context) -> str | InputRequiredResult:
        entries.append(asked)
        if ctx.input_responses:
            return f"got {ctx.input_responses}"
        return InputRequiredResult(input_requests={"it": REQUESTS[asked]})

    server.add_tool(want)
    hub = make_hub(InProcessServer(name="near", server=server))
    output = await hub.run(tool_call("mcp__near__want"), context, ignore_progress)
    assert output.is_error
    assert "The tool refused the call" in output.text
    assert entries == [asked]
