"""How much a session may tell by which pages it reads, and in which order, after outside text.

A text from outside can have a model read its addresses in an order that spells what it knows. An
address that is one of n tells its owner log2(n) bits, so each costs that much of what may be told:

- a page that a person's own message names, nothing, the first time;
- one at a site that a person or a search named, of the site's bits, anew for each message;
- one at a site that only pages, mails or files named, of the few bits of all such sites together.

What costs more asks a person. A search may be dictated too, so what searches found is not free: its
cost is out of proportion to what one site learns, but all sites together are bounded.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address

from tld import get_fld  # pyright: ignore[reportUnknownVariableType] (**kwargs)

from agent_core.consent.addresses import Key, key_of
from agent_core.consent.leaves import leaves_of, texts_in
from agent_core.consent.seen import Said, Seen
from agent_core.ids import RunId, ToolCallId, TurnId
from agent_core.messages import JsonObject, ToolCall, ToolResult
from agent_core.tools.actions import prefix_of

SITE_BITS = 64.0
"""What one site that a person or a search named may learn in a turn."""
NAMED_BITS = 512.0
"""What all of these may learn together in a turn, if they have one owner."""
STRANGE_BITS = 16.0
"""What all other sites may learn together in a session."""
_SPELLINGS = 4
"""Of an address that count as the same and that a server can tell apart: http, a slash behind."""
_MAX_DIGITS = 4
_ID = re.compile(r"[\w:+=-]+", re.ASCII)
"""In one piece, and no name of a host: a server names things so, and a page nobody."""
_STRANGE, _ALL = "", "*"
"""Stand for all strange sites, and for all others, where sites have their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A page that is to be read, and what that would tell."""

    address: Key
    is_free: bool
    bits: JsonObject
    """What it tells the owner of its site, and one of all the sites."""


def readings_of(addresses: Sequence[str], seen: Seen) -> tuple[Reading, ...]:
    """The readings of addresses that were all seen."""
    literal = seen.by_people | seen.by_searches
    named = {site_of(key) for key in literal}

    def kind(key: Key) -> tuple[str, bool]:
        site = site_of(key)
        return site if site in named else _STRANGE, key in literal

    choices = Counter(map(kind, literal | seen.by_others))
    readings: list[Reading] = []
    for key in filter(None, map(key_of, addresses)):
        own, of_all = math.log2(1 + _SPELLINGS * choices[kind(key)]), math.log2(1 + len(named))
        site, _ = kind(key)
        bits = {site: own} if site == _STRANGE else {site: own, _ALL: own + of_all}
        readings.append(Reading(address=key, is_free=key in seen.by_people, bits=bits))
    return tuple(readings)


def charged(
    readings: Sequence[Reading], earlier: Sequence[tuple[TurnId, JsonObject]], turn: TurnId
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
    if any(told[site] + bits > limits.get(site, SITE_BITS) for site, bits in now.items()):
        return None
    return {"addresses": [each.address for each in readings], "bits": dict(now)}


def words_in(arguments: JsonObject, addresses: Sequence[str]) -> tuple[str, ...]:
    """What in arguments can carry something: names, texts and long numbers, but no address."""
    leaves = [leaf.value for leaf in leaves_of(arguments)]
    numbers = [str(value) for value in leaves if type(value) in (int, float)]
    long = [number for number in numbers if len(number) > _MAX_DIGITS]
    texts = [*texts_in(arguments), *long]
    return tuple(dict.fromkeys(text for text in texts if text.strip() not in ("", *addresses)))


def unknown_words(
    words: Sequence[str], prefix: str, schema: JsonObject, messages: Sequence[Said]
) -> tuple[str, ...]:
    """Those that the tool's schema does not have and its server has not named, as ids, before."""
    known, calls = set(texts_in(schema)), dict[tuple[TurnId, RunId, ToolCallId], ToolCall]()
    for turn, run, message in messages:
        calls.update({(turn, run, call.id): call for call in message.tool_calls})
        for part in message.parts:
            call = calls.get((turn, run, part.call_id)) if isinstance(part, ToolResult) else None
            if isinstance(part, ToolResult) and call and prefix_of(call.name) == prefix:
                known |= set(_ID.findall(part.text)) - set(texts_in(call.arguments))
    return tuple(word for word in words if word not in known)


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
