"""“Open live view” in a running bot: whoever presses it in Slack, and what their link opens."""

import re
from collections.abc import Sequence

import pytest
from playwright.async_api import Page, expect

from agent_core.events import ApprovalRequested, QuestionAsked
from bot.clicks import LiveViewClick
from tests.bot.console.world import browser
from tests.browser import browser_window
from tests.e2e.world import World

__all__ = ["browser_window"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

COMPARISON = "Compare heat pumps, battery storage and wind power for a small town"
INTERNAL = re.compile(
    r"mcp__|\b[a-z]+_[a-z_]+|\b[A-Z]+_[A-Z_]+|explorer|report-creation-expert|\bTokens?\b|\bTold\b"
    r"|[{\[]\"|\"{3}|\*\*|\]\(|\b(?:query|urls?|path|num): "
)
"""Names of tools, arguments, files and agents, bookkeeping, and raw Markdown."""
SHOWN = """() => {
  document.querySelectorAll("details:not(.details)").forEach((fold) => (fold.open = true));
  const texts = [document.querySelector("#app").innerText];
  for (const node of document.querySelectorAll("#app [title], #app [aria-label]")) {
    if (!node.closest(".details")) texts.push(node.title, node.getAttribute("aria-label") ?? "");
  }
  return texts.join("\\n");
}"""
"""All that people read or are read aloud, “Details” left out."""

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


async def texts(page: Page) -> Sequence[str]:
    """What the page shows, with each agent selected in turn."""
    items = page.get_by_role("treeitem")
    shown: list[str] = []
    for number in range(await items.count()):
        await items.nth(number).locator("> .row").click()
        await expect(items.nth(number)).to_have_attribute("aria-selected", "true")
        shown.append(await page.evaluate(SHOWN))
    return shown


@pytest.mark.proves("live.readable", "live.asks", "live.enter")
@pytest.mark.process("the page is read in a browser")
async def test_no_names_of_tools_agents_or_files_are_read_outside_details(
    world: World, browser_window: Page
) -> None:
    world.outside.composio.connect(f"{world.slack.team_id}:{world.slack.user_id('ann')}", "gmail")
    compared = await world.mention(COMPARISON)
    computed = await world.mention("Run this, please:\n```\nprint(6 * 7)\n```")
    mailed = await world.mention("Research heat pumps and email me the report")
    asked = await world.mention("help me with the thing")
    await world.answered(compared)
    await world.answered(computed)
    await world.until(mailed, ApprovalRequested)
    await world.until(asked, QuestionAsked)
    internal: list[str] = []
    for ts, agents in ((compared, 8), (computed, 1), (mailed, 6), (asked, 1)):
        await world.slack.wait_for(lambda _, ts=ts: bool(with_live_view(world, ts)))
        [link] = LINK.findall(await pressed(world, "ann", with_live_view(world, ts)[-1]))
        await browser_window.goto(link)
        await expect(browser_window.get_by_text("Live", exact=True)).to_be_visible()
        await expect(browser_window.get_by_role("treeitem")).to_have_count(agents)
        for shown in await texts(browser_window):
            internal += INTERNAL.findall(shown)
    assert internal == []


def with_live_view(world: World, ts: str) -> Sequence[str]:
    """The posts of a thread that have the button, oldest first."""
    kind = LiveViewClick().kind
    return [post.ts for post in world.bot_posts(ts) if kind in str(post.blocks)]
