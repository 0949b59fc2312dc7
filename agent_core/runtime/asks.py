"""Decisions of people on open Asks: who may, once, in time; and accounts that people connect.

A decision is stored, and the turn that waits for it goes on in the process that holds its session
(`waits.py`). Accounts are connected elsewhere, so those of an open connection are polled.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agent_core.background import Backoff
from agent_core.composio import Accounts, are_connected
from agent_core.consent import without_secret
from agent_core.errors import AskRefused, ToolServerError
from agent_core.events import AskDecision
from agent_core.ids import AskId, SessionId, UserId
from agent_core.messages import InboundMessage, JsonObject, ToolCall
from agent_core.runtime.parts import TurnParts
from agent_core.sessions import Ask, AskBody, AskKind, StoredTurn
from agent_core.tools import opened

logger = logging.getLogger(__name__)

ApprovalChoice = Literal["approved", "approved_thread", "rejected"]
POLL = Backoff(
    first_s=2.0,
    longest_s=60.0,
    factor=1.5,
    jitter=0.0,
)
"""Between two looks whether an account was connected meanwhile."""
OPENED_FOR_S = 180.0
"""For so long after a person has opened a link each look is one at the account."""

Then = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class _Poll:
    """When the next look at a connection is due."""

    due_s: float = 0.0
    looks: int = 0
    eager_until_s: float = 0.0
    """Until then somebody is likely to connect right now."""
    then: Then | None = None
    """Done here once the connection is over."""


class Asks:
    """Decisions on Asks that are open. Each method raises AskRefused with its reason.

    `approvers` may decide for others: `U…`, or `T…:U…`; `advance` sees to a session whose wait is
    over, `take_answer` takes the answer to a question.
    """

    def __init__(
        self,
        parts: TurnParts,
        approvers: Collection[str],
        advance: Callable[[SessionId], Awaitable[None]],
        take_answer: Callable[[InboundMessage], Awaitable[object]],
    ) -> None:
        self._parts = parts
        self._store = parts.asks
        self.find = parts.asks.find
        self._approvers = approvers
        self._advance = advance
        self._take_answer = take_answer
        self.polls: dict[AskId, _Poll] = {}
        """Connections whose accounts are looked at."""

    async def decide(
        self,
        ask_id: AskId,
        by: UserId,
        decision: ApprovalChoice,
        *,
        reason: str = "",
    ) -> None:
        """Approve or reject a call."""
        ask = await self._open(ask_id, "approval", by)
        if decision == "approved_thread":
            # Not if the session read something from outside since it was asked.
            outside = await self._parts.store.tainted_by(ask.session)
            if outside is not None or not ask.approval.may_allow_thread:
                raise AskRefused("tainted")
        await self._decide(
            ask,
            decision,
            by,
            reason=reason,
        )

    async def answer(self, ask_id: AskId, message: InboundMessage) -> None:
        """Answer a question with a message, which becomes one of the question's session.

        The same answer may come again: its key is the question's.
        """
        ask = await self._store.find(ask_id)
        answered = (message.asker, message.text)
        if ask is None or (ask.decided_by, ask.reason) != answered:
            ask = await self.check_may_answer(ask_id, message.asker)
            await self._decide(
                ask,
                "answered",
                message.asker,
                reason=message.text,
            )
        turn = await self._parts.store.turn(ask.turn)
        answer = replace(message, session=ask.session, places=turn.inbound.places)
        await self._take_answer(answer)

    async def edit(
        self,
        ask_id: AskId,
        by: UserId,
        changes: Mapping[str, str | list[str]],
    ) -> None:
        """Have a call of one action asked for again with other texts in the arguments named.

        Nothing is approved by it: what would be sent now has to be approved as it is.
        """
        ask = await self.check_may_edit(ask_id, by)
        approval = ask.approval
        if len(approval.actions) != 1:
            raise AskRefused("not_editable")
        before = approval.actions[0].arguments
        for name, value in changes.items():
            if type(before.get(name)) is not type(value):
                raise AskRefused("not_editable")
        after = {**before, **changes}
        # They may stand inside of a batch.
        written = json.dumps(approval.arguments).replace(json.dumps(before), json.dumps(after))
        arguments: JsonObject = json.loads(written)
        call = ToolCall(id=ask.call_id, name=approval.tool, arguments=arguments)
        actions = opened(call).actions
        if len(actions) != 1 or actions[0].arguments != after:
            raise AskRefused("not_editable")
        body = replace(approval, arguments=arguments)
        await self._decide(
            ask,
            "edited",
            by,
            body=body,
        )

    async def check_may_answer(self, ask_id: AskId, by: UserId) -> Ask:
        """The question, which this person may answer now."""
        return await self._open(ask_id, "question", by)

    async def check_may_decide(self, ask_id: AskId, by: UserId) -> Ask:
        """The approval, which this person may decide on now."""
        return await self._open(ask_id, "approval", by)

    async def check_may_edit(self, ask_id: AskId, by: UserId) -> Ask:
        """The approval, whose call this person may edit: in the asker's name nobody else writes."""
        ask = await self._open(ask_id, "approval", by)
        if ask.asker != by:
            raise AskRefused("not_your_words", deciders=[ask.asker])
        return ask

    async def connect_link(
        self,
        ask_id: AskId,
        by: UserId,
        toolkit: str,
    ) -> str:
        """A link by which the asker connects an account; whoever opens it binds theirs to it."""
        ask = await self._open(ask_id, "connection", by)
        if toolkit not in ask.connection.toolkits:
            raise AskRefused("unknown")
        try:
            link = self._parts.links.pop((ask.asker, toolkit), "")
            if not link:
                link = await self._accounts.link(ask.asker, toolkit)
        except ToolServerError as error:
            logger.warning("no link for %s: %s", toolkit, error)
            raise AskRefused("no_link") from error
        connection = replace(ask.connection, link=without_secret(link))
        await self._store.amend(ask.id, connection)
        return link

    async def open_link(
        self,
        ask_id: AskId,
        by: UserId,
        then: Then,
    ) -> None:
        """The asker has opened a link, so the account is looked at often, for a while.

        `then` is done here once nobody waits for the connection any more.
        """
        ask = await self._open(ask_id, "connection", by)
        loop = asyncio.get_running_loop()
        poll = self.polls.setdefault(ask.id, _Poll())
        poll.eager_until_s = loop.time() + OPENED_FOR_S
        poll.then = then

    async def skip_connection(self, ask_id: AskId, by: UserId) -> None:
        """The asker does not want to connect now: the turn goes on without."""
        ask = await self._open(ask_id, "connection", by)
        if not ask.call_id:
            raise AskRefused("busy")  # what was written beside it may change the call
        await self._decide(ask, "skipped", by)

    async def check_connection(self, ask_id: AskId, by: UserId) -> bool:
        """Whether the accounts are connected, looked up now; if they are, the turn goes on."""
        ask = await self._open(ask_id, "connection", by)
        return await self._look(ask)

    async def look(self, waiting: Sequence[StoredTurn], now_s: float) -> None:
        """Look whether accounts were connected meanwhile; more and more rarely for each.

        An account that is likely to be connected right now is looked at each time, whoever holds
        its session.
        """
        connecting: set[AskId] = set()
        for turn in waiting:
            wait = turn.wait
            if wait is not None and wait.kind == "connection":
                connecting.add(wait.ask)
                self.polls.setdefault(wait.ask, _Poll())
        for ask_id, poll in list(self.polls.items()):
            if poll.then is None and ask_id not in connecting:
                del self.polls[ask_id]
            elif now_s >= poll.due_s or now_s < poll.eager_until_s:
                poll.looks += 1
                poll.due_s = now_s + POLL.wait_s(poll.looks)
                await self._poll(ask_id, poll)

    async def _poll(self, ask_id: AskId, poll: _Poll) -> None:
        ask = await self._store.find(ask_id)
        if ask is not None and ask.state == "open" and not await self._look(ask):
            return
        then = poll.then
        poll.then = None
        if then is not None:
            await then()

    async def _look(self, ask: Ask) -> bool:
        apps = ask.connection.toolkits
        if not await are_connected(self._accounts, ask.asker, apps):
            return False
        is_waited_for = bool(ask.call_id)  # else its run sees to it
        if is_waited_for and await self._store.decide(ask.id, "connected", by=ask.asker):
            await self._advance(ask.session)
        return True

    async def _decide(
        self,
        ask: Ask,
        decision: AskDecision,
        by: UserId,
        *,
        reason: str = "",
        body: AskBody | None = None,
    ) -> None:
        """Of several who decide, the first counts; the turn goes on."""
        is_first = await self._store.decide(
            ask.id,
            decision,
            by=by,
            reason=reason,
            body=body,
        )
        if not is_first:
            raise AskRefused("decided")
        await self._advance(ask.session)

    async def _open(
        self,
        ask_id: AskId,
        kind: AskKind,
        by: UserId,
    ) -> Ask:
        """An open Ask that this person may decide."""
        ask = await self._store.find(ask_id)
        if ask is None or ask.kind != kind:
            raise AskRefused("unknown")
        if ask.decision in ("expired", "overtaken", "replaced"):
            raise AskRefused("over")
        if ask.state != "open":
            raise AskRefused("decided")
        if ask.is_expired(self._parts.clock()):
            raise AskRefused("over")
        if kind == "approval" and not ask.call_id:
            raise AskRefused("busy")  # what was written beside it may change the call
        if by == ask.asker:
            return ask
        deciders = [ask.asker]
        if kind == "approval" and not ask.approval.owner_only:
            deciders += self._approvers_for(ask.asker)
        if by in deciders:
            return ask
        raise AskRefused("not_yours", deciders=deciders)

    def _approvers_for(self, asker: UserId) -> list[UserId]:
        """Those who may decide for others; who is named without a team is of the asker's."""
        team, _, _ = asker.rpartition(":")
        whole = {each if ":" in each else f"{team}:{each}" for each in self._approvers}
        return [UserId(each) for each in sorted(whole - {asker})]

    @property
    def _accounts(self) -> Accounts:
        if self._parts.accounts is None:
            raise AskRefused("no_link")
        return self._parts.accounts
