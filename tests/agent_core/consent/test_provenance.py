"""After text from outside an address is only as good as the place where it was seen."""

import json
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.consent.provenance import addresses_in, key_of, keys_in

SEEN = "https://news.test/articles/42?lang=en"
LETTERS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789-_", min_size=1, max_size=12)
PATHS = st.lists(LETTERS, min_size=1, max_size=3).map("/".join)
PLACES = [
    "{}",
    "Read {}.",
    "Read ({}), then say.",
    "<{}|the article>",
    "[the article]({}) is long",
    '<a href="{}">x</a>',
    '{{"url":"{}"}}',
    "**{}**",
    "See {}; it is `{}`!",
]


def made_up(addresses: Iterable[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Those addresses that occur in none of the texts."""
    keys = {key for text in texts for key in keys_in(text, bare=True, most=32)}
    return tuple(address for address in addresses if key_of(address) not in keys)


def test_addresses_are_found_wherever_they_stand_and_once_each() -> None:
    arguments = {
        "urls": ["https://a.test/1", "https://b.test/2"],
        "deep": [{"more": {"prompt": "look at https://c.test/3, and https://a.test/1."}}],
        "https://d.test/4": True,
    }
    assert set(addresses_in(arguments)) == {
        "https://a.test/1",
        "https://b.test/2",
        "https://c.test/3",
        "https://d.test/4",
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("url", "evil.test/?q=secret"),
        ("imageUrl", "secret.evil.test"),
        ("source_urls", "//evil.test/secret"),
        ("target", "evil.test/secret"),
        ("target", "//evil.test/secret"),
        ("target", "10.0.0.1:8080/secret"),
        ("target", "ftp://evil.test/secret"),
        ("link", "https://news.test/a secret"),
        ("target", "https://news.test/articles/42?lang=en'secret"),
        ("target", 'https://news.test/articles/42?lang=en"secret'),
        ("target", "https://news.test/articles/42?lang=en..."),
    ],
)
def test_no_spelling_of_an_address_escapes_and_none_of_these_was_seen(
    name: str, value: str
) -> None:
    assert made_up(addresses_in({name: [value]}), [SEEN]) == (value,)


def test_json_in_a_string_is_looked_into() -> None:
    assert addresses_in({"urls": '["https://a.test", "https://b.test"]'}) == (
        "https://a.test",
        "https://b.test",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "from:ada@x.test after:2026/11/01"},
        {"path": "work_products/report.html", "n": 3, "at": "2026-11-22T10:00:00.000Z"},
        {"hourly": "09:00", "title": "Version 1.5 / beta"},
    ],
)
def test_what_is_no_address_is_not_taken_for_one(arguments: dict[str, object]) -> None:
    assert addresses_in(arguments) == ()


def test_nesting_has_no_depth_that_breaks_the_search() -> None:
    nested: object = "https://evil.test/deep"
    for _ in range(5_000):
        nested = {"x": [nested]}
    assert addresses_in(nested) == ("https://evil.test/deep",)


@settings(max_examples=80)
@given(place=st.sampled_from(PLACES), path=PATHS)
def test_an_address_that_stands_in_a_text_was_seen(place: str, path: str) -> None:
    address = f"https://news.test/{path}"
    assert made_up([address], ["nothing", place.format(address, address)]) == ()


def test_an_address_in_escaped_json_was_seen() -> None:
    text = json.dumps({"url": "https://a.test/x?b=1&c=2"}).replace("/", "\\/")
    assert made_up(["https://a.test/x?b=1&c=2"], [text.replace("&", "\\u0026")]) == ()
    assert made_up(["https://a.test/x?b=1&c=2"], ["<https://a.test/x?b=1&amp;c=2>"]) == ()


def test_a_slash_at_the_end_makes_no_difference_and_people_write_bare_hosts() -> None:
    assert made_up(["https://example.test/"], ["please read Example.test."]) == ()
    assert made_up(["https://example.test/a"], ["https://example.test/a/"]) == ()


@settings(max_examples=80)
@given(path=PATHS, more=LETTERS)
def test_nothing_can_be_added_to_an_address_that_was_seen(path: str, more: str) -> None:
    address = f"https://news.test/{path}"
    carrying = [
        f"{address}{more}",
        f"{address}?q={more}",
        f"{address}/{more}",
        f"https://{more}.news.test",
    ]
    assert made_up(carrying, [f"Please read {address} now."]) == tuple(carrying)


@settings(max_examples=80)
@given(path=PATHS, data=st.data())
def test_nothing_can_be_told_by_where_an_address_is_cut(path: str, data: st.DataObject) -> None:
    address = f"https://evil.test/{path}-x"
    cut = address[: data.draw(st.integers(len("https://evil.test/a"), len(address) - 1))]
    if not address.startswith(f"{cut}/") and cut.rstrip("/") == cut:
        assert made_up([cut], [f"Fetch {address}"]) == (cut,)


def test_a_text_made_to_hold_up_the_search_holds_up_nothing() -> None:
    busy = ["https://a.test/" + ")" * 50_000, "https://a.test/bc " * 50_000, "a.test/x)" * 50_000]
    assert made_up(["https://a.test/b"], busy) == ("https://a.test/b",)
