"""Slack's wire text: escapes, references and links, and every text in blocks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from bot.sandbox.slack.wire import as_object

_ANGLE = re.compile(r"(<(?:[@#!][^<>\s][^<>]*|(?:https?://|mailto:)[^<>\s][^<>]*)>)")
_BARE_URL = re.compile(r"(?<![<|\w])https?://[^\s<>|]*[^\s<>|.,;:!?)\]}'\"*_~`]")
_NAME = re.compile(r"(?<![\w@#])[@#][\w.-]*\w")
_LONE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt);)")


def type_text(text: str, references: Mapping[str, str]) -> str:
    """The wire form of typed text: known names become references, the rest is escaped.

    `references` are the wire forms by typed form, such as `<@U1>` by `@ann`.
    """
    escaped = _escape_angles(text.replace("&", "&amp;"))
    named = _NAME.sub(lambda match: references.get(match[0], match[0]), escaped)
    return _link_urls(named)


def settle_text(text: str) -> str:
    """The form in which Slack keeps an app's text: stray signs escaped, URLs linked."""
    parts = _ANGLE.split(text)
    # Every second part is a reference or a link, which stays as it is.
    for index in range(0, len(parts), 2):
        plain = _LONE_AMPERSAND.sub("&amp;", parts[index])
        plain = _escape_angles(plain)
        parts[index] = _link_urls(plain)
    return "".join(parts)


def _escape_angles(text: str) -> str:
    text = text.replace("<", "&lt;")
    return text.replace(">", "&gt;")


def _link_urls(text: str) -> str:
    return _BARE_URL.sub(r"<\g<0>>", text)


def mentions_user(text: str, user: str) -> bool:
    """Whether the wire text mentions the user, with or without a label."""
    return f"<@{user}>" in text or f"<@{user}|" in text


def texts_in(value: object) -> Iterator[str]:
    """Every text in a payload, at any depth, in its order."""
    if isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from texts_in(item)
        return
    fields = as_object(value) or {}
    for name, item in fields.items():
        if name == "text" and isinstance(item, str):
            yield item
        else:
            yield from texts_in(item)
