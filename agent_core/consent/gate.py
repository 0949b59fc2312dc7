"""What stands before and behind each tool call: policy, accounts, approval, taint, audit."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from agent_core.composio import Accounts, are_connected
from agent_core.consent.call_plan import CallPlan, plan_of, used_accounts
from agent_core.consent.connect_links import FreshLinks, LinkPlaces, apps_to_connect, is_connecting
from agent_core.consent.egress import Disclosure, charged, disclosures_of, words_told
from agent_core.consent.leaf_values import json_in, names_in
from agent_core.consent.policy import Judgement, Policy
from agent_core.consent.provenance import AddressProvenance
from agent_core.consent.taint import brings_outside_text
from agent_core.errors import SurfaceRefused, ToolServerError
from agent_core.ids import ConsentId, RunId, ToolCallId, TurnId
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.models.strict_json import as_object
from agent_core.sessions import ApprovalWait, ConnectionWait, SessionStore, Wait
from agent_core.sessions.audit import AuditedAction, AuditEntry, AuditLog, AuditOutcome
from agent_core.sessions.consents import Consent, ConsentKind, ConsentStore
from agent_core.tools import (
    OpenedCall,
    SurfaceTools,
    ToolContext,
    ToolOutput,
    batch_results,
    digest_of_json,
)

logger = logging.getLogger(__name__)

APPROVAL_PATIENCE = timedelta(minutes=15)
CONNECTION_PATIENCE = timedelta(hours=24)

_NOBODY_TO_ASK = (
    "Not done: this call needs a person's approval, and nobody can be asked from here ({reason}). "
    "Report what should be done, with all details, as your result."
)
_NOBODY_TO_CONNECT = (
    "{apps} is not connected for the person who asked, and nobody can be asked from here. Report "
    "that it has to be connected as your result."
)
_UNKNOWN_ADDRESS = (
    "neither people nor tools have named {addresses} in this conversation. Read pages that a "
    "search found, or have the person write the address"
)
_CARRIES_WORDS = (
    "after text from outside was read, a server gets no words that it does not know, and not many "
    "that it does. Use the web search, an app of the person's own, or an id that it has named"
)
_TELLING_ORDER = (
    "of what pages alone have named, and of one site, only so much is read, since which pages are "
    "read tells their owner something; {addresses} would be too much. Go on with what you have, "
    "read pages that a search found or that the person named, or have the person write the address"
)
_VOID = (
    "Not done: what was approved is not what would be done now, as the account or the tool has "
    "changed since. Make the call again, and it is asked for again."
)
_NAME_CHARS = 128
_NAMED_CHARS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentGate:
    """The gate of all runs. Judging the same call again comes to the same, until it is decided."""

    policy: Policy
    store: SessionStore
    consents: ConsentStore
    audit: AuditLog
    accounts: Accounts | None
    """None without Composio."""
    places: LinkPlaces
    links: FreshLinks
    clock: Callable[[], datetime]
    surface: SurfaceTools | None = None

    async def edited(self, call: ToolCall, context: ToolContext) -> ToolCall:
        newest = await newest_consent(self.consents, context.turn, context.run, call.id)
        arguments = newest.body.get("arguments") if newest else None
        return replace(call, arguments=as_object(arguments)) if arguments else call

    async def before(
        self, call: OpenedCall, spec: ToolSpec | None, context: ToolContext
    ) -> ToolOutput | Wait | None:
        """None lets the call be made; an output is its result; a wait is for a person first."""
        try:
            call = await self.surface.named(call, context) if self.surface else call
        except SurfaceRefused as refused:
            return _refused(str(refused))
        is_tainted = await self.store.tainted_by(context.session) is not None
        judged = self.policy.judge(call, is_tainted=is_tainted)
        if judged.verdict == "refuse":
            return _refused(f"Not done: {judged.reason}.")
        judged = await self._mind_addresses(judged, call, is_tainted, context)
        try:
            plan = await plan_of(self.accounts, judged, call, spec, context)
        except ToolServerError as error:
            return _refused(str(error))
        if plan.missing:
            return await self._connect(call, context, plan.missing, said=None)
        minded = await self._mind_words(judged, call, spec, context, plan)
        if minded is not judged:
            judged, plan = minded, await plan_of(self.accounts, minded, call, spec, context)
        held, consent = None, None
        if judged.verdict == "ask":
            approval = self._approval(
                call, context, judged, plan, is_tainted, is_offered=bool(spec)
            )
            held, consent = await approval
        if held is None:
            await self._begin(call, context, judged, plan, consent)
        return held

    async def after(
        self, call: OpenedCall, output: ToolOutput, context: ToolContext
    ) -> ToolOutput | Wait:
        """The result without links to connect accounts, and noted where it came from outside."""
        judged = self.policy.judge(call, is_tainted=True)
        if judged.has_effect:
            await self.audit.end(self._entry(call, context), outcome_of(judged, output))
        else:  # whether it has happened is nobody's worry
            output = replace(output, may_have_happened=False)
        output, links = await self._without_links(call, output, context)
        if brings_outside_text(call, output):
            await self.store.taint(context.session, call.name)
        output = await self._naming_accounts(judged, call, output, context)
        apps = tuple(app for app in links if app)
        if not apps:
            return output
        self.links.update({(context.asker, app): url for app, url in links.items()})
        return await self._connect(call, context, apps, said=output.text)

    async def _without_links(
        self, call: OpenedCall, output: ToolOutput, context: ToolContext
    ) -> tuple[ToolOutput, Mapping[str, str]]:
        """The output, and the file that holds the whole of it, without links; and the links."""
        connecting, places = is_connecting(call), self.places
        stripped = places.strip(output.text, is_connecting=connecting)
        had_links, links = stripped.had_links, stripped.links
        if stripped.had_links:
            output = replace(output, text=stripped.text)
        if output.saved_path:
            path = context.workspace / output.saved_path
            saved = await asyncio.to_thread(places.strip_file, path, is_connecting=connecting)
            had_links, links = had_links or saved.had_links, {**saved.links, **links}
        return output, await self._by_app(call, links, context) if had_links else {}

    async def _by_app(
        self, call: OpenedCall, links: Mapping[str, str], context: ToolContext
    ) -> Mapping[str, str]:
        """The links by the apps that the call wants connected, however its result names them."""
        wanted = apps_to_connect(call)
        if not wanted:
            return links
        named = {app: url for app, url in links.items() if app in wanted}
        if named:
            return named
        asker, accounts = context.asker, self.accounts
        is_known = [accounts and await are_connected(accounts, asker, (app,)) for app in wanted]
        return {app: "" for app, known in zip(wanted, is_known, strict=True) if not known}

    def spoken(self, progress: str) -> str:
        """A call's progress without links to connect accounts."""
        return self.places.strip(progress, is_connecting=False).text

    async def _naming_accounts(
        self, judged: Judgement, call: OpenedCall, output: ToolOutput, context: ToolContext
    ) -> ToolOutput:
        """The result with the accounts that were used, for the model and for people."""
        told = as_object(json_in(output.text))
        if not told:
            return output
        used = await used_accounts(self.accounts, judged, call, context)
        if not used:
            return output
        text = json.dumps({**told, "acted_as": used}, ensure_ascii=False)
        return replace(output, text=text, display=", ".join(dict.fromkeys(used.values())))

    async def _mind_addresses(
        self, judged: Judgement, call: OpenedCall, is_tainted: bool, context: ToolContext
    ) -> Judgement:
        """After text from outside, an address that a model made up could carry something out.

        So could a choice among many that were seen, or their order.
        """
        if not is_tainted or judged.verdict != "allow" or not judged.addresses:
            return judged
        messages = await self.store.session_messages(context.session)
        words = await self.store.words_of(context.session)
        seen = await asyncio.to_thread(AddressProvenance, messages, context.workspace, words)
        unknown = [address for address in judged.addresses if not seen.has(address)]
        if unknown:
            return judged.asking(_UNKNOWN_ADDRESS.format(addresses=_named(unknown)))
        readings = await asyncio.to_thread(disclosures_of, judged.addresses, seen)
        if await self._may_tell(readings, call, context, "reading"):
            return judged
        return judged.asking(_TELLING_ORDER.format(addresses=_named(judged.addresses)))

    async def _may_tell(
        self, readings: Sequence[Disclosure], call: OpenedCall, context: ToolContext, what: str
    ) -> bool:
        """Whether they tell little enough without a person; what they tell is noted then."""
        reading = self._consent(call, context, "reading", timedelta(), {})
        noted = replace(reading, id=_consent_id(call, context, what), status="used")
        charge = partial(charged, readings, turn=context.turn)
        return await self.consents.let_through(noted, charge)

    async def _mind_words(
        self,
        judged: Judgement,
        call: OpenedCall,
        spec: ToolSpec | None,
        context: ToolContext,
        plan: CallPlan,
    ) -> Judgement:
        """After text from outside, few words go to a server, and none that it does not know.

        An app of the plan gets them for an account of the asker's own.
        """
        pairs = zip(judged.actions, plan.shown, strict=True)
        foreign = [e for e, shown in pairs if e.unknown_forbidden and not shown.toolkit]
        if judged.verdict != "allow" or not foreign:
            return judged
        messages = await self.store.session_messages(context.session)
        schema = spec.input_schema if spec else {}
        if call.is_batch:  # the service knows the names, and refuses others
            names = (name for each in foreign for name in names_in(each.action.arguments))
            schema = {"properties": dict.fromkeys(names)}
        told = await asyncio.to_thread(words_told, foreign, call.prefix, schema, messages)
        is_little = await self._may_tell([told], call, context, "words")
        return judged if is_little else judged.asking(_CARRIES_WORDS)

    async def _connect(
        self, call: OpenedCall, context: ToolContext, apps: Sequence[str], *, said: str | None
    ) -> ToolOutput | Wait:
        if not context.may_wait:
            text = _NOBODY_TO_CONNECT.format(apps=", ".join(apps))
            return _refused("\n\n".join(filter(None, (said, text))))
        body: JsonObject = {"toolkits": list(apps)}
        wanted = self._consent(call, context, "connection", CONNECTION_PATIENCE, body)
        stored = await self.consents.ask(wanted)
        return ConnectionWait(
            call_id=call.call.id,
            asker=context.asker,
            consent=stored.id,
            toolkits=tuple(apps),
            said=said,
            deadline=stored.deadline,
        )

    def _consent(
        self,
        call: OpenedCall,
        context: ToolContext,
        kind: ConsentKind,
        patience: timedelta,
        body: JsonObject,
        digest: str = "",
    ) -> Consent:
        return Consent(
            id=_consent_id(call, context, kind),
            kind=kind,
            session=context.session,
            turn=context.turn,
            asker=context.asker,
            digest=digest,
            body=body,
            deadline=self.clock() + patience,
        )

    async def _approval(
        self,
        call: OpenedCall,
        context: ToolContext,
        judged: Judgement,
        plan: CallPlan,
        is_tainted: bool,
        *,
        is_offered: bool,
    ) -> tuple[ToolOutput | Wait | None, Consent | None]:
        """What keeps the call back, and the consent by which it may be made."""
        granted = (
            () if is_tainted else await self.consents.for_thread(context.session, context.asker)
        )
        for consent in granted:
            if plan.grant and set(plan.grant) <= set(consent.body.get("grant", ())):
                return None, consent
        known = await newest_consent(self.consents, context.turn, context.run, call.call.id)
        edited = known if known is not None and known.status == "edited" else None
        known = None if edited else known
        if known is not None and known.status in ("approved", "used"):
            return await self._use(known, plan), known
        refusal = ""
        if known is not None and known.status != "open":
            refusal = f"Not done: this was not approved ({judged.reason})."
        elif not is_offered:
            refusal = f"There is no tool {call.name[:_NAME_CHARS]}."
        elif not context.may_wait:
            refusal = _NOBODY_TO_ASK.format(reason=judged.reason)
        if refusal:
            return _refused(refusal), None
        may_allow_thread = not is_tainted and all(each.tool for each in plan.shown)
        body: JsonObject = {"grant": plan.grant, "may_allow_thread": may_allow_thread}
        wanted = self._consent(call, context, "approval", APPROVAL_PATIENCE, body, plan.digest)
        if edited:
            body["arguments"] = edited.body["arguments"]
            wanted = replace(wanted, id=_next_id(edited.id))
        stored = await self.consents.ask(wanted)
        if stored.digest != plan.digest:
            # Two calls of one id; what is shown must be what is approved.
            return _refused(_VOID), None
        wait = ApprovalWait(
            call_id=call.call.id,
            asker=context.asker,
            consent=stored.id,
            tool=call.name,
            actions=plan.shown,
            digest=stored.digest,
            is_tainted=is_tainted,
            may_allow_thread=may_allow_thread,
            deadline=stored.deadline,
        )
        return wait, None

    async def _use(self, consent: Consent, plan: CallPlan) -> ToolOutput | None:
        """Take an approval up: for exactly this call, once, in time."""
        if consent.digest != plan.digest:
            await self.consents.void(consent.id)
            return _refused(_VOID)
        if consent.status == "approved":
            if consent.is_over(self.clock()):
                await self.consents.void(consent.id)
                return _refused("Not done: the approval came too long ago. It can be asked again.")
            if not await self.consents.use(consent.id):
                return _refused("Not done: this approval has been used up.")
        return None  # `used`: begun before a restart; the effect itself is not repeated

    async def _begin(
        self,
        call: OpenedCall,
        context: ToolContext,
        judged: Judgement,
        plan: CallPlan,
        consent: Consent | None,
    ) -> None:
        """Note the call as one that has its effect from now on."""
        if not judged.has_effect:
            return
        actions = tuple(
            AuditedAction(
                slug=each.action.tool,
                account=shown.account,
                arguments_digest=digest_of_json(each.action.arguments),
            )
            for each, shown in zip(judged.actions, plan.shown, strict=True)
        )
        entry = replace(
            self._entry(call, context),
            actions=actions,
            digest=plan.digest if call.is_composio or consent else "",
            consent=consent.id if consent else None,
            approved_by=consent.decided_by if consent else None,
        )
        await self.audit.begin(entry)

    def _entry(self, call: OpenedCall, context: ToolContext) -> AuditEntry:
        return AuditEntry(
            at=self.clock(),
            session=context.session,
            turn=context.turn,
            run=context.run,
            call=call.call.id,
            asker=context.asker,
            tool=call.name,
            actions=(),
        )


