"""Approvals of calls: asked for once, and used for exactly the call that was approved, once.

An approval is bound to the digest of a `CallPlan`. A person may edit the call while it waits: then
a new edition of the approval is asked for, and the edited arguments are those of the call.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent_core.consent.call_plan import CallPlan
from agent_core.consent.policy import Judgement
from agent_core.sessions import (
    Ask,
    AskBody,
    AskStore,
    CallApproval,
    ask_id,
)
from agent_core.tools import OpenedCall, ToolContext, ToolOutput

PATIENCE = timedelta(minutes=15)
"""How long an approval waits for its decision."""

_NOBODY_TO_ASK = (
    "Not done: this call needs a person's approval, and nobody can be asked from here ({reason}). "
    "Report what should be done, with all details, as your result."
)
_VOID = (
    "Not done: what was approved is not what would be done now, as the account or the tool has "
    "changed since. Make the call again, and it is asked for again."
)
_NAME_CHARS = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Approvals:
    """Says by which approval a call may be made, and asks for one where there is none."""

    asks: AskStore
    clock: Callable[[], datetime]

    async def approval_for(
        self,
        call: OpenedCall,
        context: ToolContext,
        judgement: Judgement,
        plan: CallPlan,
        *,
        is_tainted: bool,
        is_offered: bool,
    ) -> ToolOutput | Ask:
        """A refusal, an open Ask that a person decides first, or the approval of the call.

        `is_offered`: the call's tool is there.
        """
        if not is_tainted:
            granted = await self._granted(context, plan)
            if granted is not None:
                return granted
        newest = await self.asks.approval_of(context.turn, context.run, call.call.id)
        if newest is not None and newest.is_approved:
            return await self._use(newest, plan)
        edition = 0
        if newest is not None:
            edition = newest.edition
            if newest.decision == "edited":
                edition += 1
            elif newest.state != "open":
                return refusal(f"Not done: this was not approved ({judgement.reason}).")
        if not is_offered:
            return refusal(f"There is no tool {call.name[:_NAME_CHARS]}.")
        if not context.may_wait:
            return refusal(_NOBODY_TO_ASK.format(reason=judgement.reason))
        return await self._ask(call, context, plan, edition, is_tainted=is_tainted)

    async def _granted(self, context: ToolContext, plan: CallPlan) -> Ask | None:
        """An approval for the thread that covers the call."""
        for granted in await self.asks.thread_approvals(context.session, context.asker):
            if plan.grant and set(plan.grant) <= set(granted.approval.grant):
                return granted
        return None

    async def _ask(
        self,
        call: OpenedCall,
        context: ToolContext,
        plan: CallPlan,
        edition: int,
        *,
        is_tainted: bool,
    ) -> ToolOutput | Ask:
        can_grant = not is_tainted and all(action.tool for action in plan.actions)
        approval = CallApproval(
            tool=call.name,
            actions=plan.actions,
            digest=plan.digest,
            grant=plan.grant,
            is_tainted=is_tainted,
            may_allow_thread=can_grant,
            arguments=call.call.arguments,
        )
        deadline = self.clock() + PATIENCE
        stored = await self.asks.add(ask_of(call, context, approval, deadline, edition=edition))
        if stored.approval.digest != plan.digest:
            # Two calls of one id: the approved call must be the one that was shown.
            return refusal(_VOID)
        return stored

    async def _use(self, ask: Ask, plan: CallPlan) -> ToolOutput | Ask:
        """Use an approval: for exactly this call, once, in time."""
        if ask.approval.digest != plan.digest:
            await self.asks.void(ask.id)
            return refusal(_VOID)
        if ask.state == "used":
            return ask  # the call began before a restart; its effect itself is not repeated
        if ask.is_expired(self.clock()):
            await self.asks.void(ask.id)
            return refusal("Not done: the approval came too long ago. It can be asked again.")
        if not await self.asks.use(ask.id):
            return refusal("Not done: this approval has been used up.")
        return ask


def ask_of(
    call: OpenedCall,
    context: ToolContext,
    body: AskBody,
    deadline: datetime,
    *,
    edition: int = 0,
) -> Ask:
    """An open Ask of the asker about a call."""
    call_id = call.call.id
    return Ask(
        id=ask_id(context.turn, context.run, call_id, body.kind, edition=edition),
        session=context.session,
        turn=context.turn,
        run=context.run,
        call_id=call_id,
        asker=context.asker,
        deadline=deadline,
        body=body,
        edition=edition,
    )


def refusal(text: str) -> ToolOutput:
    """The result of a call that is not made."""
    return ToolOutput(text=text, is_error=True)
