"""Links as Slack writes them, with their real host in sight; or as text that nobody can follow.

Pure.
"""

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import urlsplit

from bot.render.escape import clean, inline_code, literal

IsLive = Callable[[str], bool]

_LIVE_SCHEMES = frozenset({"http", "https", "mailto"})
MAX_LABEL_CHARS = 300
"""A longer label stands before its link, so that no host hides in it."""
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]+", re.IGNORECASE)
_UNSAFE = {"<": "%3C", ">": "%3E", "|": "%7C", '"': "%22", " ": "%20", "\n": "", "\t": ""}
_PARTS = re.compile(
    r"(?P<code>```.*?```|`[^`\n]+`)"
    r"|<(?P<url>[a-z]{1,20}:[^|<>\s]+)\|(?P<label>[^<>]*)>(?: \([^()\n]{0,300}\))?"
    r"|(?P<bare>\b(?:https?://|mailto:)[^\s<>|`]+)",
    re.DOTALL | re.IGNORECASE,
)
_SCHEME = re.compile(r"^(?:https?://|mailto:)", re.IGNORECASE)
_TRAILING = ".,;:!?)]}\u2019\u201d\"'*_~"


def link(url: str, label: str) -> str:
    """A link in Slack's form.

    The host stands beside a label that does not show it. A label that names another host is shown
    as text, and the link wears its own host. Anything but http, https and mailto is not live.
    """
    host = real_host(url)
    if host is None:
        return unlinked(url, label)
    words = " ".join(clean(label).split())
    if not words or words in {url, host}:
        return f"<{_wire_url(url)}|{literal(words or host)}>"
    named = {name.lower() for name in _HOST.findall(words[:MAX_LABEL_CHARS])}
    is_long = len(words) > MAX_LABEL_CHARS
    if is_long or named - {host, f"www.{host}", host.removeprefix("www.")}:
        return f"{literal(words)} (<{_wire_url(url)}|{literal(host)}>)"
    if named:
        return f"<{_wire_url(url)}|{_label(words)}>"
    return f"<{_wire_url(url)}|{_label(words)}> ({literal(host)})"


def unlinked(url: str, label: str) -> str:
    """A label and its address as text that nobody can follow by accident."""
    words = " ".join(clean(label).split())
    return f"{literal(words)} ({inline_code(url)})" if words else inline_code(url)


def real_host(url: str) -> str | None:
    """The host that a click would reach, or a mail address's domain; None for what is not live."""
    try:
        parts = urlsplit(clean(url))
        host = parts.hostname or ""
    except ValueError:
        return None
    if parts.scheme.lower() not in _LIVE_SCHEMES:
        return None
    if parts.scheme.lower() == "mailto":
        host = parts.path.rpartition("@")[2]
    return host.lower() or None


def _label(words: str) -> str:
    return literal(words).replace("|", "\u00a6")


def _wire_url(url: str) -> str:
    safe = "".join(_UNSAFE.get(character, character) for character in clean(url))
    return safe.replace("&", "&amp;")


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
