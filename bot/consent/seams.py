"""What the buttons of approvals and connections need from the core."""

from typing import Literal, Protocol

from agent_core.ids import ConsentId, UserId
from agent_core.sessions.consents import Consent

Verdict = Literal["approve", "approve_thread", "reject"]


class Consents(Protocol):
    """Decides, or says why not by `ConsentRefused`, the core's `Consents`."""

    async def decide(
        self, consent: ConsentId, by: UserId, *, verdict: Verdict, reason: str = ""
    ) -> None: ...

    async def check_may_decide(self, consent: ConsentId, by: UserId) -> None: ...

    async def connect_link(self, consent: ConsentId, by: UserId, toolkit: str) -> str:
        """A fresh link."""
        ...

    async def skip_connection(self, consent: ConsentId, by: UserId) -> None: ...

    async def check_connection(self, consent: ConsentId, by: UserId) -> bool:
        """Look now; whether the accounts are connected."""
        ...


class Asked(Protocol):
    """What was asked for."""

    async def find(self, consent: ConsentId) -> Consent | None: ...
