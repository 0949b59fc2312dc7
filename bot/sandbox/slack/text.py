"""Slack's text: escaping, and what a line that is typed or sent becomes on the wire."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

_ANGLE = re.compile(r"<(?:[@#!][^<>\s][^<>]*|(?:https?://|mailto:)[^<>\s][^<>]*)>")
_BARE_URL = re.compile(r"(?<![<|\w])https?://[^\s<>|]*[^\s<>|.,;:!?)\]}'\"*_~`]")
_NAME = re.compile(r"(?<![\w@#])([@#])([\w.-]*\w)")


def escape(text: str) -> str:
    """Escape the three characters that Slack escapes."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def type_text(text: str, users: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """The wire form of what a person types: names become references, the rest is escaped."""

    def refer(match: re.Match[str]) -> str:
        sign, name = match.groups()
        if sign == "@" and name in ("here", "channel", "everyone"):
            return f"<!{name}>"
        if sign == "@" and name in users:
            return f"<@{users[name]}>"
        if sign == "#" and name in channels:
            return f"<#{channels[name]}|{name}>"
        return match.group()

    return _link_urls(_NAME.sub(refer, escape(text)))


def settle_text(text: str) -> str:
    """The form in which Slack keeps text that an app sent: stray signs escaped, URLs linked."""
    parts: list[str] = []
    end = 0
    for match in _ANGLE.finditer(text):
        parts += [_settle_plain(text[end : match.start()]), match.group()]
        end = match.end()
    return "".join([*parts, _settle_plain(text[end:])])


def _settle_plain(text: str) -> str:
    text = re.sub(r"&(?!(?:amp|lt|gt);)", "&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    return _link_urls(text)


def _link_urls(text: str) -> str:
    return _BARE_URL.sub(lambda match: f"<{match.group()}>", text)


def mentions_user(text: str, user: str) -> bool:
    """Whether the wire text mentions the user, with or without a label."""
    return re.search(rf"<@{user}(?:\|[^>]*)?>", text) is not None


def texts_in(blocks: object) -> Iterator[str]:
    """All that is to be read in blocks, in their order."""
    if isinstance(blocks, list | tuple):
        for item in cast("list[object]", blocks):
            yield from texts_in(item)
    elif isinstance(blocks, dict):
        for key, item in cast("dict[str, Any]", blocks).items():
            if key == "text" and isinstance(item, str):
                yield item
            else:
                yield from texts_in(item)
