"""Links as Slack writes them, with their real host in sight. Pure."""

import re
from urllib.parse import urlsplit

from bot.render.escape import clean, inline_code, literal

_LIVE_SCHEMES = frozenset({"http", "https", "mailto"})
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]+", re.IGNORECASE)
_UNSAFE = {"<": "%3C", ">": "%3E", "|": "%7C", '"': "%22", " ": "%20", "\n": "", "\t": ""}


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
    named = {name.lower() for name in _HOST.findall(words)}
    if named - {host, f"www.{host}", host.removeprefix("www.")}:
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
