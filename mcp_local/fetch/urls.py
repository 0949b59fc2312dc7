"""Reading a URL strictly, so that what is checked is what is dialled."""

import re

import idna
from yarl import URL

from mcp_local.errors import FetchDenied
from mcp_local.fetch.allowance import OPEN_PORTS, Allowance, is_public, parse_address

MAX_URL_CHARS = 4_000
NOT_PUBLIC = "not allowed: address is not public"
_INNER_SUFFIXES = (".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet")
_HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
_UNSAFE = re.compile(r"[\x00-\x20\x7f-\x9f\\]")


def read_url(text: str, allowance: Allowance) -> URL:
    """A URL that may be opened, its host in ASCII and its fragment dropped.

    Raises FetchDenied with the reason. Names are only resolved, and their addresses checked,
    when they are dialled.
    """
    url = _parse(text.strip())
    host = _host(url)
    port = url.port or 0
    url = url.with_host(host).with_fragment(None)
    if allowance.lets_through(host, port):
        return url
    address = parse_address(host)
    if (address and not is_public(address)) or f".{host}".endswith(_INNER_SUFFIXES):
        raise FetchDenied(NOT_PUBLIC)
    if port not in OPEN_PORTS:
        raise FetchDenied(f"not allowed: port {port}")
    return url


def join_url(base: URL, location: str, allowance: Allowance) -> URL:
    """The target of a redirect, checked like any other URL."""
    try:
        target = base.join(URL(location))
    except (ValueError, TypeError):
        raise FetchDenied("not allowed: the redirect is not a proper URL") from None
    return read_url(str(target), allowance)


def _parse(text: str) -> URL:
    if len(text) > MAX_URL_CHARS or _UNSAFE.search(text):
        raise FetchDenied("not allowed: not a proper URL")
    try:
        url = URL(text)
        _ = url.port
    except (ValueError, TypeError):
        raise FetchDenied("not allowed: not a proper URL") from None
    if url.scheme not in {"http", "https"}:
        raise FetchDenied("not allowed: only http and https pages can be read")
    if url.user is not None or url.password is not None:
        raise FetchDenied("not allowed: the URL carries a user name")
    return url


def _host(url: URL) -> str:
    """The host in the one spelling that is checked and dialled."""
    host = (url.host or "").rstrip(".")
    address = parse_address(host)
    if address:
        if "%" in host:
            raise FetchDenied(NOT_PUBLIC)
        return str(address)
    name = _ascii(host)
    if parse_address(name):
        raise FetchDenied("not allowed: an address in a disguised spelling")
    if len(name) > 253 or not _HOST_NAME.fullmatch(name):
        raise FetchDenied("not allowed: not a proper host name")
    # A last label in digits is read as an address by the system: 127.1, 2130706433, 0x7f000001.
    if re.fullmatch(r"\d+|0x[0-9a-f]*", name.rpartition(".")[2]):
        raise FetchDenied("not allowed: an address in a disguised spelling")
    return name


def _ascii(host: str) -> str:
    if host.isascii():
        return host.lower()
    try:
        return idna.encode(host, uts46=True).decode().rstrip(".")
    except UnicodeError:
        raise FetchDenied("not allowed: not a proper host name") from None
