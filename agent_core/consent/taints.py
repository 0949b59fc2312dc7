"""Which sessions have read text from outside. It is noted before a model sees the text."""

from agent_core.ids import SessionId
from agent_core.sessions import SessionStore


class Taints:
    """Once tainted, a session is so for good, with its sub-agents and all that follows from it."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._tainted: set[SessionId] = set()

    async def is_tainted(self, session: SessionId) -> bool:
        """Whether the session has read anything from outside."""
        if session not in self._tainted and await self._store.tainted_by(session):
            self._tainted.add(session)
        return session in self._tainted

    async def taint(self, session: SessionId, source: str) -> None:
        """The session is about to read something from outside."""
        if session not in self._tainted:
            await self._store.taint(session, source)
            self._tainted.add(session)
