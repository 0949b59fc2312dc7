"""Whole conversations: listed, read, and told something once."""

from pathlib import Path

import pytest

from agent_core.sessions import Preferences
from bot.slack_api import Op, People, SlackRefused, language_of
from bot.slack_api.api import PEOPLE_TTL_S
from bot.slack_api.calls import GENTLE_A_MINUTE, MINUTE_S
from tests.agent_core.sessions.databases import opened
from tests.bot.desk import Desk


async def test_a_list_is_read_to_its_end(desk: Desk) -> None:
    general = desk.slack.channels["general"]
    mine = {each.id: each for each in await desk.api.channels.mine()}
    assert (mine[general].kind, mine[general].name) == ("channel", "general")
    for number in range(505):
        await desk.slack.say("ann", "general", f"{number}")
    pages = [page async for page in desk.api.channels.history(general, oldest="0")]

    assert [len(page) for page in pages] == [500, 6]
    assert pages[0][0]["text"] == "504"


async def test_many_threads_do_not_hold_up_what_was_said_outside_of_them(desk: Desk) -> None:
    for _ in range(GENTLE_A_MINUTE + 1):
        async for _ in desk.api.channels.replies(desk.thread, oldest="0"):
            pass
    assert desk.clock.slept == [MINUTE_S]
    async for _ in desk.api.channels.history(desk.thread.channel, oldest="0"):
        pass

    assert desk.clock.slept == [MINUTE_S]


async def test_an_announcement_whose_answer_is_lost_is_made_once(desk: Desk) -> None:
    general = desk.slack.channels["general"]
    desk.slack.fail("chat.postMessage", drop_after_accept=True)
    op = Op("late").part("C1")
    sent = await desk.api.announce(general, "for all", op=op, since=desk.thread.root_ts)

    own = [post for post in desk.slack.posts("general") if post.text == "for all"]
    assert [(post.ts, post.is_reply) for post in own] == [(sent.ts, False)]
    assert await desk.api.announced(general, owner="late", since=desk.thread.root_ts) == {op}
    assert await desk.api.announced(general, owner="other", since=desk.thread.root_ts) == set()
    assert await desk.api.announced(general, owner="late", since=sent.ts) == set()


async def test_what_a_thread_does_not_tell_for_certain_is_no_deletion(desk: Desk) -> None:
    reply = await desk.slack.say("ben", "general", "yes", thread_ts=_root(desk))
    desk.slack.fail("conversations.replies", error="thread_not_found")
    with pytest.raises(SlackRefused, match="thread_not_found"):
        await desk.api.channels.post_now(desk.thread, reply)
    desk.slack.fail("conversations.replies", error="channel_not_found")
    with pytest.raises(SlackRefused, match="channel_not_found"):
        await desk.api.channels.post_now(desk.thread, _root(desk))


def _root(desk: Desk) -> str:
    return desk.thread.root_ts


async def test_people_are_described(desk: Desk) -> None:
    users = desk.slack.users
    guest = await desk.api.person(users["guest"])
    robot = await desk.api.person(users["robot"])
    nameless = await desk.api.person(users["nameless"])

    assert guest is not None
    assert (guest.name, guest.team, guest.is_guest) == ("Gina Guest", desk.slack.team_id, True)
    assert robot is not None
    assert robot.is_bot
    assert nameless is not None
    assert nameless.name == "nameless"
    assert await desk.api.person("U0NOBODY") is None


async def test_people_are_asked_for_once_a_while(desk: Desk) -> None:
    people = People(desk.api)
    ann = desk.slack.people["ann"]
    assert await people.names({ann, "U0NOBODY"}) == {ann: "Ann Arbor"}
    await people.person(ann)
    assert desk.calls("users.info") == 2

    desk.clock.advance(PEOPLE_TTL_S + 1)
    await people.person(ann)
    assert desk.calls("users.info") == 3


async def test_people_are_spoken_to_in_the_language_that_they_wrote_in_after_a_restart_too(
    desk: Desk, tmp_path: Path
) -> None:
    async with opened(f"sqlite:///{tmp_path / 'state.sqlite'}") as database:
        preferences = Preferences(database)
        people = People(desk.api, preferences)
        cleo = await people.person(desk.slack.people["cleo"])
        assert cleo is not None
        assert language_of(cleo) == "de"  # as the profile says
        for text, language in (("What is this about?", "en"), ("ok", "en"), ("Was ist das?", "de")):
            cleo = await people.hear(cleo, text)
            assert (language_of(cleo), await people.person(cleo.id)) == (language, cleo)
            restarted = People(desk.api, preferences)
            assert language_of(await restarted.person(cleo.id)) == language
