"""Connect links, by which a person connects an account: found in what tools say, and taken out."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from cachetools import TTLCache

from agent_core.consent.leaf_values import json_in
from agent_core.ids import UserId
from agent_core.tools import OpenedCall, canonical
from agent_core.workspaces import write_text

FreshLinks = TTLCache[tuple[UserId, str], str]
"""Links by person and app that Composio gave in a result, until they were shown. Never stored."""

_FRESH_FOR_S = 480.0
"""Composio's links live for ten minutes."""
_MAX_FRESH = 10_000

TAKEN_OUT = "(link to connect an account, taken out)"
_URL = re.compile(r"https?://[^\s\"'<>\\)\]}]+", re.IGNORECASE)
_SLASH = re.compile(r"\\(?:/|u002f)", re.IGNORECASE)
_CONNECTING = ("COMPOSIO_MANAGE_CONNECTIONS", "COMPOSIO_WAIT_FOR_CONNECTIONS")
_FIELDS = frozenset(
    {
        "redirect_url",
        "redirectUrl",
        "connect_url",
        "connectUrl",
        "auth_url",
        "authUrl",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stripped:
    """A text without its connect links."""

    text: str
    links: dict[str, str]
    """By app, such as `gmail`; of the service's own structured fields alone. Empty for a link at
    a place that is not known."""
    had_links: bool


@dataclass(frozen=True, slots=True)
class LinkPlaces:
    """Where connect links live: `host`, `host:port`, each perhaps with the beginning of a path."""

    prefixes: Sequence[str]

    def has(self, url: str) -> bool:
        """Whether a URL is one of them."""
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").lower()
            port = parts.port
        except ValueError:
            return False
        for prefix in self.prefixes:
            address, _, beginning = prefix.strip().partition("/")
            name, _, number = address.lower().partition(":")
            is_host = host == name or host.endswith(f".{name}")
            is_port = number in ("", str(port))
            if is_host and is_port and parts.path.startswith(f"/{beginning}"):
                return True
        return False

    def strip(self, text: str, *, is_connecting: bool) -> Stripped:
        """Take all connect links out of a tool's words.

        A link counts as one to show only where Composio's tool for connecting names it in a field
        made for it, and only at a known place: what a page, a mail or a row of a table names may
        bind somebody's account to somebody else. Other apps that are named so get a fresh link.
        """
        named = dict(_named_links(json_in(text))) if is_connecting else {}
        plain = _SLASH.sub("/", text)
        stripped = plain
        for url in sorted(named.values(), key=len, reverse=True):
            stripped = stripped.replace(url, TAKEN_OUT)
            stripped = stripped.replace(url.replace("&", "\\u0026"), TAKEN_OUT)
        stripped = _URL.sub(
            lambda match: TAKEN_OUT if self.has(match[0]) else match[0],
            stripped,
        )
        for prefix in self.prefixes:
            stripped = _without_scheme(prefix).sub(TAKEN_OUT, stripped)
        had_links = stripped != plain
        links: dict[str, str] = {}
        for app, url in named.items():
            links[app] = url if self.has(url) else ""
        return Stripped(
            text=stripped if had_links else text,
            links=links,
            had_links=had_links,
        )

    def strip_file(self, path: Path, *, is_connecting: bool) -> Stripped:
        """Do the same to a result that was saved. It works on the disk."""
        stripped = self.strip(path.read_text(encoding="utf-8"), is_connecting=is_connecting)
        if stripped.had_links:
            write_text(path, stripped.text)
        return stripped


def without_secret(link: str) -> str:
    """Where a link leads, without the part that makes it one person's own."""
    parts = urlsplit(link)
    _, _, host = parts.netloc.rpartition("@")
    folder, _, _ = parts.path.rpartition("/")
    return f"{parts.scheme}://{host}{folder}/…"


def fresh_links(clock: Callable[[], float]) -> FreshLinks:
    """None yet; `clock` gives seconds that only grow."""
    return TTLCache(_MAX_FRESH, _FRESH_FOR_S, timer=clock)


def is_connecting(call: OpenedCall) -> bool:
    """Whether the call's result is Composio's own word on how to connect an account."""
    slug = call.slug
    return call.is_composio and canonical(slug) in _CONNECTING


def apps_to_connect(call: OpenedCall) -> tuple[str, ...]:
    """The apps that a call wants connected, as far as it says so."""
    named: object = call.call.arguments.get("toolkits")
    if not is_connecting(call) or not isinstance(named, list):
        return ()
    apps: dict[str, None] = {}
    for app in cast("list[object]", named):
        if isinstance(app, str):
            name = app.strip()
            apps[name.casefold()] = None
    apps.pop("", None)
    return tuple(apps)


@cache
def _without_scheme(prefix: str) -> re.Pattern[str]:
    """A link below a prefix that is written without its scheme."""
    host, _, path = prefix.strip().partition("/")
    port = "" if ":" in host else r"(?::\d+)?"
    rest = r"[^\s\"'<>\\)\]}]+"
    return re.compile(rf"{re.escape(host)}{port}/{re.escape(path)}{rest}", re.IGNORECASE)


def _named_links(value: object, app: str = "") -> Iterator[tuple[str, str]]:
    """Apps and links of fields that are made for links, wherever in a structure they stand."""
    if isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _named_links(item, app)
    if not isinstance(value, dict):
        return
    fields = cast("dict[str, Any]", value)
    toolkit = fields.get("toolkit")
    if toolkit and isinstance(toolkit, str):
        app = toolkit
    for name, inner in fields.items():
        is_text = isinstance(inner, str)
        if is_text and name in _FIELDS and _URL.fullmatch(inner):
            yield app.casefold(), inner
        else:
            yield from _named_links(inner, name if isinstance(inner, dict) else app)
