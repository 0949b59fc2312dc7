"""What the text of a setting must look like. Each check returns its value or says what is wrong."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import SecretStr

MAX_SHOWN_CHARS = 40
MAX_PORT = 65_535

_HOST = re.compile(r"(?:\*\.)?[\w-]+(?:\.[\w-]+)*\.?")
_PLACE = re.compile(r"(?P<host>\[[^\[\]]+\]|[^:\[\]]+)(?::(?P<port>\d{1,5}))?")


def shown(value: object) -> str:
    """A value in quotation marks, short and on one line. Never for secrets."""
    text = " ".join(str(value).split())
    return f"“{text[:MAX_SHOWN_CHARS]}{'…' if len(text) > MAX_SHOWN_CHARS else ''}”"


def as_web_address(value: str) -> str:
    """An http or https address. It may hold a password, so it is not repeated."""
    try:
        parts = urlsplit(value)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if value and (not usable or not _is_one_word(value)):
        raise ValueError("is no web address")
    return value


def as_credential(value: SecretStr) -> SecretStr:
    """Something that can be sent in a header."""
    secret = value.get_secret_value()
    if not secret.isascii() or not _is_one_word(secret):
        raise ValueError("holds white space, a quotation mark or a letter that no key has")
    return value


def as_name(value: str) -> str:
    """One word, such as a model's id."""
    if not _is_one_word(value):
        raise ValueError(f"is {shown(value)}, which is not one plain word")
    return value


def _is_one_word(value: str) -> bool:
    return value.isprintable() and not set(value) & set(" \"'")


def as_date(value: str) -> str:
    """A date as YYYY-MM-DD, or nothing."""
    if value and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        raise ValueError(f"is {shown(value)}, which is no date")
    return value


def as_project(value: str) -> str:
    """organisation/project, or nothing."""
    if value and not re.fullmatch(r"[\w.-]+/[\w.-]+", value):
        raise ValueError(f"is {shown(value)}")
    return value


def as_hosts(value: str) -> str:
    """`host`, `host:port` and `*.domain` entries with commas between them."""
    for entry in _entries(value):
        if not _is_place(entry):
            raise ValueError(f"has the entry {shown(entry)}, which is no host")
    return value


def as_link_places(value: str) -> str:
    """Hosts with commas between them, each perhaps with a port and the beginning of a path."""
    for place in filter(None, (each.strip() for each in value.split(","))):
        host = _PLACE.fullmatch(place.partition("/")[0])
        if host is None or not _HOST.fullmatch(host["host"]) or not _is_one_word(place):
            raise ValueError(f"holds {shown(place)}, which is no host with a path")
    return value


def as_connections(value: str) -> str:
    """`pattern=address:port` entries with commas between them."""
    for entry in _entries(value):
        pattern, _, target = entry.partition("=")
        if not _is_place(pattern.strip()) or not _is_endpoint(target.strip()):
            raise ValueError(f"has the entry {shown(entry)}")
    return value


def _entries(value: str) -> list[str]:
    return [entry for entry in (part.strip() for part in value.split(",")) if entry]


def _is_place(text: str) -> bool:
    """Whether it is a host, `*.domain` or address, maybe with a port."""
    if _is_address(text):
        return True
    found = _PLACE.fullmatch(text)
    if found is None or not 0 < int(found["port"] or 1) <= MAX_PORT:
        return False
    return bool(_HOST.fullmatch(found["host"])) or _is_address(found["host"].strip("[]"))


def _is_endpoint(text: str) -> bool:
    found = _PLACE.fullmatch(text)
    return (
        found is not None
        and _is_address(found["host"].strip("[]"))
        and 0 < int(found["port"] or 0) <= MAX_PORT
    )


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
