"""The gate before and behind each tool call: policy, accounts, approval, taint, audit.

Read first: `policy.py` judges a call, `approvals.py` says with which accounts it would be made and
asks a person, `egress.py` bounds what leaves a tainted session, `results.py` reads what came back.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from agent_core.composio import Accounts, are_connected
from agent_core.consent.approvals import (
    Approvals,
    CallPlan,
    ask_of,
    plan_of,
    refusal,
    released_of,
)
from agent_core.consent.egress import EgressGuard
from agent_core.consent.policy import Judgement, Policy
from agent_core.consent.results import (
    FreshLinks,
    LinkPlaces,
    apps_to_connect,
    brings_outside_text,
    is_connecting,
)
from agent_core.errors import SurfaceRefused, ToolServerError
from agent_core.json_values import as_object, digest_of_json, json_in
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.sessions import (
    AccountConnection,
    Ask,
    AskStore,
    AuditedAction,
    AuditEntry,
    AuditLog,
    AuditOutcome,
    DisclosureStore,
    SessionStore,
    audited_refusal,
)
from agent_core.tools import (
    BY_RIGHTS,
    MAX_NAME_CHARS,
    OpenedCall,
    SurfaceTools,
    ToolContext,
    ToolOutput,
    batch_results,
    server_of,
)

CONNECTION_PATIENCE = timedelta(hours=24)

_JOINT = "others had a word in this thread, so whose account or right it is decides on each use"
_NOBODY_TO_CONNECT = (
    "{apps} is not connected for the person who asked, and nobody can be asked from here. Report "
    "that it has to be connected as your result."
)


@dataclass(kw_only=True)
class ConsentGate:
    """The gate of all runs. Judging the same call again comes to the same, until it is decided."""

    policy: Policy
    store: SessionStore
    asks: AskStore
    disclosures: DisclosureStore
    audit: AuditLog
    accounts: Accounts | None
    """None without Composio."""
    places: LinkPlaces
    links: FreshLinks
    clock: Callable[[], datetime]
    surface: SurfaceTools

    def __post_init__(self) -> None:
        self._approvals = Approvals(asks=self.asks, clock=self.clock)
        self._egress = EgressGuard(store=self.store, disclosures=self.disclosures)

    async def edited(self, call: ToolCall, context: ToolContext) -> ToolCall:
        """The call with the arguments that a person edited while it waited, if anybody did."""
        newest = await self.asks.of_call(context.turn, context.run, call.id, "approval")
        if newest is None or not newest.is_edited:
            return call
        return replace(call, arguments=newest.approval.arguments)

    async def before(
        self, call: OpenedCall, spec: ToolSpec | None, context: ToolContext
    ) -> ToolOutput | Ask | None:
        """None lets the call be made; an output is its result; an Ask is for a person first."""
        try:
            named = await self.surface.named(call, context)
            return await self._judge(named, spec, context)
        except (SurfaceRefused, ToolServerError) as error:
            return refusal(str(error))

    async def _judge(
        self, call: OpenedCall, spec: ToolSpec | None, context: ToolContext
    ) -> ToolOutput | Ask | None:
        """`before`, without the refusals of others.

        Raises:
            ToolServerError: Composio cannot be asked.
        """
        is_tainted = await self.store.tainted_by(context.session) is not None
        judgement = self.policy.judge(call, is_tainted=is_tainted)
        judgement = _restricted(judgement, call, context)
        if judgement.verdict == "refuse":
            refused = audited_refusal(
                self.clock(),
                context.asker,
                session=context.session,
                tool=call.name,
                why=judgement.reason,
            )
            await self.audit.audit(refused)
            return refusal(f"Not done: {judgement.reason}.")
        judgement = await self._egress.check_addresses(judgement, call, context)
        plan = await plan_of(self.accounts, judgement, call, spec, context)
        if plan.missing:
            return await self._connect(call, context, plan.missing, output=None)
        checked = await self._egress.check_words(judgement, call, spec, plan, context)
        uses_rights = call.name in BY_RIGHTS or any(action.account for action in plan.actions)
        is_joint = False
        if uses_rights or checked.verdict == "ask":
            is_joint = not await self.store.authors(context.session) <= {context.asker}
        if checked.verdict == "allow" and is_joint:
            checked = checked.asking(_JOINT)
        if checked is not judgement:
            judgement = checked
            plan = await plan_of(self.accounts, judgement, call, spec, context)
        approval: Ask | None = None
        if judgement.verdict == "ask":
            if spec is None:
                return refusal(f"There is no tool {call.name[:MAX_NAME_CHARS]}.")
            asked = await self._approvals.approval_for(
                call,
                context,
                judgement,
                plan,
                is_tainted=is_tainted,
                is_joint=is_joint,
            )
            if isinstance(asked, ToolOutput) or asked.state == "open":
                return asked
            approval = asked
        if judgement.has_effect:
            await self._audit_begin(call, context, judgement, plan, approval)
        return None

    async def after(
        self, call: OpenedCall, output: ToolOutput, context: ToolContext
    ) -> ToolOutput | Ask:
        """The result without links to connect accounts; text from outside taints the session."""
        judgement = self.policy.judge(call, is_tainted=True)
        if judgement.has_effect:
            await self.audit.end(
                context.turn,
                context.run,
                call.call.id,
                outcome_of(judgement, output),
                self.clock(),
            )
        else:  # a call without effect may be made again
            output = replace(output, may_have_happened=False)
        output, links = await self._without_links(call, output, context)
        if brings_outside_text(call, output):
            await self.store.taint(context.session, call.name)
        apps = tuple(app for app in links if app)
        if not apps:
            return output
        self.links.update({(context.asker, app): url for app, url in links.items()})
        return await self._connect(call, context, apps, output=output.text)

    def spoken(self, progress: str) -> str:
        """A call's progress without links to connect accounts."""
        return self.places.strip(progress, is_connecting=False).text

    async def _without_links(
        self, call: OpenedCall, output: ToolOutput, context: ToolContext
    ) -> tuple[ToolOutput, Mapping[str, str]]:
        """The output, and the file that holds the whole of it, without links; and the links."""
        connecting = is_connecting(call)
        stripped = self.places.strip(output.text, is_connecting=connecting)
        had_links = stripped.had_links
        links = stripped.links
        if output.saved_path:
            path = context.workspace / output.saved_path
            saved = await asyncio.to_thread(self.places.strip_file, path, is_connecting=connecting)
            had_links = had_links or saved.had_links
            links = {**saved.links, **links}
        if not had_links:
            return output, {}
        return replace(output, text=stripped.text), await self._by_app(call, links, context)

    async def _by_app(
        self, call: OpenedCall, links: Mapping[str, str], context: ToolContext
    ) -> Mapping[str, str]:
        """The links by the apps that the call wants connected, however its result names them."""
        wanted = apps_to_connect(call)
        by_wanted = {app: url for app, url in links.items() if app in wanted}
        if by_wanted or not wanted:
            return by_wanted or links
        missing: dict[str, str] = {}
        for app in wanted:
            if not self.accounts or not await are_connected(self.accounts, context.asker, (app,)):
                missing[app] = ""
        return missing

    async def _connect(
        self,
        call: OpenedCall,
        context: ToolContext,
        apps: Sequence[str],
        *,
        output: str | None,
    ) -> ToolOutput | Ask:
        """Ask for accounts of apps; `output` is that of the call, where it was made already.

        A released connection of the same apps is this call's from now on.
        """
        if not context.may_wait:
            text = _NOBODY_TO_CONNECT.format(apps=", ".join(apps))
            return refusal(f"{output}\n\n{text}" if output else text)
        connection = AccountConnection(toolkits=tuple(apps), output=output)
        call_id = call.call.id
        earlier = await self.asks.of_call(context.turn, context.run, call_id, "connection")
        if earlier is not None:
            return earlier
        for ask in await released_of(self.asks, "connection", context, self.clock()):
            is_same = (ask.asker, ask.connection.toolkits) == (context.asker, connection.toolkits)
            if is_same and await self.asks.adopt(ask.id, call_id):
                await self.asks.amend(ask.id, replace(connection, link=ask.connection.link))
                return replace(ask, call_id=call_id)
        deadline = self.clock() + CONNECTION_PATIENCE
        return await self.asks.add(ask_of(call_id, context, connection, deadline))

    async def _audit_begin(
        self,
        call: OpenedCall,
        context: ToolContext,
        judgement: Judgement,
        plan: CallPlan,
        approval: Ask | None,
    ) -> None:
        """Record that the call has its effect from now on."""
        actions = tuple(
            AuditedAction(
                slug=judged.action.tool,
                account=planned.account,
                arguments_digest=digest_of_json(judged.action.arguments),
            )
            for judged, planned in zip(judgement.actions, plan.actions, strict=True)
        )
        entry = AuditEntry(
            at=self.clock(),
            session=context.session,
            turn=context.turn,
            run=context.run,
            call=call.call.id,
            asker=context.asker,
            tool=call.name,
            actions=actions,
            digest=plan.digest if call.is_composio or approval else "",
            ask=approval.id if approval else None,
            approved_by=approval.decided_by if approval else None,
        )
        await self.audit.begin(entry)


