"""Who may use a server. Pure."""

from dataclasses import dataclass

from agent_core.ids import SessionId, UserId

MAIN_AGENT = "universal-agent"
"""Who uses a server that names no agents."""
ANY = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Limits to agents, channels and people; None is no limit."""

    agents: frozenset[str] | None = None
    """Names of agents; None is the main agent alone."""
    channels: frozenset[str] | None = None
    """`channel`, or `team:channel` where several teams use the bot."""
    users: frozenset[str] | None = None
    """`user` or `team:user`."""

    def admits(self, *, agent: str, session: SessionId, asker: UserId) -> bool:
        """Whether the server is offered to this agent when it works there for that person."""
        team, channel = (*session.split(":"), "")[:2]
        return (
            _names(self.agents if self.agents is not None else {MAIN_AGENT}, agent)
            and (self.channels is None or _names(self.channels, channel, f"{team}:{channel}"))
            and (self.users is None or _names(self.users, asker, asker.rpartition(":")[2]))
        )

    @property
    def in_words(self) -> str:
        """The limits for people, such as `channels C1 C2`; empty without any."""
        lists = {"agents": self.agents, "channels": self.channels, "users": self.users}
        return "; ".join(
            f"{kind} {' '.join(sorted(names)) or '(nobody)'}"
            for kind, names in lists.items()
            if names is not None
        )


def _names(listed: frozenset[str] | set[str], *candidates: str) -> bool:
    return ANY in listed or not listed.isdisjoint(candidates)
