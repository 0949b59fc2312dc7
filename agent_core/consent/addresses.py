"""Addresses in a call and in texts.

After text from outside was read, a page may be fetched only if its address was literally seen:
else the text could have the model write what it knows into an address.
"""

import html
import re
from collections.abc import Hashable, Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from threading import Lock
from typing import cast
from urllib.parse import urlsplit

from cachetools import LRUCache, cached

from agent_core.consent.leaf_values import json_in, leaves_of, names_in

MAX_ADDRESS_CHARS = 8_192

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NAMES = (
    "URL",
    "URLS",
    "URI",
    "URIS",
    "HREF",
    "LINK",
    "LINKS",
    "SITE",
    "SITES",
    "DOMAIN",
    "HOST",
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_WITH_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
_WITHOUT_SCHEME = re.compile(r"(//|([\w-]+\.)+([A-Za-z][\w-]+|(?<=\d\.)\d+)(:\d+)?[/?#])\S*")
_TOKEN = re.compile(r"[^\s<>\"`|\\\x00-\x1f\x7f]+")
_HOST = re.compile(r"((?<=//)[\w.-]+|(?<![\w.@%-])(?:[\w-]+\.)+[\w-]+)(?::\d*)?")
_BEHIND_HOST = tuple("/?#")
_TRAILING = ".,;:!?)]}>*_\\'\""
_BAD = re.compile(r"[\s\\\x00-\x1f\x7f<>\"]")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ESCAPED = (("\\/", "/"), ("\\u0026", "&"), ("\\u003d", "="), ("\\u003D", "="))
_MAX_TRAILING = 6
"""Signs of the prose behind an address, such as `**).`"""

_CACHED_TEXTS = 1_000
"""A session's texts are looked through again for each call."""
_CACHED_HOSTS = 4_096

AddressKey = tuple[str, str]
"""Host with port, and the rest."""
TOO_MANY: AddressKey = ("", "")
"""Among the keys of a text that has more than are looked for: any could stand in it."""


def addresses_in(arguments: object) -> tuple[str, ...]:
    """Every address in nested arguments, once each, in order.

    Under a name such as `urls` a text is one as a whole, whatever it looks like; elsewhere all that
    begins with a scheme is. A text that holds JSON there is looked into.
    """
    return tuple(dict.fromkeys(_addresses(arguments)))


def _digest_of(text: str, *, most: int, bare: bool = False) -> Hashable:
    digest = blake2b(text.encode("utf-8", "surrogatepass")).digest()
    return digest, bare, most


@cached(LRUCache(_CACHED_TEXTS), key=_digest_of, lock=Lock())
def keys_in(text: str, *, most: int, bare: bool = False) -> frozenset[AddressKey]:
    """Every address in a text, whole and letter by letter, in one scan.

    Overlooked is what makes no difference to who is asked for what: http for https, upper case in
    the host, the default port, a slash at the end, the fragment, and how a text escapes its signs.
    Signs behind an address may be its own or the prose's, so an address has several readings.

    Args:
        text: Anything.
        most: How many addresses are looked for in a piece without a blank; a piece with more
            of them is there to keep us busy. So the time is linear in the text.
        bare: Names of hosts alone count too: `news.example`, but also `notes.md`.
    """
    keys: set[AddressKey] = set()
    for escaped, sign in _ESCAPED:
        text = text.replace(escaped, sign)
    if "&" in text:
        text = html.unescape(text)
    for match in _TOKEN.finditer(text):
        token = match[0]
        hosts = _HOST.finditer(token)
        for host in islice(hosts, most):
            keys.update(_keys_at(host, token, bare=bare))
        if next(hosts, None):
            keys.add(TOO_MANY)
    return frozenset(keys)


def _keys_at(host: re.Match[str], token: str, *, bare: bool) -> Iterator[AddressKey]:
    """The readings of an address whose host stands there in a piece without a blank."""
    begins, ends = host.span()
    rest = token[ends : begins + MAX_ADDRESS_CHARS]
    if rest.startswith(_BEHIND_HOST):
        key = _cached_key(host[0])
        if key is not None:
            for reading in _readings(rest):
                yield key[0], _rest_of(reading)
        return
    has_port = ":" in host[0]
    is_behind_scheme = token.endswith("//", 0, begins)
    if not rest.startswith("@") and (bare or has_port or is_behind_scheme):
        for reading in _readings(host[0]):
            key = _cached_key(reading)
            if key is not None:
                yield key


def _addresses(arguments: object) -> Iterator[str]:
    for name in names_in(arguments):
        yield from _in_prose(name)
    for leaf in leaves_of(arguments):
        text = leaf.value.strip() if isinstance(leaf.value, str) else ""
        words = _WORD.findall(" ".join(leaf.path))
        is_address = any(word.upper().endswith(_NAMES) for word in words)
        if not text or not is_address:
            yield from _in_prose(text)
            continue
        inside = json_in(text)
        if isinstance(inside, list | dict):
            yield from _addresses({"url": cast("object", inside)})
        else:
            yield text


def _in_prose(text: str) -> Iterator[str]:
    """In a sentence the signs behind an address are the sentence's; alone they are its own."""
    if _WITHOUT_SCHEME.fullmatch(text) or _WITH_SCHEME.fullmatch(text):
        yield text
        return
    for match in _WITH_SCHEME.finditer(text):
        yield match[0].rstrip(_TRAILING)


def _readings(token: str) -> Iterator[str]:
    """What an address may be, without the signs at its end that may be the prose's."""
    yield token
    for bracket in ")]":  # of Markdown, with more of the text directly behind it
        if bracket in token:
            yield token.partition(bracket)[0]
    for _ in range(_MAX_TRAILING):
        if token[-1:] not in _TRAILING:
            return
        token = token[:-1]
        yield token


def key_of(address: str) -> AddressKey | None:
    """Host with port, and the rest; None for what different readers would read differently."""
    if len(address) > MAX_ADDRESS_CHARS or _BAD.search(address):
        return None
    if not _SCHEME.match(address):
        address = f"//{address.removeprefix('//')}"
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    host = parts.hostname
    if not host or "@" in parts.netloc or parts.scheme not in ("", "http", "https"):
        return None
    if port is not None and port != _DEFAULT_PORTS.get(parts.scheme, 443):
        host = f"{host}:{port}"
    return host, _rest_of(f"{parts.path}?{parts.query}")


_cached_key = lru_cache(maxsize=_CACHED_HOSTS)(key_of)


def _rest_of(text: str) -> str:
    """Path and query, without the fragment and a slash at the path's end."""
    without_fragment, _, _ = text.partition("#")
    path, _, query = without_fragment.partition("?")
    path = path.rstrip("/")
    return f"{path}?{query}" if query else path
