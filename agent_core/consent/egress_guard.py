"""The guard of what leaves: calls of a tainted session that would tell the outside too much.

It asks a person where a call names an address that nobody else has named, or where the call would
exceed the session's egress budget; see `egress.py` for the budget.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from agent_core.consent.call_plan import CallPlan
from agent_core.consent.egress import (
    Disclosure,
    charged,
    disclosures_of,
    words_disclosed,
)
from agent_core.consent.leaf_values import names_in
from agent_core.consent.policy import Judgement
from agent_core.consent.provenance import AddressProvenance
from agent_core.json_values import digest_of_json
from agent_core.messages import JsonObject
from agent_core.models import ToolSpec
from agent_core.sessions import DisclosureStore, SessionStore
from agent_core.tools import OpenedCall, ToolContext

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
_ADDRESSES_CHARS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressGuard:
    """Turns the judgement of a call into "ask" where the call would carry something out."""

    store: SessionStore
    disclosures: DisclosureStore

    async def check_addresses(
        self, judgement: Judgement, call: OpenedCall, context: ToolContext
    ) -> Judgement:
        """Ask for an address that a model made up, or a choice of addresses that tells too much."""
        addresses = judgement.addresses
        if judgement.verdict != "allow" or not addresses:
            return judgement
        messages = await self.store.session_messages(context.session)
        words = await self.store.words_of(context.session)
        known = await asyncio.to_thread(AddressProvenance, messages, context.workspace, words)
        unknown = [address for address in addresses if not known.has(address)]
        if unknown:
            return judgement.asking(_UNKNOWN_ADDRESS.format(addresses=_listed(unknown)))
        readings = await asyncio.to_thread(disclosures_of, addresses, known)
        if await self._is_admitted("reading", readings, call, context):
            return judgement
        return judgement.asking(_TELLING_ORDER.format(addresses=_listed(addresses)))

    async def check_words(
        self,
        judgement: Judgement,
        call: OpenedCall,
        spec: ToolSpec | None,
        plan: CallPlan,
        context: ToolContext,
    ) -> Judgement:
        """Ask for words that a foreign server does not know, or for too many that it knows.

        An app of the plan gets its words for an account of the asker's own.
        """
        foreign = [
            action
            for action, planned in zip(judgement.actions, plan.actions, strict=True)
            if action.unknown_forbidden and not planned.toolkit
        ]
        if judgement.verdict != "allow" or not foreign:
            return judgement
        schema: JsonObject = spec.input_schema if spec else {}
        if call.is_batch:  # the service knows the names, and refuses others
            names = (name for each in foreign for name in names_in(each.action.arguments))
            schema = {"properties": dict.fromkeys(names)}
        messages = await self.store.session_messages(context.session)
        words = await asyncio.to_thread(words_disclosed, foreign, call.prefix, schema, messages)
        if await self._is_admitted("words", [words], call, context):
            return judgement
        return judgement.asking(_CARRIES_WORDS)

    async def _is_admitted(
        self,
        kind: str,
        disclosed: Sequence[Disclosure],
        call: OpenedCall,
        context: ToolContext,
    ) -> bool:
        """Whether the egress budget covers the disclosures; the same call is charged once."""
        return await self.disclosures.admit(
            digest_of_json([context.turn, context.run, call.call.id, kind]),
            context.session,
            context.turn,
            partial(charged, disclosed, turn=context.turn),
        )


def _listed(addresses: Sequence[str]) -> str:
    return ", ".join(addresses)[:_ADDRESSES_CHARS]
