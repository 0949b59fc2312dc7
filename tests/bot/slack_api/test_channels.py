"""Whole conversations: listed, read, and told something once."""

from bot.slack_api import Conversation
from tests.bot.slack_api.conftest import Desk


async def test_conversations_of_every_kind_are_listed_and_archived_ones_are_not(
    desk: Desk,
) -> None:
    slack, people = desk.slack, desk.slack.people
    direct = slack.dm_id("ann")
    several = slack.state.direct_channel(people["ann"], people["ben"], slack.bot_user_id).id
    kinds = {each.id: each.kind for each in await desk.api.channels.mine()}

    assert kinds[slack.channels["general"]] == "channel"
    assert kinds[slack.channels["private"]] == "group"
    assert (kinds[direct], kinds[several]) == ("im", "mpim")
    assert not {slack.channels[name] for name in ("archived", "random", "hidden")} & set(kinds)


async def test_a_list_is_read_to_its_end(desk: Desk) -> None:
    general = desk.slack.channels["general"]
    assert Conversation(id=general, kind="channel") in await desk.api.channels.mine()
    for number in range(505):
        await desk.slack.say("ann", "general", f"{number}")
    pages = [page async for page in desk.api.channels.history(general, oldest="0")]

    assert [len(page) for page in pages] == [500, 6]
    assert pages[0][0]["text"] == "504"


async def test_an_announcement_whose_answer_is_lost_is_made_once(desk: Desk) -> None:
    general = desk.slack.channels["general"]
    desk.slack.fail("chat.postMessage", drop_after_accept=True)
    ts = await desk.api.announce(general, "for all", op_id="op1", since=desk.thread.root_ts)

    own = [post for post in desk.slack.posts("general") if post.text == "for all"]
    assert [(post.ts, post.is_reply) for post in own] == [(ts, False)]
    assert await desk.api.announced(general, since=desk.thread.root_ts) == {"op1"}
    assert await desk.api.announced(general, since=ts) == set()


async def test_a_permalink_names_the_thread_of_a_reply(desk: Desk) -> None:
    general = desk.slack.channels["general"]
    reply = await desk.slack.say("ben", "general", "yes", thread_ts=desk.thread.root_ts)
    link = await desk.api.channels.permalink(general, reply)

    assert reply.replace(".", "") in link
    assert desk.thread.root_ts in link
