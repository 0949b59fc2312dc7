"""A teammate tries the bot on the sandbox's page, in a real browser."""

import re
from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Locator, Page, expect

from agent_core.messages import JsonObject
from bot.sandbox.model import Text
from bot.sandbox.page import Page as SandboxPage
from tests.e2e.world import SIMPLE_ANSWER, World, mail

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.process("the page is read in a browser"),
]

OPEN_FILE = re.compile("^Open(?! live view)")
TURN_MS = 60_000
BOT = "universal-agent"
REPORT = "Write a comprehensive report on keeping chat bots reliable"
SERIOUS = {"serious", "critical"}


@pytest_asyncio.fixture(loop_scope="module")
async def page(world: World, browser_page: Page) -> AsyncGenerator[Page]:
    """The page as Ann sees it, with #general open."""
    async with SandboxPage(world.slack) as site:
        await browser_page.goto(site.url)
        await open_channel(browser_page, "general")
        yield browser_page


async def open_channel(page: Page, name: str) -> None:
    channels = page.get_by_role("navigation", name="Channels")
    await channels.get_by_role("button", name=name).first.click()


async def write(page: Page, text: str, *, box: str = "Message #general") -> None:
    """Type into a composer as a person does, and press Enter."""
    composer = page.get_by_role("textbox", name=box)
    await composer.press_sequentially(text)
    await composer.press("Enter")


async def mention(page: Page, text: str) -> Locator:
    """Begin with the bot's name, take it from the list that comes up, and go on: the new post."""
    posts = page.get_by_role("main").locator("article")
    before = await posts.count()
    composer = page.get_by_role("textbox", name="Message #general")
    await composer.press_sequentially("@univ")
    await expect(page.get_by_role("listbox").get_by_role("option").first).to_contain_text(BOT)
    await composer.press("Enter")
    await write(page, text)
    await expect(posts).to_have_count(before + 1)
    return posts.last


async def open_thread(page: Page, post: Locator) -> Locator:
    """Open the thread below a post, once there is something in it."""
    await post.get_by_role("button", name=re.compile(r"\d repl")).click(timeout=TURN_MS)
    return page.get_by_role("complementary", name="Thread")


async def test_a_mention_is_answered_in_its_thread(world: World, page: Page) -> None:
    world.play_simple()
    thread = await open_thread(page, await mention(page, "What is a typed question?"))
    await expect(thread.locator("article").last).to_contain_text(SIMPLE_ANSWER, timeout=TURN_MS)


async def test_a_report_is_watched_opened_beside_the_thread_and_continued(
    world: World, page: Page
) -> None:
    may_go_on = world.model.stall(TURN_MS / 1000, kinds={"delegated"})
    thread = await open_thread(page, await mention(page, REPORT))
    await expect(thread).to_contain_text("Working on it", timeout=TURN_MS)
    may_go_on.set()
    await expect(thread).to_contain_text("Done in", timeout=TURN_MS)
    await thread.get_by_role("button", name=OPEN_FILE).first.click()
    viewer = page.get_by_role("complementary", name="File")
    report = viewer.frame_locator("iframe")
    await expect(report.get_by_role("heading", level=1)).to_be_visible()
    await expect(report.get_by_role("heading", name="Sources")).to_be_visible()
    await viewer.get_by_role("button", name="Close").click()
    await thread.get_by_role("button", name="What is new about").click()
    await expect(thread.get_by_text("ann asks:")).to_be_visible(timeout=TURN_MS)
    await write(page, "continue: add a section on retries", box="Reply in thread")
    second = thread.locator("a[download*='_v2'][download$='.html']")
    await expect(second).to_be_visible(timeout=TURN_MS)


async def test_of_two_people_only_the_asker_decides_on_an_approval(
    world: World, page: Page
) -> None:
    composio = world.outside.composio
    composio.connect(f"{world.slack.team_id}:{world.slack.people['ann']}", "gmail")
    world.model.play(mail("bob@example.com"))
    world.model.play(Text(text="I left it."))
    thread = await open_thread(page, await mention(page, "continue with the mail"))
    await page.get_by_label("Act as").select_option(world.slack.people["ben"])
    await thread.get_by_role("button", name="Approve", exact=True).click(timeout=TURN_MS)
    refusal = thread.get_by_text("Only the person who asked for this")
    await expect(refusal).to_be_visible()
    await page.get_by_label("Act as").select_option(world.slack.people["ann"])
    await expect(thread.get_by_text("bob@example.com").first).to_be_visible()
    await expect(refusal).to_be_hidden()
    await thread.get_by_role("button", name="Reject…").click()
    form = page.get_by_role("dialog")
    await form.get_by_role("textbox").fill("Use the other address")
    await form.get_by_role("button", name="Reject").click()
    await expect(thread.get_by_text("“Use the other address”")).to_be_visible()
    await expect(thread.get_by_text("I left it.")).to_be_visible(timeout=TURN_MS)
    await expect(thread.get_by_role("button", name="Approve")).to_have_count(0)
    assert composio.effects == []


async def test_axe_finds_nothing_serious_on_a_thread_with_a_report(page: Page) -> None:
    thread = await open_thread(page, await mention(page, REPORT))
    await expect(thread).to_contain_text("Done in", timeout=TURN_MS)
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        axe: Any = Axe()  # its annotations are partial
        violations: list[JsonObject] = (await axe.run(page)).response["violations"]
        grave = [each for each in violations if each["impact"] in SERIOUS]
        assert not grave, [(each["id"], each["nodes"][0]["html"]) for each in grave]