def _restricted(judgement: Judgement, call: OpenedCall, context: ToolContext) -> Judgement:
    """A judgement under the settings of the place, which are only stricter than the policy."""
    server = server_of(call.name)
    rule = context.settings.values.approvals
    for action in call.actions:
        if not context.settings.lets(server, action.tool):
            return replace(judgement, verdict="refuse", reason=f"{action.tool} is off here")
    if rule == "policy" or not judgement.has_effect or judgement.verdict == "refuse":
        return judgement
    restricted = judgement.asking("whatever has an effect is restricted here")
    return replace(restricted, verdict=rule)


def outcome_of(judgement: Judgement, output: ToolOutput) -> AuditOutcome:
    """`done` if anything that has an effect was done, though the rest of its batch failed.

    Composio reports failures in results that are no errors: for the whole, or for one entry.
    """
    if output.may_have_happened:
        return "unknown"
    fields = as_object(json_in(output.text))
    entries = batch_results(fields) or []
    if len(entries) != len(judgement.actions):
        has_failed = output.is_error or fields.get("successful") is False
        return "failed" if has_failed else "done"
    for judged, entry in zip(judgement.actions, entries, strict=True):
        if judged.has_effect and not _has_failed(entry):
            return "done"
    return "failed"


def _has_failed(entry: object) -> bool:
    """One that says nothing of itself may have been done."""
    fields = as_object(entry)
    inner = as_object(fields.get("response"))
    return bool(fields.get("error")) or False in (fields.get("successful"), inner.get("successful"))
