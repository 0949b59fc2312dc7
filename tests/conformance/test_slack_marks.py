"""Slack's rules on reactions, pins, bookmarks, emoji and link previews (SLACK.md 3.10, 5)."""

from collections.abc import AsyncIterator, Callable

import pytest

from tests.bot.sandbox.slack.refusals import error_of
from tests.conformance.slack_app import RecordingApp, Web, in_socket_mode
from tests.conformance.slack_team import Json, Team

READING = ["channels:history", "groups:history"]


async def test_reactions_are_added_once_and_taken_back_once(
    team: Team, web: Web, general: str
) -> None:
    ts = await team.say("ann", "general", "hello")
    await web.reactions_add(channel=general, timestamp=ts, name="eyes")
    again = web.reactions_add(channel=general, timestamp=ts, name="eyes")
    assert await error_of(again) == "already_reacted"
    shown = await web.reactions_get(channel=general, timestamp=ts)
    users = [team.bot_user_id]
    assert shown["message"]["reactions"] == [{"name": "eyes", "users": users, "count": 1}]
    await web.reactions_remove(channel=general, timestamp=ts, name="eyes")
    gone = web.reactions_remove(channel=general, timestamp=ts, name="eyes")
    assert await error_of(gone) == "no_reaction"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        pytest.param({"name": ":eyes:"}, "invalid_name", id="colons"),
        pytest.param({"timestamp": "1.000001"}, "message_not_found", id="no message"),
        pytest.param({"timestamp": "yesterday"}, "bad_timestamp", id="no ts"),
        pytest.param({"timestamp": None}, "no_item_specified", id="nothing"),
    ],
)
async def test_a_faulty_reaction_is_refused(
    team: Team, web: Web, general: str, arguments: Json, error: str
) -> None:
    ts = await team.say("ann", "general", "hello")
    basis: Json = {"channel": general, "timestamp": ts, "name": "eyes"}
    assert await error_of(web.reactions_add(**(basis | arguments))) == error


@pytest.fixture
async def marking(new_team: Callable[..., Team]) -> AsyncIterator[RecordingApp]:
    scopes = ["pins:write", "pins:read", "bookmarks:write", "bookmarks:read", "emoji:read"]
    events = ["pin_added", "pin_removed"]
    async with new_team(scopes=[*scopes, *READING], bot_events=events) as team:
        app = RecordingApp(team)
        async with in_socket_mode(app.bolt, team):
            yield app


async def test_a_pin_is_set_once_and_taken_off_once(marking: RecordingApp) -> None:
    team, web, general = marking.team, marking.web, marking.team.channels["general"]
    ts = await team.say("ann", "general", "keep this")
    await web.pins_add(channel=general, timestamp=ts)
    again = web.pins_add(channel=general, timestamp=ts)
    assert await error_of(again) == "already_pinned"
    items = (await web.pins_list(channel=general))["items"]
    assert [item["message"]["text"] for item in items] == ["keep this"]
    assert (await web.conversations_history(channel=general))["pin_count"] == 1
    await web.pins_remove(channel=general, timestamp=ts)
    assert await error_of(web.pins_remove(channel=general, timestamp=ts)) == "no_pin"


async def test_the_pin_of_a_person_is_told(marking: RecordingApp) -> None:
    # 1.3
    ts = await marking.team.say("ann", "general", "keep this")
    await marking.team.pin("ann", "general", ts)
    await marking.team.unpin("ann", "general", ts)
    (added,), (removed,) = await marking.gets("pin_added"), await marking.gets("pin_removed")
    assert added["item"]["message"]["ts"] == removed["item"]["message"]["ts"] == ts


