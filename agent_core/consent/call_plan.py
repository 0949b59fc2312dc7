"""The plan of a call: what it would do, with whose accounts; what people see and approve.

An approval is bound to one digest of the whole plan: change a byte and it is another plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent_core.composio import Account, Accounts
from agent_core.consent.policy import JudgedAction, Judgement
from agent_core.errors import ToolServerError
from agent_core.events import PlannedAction
from agent_core.ids import SessionId, UserId
from agent_core.json_values import digest_of_json
from agent_core.messages import JsonObject
from agent_core.models import ToolSpec
from agent_core.tools import OpenedCall, ToolContext, canonical

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


class SealedAction(NamedTuple):
    """One action as it is approved."""

    slug: str
    arguments: JsonObject
    account: str
    """The connected account's id; empty without one."""
    definition: str
    """The digest of the tool's definition as it stood when the person was asked."""


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
    sealed: list[SealedAction] = []
    planned: list[PlannedAction] = []
    missing: dict[str, None] = {}
    grant: set[str] = set()
    for judged in judgement.actions:
        action = judged.action
        key = (action.tool, action.account, judged.asks)
        if key not in uses:
            use = await _app_use(accounts, judged, call, context, afresh=judged.asks)
            uses[key] = use or _AppUse("", None, definition)
        app, account, used_definition = uses[key]
        account_id = account.id if account else ""
        if app and account is None:
            missing[app] = None
        if judged.asks:
            grant.add(" ".join((call.name, action.tool, account_id, used_definition)))
        sealed.append(SealedAction(action.tool, action.arguments, account_id, used_definition))
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
        digest=digest_of(
            tool=call.name,
            arguments=call.call.arguments,
            actions=sealed,
            session=context.session,
            asker=context.asker,
        ),
    )


async def used_accounts(
    accounts: Accounts | None,
    judgement: Judgement,
    call: OpenedCall,
    context: ToolContext,
) -> dict[str, str]:
    """By app whose account a call has used; empty where that is not known any more."""
    used: dict[str, str] = {}
    for judged in judgement.actions:
        try:
            use = await _app_use(accounts, judged, call, context, afresh=False)
        except ToolServerError:
            return {}
        if use is not None and use.account is not None:
            used[use.app] = use.account.identity
    return used


async def _app_use(
    accounts: Accounts | None,
    judged: JudgedAction,
    call: OpenedCall,
    context: ToolContext,
    *,
    afresh: bool,
) -> _AppUse | None:
    """How an action uses an app; None where it uses none."""
    action = judged.action
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


def digest_of(
    *,
    tool: str,
    arguments: JsonObject,
    actions: Sequence[SealedAction],
    session: SessionId,
    asker: UserId,
) -> str:
    """SHA-256 in hex over the whole call, each of its actions, the session and the asker.

    `arguments` are those of the call itself, so that nothing that is sent stays outside. Texts
    count byte by byte: two spellings that look alike differ, as do `1`, `1.0` and `true`.
    """
    return digest_of_json(
        {
            "form": _FORM,
            "tool": tool,
            "arguments": arguments,
            "session": session,
            "asker": asker,
            "actions": [list(action) for action in actions],
        }
    )
