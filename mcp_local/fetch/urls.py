"""Which URLs may be opened: read strictly, so that what is checked is what is dialled.

Read `Allowance` first: the operator's exceptions to "public addresses only, ports 80 and 443 only".
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import idna
from yarl import URL

from mcp_local.errors import FetchDenied
from mcp_local.settings import Settings

OPEN_PORTS = frozenset({80, 443})


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPattern:
    """A host, `*.domain` for every host below a domain, or an address; maybe with a port."""

    host: str
    port: int | None

    def matches(self, host: str, port: int) -> bool:
        """Without a port of its own a pattern stands for the usual web ports."""
        ports = OPEN_PORTS if self.port is None else {self.port}
        if port not in ports:
            return False
        if not self.host.startswith("*."):
            return host == self.host
        domain = self.host.removeprefix("*")
        return host.endswith(domain) and host != domain


Endpoint = tuple[str, int]
"""An address and port to dial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The operator's exceptions to "public addresses only, ports 80 and 443 only"."""

    hosts: tuple[HostPattern, ...] = ()
    connections: tuple[tuple[HostPattern, Endpoint], ...] = ()

    @classmethod
    def from_settings(cls, settings: Settings) -> "Allowance":
        """Raises ValueError naming an entry that cannot be read."""
        return cls(
            hosts=tuple(map(_pattern, _entries(settings.crawl_allow))),
            connections=tuple(map(_connection, _entries(settings.crawl_connect))),
        )

    def lets_through(self, host: str, port: int) -> bool:
        """Whether this host may be opened at this port whatever its addresses are."""
        return any(pattern.matches(host, port) for pattern in self.hosts)

    def endpoint(self, host: str, port: int) -> Endpoint | None:
        """Where a host is dialled in place of DNS; only for hosts that are let through."""
        if not self.lets_through(host, port):
            return None
        for pattern, endpoint in self.connections:
            if pattern.matches(host, port):
                return endpoint
        return None


def _entries(setting: str) -> list[str]:
    return [entry for part in setting.split(",") if (entry := part.strip())]


def _pattern(entry: str) -> HostPattern:
    host, port = _split_port(entry.strip().lower())
    if not host:
        raise ValueError(f"CRAWL_ALLOW or CRAWL_CONNECT names no host: {entry!r}")
    address = parse_address(host)
    return HostPattern(host=str(address) if address else host.rstrip("."), port=port)


def _connection(entry: str) -> tuple[HostPattern, Endpoint]:
    pattern, _, target = entry.partition("=")
    host, port = _split_port(target.strip())
    address = parse_address(host)
    if port is None or address is None:
        raise ValueError(f"CRAWL_CONNECT entries read pattern=address:port, not {entry!r}")
    return _pattern(pattern), (str(address), port)


def _split_port(text: str) -> tuple[str, int | None]:
    """`host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address."""
    if parse_address(text):
        return text, None
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit():
        return text.strip("[]"), None
    return host.strip("[]"), int(port)


# What `is_global` of some Python lets through although no web page is there.
_DENIED = tuple(
    ip_network(block)
    for block in (
        "168.63.129.16/32",  # Azure's host service
        "192.0.0.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.175.48.0/24",
        "224.0.0.0/4",
        "2001::/23",  # Teredo, ORCHID, benchmarks
        "2001:db8::/32",
        "2002::/16",  # 6to4 embeds an IPv4 address
        "2620:4f:8000::/48",
        "3ffe::/16",
        "3fff::/20",
    )
)
_UNICAST_V6 = ip_network("2000::/3")


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """The address that a host spells literally, or None for a name."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to the open internet, unicast and not translated."""
    if not address.is_global or any(address in block for block in _DENIED):
        return False
    return address.version == 4 or address in _UNICAST_V6


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
