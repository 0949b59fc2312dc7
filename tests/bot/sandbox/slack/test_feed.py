"""The live feed and waiting on it, and the text helpers, seen from outside."""

import pytest

from bot.sandbox.slack import ApiCall, Post, SlackStandIn
from bot.sandbox.slack.feed import MAX_WAITING_CHANGES, SubscriberTooSlowError
from tests.bot.sandbox.slack.echo_bot import Client


async def test_each_change_comes_in_order(slack: SlackStandIn, client: Client) -> None:
    changes = slack.changes()
    general = slack.channels["general"]
    ts = (await client.chat_postMessage(channel=general, text="one"))["ts"]
    await client.chat_update(channel=general, ts=ts, text="two")
    await client.chat_delete(channel=general, ts=ts)
    seen: list[str] = []
    async for change in changes:
        match change.record:
            case Post() as post:
                seen.append("gone" if change.is_gone else post.text)
            case ApiCall() as call:
                seen.append(call.method)
            case _:
                continue
        if len(seen) == 6:
            break
    assert seen == ["one", "chat.postMessage", "two", "chat.update", "gone", "chat.delete"]


async def test_a_reader_that_falls_behind_is_cut_off(slack: SlackStandIn) -> None:
    changes = slack.changes()
    for number in range(MAX_WAITING_CHANGES):
        await slack.say("ann", "random", str(number))
    await slack.say("ann", "random", "one too many")
    with pytest.raises(SubscriberTooSlowError):
        async for _ in changes:
            pass


async def test_waiting_ends_with_the_change_or_with_the_time(slack: SlackStandIn) -> None:
    with pytest.raises(TimeoutError):
        await slack.wait_for(lambda s: s.posts("general"), timeout_s=0.01)
    await slack.say("ann", "general", "here")
    assert (await slack.wait_for(lambda s: s.posts("general")))[0].text == "here"


@pytest.mark.parametrize(
    ("typed", "wire"),
    [
        ("1 < 2 & 3 > 2", "1 &lt; 2 &amp; 3 &gt; 2"),
        ("see https://x.test/a.", "see <https://x.test/a>."),
        ("@here mail ann@x.test @nobody", "<!here> mail ann@x.test @nobody"),
    ],
)
async def test_typed_text_becomes_wire_text(slack: SlackStandIn, typed: str, wire: str) -> None:
    assert slack.typed(typed) == wire


async def test_typed_names_become_references(slack: SlackStandIn) -> None:
    typed = slack.typed("@universal-agent ask @ben in #energy, @bot.")
    energy = slack.channels["energy"]
    ben = f"<@{slack.people['ben']}>"
    assert typed == f"{slack.mention} ask {ben} in <#{energy}|energy>, {slack.mention}."


async def test_only_members_can_speak(slack: SlackStandIn) -> None:
    with pytest.raises(ValueError, match="stranger is no member of general"):
        await slack.say("stranger", "general", "hello")
    with pytest.raises(ValueError, match="archived is archived"):
        await slack.say("ann", "archived", "hello")
    with pytest.raises(ValueError, match="either a channel or dm"):
        await slack.say("ann", text="hello")


async def test_timestamps_are_unique_and_grow(slack: SlackStandIn) -> None:
    stamps = [await slack.say("ann", "general", "x") for _ in range(50)]
    assert stamps == sorted(set(stamps))
