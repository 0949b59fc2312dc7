"""Slack's text: escaping, what a typed line becomes on the wire, and its rich_text form."""

import re
from collections.abc import Mapping

from bot.sandbox.slack.wire import JsonObject

BROADCASTS = ("here", "channel", "everyone")
_ENTITY = re.compile(r"&(?:amp|lt|gt);")
_ANGLE = re.compile(r"<(?:[@#!][^<>\s][^<>]*|(?:https?://|mailto:)[^<>\s][^<>]*)>")
_BARE_URL = re.compile(r"(?<![<|\w])https?://[^\s<>|]*[^\s<>|.,;:!?)\]}'\"*_~`]")
_NAME = re.compile(r"(?<![\w@#])([@#])([\w.-]*\w)")


def escape(text: str) -> str:
    """Escape the three characters that Slack escapes."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """Undo `escape`."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def type_text(text: str, users: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """The wire form of what a person types: names become references, the rest is escaped."""

    def refer(match: re.Match[str]) -> str:
        sign, name = match.groups()
        if sign == "@" and name in BROADCASTS:
            return f"<!{name}>"
        if sign == "@" and name in users:
            return f"<@{users[name]}>"
        if sign == "#" and name in channels:
            return f"<#{channels[name]}|{name}>"
        return match.group()

    return _link_urls(_NAME.sub(refer, escape(text)))


def settle_text(text: str, *, link_urls: bool = True) -> str:
    """The form in which Slack keeps text that an app sent: stray signs escaped, URLs linked."""
    parts: list[str] = []
    end = 0
    for match in _ANGLE.finditer(text):
        parts += [_settle_plain(text[end : match.start()], link_urls), match.group()]
        end = match.end()
    return "".join([*parts, _settle_plain(text[end:], link_urls)])


def _settle_plain(text: str, link_urls: bool) -> str:
    text = re.sub(r"&(?!(?:amp|lt|gt);)", "&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
    return _link_urls(text) if link_urls else text


def _link_urls(text: str) -> str:
    return _BARE_URL.sub(lambda match: f"<{match.group()}>", text)


def mentions_user(text: str, user: str) -> bool:
    """Whether the wire text mentions the user, with or without a label."""
    return re.search(rf"<@{user}(?:\|[^>]*)?>", text) is not None


def rich_text_block(text: str, block_id: str) -> JsonObject:
    """The rich_text block that Slack sends along with text a person typed."""
    elements: list[JsonObject] = []
    end = 0
    for match in re.finditer(r"<([^<>]+)>", text):
        elements += _plain_leaf(text[end : match.start()])
        elements.append(_reference_leaf(match.group(1)))
        end = match.end()
    elements += _plain_leaf(text[end:])
    section: JsonObject = {"type": "rich_text_section", "elements": elements}
    return {"type": "rich_text", "block_id": block_id, "elements": [section]}


def _plain_leaf(text: str) -> list[JsonObject]:
    return [{"type": "text", "text": unescape(text)}] if text else []


def _reference_leaf(inner: str) -> JsonObject:
    target, _, label = inner.partition("|")
    match target[0]:
        case "@":
            return {"type": "user", "user_id": target[1:]}
        case "#":
            return {"type": "channel", "channel_id": target[1:]}
        case "!" if target[1:] in BROADCASTS:
            return {"type": "broadcast", "range": target[1:]}
        case _:
            link: JsonObject = {"type": "link", "url": unescape(target)}
            return {**link, "text": unescape(label)} if label else link
