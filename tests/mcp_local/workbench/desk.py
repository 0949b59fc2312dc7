"""A session with the tools over it and a Composio behind them."""

from pathlib import Path
from typing import Any, cast

from mcp.client import Client
from mcp.server.mcpserver import MCPServer
from pydantic import SecretStr

from mcp_local.browser import Browsers
from mcp_local.prints import Prints
from mcp_local.settings import Settings
from mcp_local.tools import workbench
from tests.mcp_local.sessions import Answer, Session
from tests.mcp_local.workbench.cloud import KEY, SESSION, Cloud


class CloudDesk(Session):
    """The session of somebody who has one at the Composio of these tests as well."""

    def __init__(self, tmp_path: Path, cloud: Cloud) -> None:
        super().__init__(tmp_path)
        self.settings = Settings(
            workspaces_root=self.root, composio_api_key=SecretStr(KEY), composio_base_url=cloud.url
        )
        self.cloud = cloud

    def server(self) -> MCPServer:
        """Those tools alone."""
        server = MCPServer("toolkit", log_level="CRITICAL")
        workbench.register(server, self.settings, Prints(Browsers(self.settings)))
        return server

    async def call(self, tool: str, **arguments: Any) -> Answer:
        """Call a tool as the bot does."""
        return await self.call_with({"composio_session": SESSION}, tool, **arguments)

    async def call_with(self, meta: dict[str, Any], tool: str, **arguments: Any) -> Answer:
        """Call a tool with this in the call's meta beside the session's directory."""
        given = {"session_dir": str(self.directory), **meta}
        async with Client(self.server()) as client:
            return Answer(await client.call_tool(tool, arguments, meta=cast("Any", given)))

    def write(self, path: str, data: bytes) -> None:
        """Put a file into the session directory."""
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def read_bytes(self, path: str) -> bytes:
        """A file of the session directory."""
        return (self.directory / path).read_bytes()

    def files(self) -> list[str]:
        """All files of the session directory."""
        return [file.path for file in self.workspace.files()]
