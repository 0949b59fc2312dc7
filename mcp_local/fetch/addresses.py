"""Which internet addresses count as public."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

# `is_global` alone lets through multicast, translated and cloud-internal addresses.
_DENIED_V4 = tuple(
    ip_network(block)
    for block in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier NAT; Alibaba's metadata service
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's host service
        "169.254.0.0/16",  # link-local; most clouds' metadata service
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_UNICAST_V6 = ip_network("2000::/3")
_DENIED_V6 = tuple(
    ip_network(block)
    for block in (
        "2001::/23",  # Teredo, ORCHID, benchmarks
        "2001:db8::/32",
        "2002::/16",  # 6to4 embeds an IPv4 address
        "2620:4f:8000::/48",
        "3ffe::/16",
        "3fff::/20",
    )
)


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """The address that a host spells literally, or None for a name."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to the open internet, unicast and not translated."""
    if not address.is_global:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _DENIED_V4)
    return address in _UNICAST_V6 and not any(address in block for block in _DENIED_V6)
