"""Limits to agents, channels and people."""

from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.testing.tools import tool_context
from agent_core.tools.fleet import Access

CONTEXT = replace(tool_context(Path(), asker="T1:U1"), places=("C1", "T1:C1"))


def test_without_limits_it_is_everybodys_main_agent() -> None:
    assert Access().admits(CONTEXT)
    assert not Access().admits(replace(CONTEXT, agent="film-expert"))


@pytest.mark.parametrize(
    ("access", "is_admitted"),
    [
        (Access(channels=frozenset({"C1"})), True),
        (Access(channels=frozenset({"T1:C1"})), True),
        (Access(channels=frozenset({"T2:C1", "C2"})), False),
        (Access(channels=frozenset()), False),
        (Access(users=frozenset({"U1"})), True),
        (Access(users=frozenset({"T1:U1"})), True),
        (Access(users=frozenset({"T2:U1", "U2"})), False),
        (Access(users=frozenset({"*"})), True),
        (Access(users=frozenset({"U1"}), channels=frozenset({"C2"})), False),
        (Access(agents=frozenset({"film-expert"})), False),
        (Access(agents=frozenset({"*"})), True),
    ],
)
def test_every_limit_has_to_admit(access: Access, is_admitted: bool) -> None:
    assert access.admits(CONTEXT) is is_admitted


def test_where_nobody_says_the_place_a_limit_to_channels_admits_nobody() -> None:
    assert not Access(channels=frozenset({"C1"})).admits(replace(CONTEXT, places=()))


def test_the_limits_are_put_in_words() -> None:
    assert Access().in_words == ""
    access = Access(channels=frozenset({"C2", "C1"}), users=frozenset())
    assert access.in_words == "channels C1 C2; users (nobody)"
