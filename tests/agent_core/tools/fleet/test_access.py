"""Limits to agents, channels and people."""

import pytest

from agent_core.ids import SessionId, UserId
from agent_core.tools.fleet import MAIN_AGENT, Access

SESSION = SessionId("T1:C1:1700000000.000001")
ASKER = UserId("T1:U1")


def admits(access: Access, agent: str = MAIN_AGENT) -> bool:
    return access.admits(agent=agent, session=SESSION, asker=ASKER)


def test_without_limits_it_is_everybodys_main_agent() -> None:
    assert admits(Access())
    assert not admits(Access(), agent="film-expert")


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
    assert admits(access) is is_admitted


def test_a_session_that_is_no_thread_has_no_channel() -> None:
    access = Access(channels=frozenset({"C1"}))
    assert not access.admits(agent=MAIN_AGENT, session=SessionId("session_1"), asker=ASKER)


def test_the_limits_are_put_in_words() -> None:
    assert Access().in_words == ""
    access = Access(channels=frozenset({"C2", "C1"}), users=frozenset())
    assert access.in_words == "channels C1 C2; users (nobody)"
