"""Whom an action would reach, and with which files, for a person to see before approving it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from urllib.parse import unquote

from agent_core.consent.leaf_values import Leaf, json_in, leaves_of, texts_in, unpacked
from agent_core.messages import JsonObject
from agent_core.tools import name_words

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_REACHED_ONE = re.compile(r"(recipient|attendee|invite|participant|reviewer|assignee|bcc)", re.I)
_MAX_DEPTH = 5
"""JSON or base64 in a string of JSON or base64."""
_SIGN = r"[^\s@<>()\[\],;:\"'`{}|=?&]"
_MAX_LOCAL_CHARS = 64
_MAIL = re.compile(rf"(?<!{_SIGN})({_SIGN}++)(@{_SIGN}{{1,190}}\.{_SIGN}{{1,63}})")


def recipients_of(arguments: JsonObject) -> tuple[str, ...]:
    """People, addresses and channels that the arguments name, once each, in their order.

    All that stands under a name such as `to`, `attendees` or `channel`, however deep, as written,
    every mail address wherever it stands, and words for everybody. A text that holds JSON, or is
    packed in base64, is looked into.
    """
    leaves = list(_opened(leaves_of(arguments), _MAX_DEPTH))
    named = (str(leaf.value).strip() for leaf in leaves if _reaches(leaf))
    found = dict.fromkeys(name for name in named if name)
    told = set(_mails_in(list(found)))
    mails = _mails_in([arguments, [leaf.value for leaf in leaves]])
    return tuple(dict.fromkeys([*found, *(mail for mail in mails if mail not in told)]))


def storage_keys(arguments: JsonObject) -> tuple[str, ...]:
    """The keys of files at the app service that would be sent along, once each, in their order."""
    leaves = _opened(leaves_of(arguments), _MAX_DEPTH)
    named = (leaf for leaf in leaves if leaf.path and _plain(leaf.path[-1]) == "s3key")
    return tuple(dict.fromkeys(str(leaf.value) for leaf in named if leaf.value))


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


def _opened(leaves: Iterable[Leaf], depth: int) -> Iterator[Leaf]:
    for leaf in leaves:
        text = leaf.value if depth and isinstance(leaf.value, str) else ""
        inside = json_in(text) if text.lstrip().startswith(("[", "{")) else None
        if inside is None:
            yield leaf
            plain = unpacked(text)
            yield from _opened([replace(leaf, value=plain)] if plain else [], depth - 1)
            continue
        inner = (replace(each, path=(*leaf.path, *each.path)) for each in leaves_of(inside))
        yield from _opened(inner, depth - 1)


def _reaches(leaf: Leaf) -> bool:
    """Numbers count, a phone or chat may be one; yes, no and nothing do not."""
    if leaf.value is None or isinstance(leaf.value, bool):
        return False
    if str(leaf.value).strip().casefold() in name_words("everybody"):
        return True
    words = {word.upper() for name in leaf.path for word in _WORD.findall(name)}
    return bool(words & name_words("reaching")) or any(map(_REACHED_ONE.search, leaf.path))


def _mails_in(arguments: object) -> Iterator[str]:
    for text in texts_in(arguments):
        for match in _MAIL.finditer(unquote(text) if "%40" in text else text):
            yield f"{match[1][-_MAX_LOCAL_CHARS:]}{match[2]}".rstrip(".")
