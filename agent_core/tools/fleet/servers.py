"""One server of the fleet, ready to be started or off with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from agent_core.tools.fleet.access import Access
from agent_core.tools.pins import WORKSPACE
from agent_core.tools.servers import HttpServer, StdioServer

Scope = Literal["bot", "session"]
Transport = Literal["stdio", "http", "sse", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetServer:
    """What the file and the catalogue say of one server."""

    name: str
    transport: Transport
    config: StdioServer | HttpServer | None
    """How to reach it; None where its entry does not say it."""
    off: str = ""
    """Why it is off, as a sentence for the operator; empty when it is on."""
    is_ready: bool = True
    """All that it needs is there, so that it could be started, also while it is off."""
    scope: Scope = "bot"
    """`session`: a process for each session, which works in the session's directory."""
    access: Access = field(default_factory=Access)
    is_shipped: bool = False
    """It comes from the catalogue, changed by the operator or not."""

    @property
    def is_on(self) -> bool:
        return self.config is not None and self.is_ready and not self.off

    def config_in(self, workspace: Path) -> StdioServer | HttpServer:
        """How to reach it for the session of this directory; the server must be on."""
        config = self.config
        if config is None:
            raise ValueError(f"{self.name} is off: {self.off}")
        if self.scope == "bot":
            return config
        place = str(workspace)
        if isinstance(config, HttpServer):
            return replace(config, url=config.url.replace(WORKSPACE, place))
        return replace(
            config,
            args=tuple(argument.replace(WORKSPACE, place) for argument in config.args),
            env=_in_place(config.env, place),
            cwd=config.cwd or workspace,
        )


def _in_place(texts: Mapping[str, str], place: str) -> dict[str, str]:
    return {name: text.replace(WORKSPACE, place) for name, text in texts.items()}
