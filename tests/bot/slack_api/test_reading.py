"""What the bot reads of the workspace: itself, people, threads."""

from bot.slack_api import People
from bot.threads import ThreadRef
from tests.bot.slack_api.conftest import Desk


async def test_the_token_tells_who_the_bot_is(desk: Desk) -> None:
    identity = await desk.api.identify()

    assert identity.team == desk.slack.team_id
    assert identity.bot_user == desk.slack.bot_user_id
    assert identity.bot_id == desk.slack.bot_id
    assert identity.app_id == desk.slack.app.id


async def test_the_newest_posts_of_a_long_thread_are_read_in_order(desk: Desk) -> None:
    stamps = [
        await desk.slack.say("ben", "general", f"{number}", thread_ts=desk.thread.root_ts)
        for number in range(250)
    ]
    posts = await desk.api.newest_posts(desk.thread, limit=3, before_ts=stamps[-1])

    assert [post.text for post in posts] == ["246", "247", "248"]


async def test_the_root_of_a_thread_is_read(desk: Desk) -> None:
    root = await desk.api.root_post(desk.thread)

    assert root is not None
    assert root.text == "the root"


async def test_the_root_of_a_thread_that_is_gone_is_none(desk: Desk) -> None:
    gone = ThreadRef(
        team=desk.thread.team, channel=desk.thread.channel, root_ts="1000000000.000001"
    )

    assert await desk.api.root_post(gone) is None


async def test_people_are_described(desk: Desk) -> None:
    users = desk.slack.users
    guest = await desk.api.person(users["guest"])
    robot = await desk.api.person(users["robot"])
    nameless = await desk.api.person(users["nameless"])

    assert guest is not None
    assert (guest.name, guest.team, guest.is_guest) == ("guest", desk.slack.team_id, True)
    assert robot is not None
    assert robot.is_bot
    assert nameless is not None
    assert nameless.name == "nameless"
    assert await desk.api.person("U0NOBODY") is None


async def test_a_person_has_the_locale_that_they_set_in_slack(desk: Desk) -> None:
    cleo = await desk.api.person(desk.slack.users["cleo"])

    assert cleo is not None
    assert cleo.locale == "de-DE"


async def test_people_are_asked_for_once_a_while(desk: Desk) -> None:
    people = People(desk.api, ttl_s=60)
    ann = desk.slack.people["ann"]
    assert await people.names({ann, "U0NOBODY"}) == {ann: "ann"}
    await people.person(ann)
    assert desk.calls("users.info") == 2

    desk.clock.advance(61)
    await people.person(ann)
    assert desk.calls("users.info") == 3


async def test_no_more_people_than_agreed_are_remembered(desk: Desk) -> None:
    people = People(desk.api, max_people=1)
    for name in ("ann", "ben", "ann"):
        await people.person(desk.slack.people[name])

    assert desk.calls("users.info") == 3
