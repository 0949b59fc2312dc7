"""Whom an action would reach, for a person to read before approving it. Nothing is left out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from agent_core.consent.leaves import Leaf, json_in, leaves_of, texts_in
from agent_core.messages import JsonObject
from agent_core.tools.names import listed

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_REACHED_ONE = re.compile(r"(recipient|attendee|invite|participant|reviewer|assignee|bcc)", re.I)
_MAX_DEPTH = 3
"""JSON in a string of JSON."""
_SIGN = r"[^\s@<>()\[\],;:\"'`{}|=?&]"
_MAX_LOCAL_CHARS = 64
_MAIL = re.compile(rf"(?<!{_SIGN})({_SIGN}++)(@{_SIGN}{{1,190}}\.{_SIGN}{{1,63}})")


def recipients_of(arguments: JsonObject) -> tuple[str, ...]:
    """People, addresses and channels that the arguments name, once each, in their order.

    All that stands under a name such as `to`, `attendees` or `channel`, however deep, as written,
    every mail address wherever it stands, and words for everybody. A text that holds JSON is looked
    into.
    """
    leaves = _opened(leaves_of(arguments), _MAX_DEPTH)
    named = (str(leaf.value).strip() for leaf in leaves if _reaches(leaf))
    found = dict.fromkeys(name for name in named if name)
    told = set(_mails_in(list(found)))
    return (
        *found,
        *(mail for mail in dict.fromkeys(_mails_in(arguments)) if mail not in told),
    )


def _opened(leaves: Iterable[Leaf], depth: int) -> Iterator[Leaf]:
    for leaf in leaves:
        inside = _json_in(leaf.value) if depth else None
        if inside is None:
            yield leaf
            continue
        inner = (replace(each, path=(*leaf.path, *each.path)) for each in leaves_of(inside))
        yield from _opened(inner, depth - 1)


def _json_in(value: object) -> object:
    """The list or object that a text holds; None where it holds none."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return None
    return json_in(value)


def _reaches(leaf: Leaf) -> bool:
    """Numbers count, a phone or chat may be one; yes, no and nothing do not."""
    if leaf.value is None or isinstance(leaf.value, bool):
        return False
    if str(leaf.value).strip().casefold() in listed("everybody"):
        return True
    return any(_names_somebody(name) for name in leaf.path)


def _names_somebody(name: str) -> bool:
    found = {word.upper() for word in _WORD.findall(name)}
    return bool(found & listed("reaching")) or _REACHED_ONE.search(name) is not None


def _mails_in(arguments: object) -> Iterator[str]:
    for text in texts_in(arguments):
        for match in _MAIL.finditer(text):
            yield f"{match[1][-_MAX_LOCAL_CHARS:]}{match[2]}".rstrip(".")