def _consent_id(call: OpenedCall, context: ToolContext, kind: str) -> ConsentId:
    """The same for the same call, however often it is judged."""
    return _id_of(context.turn, context.run, call.call.id, kind)


def _id_of(turn: TurnId, run: RunId, call: ToolCallId, kind: str) -> ConsentId:
    named = json.dumps([turn, run, call, kind])
    return ConsentId(hashlib.sha256(named.encode()).hexdigest()[:20])


async def newest_consent(
    consents: ConsentStore, turn: TurnId, run: RunId, call: ToolCallId
) -> Consent | None:
    """The approval that is asked for a call, or the last of those that people have edited."""
    newest, id = None, _id_of(turn, run, call, "approval")
    while found := await consents.find(id):
        newest, id = found, _next_id(id)
    return newest


def _next_id(consent: ConsentId) -> ConsentId:
    """Of the approval that takes the place of an edited one."""
    return ConsentId(hashlib.sha256(consent.encode()).hexdigest()[:20])


def _named(addresses: Sequence[str]) -> str:
    return ", ".join(addresses)[:_NAMED_CHARS]


def _refused(text: str) -> ToolOutput:
    return ToolOutput(text=text, is_error=True)


def outcome_of(judged: Judgement, output: ToolOutput) -> AuditOutcome:
    """`done` if anything that has an effect was done, though the rest of its batch failed.

    Composio tells of failures inside of results that are none: for the whole, or for one entry.
    """
    if output.may_have_happened:
        return "unknown"
    told = as_object(json_in(output.text))
    entries = batch_results(told) or []
    if len(entries) != len(judged.actions):
        return "failed" if output.is_error or told.get("successful") is False else "done"
    pairs = zip(judged.actions, entries, strict=True)
    is_done = any(each.has_effect and not _has_failed(entry) for each, entry in pairs)
    return "done" if is_done else "failed"


def _has_failed(entry: object) -> bool:
    """One that says nothing of itself may have been done."""
    fields = as_object(entry)
    inner = as_object(fields.get("response"))
    return bool(fields.get("error")) or False in (fields.get("successful"), inner.get("successful"))
