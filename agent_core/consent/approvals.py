"""Approvals of calls: asked for once, and used for exactly the call that was approved, once.

An approval is bound to the digest of a `CallPlan`: what the call would do, with whose accounts, by
which definitions of tools. Change a byte and it is another plan. A person may edit the call while
it waits: then a new edition of the approval is asked for, with the edited arguments.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from pydantic import JsonValue

from agent_core.composio import Account, Accounts
from agent_core.consent.policy import JudgedAction, Judgement
from agent_core.errors import ToolServerError
from agent_core.events import PlannedAction
from agent_core.ids import ToolCallId
from agent_core.json_values import digest_of_json
from agent_core.models import ToolSpec
from agent_core.sessions import Ask, AskBody, AskKind, AskStore, CallApproval, ask_id
from agent_core.tools import OpenedCall, ToolContext, ToolOutput, canonical

_OTHER_ACCOUNT = (
    "Not done: calls use the {app} account that the person connected last, {account}. Leave "
    "`account` out."
)

_FORM = 1
"""Raise it with every change of what goes in: an open approval then fits no call any more."""


class _AppUse(NamedTuple):
    """How one action uses an app."""

    app: str
    """Empty where the tool needs no account."""
    account: Account | None
    """The asker's; None where it is missing or not needed."""
    definition: str
    """The digest of the tool's definition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """A call with the accounts and definitions that it would use."""

    actions: tuple[PlannedAction, ...]
    missing: tuple[str, ...]
    """Apps that the asker has not connected."""
    grant: tuple[str, ...]
    """What an approval for the thread covers: these tools, as now defined, with these accounts."""
    digest: str


async def plan_of(
    accounts: Accounts | None,
    judgement: Judgement,
    call: OpenedCall,
    spec: ToolSpec | None,
    context: ToolContext,
) -> CallPlan:
    """The call as it would be made now; `accounts` is None without Composio.

    Raises:
        ToolServerError: Composio cannot be asked.
    """
    definition = digest_of_json([spec.description, spec.input_schema]) if spec else ""
    uses: dict[tuple[str, str, bool], _AppUse] = {}
    sealed: list[JsonValue] = []
    planned: list[PlannedAction] = []
    missing: dict[str, None] = {}
    grant: set[str] = set()
    for judged in judgement.actions:
        action = judged.action
        key = (action.tool, action.account, judged.asks)
        if key not in uses:
            use = await _app_use(accounts, judged, call, context)
            uses[key] = use or _AppUse("", None, definition)
        app, account, used_definition = uses[key]
        account_id = account.id if account else ""
        if app and account is None:
            missing[app] = None
        if judged.asks:
            grant.add(" ".join((call.name, action.tool, account_id, used_definition)))
        sealed.append([action.tool, action.arguments, account_id, used_definition])
        planned.append(
            PlannedAction(
                tool=action.tool,
                toolkit=app,
                account=account.identity if account else "",
                arguments=action.arguments,
                asks=judged.asks,
            )
        )
    return CallPlan(
        actions=tuple(planned),
        missing=tuple(missing),
        grant=tuple(sorted(grant)),
        digest=_digest_of(call, sealed, context),
    )


async def _app_use(
    accounts: Accounts | None,
    judged: JudgedAction,
    call: OpenedCall,
    context: ToolContext,
) -> _AppUse | None:
    """How an action uses an app, seen afresh where a person is asked; None where it uses none."""
    action = judged.action
    afresh = judged.asks
    # A batch, or an app's own tool; Composio's other tools use no account.
    is_app = call.is_batch or not canonical(call.slug).startswith("COMPOSIO_")
    if accounts is None or not action.tool or not call.is_composio or not is_app:
        return None
    tool = await accounts.tool(action.tool, afresh=afresh)
    if tool.needs_account is False:
        return _AppUse("", None, tool.schema_digest)
    account = await accounts.active(context.asker, tool.toolkit, afresh=afresh)
    if account and action.account not in ("", account.id, account.identity):
        raise ToolServerError(_OTHER_ACCOUNT.format(app=tool.toolkit, account=account.identity))
    app = tool.toolkit if account or tool.needs_account else ""
    return _AppUse(app, account, tool.schema_digest)


def _digest_of(call: OpenedCall, actions: Sequence[JsonValue], context: ToolContext) -> str:
    """SHA-256 in hex over the whole call, each of its actions, the session and the asker.

    The arguments of the call itself are in it, so that nothing that is sent stays outside. Texts
    count byte by byte: two spellings that look alike differ, as do `1`, `1.0` and `true`.
    """
    return digest_of_json(
        {
            "form": _FORM,
            "tool": call.name,
            "arguments": call.call.arguments,
            "session": context.session,
            "asker": context.asker,
            "actions": actions,
        }
    )


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
        is_joint: bool,
    ) -> ToolOutput | Ask:
        """A refusal, an open Ask that a person decides first, or the approval of the call.

        An approval for the thread holds neither after text from outside nor where others had a
        word in the work.
        """
        if not is_tainted and not is_joint:
            for granted in await self.asks.thread_approvals(context.session, context.asker):
                if plan.grant and set(plan.grant) <= set(granted.approval.grant):
                    return granted
        newest = await self.asks.of_call(context.turn, context.run, call.call.id, "approval")
        if newest is not None and newest.decision != "edited":
            return await self._judged_before(newest, judgement, plan)
        if not context.may_wait:
            return refusal(_NOBODY_TO_ASK.format(reason=judgement.reason))
        return await self._ask(
            call, context, plan, newest, is_tainted=is_tainted, is_joint=is_joint
        )

    async def _judged_before(
        self, ask: Ask, judgement: Judgement, plan: CallPlan
    ) -> ToolOutput | Ask:
        """The newest Ask of the call itself, which may have been another call's before."""
        if ask.is_approved:
            return await self._use(ask, plan)
        if ask.state != "open":
            return refusal(f"Not done: this was not approved ({judgement.reason}).")
        return ask if ask.approval.digest == plan.digest else refusal(_VOID)

    async def _ask(
        self,
        call: OpenedCall,
        context: ToolContext,
        plan: CallPlan,
        edited: Ask | None,
        *,
        is_tainted: bool,
        is_joint: bool,
    ) -> ToolOutput | Ask:
        """The released approval of the very same call, or else a new one."""
        before: tuple[PlannedAction, ...] = ()
        if edited is not None:
            before = edited.approval.actions
        for ask in await released_of(self.asks, "approval", context, self.clock()):
            approval = ask.approval
            is_same = approval.digest == plan.digest
            is_judged_alike = (approval.is_tainted, approval.owner_only) == (
                is_tainted,
                is_joint,
            )
            if is_same and is_judged_alike and await self.asks.adopt(ask.id, call.call.id):
                return replace(ask, call_id=call.call.id)
            if approval.tool == call.name:
                before = approval.actions
        is_plain = not is_tainted and not is_joint
        can_grant = is_plain and all(action.tool for action in plan.actions)
        approval = CallApproval(
            tool=call.name,
            actions=plan.actions,
            digest=plan.digest,
            grant=plan.grant,
            is_tainted=is_tainted,
            owner_only=is_joint,
            may_allow_thread=can_grant,
            arguments=call.call.arguments,
            before=before,
        )
        edition = edited.edition + 1 if edited else 0
        deadline = self.clock() + PATIENCE
        ask = ask_of(call.call.id, context, approval, deadline, edition=edition)
        stored = await self.asks.add(ask)
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


async def released_of(
    asks: AskStore, kind: AskKind, context: ToolContext, now: datetime
) -> list[Ask]:
    """The Asks of a run that people may still decide, though their calls have results."""
    released = await asks.released(context.turn)
    of_run = [ask for ask in released if (ask.run, ask.kind) == (context.run, kind)]
    return [ask for ask in of_run if not ask.is_expired(now)]


def ask_of(
    call: ToolCallId,
    context: ToolContext,
    body: AskBody,
    deadline: datetime,
    *,
    edition: int = 0,
) -> Ask:
    """An open Ask of the asker; the planner's question has no call."""
    return Ask(
        id=ask_id(context.turn, context.run, call, body.kind, edition=edition),
        session=context.session,
        turn=context.turn,
        run=context.run,
        call_id=call,
        asker=context.asker,
        deadline=deadline,
        body=body,
        edition=edition,
    )


def refusal(text: str) -> ToolOutput:
    """The result of a call that is not made."""
    return ToolOutput(text=text, is_error=True)
