"""Connected accounts: each belongs to one user id, which is the only border between people."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from bot.sandbox.composio.catalogue import read_tools
from bot.sandbox.composio.records import Data, make_id

Status = Literal["INITIATED", "ACTIVE", "FAILED", "EXPIRED", "INACTIVE"]
_LINK_LIFE = timedelta(minutes=10)


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
    identity: str
    """The address that the app knows the person by."""

    def as_json(self) -> Data:
        """The account as REST lists it."""
        return read_tools()["account_record"] | {
            "id": self.id,
            "user_id": self.user_id,
            "status": self.status,
            "is_disabled": self.status == "INACTIVE",
            "toolkit": {"slug": self.toolkit},
            "auth_config": {"id": f"ac_{self.toolkit}", "auth_scheme": "OAUTH2"},
            "created_at": self.created_at.isoformat(),
            "data": self.as_person() if self.status == "ACTIVE" else {},
        }

    def as_person(self) -> Data:
        """Who the app takes the person for."""
        return {"email": self.identity, "name": self.identity.partition("@")[0]}


class Accounts:
    """All accounts of all people. Whatever is asked is answered for one user id at a time.

    Args:
        clock: What time it is.
        name: The name of a user id's person, where there is one.
    """

    def __init__(self, clock: Callable[[], datetime], name: Callable[[str], str | None]) -> None:
        self.name = name
        self._clock = clock
        self._all: dict[str, Account] = {}

    def begin(self, user_id: str, toolkit: str) -> Account:
        """A new account that waits for its link to be followed, for ten minutes."""
        now = self._clock()
        account = Account(
            id=make_id("ca"),
            user_id=user_id,
            toolkit=toolkit,
            status="INITIATED",
            created_at=now,
            changed_at=now,
            link_token=make_id("lk"),
            identity=_make_identity(user_id, self.name(user_id)),
        )
        self._all[account.id] = account
        return account

    def connect(self, user_id: str, toolkit: str, *, identity: str | None = None) -> Account:
        """An active account without a link, as if the person had connected it before."""
        return self.finish(self.begin(user_id, toolkit), allowed=True, identity=identity)

    def finish(self, account: Account, *, allowed: bool, identity: str | None = None) -> Account:
        """What the person decided behind the link."""
        if not allowed:
            return self.change(account, "FAILED")
        who = identity or account.identity
        return self.change(replace(account, identity=who), "ACTIVE")

    def change(self, account: Account, status: Status) -> Account:
        """The account in another state, from now on."""
        changed = replace(account, status=status, changed_at=self._clock())
        self._all[account.id] = changed
        return changed

    def expire(self, user_id: str, toolkit: str) -> None:
        """The app no longer takes the tokens of a person's active accounts."""
        for account in self.active(user_id, toolkit):
            self.change(account, "EXPIRED")

    def by_link(self, token: str) -> Account | None:
        """The account that a link is for, whatever has become of it."""
        return next((one for one in self.all() if one.link_token == token), None)

    def all(self) -> list[Account]:
        """Every account as it is by now: a link that nobody followed in time has expired."""
        for account in list(self._all.values()):
            late = self._clock() - account.created_at >= _LINK_LIFE
            if account.status == "INITIATED" and late:
                self.change(account, "EXPIRED")
        return list(self._all.values())

    def active(self, user_id: str, toolkit: str) -> list[Account]:
        """A person's usable accounts of an app, the one connected last first."""
        wanted = (user_id, toolkit, "ACTIVE")
        usable = [one for one in self.all() if (one.user_id, one.toolkit, one.status) == wanted]
        return sorted(usable, key=lambda one: one.changed_at)[::-1]


def _make_identity(user_id: str, name: str | None) -> str:
    """The address that an account of a person has: by name, else by the parts of the user id."""
    team, _, user = user_id.rpartition(":")
    words = (name or f"{user}.{team}").casefold().split()
    kept = (letter for letter in ".".join(words) if letter.isalnum() or letter in ".-_@")
    address = "".join(kept)
    return address if "@" in address else f"{address}@example.com"
