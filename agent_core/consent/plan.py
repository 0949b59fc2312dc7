"""What a call would do, with whose accounts: what people are shown, and what they agree to."""

from dataclasses import dataclass

from agent_core.consent.fingerprint import SealedAction, digest_of, digest_of_json
from agent_core.consent.policy import JudgedAction, Judgement
from agent_core.errors import ToolServerError
from agent_core.events import PlannedAction
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import ToolContext
from agent_core.tools.batches import is_batch
from agent_core.tools.composio_accounts import Account, Accounts
from agent_core.tools.slugs import canonical, slug_of

COMPOSIO = "mcp__composio__"
_OTHER_ACCOUNT = (
    "Not done: calls use the {app} account that the person connected last, {account}. Leave "
    "`account` out."
)

_App = tuple[str, Account | None, str]
"""Its name, the asker's account of it, and the digest of the tool's definition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A call with the accounts and definitions that it would use."""

    tool: str
    """The full name of the called one."""
    judged: Judgement
    sealed: tuple[SealedAction, ...]
    shown: tuple[PlannedAction, ...]
    missing: tuple[str, ...]
    """Apps that the asker has not connected."""
    digest: str

    @property
    def grant(self) -> list[str]:
        """What an approval for the thread covers: these tools with these accounts."""
        asking = zip(self.judged.actions, self.sealed, strict=True)
        return sorted({self._granted(sealed) for each, sealed in asking if asks(each)})

    def _granted(self, sealed: SealedAction) -> str:
        """Two servers may have a tool of one name, and a tool may change."""
        return " ".join((self.tool, sealed.slug, sealed.account, sealed.schema_digest))


class Planner:
    """Looks up accounts and definitions. `accounts` is None without Composio."""

    def __init__(self, accounts: Accounts | None) -> None:
        self._accounts = accounts

    async def plan(
        self, judged: Judgement, call: ToolCall, spec: ToolSpec | None, context: ToolContext
    ) -> Plan:
        """The call as it would be made now.

        Raises:
            ToolServerError: Composio cannot be asked.
        """
        sealed: list[SealedAction] = []
        shown: list[PlannedAction] = []
        missing: dict[str, None] = {}
        apps: dict[tuple[str, str, bool], _App | None] = {}
        for each in judged.actions:
            key = (each.action.tool, each.action.account, asks(each))
            if key not in apps:
                apps[key] = await self._app_of(each, call, context, afresh=asks(each))
            toolkit, account, schema = apps[key] or ("", None, _schema_digest(spec))
            if toolkit and account is None:
                missing[toolkit] = None
            sealed.append(
                SealedAction(
                    slug=each.action.tool,
                    arguments=each.action.arguments,
                    account=account.id if account else "",
                    schema_digest=schema,
                )
            )
            shown.append(
                PlannedAction(
                    tool=each.action.tool,
                    toolkit=toolkit,
                    account=account.identity if account else "",
                    arguments=each.action.arguments,
                    asks=asks(each),
                )
            )
        return Plan(
            tool=call.name,
            judged=judged,
            sealed=tuple(sealed),
            shown=tuple(shown),
            missing=tuple(missing),
            digest=digest_of(
                tool=call.name,
                arguments=call.arguments,
                actions=sealed,
                session=context.session,
                asker=context.asker,
            ),
        )

    async def used_accounts(
        self, judged: Judgement, call: ToolCall, context: ToolContext
    ) -> dict[str, str]:
        """By app whose account a call has used; empty where that is not known any more."""
        used: dict[str, str] = {}
        for each in judged.actions:
            try:
                app = await self._app_of(each, call, context, afresh=False)
            except ToolServerError:
                return {}
            if app is not None and app[1] is not None:
                used[app[0]] = app[1].identity
        return used

    async def _app_of(
        self, each: JudgedAction, call: ToolCall, context: ToolContext, *, afresh: bool
    ) -> _App | None:
        """The app, the asker's account of it and the tool's definition; None without an app."""
        if self._accounts is None or not each.action.tool or not _uses_apps(call):
            return None
        tool = await self._accounts.tool(each.action.tool, afresh=afresh)
        if tool.needs_account is False:
            return "", None, tool.schema_digest
        account = await self._accounts.active(context.asker, tool.toolkit, afresh=afresh)
        if account and each.action.account not in ("", account.id, account.identity):
            raise ToolServerError(_OTHER_ACCOUNT.format(app=tool.toolkit, account=account.identity))
        toolkit = tool.toolkit if account or tool.needs_account else ""
        return toolkit, account, tool.schema_digest


def _uses_apps(call: ToolCall) -> bool:
    """Whether it is a batch, or an app's own tool; Composio's other tools use no account."""
    slug = slug_of(call.name)
    is_app = is_batch(slug) or not canonical(slug).startswith("COMPOSIO_")
    return call.name.startswith(COMPOSIO) and is_app


def asks(each: JudgedAction) -> bool:
    """Whether a person has to approve it."""
    return each.verdict != "allow"


def _schema_digest(spec: ToolSpec | None) -> str:
    return digest_of_json([spec.description, spec.input_schema]) if spec else ""
