"""Our hub as the client under test of `@modelcontextprotocol/conformance`.

The suite runs `python -m tests.conformance.mcp_client URL`, watches what we send to its server, and
judges that. Every tool of the server is called once, with arguments made from its schema.
"""

import asyncio
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any, cast

from agent_core.mcp import HttpServer, McpHub
from agent_core.messages import JsonObject
from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import Registry
from tests.tool_calls import tool_context

logger = logging.getLogger(__name__)

_EXAMPLES: dict[str, object] = {
    "string": "example",
    "number": 5,
    "integer": 5,
    "boolean": True,
    "array": [],
    "object": {},
}


def example_of(schema: JsonObject) -> JsonObject:
    """Arguments that fit a plain object schema."""
    properties = cast("dict[str, dict[str, Any]]", schema.get("properties", {}))
    return {name: _example(rule) for name, rule in properties.items()}


def _example(rule: dict[str, Any]) -> object:
    if "default" in rule:
        return rule["default"]
    return rule["enum"][0] if "enum" in rule else _EXAMPLES.get(str(rule.get("type")), "example")


async def use_all_tools(url: str, workspace: Path) -> int:
    """Call each tool; how many of the calls, or of the listings, failed."""
    hub = McpHub([HttpServer(name="suite", url=url, call_timeout_s=15)])
    registry, context = Registry(hub), tool_context(workspace)
    failed = 0
    try:
        for spec in await registry.specs(context):
            call = tool_call(spec.name, example_of(spec.input_schema))
            output = await registry.run(call, context, ignore_progress)
            logger.info("%s: %s", spec.name, output.text[:500])
            failed += output.is_error
        for server, reason in hub.failures.items():
            logger.error("%s: %s", server, reason)
            failed += 1
    finally:
        await hub.close()
    return failed


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    with tempfile.TemporaryDirectory(prefix="conformance-") as directory:
        sys.exit(1 if asyncio.run(use_all_tools(sys.argv[1], Path(directory))) else 0)


if __name__ == "__main__":
    main()
