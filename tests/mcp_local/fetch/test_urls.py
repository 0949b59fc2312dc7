"""Which URLs are read as what, which hosts an operator lets through, which addresses are public."""

from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_local.errors import FetchDenied
from mcp_local.fetch.urls import Allowance, HostPattern, is_public, parse_address, read_url
from mcp_local.settings import Settings

NOTHING = Allowance()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://Example.COM./A?b=1#frag", "https://example.com/A?b=1"),
        ("http://example.com:80/x", "http://example.com/x"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("http://EXAMPLE。com/", "http://example.com/"),
        ("http://1.1.1.1/", "http://1.1.1.1/"),
    ],
)
def test_a_url_is_read_in_one_spelling(text: str, expected: str) -> None:
    assert str(read_url(text, NOTHING)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "file:///etc/passwd", "gopher://example.com/", "ftp://example.com/",
        "data:text/html,hello", "view-source:http://example.com/", "raw:<html>",
        "javascript:alert(1)", "//example.com/", "example.com", "",
    ],
)  # fmt: skip
def test_only_web_addresses_are_read(text: str) -> None:
    with pytest.raises(FetchDenied, match="only http and https"):
        read_url(text, NOTHING)


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        *((f":{port}/", f"port {port}") for port in (22, 25, 6379, 8080, 65535)),
        ("/" + "a" * 5000, "not a proper URL"),
    ],
)
def test_only_the_web_ports_are_open_and_no_url_is_endless(rest: str, reason: str) -> None:
    with pytest.raises(FetchDenied, match=reason):
        read_url(f"http://example.com{rest}", NOTHING)


def test_a_listed_host_may_be_inner_and_on_its_own_port() -> None:
    listed = Allowance(hosts=(HostPattern(host="127.0.0.1", port=8080),))
    assert str(read_url("http://127.0.0.1:8080/x", listed)) == "http://127.0.0.1:8080/x"
    with pytest.raises(FetchDenied):
        read_url("http://127.0.0.1:8081/x", listed)


@given(st.text(max_size=40), st.text(max_size=20))
def test_whatever_is_read_is_a_web_address_in_ascii_that_is_not_inner(host: str, rest: str) -> None:
    try:
        url = read_url(f"http://{host}/{rest}", NOTHING)
    except FetchDenied:
        return
    read = url.raw_host or ""
    address = parse_address(read)
    assert url.scheme in {"http", "https"}
    assert url.user is None
    assert read.isascii()
    assert read == (urlsplit(str(url)).hostname or "")
    assert address is None or is_public(address)


def allowance(allow: str, connect: str = "") -> Allowance:
    return Allowance.from_settings(
        Settings.model_validate({"crawl_allow": allow, "crawl_connect": connect})
    )


@pytest.mark.parametrize(
    ("allow", "host", "port", "is_allowed"),
    [
        ("", "localhost", 80, False),
        ("intranet.example", "intranet.example", 443, True),
        ("intranet.example", "intranet.example", 8080, False),
        ("intranet.example", "sub.intranet.example", 443, False),
        (" 127.0.0.1:8080 , [::1]:9000", "127.0.0.1", 8080, True),
        (" 127.0.0.1:8080 , [::1]:9000", "::1", 9000, True),
        (" 127.0.0.1:8080 , [::1]:9000", "127.0.0.1", 80, False),
        ("*.test", "deep.news.test", 80, True),
        ("*.test", "test", 80, False),
        ("*.test", "contest", 80, False),
    ],
)
def test_only_a_listed_host_is_let_through_at_its_port_or_the_web_ports(
    allow: str, host: str, port: int, is_allowed: bool
) -> None:
    assert allowance(allow).lets_through(host, port) == is_allowed


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
