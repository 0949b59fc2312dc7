"""The egress budget: how much a session may tell by what it reads, after text from outside.

A text from outside can have a model read its addresses in an order that spells what it knows. An
address that is one of n tells its owner log2(n) bits, so each costs that much of a budget:

- a page that a person's own message names is free, the first time;
- a page of a site that a person or a search named costs bits of that site, anew for each message;
- pages of sites named only by pages, mails and files share one small budget a session.

A tool server learns by each word and number that it is asked with, from its budget for each
message. What costs more asks a person, as does an address that nobody has named. A search may be
dictated too, so what searches found is not free: its cost is out of proportion to what one site
learns, but all sites together are bounded.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from ipaddress import ip_address

from tld import get_fld  # pyright: ignore[reportUnknownVariableType] (**kwargs)

from agent_core.consent.approvals import CallPlan
from agent_core.consent.policy import MCP, JudgedAction, Judgement
from agent_core.consent.provenance import (
    AddressKey,
    AddressProvenance,
    key_of,
)
from agent_core.consent.results import SessionMessage, results_of
from agent_core.ids import TurnId
from agent_core.json_values import as_object, digest_of_json, names_in, texts_in, values_in
from agent_core.messages import JsonObject
from agent_core.models import ToolSpec
from agent_core.sessions import DisclosureStore, SessionStore, TurnPrice
from agent_core.tools import OpenedCall, ToolContext, prefix_of

SITE_BITS = 64.0
"""What one site that a person or a search named may learn in a turn."""
NAMED_BITS = 512.0
"""What all of these may learn together in a turn, if they have one owner."""
STRANGE_BITS = 16.0
"""What all other sites may learn together in a session."""
SERVER_BITS = 128.0
"""What one tool server may learn in a turn by what it is asked for, in words that it knows."""
_SPELLINGS = 4
"""Of an address that count as the same and that a server can tell apart: http, a slash behind."""
_MAX_DIGITS = 4
_CACHED_SITES = 4_096
_ID = re.compile(r"[\w:+=-]+", re.ASCII)
"""In one piece, and no name of a host: a server names things so, and a page nobody."""
_STRANGE = ""
"""Stands for all strange sites, where sites have their names."""
_ALL = "*"
"""Stands for all other sites."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """A page that is to be read, or what a server is asked for, and what that would tell."""

    address: AddressKey
    is_free: bool
    bits: JsonObject
    """What it tells the owner of its site or server, and one of all the sites."""


def disclosures_of(addresses: Sequence[str], known: AddressProvenance) -> tuple[Disclosure, ...]:
    """What reading addresses would tell that were all seen."""
    literal = known.by_people | known.by_searches
    named_sites = {site_of(key) for key in literal}

    def kind_of(key: AddressKey) -> tuple[str, bool]:
        """The site that pays, and whether somebody named the very address."""
        site = site_of(key)
        if site not in named_sites:
            site = _STRANGE
        return site, key in literal

    choices = Counter(map(kind_of, literal | known.by_others))
    disclosures: list[Disclosure] = []
    for key in filter(None, map(key_of, addresses)):
        kind = kind_of(key)
        site, _ = kind
        own_bits = math.log2(1 + _SPELLINGS * choices[kind])
        bits = {site: own_bits}
        if site != _STRANGE:
            bits[_ALL] = own_bits + math.log2(1 + len(named_sites))
        disclosure = Disclosure(
            address=key,
            is_free=key in known.by_people,
            bits=bits,
        )
        disclosures.append(disclosure)
    return tuple(disclosures)


def charged(
    disclosures: Sequence[Disclosure],
    earlier: Sequence[TurnPrice],
    turn: TurnId,
) -> JsonObject | None:
    """The price of disclosures after a session's earlier ones; None where it is over the budget.

    `earlier` holds the prices of these, each with its turn.
    """
    known: set[AddressKey] = set()
    for _, earlier_price in earlier:
        known.update((host, path) for host, path in earlier_price["addresses"])
    price = Counter[str]()
    for each in disclosures:
        if each.is_free and each.address not in known:
            known.add(each.address)
        else:
            price.update(each.bits)
    # What strange sites were told counts in the whole session, what others were in this turn.
    spent = Counter[str]()
    for at, earlier_price in earlier:
        bits = earlier_price["bits"]
        if at != turn:
            bits = {_STRANGE: bits.get(_STRANGE, 0)}
        spent.update(bits)
    for site, bits in price.items():
        if spent[site] + bits > _budget_of(site):
            return None
    addresses = [each.address for each in disclosures]
    return {"addresses": addresses, "bits": dict(price)}


def _budget_of(site: str) -> float:
    if site == _STRANGE:
        return STRANGE_BITS
    if site == _ALL:
        return NAMED_BITS
    return SERVER_BITS if site.startswith(MCP) else SITE_BITS


def words_disclosed(
    actions: Sequence[JudgedAction],
    prefix: str,
    schema: JsonObject,
    messages: Sequence[SessionMessage],
) -> Disclosure:
    """What the arguments of actions tell the server that gets them.

    Each name and value is one of those that the tool's schema has or the server has named, as ids,
    before; any other is too much, but for short numbers. Lists and objects tell by where they are.
    """
    names: set[str] = set()
    for path, _ in values_in(schema):
        if path[-2:-1] == ("properties",):
            names.add(path[-1])
    words = {*texts_in(schema), *_named_by(prefix, messages)}
    bits = 0.0
    for judged in actions:
        known = (judged.unseen_forbidden, words)
        for _, value in values_in(judged.action.arguments):
            bits += math.log2(1 + _choices(value, known))
            for name in as_object(value):
                bits += math.log2(1 + _choices(name, (names, *known)))
    return Disclosure(address=(prefix, ""), is_free=False, bits={prefix: bits})


def _choices(value: object, known: Sequence[Collection[str]]) -> float:
    """Among how many of its kind it is; of texts, in the first of the known sets that has it."""
    text = str(value)
    if isinstance(value, list | dict):
        return 3
    if isinstance(value, bool | None):
        return 2
    if isinstance(value, int | float) and len(text) <= _MAX_DIGITS:
        return 10 ** len(text)
    for texts in known:
        if text in texts:
            return len(texts)
    return math.inf if text else 0


def _named_by(prefix: str, messages: Sequence[SessionMessage]) -> set[str]:
    """All that a server has said in one piece, but for what it was told in that call."""
    known: set[str] = set()
    for call, result in results_of(messages):
        if prefix_of(call.name) == prefix:
            ids = set(_ID.findall(result.text))
            known |= ids.difference(texts_in(call.arguments))
    return known


@lru_cache(maxsize=_CACHED_SITES)
def site_of(key: AddressKey) -> str:
    """The name that somebody registered, such as `example.co.uk`, or the IP address.

    People who have names below one host, as at github.io, do not share a site.
    """
    host, _, _ = key[0].partition(":")
    try:
        return str(ip_address(host))
    except ValueError:
        registered = get_fld(f"https://{host}", fail_silently=True)
    if registered:
        return registered
    labels = host.split(".")
    return ".".join(labels[-2:])


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
