"""Validators of settings: each returns its value, or raises ValueError with what is wrong."""

import re
from collections.abc import Callable
from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import SecretStr

MAX_SHOWN_CHARS = 40
MAX_PORT = 65_535
ONE_WORD = r"""^[^\s\p{C}"']*$"""

_NO_PLACE = re.compile(r"[@?#]|//|:(?:/|$)")
_HOST = re.compile(r"(?:\*\.)?[\w-]+(?:\.[\w-]+)*\.?")


def in_quotes(value: object) -> str:
    """A value in quotation marks, cut and on one line. Never for secrets."""
    text = " ".join(str(value).split())
    if len(text) > MAX_SHOWN_CHARS:
        text = f"{text[:MAX_SHOWN_CHARS]}…"
    return f"“{text}”"


def as_web_address(value: str) -> str:
    """An http or https address, or nothing. It may hold a password, so no error repeats it."""
    if value and not _is_web_address(value):
        raise ValueError("is no web address")
    return value


def as_credential(value: SecretStr) -> SecretStr:
    """Something that can be sent in a header."""
    secret = value.get_secret_value()
    if not secret.isascii() or not _is_one_word(secret):
        raise ValueError("holds white space, a quotation mark or a letter that no key has")
    return value


def as_hosts(value: str) -> str:
    """`host`, `host:port` and `*.domain` entries with commas between them."""
    return _each(value, _read_host, "has the entry {}, which is no host")


def as_link_places(value: str) -> str:
    """Hosts with commas between them, each perhaps with a port and the beginning of a path."""
    return _each(value, _read_place, "holds {}, which is no host with a path")


def as_connections(value: str) -> str:
    """`pattern=address:port` entries with commas between them."""
    return _each(value, _read_connection, "has the entry {}")


def _each(value: str, read: Callable[[str], object], problem: str) -> str:
    for part in value.split(","):
        entry = part.strip()
        try:
            if entry:
                read(entry)
        except ValueError:
            raise ValueError(problem.format(in_quotes(entry))) from None
    return value


def _read_host(text: str) -> None:
    if urlsplit(f"//{text}").netloc != text:
        raise ValueError(text)
    if text.count(":") > 1 and not text.startswith("["):
        ip_address(text)
    else:
        _read_place(text)


def _read_connection(text: str) -> None:
    pattern, _, target = text.partition("=")
    _read_host(pattern.strip())
    host, port = _read_place(target.strip())
    ip_address(host)  # a name raises ValueError: connections are dialled, not looked up
    if port is None or "/" in target:
        raise ValueError(text)


def _read_place(text: str) -> tuple[str, int | None]:
    """The host, name or address, and its port, where one is named; ValueError for no such place."""
    parts = urlsplit(f"//{text}")
    host = parts.hostname or ""
    if _NO_PLACE.search(text) or not _is_one_word(text) or parts.port == 0:
        raise ValueError(text)
    if not _HOST.fullmatch(host):
        ip_address(host)
    return host, parts.port


def _is_web_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
        has_port = parts.port != 0
    except ValueError:
        return False
    is_web = parts.scheme in {"http", "https"} and bool(parts.hostname)
    return is_web and has_port and _is_one_word(value)


def _is_one_word(value: str) -> bool:
    return value.isprintable() and not set(value) & set(" \"'")
