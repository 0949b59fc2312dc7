"""Recipients: whom a call would reach and with which files, for a person who approves the call."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from urllib.parse import unquote

from agent_core.consent.leaf_values import (
    Leaf,
    json_in,
    leaves_of,
    texts_in,
    unpacked,
)
from agent_core.messages import JsonObject
from agent_core.tools import name_words

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_REACHING_NAME = re.compile(r"(recipient|attendee|invite|participant|reviewer|assignee|bcc)", re.I)
_MAX_DEPTH = 5
"""JSON or base64 in a string of JSON or base64."""
_SIGN = r"[^\s@<>()\[\],;:\"'`{}|=?&]"
_MAX_LOCAL_CHARS = 64
_MAIL = re.compile(rf"(?<!{_SIGN})({_SIGN}++)(@{_SIGN}{{1,190}}\.{_SIGN}{{1,63}})")


def recipients_of(arguments: JsonObject) -> tuple[str, ...]:
    """People, addresses and channels that the arguments name, once each, in their order.

    Every value under a name such as `to`, `attendees` or `channel`, however deep, as written;
    every mail address wherever it stands; and words for everybody. A text that holds JSON, or is
    packed in base64, is looked into.
    """
    named: list[str] = []
    values: list[object] = []
    for leaf in _opened(leaves_of(arguments), _MAX_DEPTH):
        values.append(leaf.value)
        if _reaches(leaf):
            named.append(str(leaf.value).strip())
    recipients = dict.fromkeys(filter(None, named))
    known = set(_mails_in(named))
    for mail in _mails_in([arguments, values]):
        if mail not in known:
            recipients[mail] = None
    return tuple(recipients)


def storage_keys(arguments: JsonObject) -> tuple[str, ...]:
    """The keys of files at the app service that would be sent along, once each, in their order."""
    keys: dict[str, None] = {}
    for leaf in _opened(leaves_of(arguments), _MAX_DEPTH):
        if not leaf.path or not leaf.value:
            continue
        name = leaf.path[-1].replace("_", "")
        if name.casefold() == "s3key":
            keys[str(leaf.value)] = None
    return tuple(keys)


def _opened(leaves: Iterable[Leaf], depth: int) -> Iterator[Leaf]:
    """The leaves, with those inside of texts that hold JSON or base64."""
    for leaf in leaves:
        text = leaf.value
        if depth == 0 or not isinstance(text, str):
            yield leaf
            continue
        inner = _json_leaves(leaf, text)
        if inner is None:
            yield leaf
            plain = unpacked(text)
            inner = [replace(leaf, value=plain)] if plain else []
        yield from _opened(inner, depth - 1)


def _json_leaves(leaf: Leaf, text: str) -> list[Leaf] | None:
    """The leaves inside of a text that holds JSON; None where it holds none."""
    if not text.lstrip().startswith(("[", "{")):
        return None
    inside = json_in(text)
    if inside is None:
        return None
    return [replace(each, path=leaf.path + each.path) for each in leaves_of(inside)]


def _reaches(leaf: Leaf) -> bool:
    """Numbers count, a phone or chat may be one; yes, no and nothing do not."""
    if leaf.value is None or isinstance(leaf.value, bool):
        return False
    text = str(leaf.value).strip()
    if text.casefold() in name_words("everybody"):
        return True
    reaching = name_words("reaching")
    for name in leaf.path:
        if _REACHING_NAME.search(name):
            return True
        words = map(str.upper, _WORD.findall(name))
        if not reaching.isdisjoint(words):
            return True
    return False


def _mails_in(arguments: object) -> Iterator[str]:
    for text in texts_in(arguments):
        if "%40" in text:
            text = unquote(text)
        for match in _MAIL.finditer(text):
            local = match[1][-_MAX_LOCAL_CHARS:]
            mail = f"{local}{match[2]}"
            yield mail.rstrip(".")
