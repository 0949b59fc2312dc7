"""Marks and sessions that live as long as the object."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent_core.ids import SessionId
from agent_core.sessions import StoredTurn


@dataclass(slots=True)
class MemoryMarks:
    """Marks that can fail to be saved; two bots that share them follow each other."""

    saved: dict[str, str] = field(default_factory=dict[str, str])
    failures: int = 0

    async def load(self, prefix: str) -> dict[str, str]:
        return {name: value for name, value in self.saved.items() if name.startswith(prefix)}

    async def save(self, values: Mapping[str, str]) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError("the database is away")
        for name, value in values.items():
            self.saved[name] = max(value, self.saved.get(name, ""))


@dataclass(slots=True)
class MemorySessions:
    """Knows the sessions that it is told of."""

    known: list[SessionId] = field(default_factory=list[SessionId])
    turns: list[StoredTurn] = field(default_factory=list[StoredTurn])

    async def newest_before(self, prefix: str, bound: str, *, limit: int) -> list[SessionId]:
        found = [one for one in self.known if one.startswith(prefix) and one < prefix + bound]
        return sorted(found, reverse=True)[:limit]

    async def unfinished(self, prefix: str, *, limit: int) -> list[StoredTurn]:
        return [turn for turn in self.turns if turn.session.startswith(prefix)][:limit]
