"""What a call would do, with whose accounts: what people are shown, and what they agree to.

An approval is bound to one digest of all of it: change a byte and it is another one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_core.composio import Account, Accounts
from agent_core.consent.policy import JudgedAction, Judgement
from agent_core.errors import ToolServerError
from agent_core.events import PlannedAction
from agent_core.ids import SessionId, UserId
from agent_core.messages import JsonObject
from agent_core.models import ToolSpec
from agent_core.tools import OpenedCall, ToolContext, canonical, digest_of_json, slug_of

_OTHER_ACCOUNT = (
    "Not done: calls use the {app} account that the person connected last, {account}. Leave "
    "`account` out."
)

_FORM = 1
"""Raise it with every change of what goes in: an open approval then fits no call any more."""

_App = tuple[str, Account | None, str]
"""Its name, the asker's account of it, and the digest of the tool's definition."""


_Sealed = tuple[str, JsonObject, str, str]
"""One action as it is approved: slug, arguments, the connected account's id or nothing, and the
digest of the tool's definition as it stood when the person was asked."""


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
    judged: Judgement,
    call: OpenedCall,
    spec: ToolSpec | None,
    context: ToolContext,
) -> CallPlan:
    """The call as it would be made now; `accounts` is None without Composio.

    Raises:
        ToolServerError: Composio cannot be asked.
    """
    sealed: list[_Sealed] = []
    shown: list[PlannedAction] = []
    missing: dict[str, None] = {}
    definition = digest_of_json([spec.description, spec.input_schema]) if spec else ""
    apps: dict[tuple[str, str, bool], _App | None] = {}
    for each in judged.actions:
        action = each.action
        key = (action.tool, action.account, each.asks)
        if key not in apps:
            apps[key] = await _app_of(accounts, each, call, context, afresh=each.asks)
        toolkit, account, schema = apps[key] or ("", None, definition)
        if toolkit and account is None:
            missing[toolkit] = None
        sealed.append((action.tool, action.arguments, account.id if account else "", schema))
        shown.append(
            PlannedAction(
                tool=action.tool,
                toolkit=toolkit,
                account=account.identity if account else "",
                arguments=action.arguments,
                asks=each.asks,
            )
        )
    asked = (row for row, each in zip(sealed, shown, strict=True) if each.asks)
    return CallPlan(
        actions=tuple(shown),
        missing=tuple(missing),
        grant=tuple(sorted({" ".join((call.name, row[0], row[2], row[3])) for row in asked})),
        digest=digest_of(
            tool=call.name,
            arguments=call.call.arguments,
            actions=sealed,
            session=context.session,
            asker=context.asker,
        ),
    )


async def used_accounts(
    accounts: Accounts | None, judged: Judgement, call: OpenedCall, context: ToolContext
) -> dict[str, str]:
    """By app whose account a call has used; empty where that is not known any more."""
    used: dict[str, str] = {}
    for each in judged.actions:
        try:
            app = await _app_of(accounts, each, call, context, afresh=False)
        except ToolServerError:
            return {}
        if app is not None and app[1] is not None:
            used[app[0]] = app[1].identity
    return used


async def _app_of(
    accounts: Accounts | None,
    each: JudgedAction,
    call: OpenedCall,
    context: ToolContext,
    *,
    afresh: bool,
) -> _App | None:
    """The app, the asker's account of it and the tool's definition; None without an app."""
    # A batch, or an app's own tool; Composio's other tools use no account.
    is_app = call.is_batch or not canonical(slug_of(call.name)).startswith("COMPOSIO_")
    if accounts is None or not each.action.tool or not (call.is_composio and is_app):
        return None
    tool = await accounts.tool(each.action.tool, afresh=afresh)
    if tool.needs_account is False:
        return "", None, tool.schema_digest
    account = await accounts.active(context.asker, tool.toolkit, afresh=afresh)
    if account and each.action.account not in ("", account.id, account.identity):
        raise ToolServerError(_OTHER_ACCOUNT.format(app=tool.toolkit, account=account.identity))
    toolkit = tool.toolkit if account or tool.needs_account else ""
    return toolkit, account, tool.schema_digest


def digest_of(
    *,
    tool: str,
    arguments: JsonObject,
    actions: Sequence[_Sealed],
    session: SessionId,
    asker: UserId,
) -> str:
    """SHA-256 in hex over the whole call, each of its actions, the session and the asker.

    `arguments` are those of the call itself, so that nothing that is sent stays outside. Texts
    count byte by byte: two spellings that look alike differ, as do `1`, `1.0` and `true`.
    """
    whole = {"form": _FORM, "tool": tool, "arguments": arguments, "session": session}
    return digest_of_json(whole | {"asker": asker, "actions": list(map(list, actions))})
