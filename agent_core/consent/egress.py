"""How much a session may tell by which pages it reads, and in which order, after outside text.

A text from outside can have a model read its addresses in an order that spells what it knows. An
address that is one of n tells its owner log2(n) bits, so each costs that much of what may be told:

- a page that a person's own message names, nothing, the first time;
- one at a site that a person or a search named, of the site's bits, anew for each message;
- one at a site that only pages, mails or files named, of the few bits of all such sites together.

A tool server learns by each word and number that it is asked with, of its bits for each message.

What costs more asks a person. A search may be dictated too, so what searches found is not free: its
cost is out of proportion to what one site learns, but all sites together are bounded.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address

from tld import get_fld  # pyright: ignore[reportUnknownVariableType] (**kwargs)

from agent_core.consent.addresses import Key, key_of
from agent_core.consent.leaf_values import texts_in, values_in
from agent_core.consent.policy import JudgedAction
from agent_core.consent.provenance import AddressProvenance, SessionMessage
from agent_core.consent.rules import MCP
from agent_core.ids import RunId, ToolCallId, TurnId
from agent_core.messages import JsonObject, ToolCall, ToolResult
from agent_core.models.strict_json import as_object
from agent_core.tools import prefix_of

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
_ID = re.compile(r"[\w:+=-]+", re.ASCII)
"""In one piece, and no name of a host: a server names things so, and a page nobody."""
_STRANGE, _ALL = "", "*"
"""Stand for all strange sites, and for all others, where sites have their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """A page that is to be read, or what a server is asked for, and what that would tell."""

    address: Key
    is_free: bool
    bits: JsonObject
    """What it tells the owner of its site or server, and one of all the sites."""


def disclosures_of(addresses: Sequence[str], seen: AddressProvenance) -> tuple[Disclosure, ...]:
    """The readings of addresses that were all seen."""
    literal = seen.by_people | seen.by_searches
    named = {site_of(key) for key in literal}

    def kind(key: Key) -> tuple[str, bool]:
        site = site_of(key)
        return site if site in named else _STRANGE, key in literal

    choices = Counter(map(kind, literal | seen.by_others))
    readings: list[Disclosure] = []
    for key in filter(None, map(key_of, addresses)):
        own, of_all = math.log2(1 + _SPELLINGS * choices[kind(key)]), math.log2(1 + len(named))
        site, _ = kind(key)
        bits = {site: own} if site == _STRANGE else {site: own, _ALL: own + of_all}
        readings.append(Disclosure(address=key, is_free=key in seen.by_people, bits=bits))
    return tuple(readings)


def charged(
    readings: Sequence[Disclosure], earlier: Sequence[tuple[TurnId, JsonObject]], turn: TurnId
) -> JsonObject | None:
    """What readings cost after a session's earlier ones; None where that is more than may be told.

    `earlier` holds what this came to for each of them, with its turn.
    """
    known: set[Key] = {(host, path) for _, body in earlier for host, path in body["addresses"]}
    told = defaultdict[str, float](float)
    for at, body in earlier:
        for site, bits in body["bits"].items():
            told[site] += bits if at == turn or site == _STRANGE else 0.0
    now = defaultdict[str, float](float)
    for each in readings:
        if each.is_free and each.address not in known:
            known.add(each.address)
            continue
        for site, bits in each.bits.items():
            now[site] += bits
    limits = {_STRANGE: STRANGE_BITS, _ALL: NAMED_BITS}
    for site, bits in now.items():
        usual = SERVER_BITS if site.startswith(MCP) else SITE_BITS
        if told[site] + bits > limits.get(site, usual):
            return None
    return {"addresses": [each.address for each in readings], "bits": dict(now)}


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
    names = {path[-1] for path, _ in values_in(schema) if path[-2:-1] == ("properties",)}
    words = {*texts_in(schema), *_named_by(prefix, messages)}
    choices: list[float] = []
    for each in actions:
        known = (each.unseen_forbidden, words)
        for _, value in values_in(each.action.arguments):
            choices += (_choices(name, names, *known) for name in as_object(value))
            choices.append(_choices(value, *known))
    bits = sum(math.log2(1 + each) for each in choices)
    return Disclosure(address=(prefix, ""), is_free=False, bits={prefix: bits})


def _choices(value: object, *known: Collection[str]) -> float:
    """Among how many of its kind it is; of texts, in the first of the known sets that has it."""
    text = str(value)
    if isinstance(value, list | dict):
        return 3
    if isinstance(value, bool | None):
        return 2
    if isinstance(value, int | float) and len(text) <= _MAX_DIGITS:
        return 10 ** len(text)
    return next((len(each) for each in known if text in each), math.inf if text else 0)


def _named_by(prefix: str, messages: Sequence[SessionMessage]) -> set[str]:
    """All that a server has said in one piece, but for what it was told in that call."""
    named, calls = set[str](), dict[tuple[TurnId, RunId, ToolCallId], ToolCall]()
    for turn, run, message in messages:
        calls.update({(turn, run, call.id): call for call in message.tool_calls})
        for part in message.parts:
            call = calls.get((turn, run, part.call_id)) if isinstance(part, ToolResult) else None
            if isinstance(part, ToolResult) and call and prefix_of(call.name) == prefix:
                named |= set(_ID.findall(part.text)) - set(texts_in(call.arguments))
    return named


@lru_cache(maxsize=4_096)
def site_of(key: Key) -> str:
    """The name that somebody registered, such as `example.co.uk`, or the IP address.

    People who have names below one host, as at github.io, do not share a site.
    """
    host = key[0].partition(":")[0]
    try:
        return str(ip_address(host))
    except ValueError:
        registered = get_fld(f"https://{host}", fail_silently=True)
    return registered or ".".join(host.split(".")[-2:])
