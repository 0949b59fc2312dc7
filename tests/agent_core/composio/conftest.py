"""What the tests of Composio's tools share with those of other servers."""

from tests.agent_core.mcp.conftest import context as context
from tests.agent_core.mcp.conftest import make_hub as make_hub
