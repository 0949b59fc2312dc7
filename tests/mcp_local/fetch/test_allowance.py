from ipaddress import ip_address

import pytest

from mcp_local.fetch.urls import Allowance, is_public
from mcp_local.settings import Settings


def allowance(allow: str, connect: str = "") -> Allowance:
    return Allowance.from_settings(
        Settings.model_validate({"crawl_allow": allow, "crawl_connect": connect})
    )


def test_nothing_is_let_through_unless_it_is_listed() -> None:
    assert not allowance("").lets_through("localhost", 80)


def test_a_host_without_a_port_stands_for_the_web_ports_alone() -> None:
    listed = allowance("intranet.example")
    assert listed.lets_through("intranet.example", 443)
    assert not listed.lets_through("intranet.example", 8080)
    assert not listed.lets_through("sub.intranet.example", 443)


def test_a_host_with_a_port_stands_for_that_port_alone() -> None:
    listed = allowance(" 127.0.0.1:8080 , [::1]:9000")
    assert listed.lets_through("127.0.0.1", 8080)
    assert listed.lets_through("::1", 9000)
    assert not listed.lets_through("127.0.0.1", 80)


def test_a_wildcard_matches_hosts_below_a_domain_and_not_the_domain() -> None:
    listed = allowance("*.test")
    assert listed.lets_through("deep.news.test", 80)
    assert not listed.lets_through("test", 80)
    assert not listed.lets_through("contest", 80)


def test_a_connection_counts_only_for_a_listed_host() -> None:
    listed = allowance("*.test", "*.test=127.0.0.1:4000,*.example=127.0.0.1:4000")
    assert listed.endpoint("a.test", 80) == ("127.0.0.1", 4000)
    assert listed.endpoint("a.example", 80) is None


INNER = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1",  # noqa: S104
    "127.255.255.254", "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255",
    "192.0.0.8", "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
    "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::a9fe:a9fe", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "::ffff:8.8.8.8", "64:ff9b::a9fe:a9fe", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1",
    "2001::1", "2001:0:1234::1", "2001:db8::1", "2002:a9fe:a9fe::", "2002:7f00:1::", "3fff::1",
    "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "ff0e::1",
]  # fmt: skip


@pytest.mark.parametrize("text", INNER)
def test_an_inner_special_or_translated_address_is_not_public(text: str) -> None:
    assert not is_public(ip_address(text))


@pytest.mark.parametrize(
    "text", ["1.1.1.1", "93.184.215.14", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::1"]
)
def test_an_ordinary_unicast_address_is_public(text: str) -> None:
    assert is_public(ip_address(text))
