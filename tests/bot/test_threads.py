import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import SessionError
from agent_core.ids import SessionId, UserId
from bot.threads import ThreadRef, parse_session, parse_user, user_id

ids = st.from_regex(r"\A[A-Z][A-Z0-9]{1,20}\Z")
moments = st.from_regex(r"\A[0-9]{10}\.[0-9]{6}\Z")


@given(ids, ids, moments)
def test_a_thread_survives_the_way_to_its_session_and_back(
    team: str, channel: str, ts: str
) -> None:
    thread = ThreadRef(team=team, channel=channel, root_ts=ts)

    assert parse_session(thread.session) == thread


def test_a_session_is_named_by_team_channel_and_root() -> None:
    thread = ThreadRef(team="T1", channel="C1", root_ts="1783536983.783769")

    assert thread.session == "T1:C1:1783536983.783769"


@pytest.mark.parametrize(
    "session",
    [
        "",
        "T1:C1",
        "T1:C1:1783536983",
        "T1:C1:1783536983.783769:x",
        "T1:../..:1783536983.783769",
        "t1:C1:1783536983.783769",
        "T1:C1:1783536983.783769\n",
        ":C1:1783536983.783769",
    ],
)
def test_what_is_no_thread_is_refused(session: str) -> None:
    with pytest.raises(SessionError):
        parse_session(SessionId(session))


def test_a_person_is_named_by_team_and_user() -> None:
    assert user_id("T1", "U1") == "T1:U1"
    assert parse_user(UserId("T1:U1")) == ("T1", "U1")


@pytest.mark.parametrize("user", ["", "U1", "T1:", "T1:U1:x", "T1:<@U1>"])
def test_what_is_no_person_is_refused(user: str) -> None:
    with pytest.raises(SessionError):
        parse_user(UserId(user))
