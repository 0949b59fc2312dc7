from typing import Any

import pytest

from agent_core.errors import SessionError
from agent_core.ids import SessionId, UserId
from bot.inbound import InboundPost, plain_text, read_post
from bot.threads import parse_session, parse_user

BOT = "UBOT"
TS = "1783536983.783769"


def _body(**event: Any) -> dict[str, Any]:
    base = {"type": "message", "user": "U1", "text": "hi", "ts": TS, "channel": "C1"}
    return {"team_id": "T1", "api_app_id": "A1", "event": {**base, **event}}


def _read(**event: Any) -> InboundPost:
    post = read_post(_body(**event), bot_user=BOT)
    assert post is not None
    return post


@pytest.mark.parametrize(
    ("wire", "typed"),
    [
        ("<@UBOT> status", "status"),
        ("status <@UBOT> please", "status please"),
        ("a &amp; b &lt;c&gt; &amp;lt;", "a & b <c> &lt;"),
        ("&quot;kept&quot; &nbsp;", "&quot;kept&quot; &nbsp;"),
        ("ask <@U2> and <@U3|carl>", "ask @Ben and @carl"),
        ("ask <@U9>", "ask @U9"),
        ("in <#C1|ops> and <#C2>", "in #ops and #C2"),
        ("<https://a.test/x?a=1&amp;b=2>", "https://a.test/x?a=1&b=2"),
        ("<https://a.test/x|the page>", "the page (https://a.test/x)"),
        ("<http://a.test|a.test>", "a.test"),
        ("<mailto:ann@a.test|ann@a.test>", "ann@a.test"),
        ("<!here> <!channel> <!subteam^S1|@ops> <!subteam^S2>", "@here @channel @ops @subteam"),
        ("<!date^1392734382^{date}|18 Feb 2014>", "18 Feb 2014"),
        (":tada: done 🎉", "🎉 done 🎉"),
        (":+1::skin-tone-3:", "👍"),
        (":octagonal_sign:", "🛑"),
        (":party-parrot: :Häuschen:", "✨ ✨"),
        ("at 10:30:45 :party-parrot:", "at 10:30:45 :party-parrot:"),
        ("```\n  a  b\n```", "```\n  a  b\n```"),
    ],
)
def test_wire_text_is_read_as_it_was_typed(wire: str, typed: str) -> None:
    assert plain_text(wire, bot_user=BOT, names={"U2": "Ben"}) == typed


def test_a_direct_message_is_known_by_its_channel_where_the_payload_does_not_say() -> None:
    assert _read(channel_type="im").channel_type == "im"
    assert _read(channel="D1").channel_type == "im"
    assert _read(type="app_mention").channel_type == ""


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast", "me_message"])
def test_posts_of_these_kinds_are_read(subtype: str) -> None:
    assert read_post(_body(subtype=subtype), bot_user=BOT) is not None


@pytest.mark.parametrize(
    "event",
    [
        {"subtype": "bot_message", "bot_id": "B2"},
        {"subtype": "message_changed", "hidden": True},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"},
        {"hidden": True},
        {"bot_id": "B2"},
        {"app_id": "A2"},
        {"bot_profile": {"id": "B2"}},
        {"user": BOT},
        {"user": "USLACKBOT"},
        {"user": None},
        {"type": "reaction_added"},
        {"ts": "yesterday"},
        {"channel": "../etc"},
    ],
)
def test_what_is_no_persons_post_is_left(event: dict[str, Any]) -> None:
    assert read_post(_body(**event), bot_user=BOT) is None


@pytest.mark.parametrize("files", ["x", 5, {}, [None, "x", 5], [{"size": "much", "name": None}]])
def test_files_in_an_odd_shape_cost_no_post(files: object) -> None:
    post = _read(files=files)

    assert post.wire_text == "hi"
    assert all(file.size_bytes == 0 for file in post.files)


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


@pytest.mark.parametrize("user", ["", "U1", "T1:", "T1:U1:x", "T1:<@U1>"])
def test_what_is_no_person_is_refused(user: str) -> None:
    with pytest.raises(SessionError):
        parse_user(UserId(user))
