import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_local.fetch.robots import parse_robots

ROBOTS = """
# comment
User-agent: *
Disallow: /private/   # not for anyone
Allow: /private/press$
Disallow: /*.cgi
Disallow: /search*page=
Disallow:

User-agent: OtherBot
User-agent: UniversalAgentBot/2.0
Disallow: /only-us
"""


def allows(path: str, product: str = "SomeBot", text: str = ROBOTS) -> bool:
    return parse_robots(text, product).allows(path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", True),
        ("/private", True),
        ("/private/x", False),
        ("/private/press", True),
        ("/private/press/old", False),
        ("/run.cgi?x=1", False),
        ("/search?q=a&page=2", False),
        ("/search?q=a", True),
        ("/only-us", True),
        ("/robots.txt", True),
    ],
)
def test_the_longest_matching_rule_decides(path: str, expected: bool) -> None:
    assert allows(path) is expected


def test_a_group_with_our_name_stands_in_place_of_the_general_one() -> None:
    assert not allows("/only-us", "UniversalAgentBot")
    assert allows("/private/x", "UniversalAgentBot")


def test_an_allow_of_the_same_length_wins() -> None:
    assert allows("/page", text="User-agent: *\nDisallow: /page\nAllow: /page")


def test_a_site_can_refuse_everything() -> None:
    assert not allows("/", text="User-agent: *\nDisallow: /")
    assert not allows("/any", text="user-AGENT:*\ndisallow:/")


def test_an_encoded_path_meets_a_rule_in_plain_letters() -> None:
    assert not allows("/%C3%BCber/x", text="User-agent: *\nDisallow: /über")


@given(st.text())
def test_any_text_can_be_read_as_rules(text: str) -> None:
    assert parse_robots(text, "SomeBot").allows("/robots.txt")


def test_a_pattern_of_stars_is_matched_in_no_time() -> None:
    text = "User-agent: *\nDisallow: /" + "*a" * 1000 + "$"
    assert allows("/" + "a" * 3000 + "b", text=text)
