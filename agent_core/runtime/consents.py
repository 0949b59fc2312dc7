"""What people decide about calls, and accounts that they connect: who may, once, in time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from agent_core.background import Backoff
from agent_core.composio import Accounts, are_connected
from agent_core.consent.connect_links import place_of
from agent_core.errors import ConsentRefused, ToolServerError
from agent_core.ids import ROOT_RUN, ConsentId, SessionId, TurnId, UserId
from agent_core.messages import JsonObject, ToolCall
from agent_core.runtime.parts import TurnParts
from agent_core.sessions import ApprovalWait, ConnectionWait, StoredTurn
from agent_core.sessions.consents import Consent, ConsentKind
from agent_core.tools import opened

logger = logging.getLogger(__name__)

ApprovalChoice = Literal["approve", "approve_thread", "reject"]
LOOKS = Backoff(first_s=2.0, longest_s=60.0, factor=1.5, jitter=0.0)
"""Between looks whether an account was connected meanwhile."""
OPENED_FOR_S = 180.0
"""So long after a person has opened a link each look is one at the account."""


class Consents:
    """Decisions on consents that are open. Each method raises ConsentRefused with its reason.

    `approvers` may decide for others: `U…`, or `T…:U…`; `advance` sees to a session whose wait is
    over.
    """

    def __init__(
        self,
        parts: TurnParts,
        approvers: Collection[str],
        advance: Callable[[SessionId], Awaitable[None]],
    ) -> None:
        self._parts = parts
        self._approvers = approvers
        self._advance = advance
        self.find = parts.consents.find
        """A consent by id; None where there is none."""
        self._looks: dict[ConsentId, tuple[float, int]] = {}
        """When the next look at each is due, and how many there were."""
        self._opened: dict[ConsentId, tuple[float, Callable[[], Awaitable[None]]]] = {}
        """Until when people are likely to connect right now, and what is done once it is over."""

    async def decide(
        self, consent: ConsentId, by: UserId, *, verdict: ApprovalChoice, reason: str = ""
    ) -> None:
        """Approve or reject a call; of several who decide, the first counts."""
        found = await self._open(consent, "approval", by)
        if verdict == "approve_thread":
            # Not if the session read something from outside since it was asked.
            is_tainted = await self._parts.store.tainted_by(found.session) is not None
            if is_tainted or not found.body.get("may_allow_thread"):
                raise ConsentRefused("This can be approved once only.", why="tainted")
        is_new = await self._parts.consents.decide(
            consent,
            "rejected" if verdict == "reject" else "approved",
            by=by,
            reason=reason,
            for_thread=verdict == "approve_thread",
        )
        if not is_new:
            raise ConsentRefused("This was decided already.", why="decided")
        await self._go_on(found)

    async def asked(self, consent: ConsentId) -> ApprovalWait | None:
        """What is to be approved, while it is waited for."""
        found = await self._parts.consents.find(consent)
        turn = await self._parts.store.turn(found.turn) if found is not None else None
        wait = turn.wait if turn is not None and turn.status == "waiting" else None
        return wait if isinstance(wait, ApprovalWait) and wait.consent == consent else None

    async def edit(
        self, consent: ConsentId, by: UserId, changes: Mapping[str, str | list[str]]
    ) -> None:
        """Have a call of one action asked for again with other texts in the arguments named.

        Nothing is approved by it: what would be sent now has to be approved as it is.
        """
        await self.check_may_edit(consent, by)
        found = await self._open(consent, "approval", by)
        wait = await self.asked(consent)
        call = await self._call_of(found, wait) if wait else None
        if wait is None or call is None or len(wait.actions) != 1:
            raise ConsentRefused("This cannot be changed here.", why="not_editable")
        before = wait.actions[0].arguments
        if any(type(before.get(name)) is not type(value) for name, value in changes.items()):
            raise ConsentRefused("There is no such text.", why="not_editable")
        after = {**before, **changes}
        edited = replace(call, arguments=_with(call.arguments, before, after))
        if [each.arguments for each in opened(edited).actions] != [after]:
            raise ConsentRefused("This cannot be changed here.", why="not_editable")
        if not await self._parts.consents.edit(found, by, edited.arguments):
            raise ConsentRefused("This was decided already.", why="decided")
        await self._go_on(found)

    async def _call_of(self, consent: Consent, wait: ApprovalWait) -> ToolCall | None:
        """The call as it would be made now."""
        said = await self._parts.store.run_messages(consent.turn, ROOT_RUN)
        calls = (call for message in said for call in message.tool_calls)
        call = next((call for call in calls if call.id == wait.call_id), None)
        arguments = consent.body.get("arguments")
        return replace(call, arguments=arguments) if call and arguments else call

    async def check_may_decide(self, consent: ConsentId, by: UserId) -> None:
        """Return if this person may decide on an approval now."""
        await self._open(consent, "approval", by)

    async def check_may_edit(self, consent: ConsentId, by: UserId) -> None:
        """The same for changing it: in the asker's name nobody else writes."""
        if (await self._open(consent, "approval", by)).asker != by:
            raise ConsentRefused("The asker alone changes this.", why="not_your_words")

    async def connect_link(self, consent: ConsentId, by: UserId, toolkit: str) -> str:
        """A link by which the asker connects an account; whoever opens it binds theirs to it."""
        found = await self._open(consent, "connection", by)
        if toolkit not in _toolkits(found):
            raise ConsentRefused("That app was not asked for.", why="unknown")
        try:
            fresh = self._parts.links.pop((found.asker, toolkit), "")
            link = fresh or await self._accounts.link(found.asker, toolkit)
        except ToolServerError as error:
            logger.warning("no link for %s: %s", toolkit, error)
            raise ConsentRefused("There is no link to be had just now.", why="no_link") from error
        await self._parts.consents.amend(found, {"link": place_of(link)})
        return link

    async def open_link(
        self, consent: ConsentId, by: UserId, then: Callable[[], Awaitable[None]]
    ) -> None:
        """The asker has opened a link, so the account is looked at often, for a while.

        `then` is done here once nobody waits for it any more.
        """
        await self._open(consent, "connection", by)
        self._opened[consent] = (asyncio.get_running_loop().time() + OPENED_FOR_S, then)

    async def skip_connection(self, consent: ConsentId, by: UserId) -> None:
        """The asker does not want to connect now: the turn goes on without."""
        found = await self._open(consent, "connection", by)
        if await self._parts.consents.decide(consent, "skipped", by=by):
            await self._go_on(found)

    async def check_connection(self, consent: ConsentId, by: UserId) -> bool:
        """Whether the accounts are connected, looked up now; if they are, the turn goes on."""
        return await self._look(await self._open(consent, "connection", by))

    async def look(self, waiting: Sequence[StoredTurn], now_s: float) -> None:
        """Look whether accounts were connected meanwhile; more and more rarely for each.

        What is likely to be connected now is looked at each time, whoever holds its session.
        """
        waits = (turn.wait for turn in waiting)
        open_now = {wait.consent for wait in waits if isinstance(wait, ConnectionWait)}
        known = open_now | self._opened.keys()
        for consent in known:
            due_s, looks = self._looks.get(consent, (0.0, 0))
            until_s, then = self._opened.get(consent, (0.0, None))
            if now_s < due_s and now_s >= until_s:
                continue
            self._looks[consent] = (now_s + LOOKS.wait_s(looks + 1), looks + 1)
            found = await self._parts.consents.find(consent)
            is_over = found is None or found.status != "open" or await self._look(found)
            if is_over and then is not None:
                del self._opened[consent]
                await then()
        self._looks = {key: at for key, at in self._looks.items() if key in known}

    async def _look(self, consent: Consent) -> bool:
        if not await are_connected(self._accounts, consent.asker, _toolkits(consent)):
            return False
        if await self._parts.consents.decide(consent.id, "connected", by=consent.asker):
            await self._go_on(consent)
        return True

    async def _go_on(self, consent: Consent) -> None:
        await self._parts.store.hasten(TurnId(consent.turn), consent.id, self._parts.clock())
        await self._advance(consent.session)

    async def _open(self, consent: ConsentId, kind: ConsentKind, by: UserId) -> Consent:
        found = await self._parts.consents.find(consent)
        if found is None or found.kind != kind:
            raise ConsentRefused("Nothing of this kind is asked for.", why="unknown")
        is_late = found.status == "open" and found.is_over(self._parts.clock())
        if is_late or found.status in ("expired", "overtaken"):
            raise ConsentRefused("It is too late to decide this.", why="over")
        if found.status != "open":
            raise ConsentRefused("This was decided already.", why="decided")
        may_approve = kind == "approval" and self._is_approver(by, found.asker)
        if by != found.asker and not may_approve:
            who = "The asker or an approver" if kind == "approval" else "The asker alone"
            raise ConsentRefused(f"{who} decides this.", why="not_yours")
        return found

    def _is_approver(self, user: UserId, asker: UserId) -> bool:
        """One who is named without a team decides within the asker's alone."""
        team, _, name = user.rpartition(":")
        is_colleague = team == asker.rpartition(":")[0]
        return user in self._approvers or (is_colleague and name in self._approvers)

    @property
    def _accounts(self) -> Accounts:
        if self._parts.accounts is None:
            raise ConsentRefused("There is no Composio to connect accounts at.", why="no_link")
        return self._parts.accounts


def _with(value: Any, before: JsonObject, after: JsonObject) -> Any:
    """A value in which some arguments stand in the place of others."""
    if value == before:
        return after
    if isinstance(value, dict):
        inner = cast("JsonObject", value)
        return {name: _with(each, before, after) for name, each in inner.items()}
    if isinstance(value, list):
        return [_with(each, before, after) for each in cast("list[Any]", value)]
    return value


def _toolkits(consent: Consent) -> tuple[str, ...]:
    return tuple(consent.body.get("toolkits", ()))
