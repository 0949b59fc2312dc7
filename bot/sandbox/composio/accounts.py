"""Connected accounts: each belongs to one user id, which is the only border between people."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

Status = Literal["INITIATED", "ACTIVE", "FAILED", "EXPIRED", "INACTIVE"]
LINK_LIFE = timedelta(minutes=10)


def make_identity(user_id: str, name: str | None = None) -> str:
    """The address that an account of a person has: by name, else by the parts of the user id."""
    team, _, user = user_id.rpartition(":")
    words = (name or ".".join(part for part in (user, team) if part)).casefold().split()
    kept = (letter for letter in ".".join(words) if letter.isalnum() or letter in ".-_@")
    address = "".join(kept) or "someone"
    return address if "@" in address else f"{address}@example.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One person's account of one app, at one moment."""

    id: str
    user_id: str
    toolkit: str
    status: Status
    created_at: datetime
    changed_at: datetime
    link_token: str
    callback_url: str | None = None
    alias: str | None = None
    identity: str = ""
    """The address or name that the app knows the person by; empty until the account is active."""


@dataclass(slots=True)
class Accounts:
    """All accounts of all people. Whatever is asked is answered for one user id at a time."""

    clock: Callable[[], datetime]
    name: Callable[[str], str | None] = lambda _: None
    """The name of a user id's person, where there is one."""
    _all: dict[str, Account] = field(default_factory=dict[str, Account])

    def begin(
        self,
        user_id: str,
        toolkit: str,
        *,
        callback_url: str | None = None,
        alias: str | None = None,
    ) -> Account:
        """A new account that waits for its link to be followed, for ten minutes."""
        now = self.clock()
        account = Account(
            id=f"ca_{secrets.token_hex(6)}",
            user_id=user_id,
            toolkit=toolkit,
            status="INITIATED",
            created_at=now,
            changed_at=now,
            link_token=f"lk_{secrets.token_hex(12)}",
            callback_url=callback_url,
            alias=alias,
        )
        self._all[account.id] = account
        return account

    def connect(self, user_id: str, toolkit: str, *, identity: str | None = None) -> Account:
        """An active account without a link, as if the person had connected it before."""
        return self.finish(self.begin(user_id, toolkit).id, allowed=True, identity=identity)

    def finish(self, account_id: str, *, allowed: bool, identity: str | None = None) -> Account:
        """What the person decided behind the link."""
        account = self._all[account_id]
        if not allowed:
            return self.change(account_id, "FAILED")
        known = identity or self.name(account.user_id)
        self._all[account_id] = replace(account, identity=make_identity(account.user_id, known))
        return self.change(account_id, "ACTIVE")

    def change(self, account_id: str, status: Status) -> Account:
        changed = replace(self._all[account_id], status=status, changed_at=self.clock())
        self._all[account_id] = changed
        return changed

    def expire(self, user_id: str, toolkit: str) -> list[Account]:
        """The app no longer takes the tokens of a person's active accounts."""
        active = self.active(user_id, toolkit)
        return [self.change(account.id, "EXPIRED") for account in active]

    def remove(self, account_id: str) -> None:
        del self._all[account_id]

    def get(self, account_id: str) -> Account | None:
        account = self._all.get(account_id)
        return account and self._age(account)

    def by_link(self, token: str) -> Account | None:
        """The account that a link is for, whatever has become of it."""
        return next((one for one in self.all() if one.link_token == token), None)

    def all(self) -> list[Account]:
        """Every account, in the order of their making."""
        return [self._age(account) for account in list(self._all.values())]

    def of(self, user_id: str, toolkits: Iterable[str] | None = None) -> list[Account]:
        wanted = None if toolkits is None else set(toolkits)
        own = (account for account in self.all() if account.user_id == user_id)
        return [account for account in own if wanted is None or account.toolkit in wanted]

    def active(self, user_id: str, toolkit: str) -> list[Account]:
        """A person's usable accounts of an app, the one connected last first."""
        usable = [one for one in self.of(user_id, [toolkit]) if one.status == "ACTIVE"]
        return sorted(usable, key=lambda one: one.changed_at)[::-1]

    def _age(self, account: Account) -> Account:
        """The account as it is by now: a link that nobody followed in time has expired."""
        late = self.clock() - account.created_at >= LINK_LIFE
        if account.status == "INITIATED" and late:
            return self.change(account.id, "EXPIRED")
        return account
