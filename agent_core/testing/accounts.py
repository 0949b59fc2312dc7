"""Composio's accounts without Composio: people, what they connected, and links to connect more."""

from dataclasses import dataclass, field

from agent_core.composio import Account, Accounts, AppTool
from agent_core.errors import ToolServerError
from agent_core.ids import UserId

_Key = tuple[UserId, str]


@dataclass
class FakeAccounts(Accounts):
    """Tools need an account of the app that their slug begins with, but those in `free`."""

    connected: dict[_Key, Account] = field(default_factory=dict[_Key, Account])
    """By person and app."""
    free: set[str] = field(default_factory=set[str])
    schema_digest: str = "first"
    """Another one stands for a tool whose definition has changed."""
    is_away: bool = False
    links: list[_Key] = field(default_factory=list[_Key])
    """The person and the app of each link that was made."""

    def connect(self, user: UserId, toolkit: str, *, account: str = "ca_1") -> Account:
        """The person has connected an account; another `account` takes its place."""
        name = user.rpartition(":")[2].lower()
        connected = Account(
            id=account,
            toolkit=toolkit,
            identity=f"{name}@example.com",
        )
        self.connected[user, toolkit] = connected
        return connected

    async def prepare(self, user: UserId) -> None:
        """Nothing is started."""

    async def delete_unused(self) -> None:
        """There are no sessions."""

    async def tool(self, slug: str, *, afresh: bool = False) -> AppTool:
        self._answer()
        app = slug.partition("_")[0]
        return AppTool(
            toolkit=app.casefold(),
            needs_account=slug not in self.free,
            schema_digest=self.schema_digest,
        )

    async def active(self, user: UserId, toolkit: str, *, afresh: bool = False) -> Account | None:
        self._answer()
        return self.connected.get((user, toolkit))

    async def of(self, user: UserId) -> list[Account]:
        self._answer()
        return [account for (owner, _), account in self.connected.items() if owner == user]

    async def remove(self, user: UserId, account: str) -> Account | None:
        for own in await self.of(user):
            if own.id == account:
                return self.connected.pop((user, own.toolkit))
        return None

    async def link(self, user: UserId, toolkit: str) -> str:
        self._answer()
        self.links.append((user, toolkit))
        return f"https://connect.composio.dev/link/lk_{len(self.links)}"

    def _answer(self) -> None:
        if self.is_away:
            raise ToolServerError("Composio cannot be reached.")
