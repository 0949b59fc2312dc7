from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_local.errors import FetchDenied
from mcp_local.fetch.urls import Allowance, HostPattern, is_public, parse_address, read_url

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


@pytest.mark.parametrize("port", [22, 25, 6379, 8080, 65535])
def test_only_the_web_ports_are_open(port: int) -> None:
    with pytest.raises(FetchDenied, match=f"port {port}"):
        read_url(f"http://example.com:{port}/", NOTHING)


def test_a_listed_host_may_be_inner_and_on_its_own_port() -> None:
    listed = Allowance(hosts=(HostPattern(host="127.0.0.1", port=8080),))
    assert str(read_url("http://127.0.0.1:8080/x", listed)) == "http://127.0.0.1:8080/x"
    with pytest.raises(FetchDenied):
        read_url("http://127.0.0.1:8081/x", listed)


def test_an_endless_url_is_denied() -> None:
    with pytest.raises(FetchDenied):
        read_url("http://example.com/" + "a" * 5000, NOTHING)


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
