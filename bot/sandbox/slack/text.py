"""Slack's wire text: escapes, references and links, and every text in blocks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from bot.sandbox.slack.wire import as_object

_ANGLE = re.compile(r"<(?:[@#!][^<>\s][^<>]*|(?:https?://|mailto:)[^<>\s][^<>]*)>")
_BARE_URL = re.compile(r"(?<![<|\w])https?://[^\s<>|]*[^\s<>|.,;:!?)\]}'\"*_~`]")
_NAME = re.compile(r"(?<![\w@#])([@#])([\w.-]*\w)")
_LONE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt);)")
_GROUPS = ("here", "channel", "everyone")


def type_text(text: str, users: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """The wire form of typed text: names become references, the rest is escaped."""

    def refer(match: re.Match[str]) -> str:
        sign, name = match.groups()
        if sign == "#":
            return f"<#{channels[name]}|{name}>" if name in channels else match[0]
        if name in _GROUPS:
            return f"<!{name}>"
        return f"<@{users[name]}>" if name in users else match[0]

    escaped = _escape_angles(text.replace("&", "&amp;"))
    return _link_urls(_NAME.sub(refer, escaped))


def settle_text(text: str) -> str:
    """The form in which Slack keeps an app's text: stray signs escaped, URLs linked."""
    parts: list[str] = []
    end = 0
    for match in _ANGLE.finditer(text):
        parts.append(_settle_plain(text[end : match.start()]))
        parts.append(match[0])
        end = match.end()
    parts.append(_settle_plain(text[end:]))
    return "".join(parts)


def _settle_plain(text: str) -> str:
    escaped = _escape_angles(_LONE_AMPERSAND.sub("&amp;", text))
    return _link_urls(escaped)


def _escape_angles(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _link_urls(text: str) -> str:
    return _BARE_URL.sub(r"<\g<0>>", text)


def mentions_user(text: str, user: str) -> bool:
    """Whether the wire text mentions the user, with or without a label."""
    return re.search(rf"<@{user}(?:\|[^>]*)?>", text) is not None


def texts_in(value: object) -> Iterator[str]:
    """Every text in a payload, at any depth, in its order."""
    if isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from texts_in(item)
        return
    for name, item in (as_object(value) or {}).items():
        if name == "text" and isinstance(item, str):
            yield item
        else:
            yield from texts_in(item)
