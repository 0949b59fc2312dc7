import pytest

from mcp_local.fetch.allowance import Allowance, Endpoint
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
    assert listed.endpoint("a.test", 80) == Endpoint(address="127.0.0.1", port=4000)
    assert listed.endpoint("a.example", 80) is None


@pytest.mark.parametrize("connect", ["*.test", "*.test=localhost:80", "*.test=127.0.0.1", "=1:2"])
def test_a_connection_that_cannot_be_read_is_named(connect: str) -> None:
    with pytest.raises(ValueError, match="CRAWL_CONNECT"):
        allowance("*.test", connect)
