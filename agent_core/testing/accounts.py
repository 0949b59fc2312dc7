"""Composio's accounts without Composio: people, what they connected, and links to connect more."""

from dataclasses import dataclass, field

from agent_core.composio import Account, Accounts, AppTool
from agent_core.errors import ToolServerError
from agent_core.ids import UserId


@dataclass
class FakeAccounts(Accounts):
    """Tools need an account of the app that their slug begins with, but those in `free`."""

    connected: dict[tuple[UserId, str], Account] = field(
        default_factory=dict[tuple[UserId, str], Account]
    )
    free: set[str] = field(default_factory=set[str])
    schema_digest: str = "first"
    """Another one stands for a tool whose definition has changed."""
    is_away: bool = False
    links: list[tuple[UserId, str]] = field(default_factory=list[tuple[UserId, str]])
    """For whom links were made, by app."""

    def connect(self, user: UserId, toolkit: str, *, account: str = "ca_1") -> Account:
        """The person has connected an account; another `account` takes its place."""
        name = f"{user.rpartition(':')[2].lower()}@example.com"
        made = Account(id=account, toolkit=toolkit, identity=name)
        self.connected[user, toolkit] = made
        return made

    async def tool(self, slug: str, *, afresh: bool = False) -> AppTool:
        self._answer()
        return AppTool(
            slug=slug,
            toolkit=slug.partition("_")[0].casefold(),
            needs_account=slug not in self.free,
            schema_digest=self.schema_digest,
        )

    async def active(self, user: UserId, toolkit: str, *, afresh: bool = False) -> Account | None:
        self._answer()
        return self.connected.get((user, toolkit))

    async def of(self, user: UserId) -> list[Account]:
        self._answer()
        own = [key for key in self.connected if key[0] == user]
        return [self.connected[key] for key in own]

    async def remove(self, user: UserId, account: str) -> Account | None:
        for mine in await self.of(user):
            if mine.id == account:
                return self.connected.pop((user, mine.toolkit))
        return None

    async def link(self, user: UserId, toolkit: str) -> str:
        self._answer()
        self.links.append((user, toolkit))
        return f"https://connect.composio.dev/link/lk_{len(self.links)}"

    def _answer(self) -> None:
        if self.is_away:
            raise ToolServerError("Composio cannot be reached.")
