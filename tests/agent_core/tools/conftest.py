"""The context in which the tests of this room call tools."""

from tests.agent_core.mcp.conftest import context as context
