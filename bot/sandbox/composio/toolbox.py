"""All tools of the stand-in for a session: the meta tools, and the app tools under them."""

from collections.abc import Mapping
from typing import Any

from bot.sandbox.composio.catalogue import Catalogue
from bot.sandbox.composio.meta_tools import MetaParts, build_meta_tools, is_offered
from bot.sandbox.composio.outcome import Outcome
from bot.sandbox.composio.runner import Runner
from bot.sandbox.composio.sessions import Call, Session
from bot.sandbox.composio.toolkits.composio_search import SLUG as SEARCH
from bot.sandbox.composio.tools import Caller, Tool


class Toolbox:
    """Lists and runs the tools that a session may use, and records each call."""

    def __init__(self, catalogue: Catalogue, runner: Runner, parts: MetaParts) -> None:
        self.calls: list[Call] = []
        self._catalogue = catalogue
        self._runner = runner
        self._meta = {tool.slug: tool for tool in build_meta_tools(parts)}

    def list_offered(self, session: Session) -> list[Tool]:
        """What is offered by name: meta tools, searches, and what the session preloads."""
        meta = [tool for tool in self._meta.values() if is_offered(session, tool)]
        apps = [
            tool
            for tool in self._catalogue.list_tools(session)
            if tool.toolkit == SEARCH or tool.slug in session.preloaded
        ]
        return meta + apps

    async def execute(
        self, session: Session, slug: str, arguments: Mapping[str, Any]
    ) -> Outcome | None:
        """The outcome of a call, or None where the session has no tool of that name."""
        self.calls.append(
            Call(session_id=session.id, user_id=session.user_id, tool=slug, arguments=arguments)
        )
        meta = self._meta.get(slug)
        if meta is not None and is_offered(session, meta):
            return await meta.execute(Caller(session=session), arguments)
        if self._catalogue.find(session, slug) is None:
            return None
        return await self._runner.run(session, slug, arguments)

    def explain_absence(self, slug: str) -> str:
        """Why there is no tool of that name."""
        return self._catalogue.explain_absence(slug)
