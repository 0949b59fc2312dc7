"""Attack group C: a canary stands on every address, and nothing may dial it."""

import pytest

from mcp_local.errors import FetchDenied, FetchFailed
from mcp_local.fetch.guard import AddressGuard
from mcp_local.fetch.urls import Allowance, HostPattern
from tests.mcp_local.fetch.world import OTHER_PUBLIC, PUBLIC, Names, Site, Wire, article, client_for

INNER_SPELLINGS = [
    "http://127.0.0.1", "http://127.0.0.1:8080", "http://localhost", "http://LOCALHOST./",
    "http://a.localhost", "http://printer.local", "http://2130706433", "http://0x7f000001",
    "http://0X7F.1", "http://017700000001", "http://127.1", "http://127.0.1", "http://0",
    "http://0/", "http://127.0.0.1.", "http://[::1]", "http://[::]", "http://[::ffff:127.0.0.1]",
    "http://[::ffff:7f00:1]", "http://[fe80::1%25eth0]/", "http://[64:ff9b::7f00:1]",
    "http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal",
    "http://127。0。0。1", "http://①②⑦.⓪.⓪.①", "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11",
    "http://user@127.0.0.1", "http://example.com@127.0.0.1", "http://example.com:80@127.0.0.1/",
    "http://127.0.0.1\\@example.com/", "http://example.com\\@127.0.0.1/",
    "http://127.0.0.1%00.example.com/", "http://example.com%2f@127.0.0.1/",
    "http://exa\tmple.com/", "http://[::1", "http://[127.0.0.1]/",
]  # fmt: skip
# What getaddrinfo makes of the disguised spellings, were it ever asked.
LOOPBACK_NAMES = ["localhost", "2130706433", "0x7f000001", "017700000001", "127.1", "0", "evil"]


@pytest.mark.parametrize("url", INNER_SPELLINGS)
async def test_no_spelling_of_an_inner_address_is_dialled(url: str) -> None:
    wire = Wire()
    names = Names({name: [["127.0.0.1"]] for name in LOOPBACK_NAMES})
    async with client_for(names=names, wire=wire) as client:
        with pytest.raises(FetchDenied):
            await client.page(url)
    assert wire.dialled == []


@pytest.mark.parametrize(
    "records",
    [
        ["127.0.0.1"],
        [PUBLIC, "127.0.0.1"],
        ["10.0.0.1", PUBLIC],
        [PUBLIC, "::1"],
        [OTHER_PUBLIC, "fec0::1"],
        ["168.63.129.16"],
        ["64:ff9b::7f00:1"],
        [PUBLIC, "fe80::1%eth0"],
        [PUBLIC, "not an address"],
    ],
)
async def test_a_name_with_one_inner_record_is_not_dialled_at_all(records: list[str]) -> None:
    wire = Wire()
    async with client_for(names=Names({"evil.example": [records]}), wire=wire) as client:
        with pytest.raises(FetchDenied, match="address is not public"):
            await client.page("http://evil.example/")
    assert wire.dialled == []


async def test_a_public_name_is_dialled_at_the_address_that_was_checked(site: Site) -> None:
    site.html("/", article())
    wire = Wire(site.port)
    names = Names({"news.example": [[PUBLIC], ["127.0.0.1"]]})
    async with client_for(names=names, wire=wire) as client:
        page = await client.page("http://news.example/")
    assert "Paragraph 3" in str(page.content)
    assert wire.dialled == [(PUBLIC, 80)]
    assert names.asked == ["news.example"]


async def test_a_name_that_turns_inner_is_denied_when_it_is_dialled_again(site: Site) -> None:
    site.raw("/first", b"x", Connection="close", Content_Type="text/plain")
    wire = Wire(site.port)
    names = Names({"evil.example": [[PUBLIC], ["127.0.0.1"]]})
    async with client_for(names=names, wire=wire) as client:
        await client.page("http://evil.example/first")
        with pytest.raises(FetchDenied, match="address is not public"):
            await client.page("http://evil.example/second")
    assert wire.dialled == [(PUBLIC, 80)]


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/", "http://[::1]/", "//127.0.0.1/", "http://2130706433/",
        "http://localhost/", "http://inner.example/", "http://169.254.169.254/latest/meta-data/",
        "file:///etc/passwd", "http://news.example:6379/", "http://user@news.example/",
        "gopher://news.example/", "http://①②⑦.⓪.⓪.①/", "http://[::1",
    ],
)  # fmt: skip
@pytest.mark.parametrize("status", [301, 307])
async def test_a_redirect_inwards_is_denied_at_the_hop(
    site: Site, location: str, status: int
) -> None:
    site.redirect("/go", location, status)
    wire = Wire(site.port)
    names = Names({"news.example": [[PUBLIC]], "inner.example": [["10.1.2.3"]]})
    async with client_for(names=names, wire=wire) as client:
        with pytest.raises(FetchDenied, match="not allowed"):
            await client.page("http://news.example/go")
    assert wire.dialled == [(PUBLIC, 80)]
    assert site.hits == ["/go"]


async def test_a_redirect_without_end_is_given_up(site: Site) -> None:
    site.redirect("/loop", "/loop")
    async with client_for(site) as client:
        with pytest.raises(FetchFailed, match="too many redirects"):
            await client.page("http://news.example/loop")
    assert len(site.hits) == 6


async def test_the_gate_makes_no_socket_for_an_address_it_has_not_passed() -> None:
    wire = Wire()
    gate = AddressGuard(Names({}).addresses, Allowance(), wire)
    with pytest.raises(FetchDenied):
        gate.socket_for((2, 1, 6, "", (PUBLIC, 80)))
    assert wire.dialled == []


async def test_a_public_literal_is_dialled_as_it_stands(site: Site) -> None:
    site.html("/", article())
    wire = Wire(site.port)
    async with client_for(wire=wire) as client:
        await client.page(f"http://{PUBLIC}/")
    assert wire.dialled == [(PUBLIC, 80)]


async def test_a_listed_host_is_dialled_where_the_operator_says(site: Site) -> None:
    site.html("/page", article())
    pattern = HostPattern(host="*.test", port=None)
    allowance = Allowance(hosts=(pattern,), connections=((pattern, ("127.0.0.1", site.port)),))
    names = Names({})
    async with client_for(site, names=names, allowance=allowance) as client:
        page = await client.page("http://news.test/page")
        with pytest.raises(FetchFailed):
            await client.page("http://news.example/page")
    assert page.final_url == "http://news.test/page"
    assert site.hosts == ["news.test"]
    assert names.asked == ["news.example"]


async def test_a_proxy_in_the_environment_is_not_used(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    site.html("/", article())
    wire = Wire(site.port)
    async with client_for(wire=wire) as client:
        await client.page("http://news.example/")
    assert wire.dialled == [(PUBLIC, 80)]
