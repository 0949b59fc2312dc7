"""Addresses that may not be live become text that nobody can follow. Pure."""

import re
from collections.abc import Callable
from html import unescape

from bot.render.escape import inline_code

IsLive = Callable[[str], bool]

_PARTS = re.compile(
    r"(?P<code>```.*?```|`[^`\n]+`)"
    r"|<(?P<url>[a-z]+:[^|>\s]+)\|(?P<label>[^>]*)>(?: \((?P<host>[^)]*)\))?"
    r"|(?P<bare>\b(?:https?://|mailto:)[^\s<>|`]+)",
    re.DOTALL | re.IGNORECASE,
)
_SCHEME = re.compile(r"^(?:https?://|mailto:)", re.IGNORECASE)
_TRAILING = ".,;:!?)]}\u2019\u201d\"'*_~"


def all_live(_url: str) -> bool:
    """For text in which nothing came from outside."""
    return True


def defanged(mrkdwn: str, is_live: IsLive) -> str:
    """The text with every address that may not be live as code, its label before it.

    A code span is the one place where Slack makes no link of an address; the scheme is left out, so
    that nothing else does either.
    """
    return _PARTS.sub(lambda match: _part(match, is_live), mrkdwn)


def _part(match: re.Match[str], is_live: IsLive) -> str:
    if match["code"]:
        return match[0]
    if match["bare"]:
        address = match["bare"].rstrip(_TRAILING)
        rest = match["bare"][len(address) :]
        return match[0] if is_live(unescape(address)) else f"{_as_text(address)}{rest}"
    if is_live(unescape(match["url"])):
        return match[0]
    label = match["label"].strip()
    if not label or "://" in label:
        return _as_text(match["url"])
    return f"{label} ({_as_text(match['url'])})"


def _as_text(address: str) -> str:
    return inline_code(_SCHEME.sub("", unescape(address)))
