"""Validators of settings: each returns its value, or raises ValueError with what is wrong."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from pydantic import SecretStr

MAX_SHOWN_CHARS = 40
MAX_PORT = 65_535
ONE_WORD = r"""^[^\s\p{C}"']*$"""

_PORT = r":(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])"
_NAME = r"(?:\*\.)?[\w-]+(?:\.[\w-]+)*\.?"
_V4 = r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|(?=:))){4}"
_V6 = r"[\da-fA-F]*:[\da-fA-F]*:[\da-fA-F:.]*"
_HOST = rf"(?:{_NAME}|\[{_V6}\])(?:{_PORT})?|{_V6}"
_IN_PATH = r"[^\s/@?#,\"']"


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


def _entries_like(pattern: str, problem: str) -> Callable[[str], str]:
    """A check that each entry of a list with commas is of a form; `problem` has a slot for it."""
    form = re.compile(pattern)

    def check(value: str) -> str:
        for part in value.split(","):
            entry = part.strip()
            if entry and not form.fullmatch(entry):
                raise ValueError(problem.format(in_quotes(entry)))
        return value

    return check


as_hosts = _entries_like(_HOST, "has the entry {}, which is no host")
"""`host`, `host:port` and `*.domain` entries with commas between them."""

as_link_places = _entries_like(
    rf"(?:{_HOST})(?:/{_IN_PATH}+)*/?", "holds {}, which is no host with a path"
)
"""Hosts with commas between them, each perhaps with a port and the beginning of a path."""

as_connections = _entries_like(rf"(?:{_HOST})\s*=\s*(?:{_V4}|\[{_V6}\]){_PORT}", "has the entry {}")
"""`pattern=address:port` entries with commas between them."""


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
