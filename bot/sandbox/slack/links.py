"""Links in wire text, and whose domain they are of. Pure."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from bot.sandbox.slack.text import unescape

_LINK = re.compile(r"<(https?://[^<>|\s]+)(?:\|[^<>]*)?>")


def links_in(text: str) -> list[str]:
    """The addresses that the wire text links, unescaped, each once, in order."""
    return list(dict.fromkeys(unescape(url) for url in _LINK.findall(text)))


def is_of_domains(url: str, domains: Sequence[str]) -> bool:
    """Whether the address belongs to one of the domains or to a domain below it."""
    return any(_is_within(domain_of(url), domain) for domain in domains)


def domain_of(url: str) -> str:
    """The host of an address."""
    return urlsplit(url).hostname or ""


def _is_within(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")
