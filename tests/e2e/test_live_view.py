"""“Open live view” in a running bot: whoever presses it in Slack, and what their link opens."""

import re

import pytest

from bot.clicks import LiveViewClick
from tests.bot.console.world import browser
from tests.e2e.world import World

pytestmark = pytest.mark.asyncio(loop_scope="module")

REPORT = "Write a comprehensive report on keeping chat bots reliable"
LINK = re.compile(r"<(http://[^|>]+)\|")


async def pressed(world: World, user: str, ts: str) -> str:
    """What a person who presses the button of a progress post is told alone."""
    before = len(world.told_in_private(user))
    await world.slack.click(user, "general", ts, LiveViewClick().kind)
    await world.slack.wait_for(lambda _: len(world.told_in_private(user)) > before)
    return world.told_in_private(user)[-1]


@pytest.mark.proves("live.button")
async def test_the_button_gives_whoever_presses_it_a_link_of_their_own(world: World) -> None:
    may_go_on = world.model.stall(60, kinds={"delegated"})
    ts = await world.mention(REPORT)
    await world.slack.wait_for(lambda _: any(post.blocks for post in world.bot_posts(ts)))
    [progress] = [post for post in world.bot_posts(ts) if post.blocks]
    [link] = LINK.findall(await pressed(world, "ann", progress.ts))
    async with browser(link.partition("/enter")[0]) as ann:
        assert await ann.enter(link) == 200
        async with ann.live(world.session_id(ts)) as page:
            ready = await page.until_a("ready")
            assert ready["canIntervene"]
            assert {each["state"]["userContent"] for each in page.told[:-1]} >= {REPORT}
    assert "members of this workspace" in await pressed(world, "guest", progress.ts)
    may_go_on.set()
    await world.answered(ts)
    [closed] = [post for post in world.bot_posts(ts) if post.text.startswith("Done in")]
    assert LINK.findall(await pressed(world, "ben", closed.ts))
