"""Connected accounts: each belongs to one user id, which is the only border between people."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from bot.sandbox.composio.catalogue import read_tools
from bot.sandbox.composio.records import Data, make_id

AccountStatus = Literal["INITIATED", "ACTIVE", "FAILED", "EXPIRED", "INACTIVE"]
_LINK_LIFE = timedelta(minutes=10)


@dataclass(slots=True, kw_only=True)
class ConnectedAccount:
    """One person's account of one app."""

    id: str
    user_id: str
    toolkit: str
    created_at: datetime
    link_token: str
    identity: str
    """The address that the app knows the person by."""
    status: AccountStatus = "INITIATED"

    def as_json(self) -> Data:
        return read_tools()["account_record"] | {
            "id": self.id,
            "user_id": self.user_id,
            "status": self.status,
            "is_disabled": self.status == "INACTIVE",
            "toolkit": {"slug": self.toolkit},
            "auth_config": {"id": f"ac_{self.toolkit}", "auth_scheme": "OAUTH2"},
            "created_at": self.created_at.isoformat(),
            "data": self.as_person(),
        }

    def as_person(self) -> Data:
        """Who the app takes the person for."""
        return {"email": self.identity, "name": self.identity.partition("@")[0]}

    def finish(self, *, allowed: bool, identity: str = "") -> None:
        """Set the status by the person's decision behind the link."""
        self.status = "ACTIVE" if allowed else "FAILED"
        self.identity = identity or self.identity


class AccountStore:
    """All accounts of all people, queried for one user id at a time.

    `name` gives the name of a user id's person, where there is one.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        name: Callable[[str], str | None],
    ) -> None:
        self.name = name
        self._clock = clock
        self._all: list[ConnectedAccount] = []

    def begin(self, user_id: str, toolkit: str) -> ConnectedAccount:
        """A new account that waits for its link to be followed, for ten minutes."""
        account = ConnectedAccount(
            id=make_id("ca"),
            user_id=user_id,
            toolkit=toolkit,
            created_at=self._clock(),
            link_token=make_id("lk"),
            identity=_make_identity(user_id, self.name(user_id)),
        )
        self._all.append(account)
        return account

    def expire(self, user_id: str, toolkit: str) -> None:
        """The app no longer takes the tokens of a person's active accounts."""
        for account in self.active(user_id, toolkit):
            account.status = "EXPIRED"

    def remove(self, account_id: str) -> bool:
        """Forget an account; False where there is none of this id."""
        for account in self._all:
            if account.id == account_id:
                self._all.remove(account)
                return True
        return False

    def by_link(self, token: str) -> ConnectedAccount | None:
        """The account that a link is for, in any status."""
        for account in self.all():
            if account.link_token == token:
                return account
        return None

    def all(self) -> list[ConnectedAccount]:
        """Every account as it is by now: a link that nobody followed in time has expired."""
        for account in self._all:
            age = self._clock() - account.created_at
            if account.status == "INITIATED" and age >= _LINK_LIFE:
                account.status = "EXPIRED"
        return self._all

    def active(self, user_id: str, toolkit: str) -> list[ConnectedAccount]:
        """A person's usable accounts of an app, the newest first."""
        usable: list[ConnectedAccount] = []
        for account in reversed(self.all()):
            is_own = account.user_id == user_id and account.toolkit == toolkit
            if is_own and account.status == "ACTIVE":
                usable.append(account)
        return usable


def _make_identity(user_id: str, name: str | None) -> str:
    """The address that an account of a person has: by name, else by the parts of the user id."""
    team, _, user = user_id.rpartition(":")
    words = (name or f"{user}.{team}").casefold().split()
    address = re.sub(r"[^\w.@-]|_", "", ".".join(words))
    return address if "@" in address else f"{address}@example.com"