async def test_a_bookmark_is_a_link_that_can_be_changed(marking: RecordingApp) -> None:
    web, general = marking.web, marking.team.channels["general"]
    link: Json = {"channel_id": general, "title": "X", "type": "link", "link": "https://x.test"}
    bookmark = (await web.bookmarks_add(**link))["bookmark"]
    wanted = {"bookmark_id": bookmark["id"], "channel_id": general}
    await web.bookmarks_edit(**wanted, title="Y")
    (listed,) = (await web.bookmarks_list(channel_id=general))["bookmarks"]
    assert (listed["title"], listed["link"]) == ("Y", "https://x.test")
    await web.bookmarks_remove(**wanted)
    assert await error_of(web.bookmarks_remove(**wanted)) == "not_found"
    poem = web.bookmarks_add(**(link | {"type": "poem"}))
    assert await error_of(poem) == "invalid_bookmark_type"
    bare = web.bookmarks_add(**(link | {"link": "x.test"}))
    assert await error_of(bare) == "invalid_link"


async def test_custom_emoji_are_addresses_or_aliases(marking: RecordingApp) -> None:
    emoji = (await marking.web.emoji_list())["emoji"]
    aliases = [v.removeprefix("alias:") for v in emoji.values() if v.startswith("alias:")]
    assert aliases
    assert all(name in emoji for name in aliases)


@pytest.mark.parametrize("method", ["pins.list", "bookmarks.list", "emoji.list", "chat.unfurl"])
async def test_each_of_them_needs_its_scope(web: Web, method: str) -> None:
    # 3.2
    assert await error_of(web.api_call(method, json={})) == "missing_scope"


@pytest.fixture
async def unfurling(new_team: Callable[..., Team]) -> AsyncIterator[RecordingApp]:
    scopes = ["links:read", "links:write", *READING]
    events = ["link_shared", "message.channels"]
    async with new_team(scopes=scopes, bot_events=events, unfurl_domains=["x.test"]) as team:
        app = RecordingApp(team)
        async with in_socket_mode(app.bolt, team):
            yield app


async def test_a_link_of_the_apps_domain_is_told_and_gets_its_preview(
    unfurling: RecordingApp,
) -> None:
    team, web, url = unfurling.team, unfurling.web, "https://docs.x.test/a?b=1&c=2"
    ts = await team.say(
        "ann", "general", "see <https://docs.x.test/a?b=1&amp;c=2> <https://y.test>"
    )
    (shared,) = await unfurling.gets("link_shared")
    await unfurling.gets("message")
    assert shared["links"] == [{"domain": "docs.x.test", "url": url}]
    place: Json = {"channel": shared["channel"], "ts": shared["message_ts"]}
    for title in ("First", "Second"):  # A second preview takes the first one's place.
        await web.chat_unfurl(**place, unfurls={url: {"title": title}})
    changed = (await unfurling.gets("message", 3))[-1]
    assert (changed["subtype"], changed["message"]["ts"]) == ("message_changed", ts)
    assert "edited" not in changed["message"]
    (attachment,) = changed["message"]["attachments"]
    assert (attachment["title"], attachment["from_url"]) == ("Second", url)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        pytest.param({"unfurls": None}, "missing_unfurls", id="nothing"),
        pytest.param({"unfurls": "[]"}, "invalid_unfurls_format", id="an array"),
        pytest.param({"unfurls": {"https://x.test": 1}}, "cannot_parse_attachment", id="no map"),
        pytest.param({"unfurls": {"https://x.test/b": {}}}, "cannot_unfurl_message", id="absent"),
        pytest.param({"unfurls": {"https://y.test": {}}}, "cannot_unfurl_url", id="not ours"),
        pytest.param({"ts": "1.000001"}, "cannot_find_message", id="no message"),
        pytest.param({"channel": "C0"}, "cannot_find_channel", id="no channel"),
        pytest.param({"ts": None}, "missing_ts", id="no ts"),
    ],
)  # fmt: skip
async def test_a_faulty_preview_is_refused(
    unfurling: RecordingApp, arguments: Json, error: str
) -> None:
    team = unfurling.team
    ts = await team.say("ann", "general", "<https://x.test> <https://y.test>")
    basis: Json = {"channel": team.channels["general"], "ts": ts, "unfurls": {"https://x.test": {}}}
    assert await error_of(unfurling.web.chat_unfurl(**(basis | arguments))) == error
