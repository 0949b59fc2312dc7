"""All toolkits of the stand-in, and which of their tools a session may use."""

from collections.abc import Sequence

from bot.sandbox.composio.apps import describe_absent_tool
from bot.sandbox.composio.sessions import Session
from bot.sandbox.composio.tools import Tool, Toolkit


class Catalogue:
    """The app tools by slug. Slugs are unique over all toolkits."""

    def __init__(self, toolkits: Sequence[Toolkit]) -> None:
        self.toolkits = {toolkit.slug: toolkit for toolkit in toolkits}
        self._tools = {tool.slug: tool for toolkit in toolkits for tool in toolkit.tools}

    def get(self, slug: str) -> Tool | None:
        return self._tools.get(slug)

    def toolkit_of(self, tool: Tool) -> Toolkit:
        return self.toolkits[tool.toolkit]

    def find(self, session: Session, slug: str) -> Tool | None:
        """The tool of that slug, if the session may use it."""
        tool = self._tools.get(slug)
        return tool if tool is not None and _may_use(session, tool) else None

    def list_tools(self, session: Session) -> list[Tool]:
        return [tool for tool in self._tools.values() if _may_use(session, tool)]

    def list_toolkits(self, session: Session) -> list[Toolkit]:
        return [kit for kit in self.toolkits.values() if session.allows(kit.slug)]

    def explain_absence(self, slug: str) -> str:
        """Why a session has no tool of that slug."""
        return describe_absent_tool(slug)


def _may_use(session: Session, tool: Tool) -> bool:
    return session.allows_tool(tool.toolkit, tool.slug, tool.tags)
