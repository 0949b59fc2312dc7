"""A teammate tries the bot on the sandbox's page, in a real browser."""

import re
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from bot.sandbox.model import ReplyText, ToolUse
from bot.sandbox.page import SandboxPage
from tests.bot.sandbox.page.stage import grave
from tests.browser import chromium_path, fresh_page
from tests.e2e.one_task import in_one_task
from tests.e2e.world import SIMPLE_ANSWER, World, bot_in_a_world

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.process("the page is read in a browser"),
]

OPEN_FILE = re.compile("^Open(?! live view)")
FOUND = re.compile("From (the pages I have read|search results, not read yet):")
TURN_MS = 60_000
BOT = "universal-agent"
FIRST_SENTENCE = "Hello! I look things up"
LAST_SENTENCE = "keeping chat bots reliable"
COMPARISON = "Compare heat pumps, battery storage and wind power for a small town"
REPORT = "Write a comprehensive report on keeping chat bots reliable"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[World]:
    """Where a browser makes a report's PDF, too."""
    root = tmp_path_factory.mktemp("workspaces")
    async with in_one_task(bot_in_a_world(root, chromium=chromium_path())) as world:
        yield world


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def window(world: World, browser: Browser) -> AsyncGenerator[Page]:
    """The page, loaded once for all stories."""
    async with SandboxPage(world.slack) as site, fresh_page(browser) as page:
        await page.goto(site.url)
        yield page


@pytest_asyncio.fixture(loop_scope="module")
async def page(window: Page) -> Page:
    """As Ann has it before her, with #general open."""
    await act_as(window, "Ann Arbor")
    channels = window.get_by_role("navigation", name="Channels")
    await channels.get_by_role("button", name="general").first.click()
    return window


async def write(page: Page, text: str, *, box: str = "Message #general") -> None:
    composer = page.get_by_role("textbox", name=box)
    await composer.fill(text)
    await composer.press("Enter")


async def mention(page: Page, text: str) -> Locator:
    """The new post. Its text is said once in the channel."""
    await write(page, f"@{BOT} {text}")
    return page.get_by_role("main").locator("article").filter(has_text=text)


async def open_thread(page: Page, post: Locator) -> Locator:
    """Open the thread below a post, once there is something in it."""
    await post.get_by_role("button", name=re.compile(r"\d repl")).click(timeout=TURN_MS)
    return page.get_by_role("complementary", name="Thread")


async def act_as(page: Page, person: str) -> None:
    """Go on as somebody else; the page has switched when it says so."""
    await page.get_by_label("Act as").select_option(label=person)


async def reply(page: Page, text: str) -> None:
    await write(page, text, box="Reply in thread")


async def test_a_mention_is_answered_while_it_is_written_and_people_may_talk_below_it(
    world: World, page: Page
) -> None:
    may_go_on = world.model.stall(TURN_MS / 1000, after_events=12, kinds={"answer"})
    composer = page.get_by_role("textbox", name="Message #general")
    await composer.press_sequentially("@univ")
    await expect(page.get_by_role("listbox").get_by_role("option").first).to_contain_text(BOT)
    await composer.press("Enter")
    await composer.press_sequentially("good morning to you")
    await composer.press("Enter")
    asked = page.get_by_role("main").locator("article").filter(has_text="good morning to you")
    thread = await open_thread(page, asked)
    growing = thread.get_by_role("img", name="Still writing")
    await expect(growing).to_be_visible()
    await expect(thread).to_contain_text(FIRST_SENTENCE)
    await expect(thread).not_to_contain_text(LAST_SENTENCE)
    may_go_on.set()
    await expect(thread).to_contain_text(LAST_SENTENCE, timeout=TURN_MS)
    await expect(growing).to_have_count(0)
    for person, text in (("Ben Nevis", "cleo, can you look at this?"), ("Cleo Lind", "tomorrow")):
        await act_as(page, person)
        await reply(page, text)
        await expect(thread.get_by_text(text)).to_be_visible()
    await world.nothing_more_happens()
    await expect(thread.get_by_text(FIRST_SENTENCE)).to_have_count(1)
    world.play_simple()
    await reply(page, f"@{BOT} and what is a closed one?")
    await expect(thread.get_by_text(SIMPLE_ANSWER)).to_have_count(1, timeout=TURN_MS)


async def test_a_report_is_watched_opened_as_page_and_pdf_asked_about_and_read_by_everybody(
    world: World, page: Page
) -> None:
    may_go_on = world.model.stall(TURN_MS / 1000, kinds={"delegated"})
    thread = await open_thread(page, await mention(page, REPORT))
    plan = thread.get_by_role("list").filter(has_text="Searching the web")
    writing = plan.get_by_role("listitem").filter(has_text="Writing the report")
    await expect(writing).to_contain_text("In progress", timeout=TURN_MS)
    may_go_on.set()
    await expect(thread).to_contain_text("Done in", timeout=TURN_MS)
    files = thread.get_by_role("list", name="Files")
    await files.get_by_role("button", name=OPEN_FILE).first.click()
    viewer = page.get_by_role("complementary", name="File")
    report = viewer.frame_locator("iframe")
    await expect(report.get_by_role("heading", level=1)).to_be_visible()
    await expect(report.get_by_role("heading", name="Sources")).to_be_visible()
    await viewer.get_by_role("button", name="Close").click()
    async with page.context.expect_page() as opened:
        await files.get_by_role("link", name=OPEN_FILE).click()
    paper = await opened.value
    assert await paper.evaluate("document.contentType") == "application/pdf"
    await paper.close()
    await thread.get_by_role("button", name="Find the latest news on").click()
    await expect(thread.get_by_role("button", name="Bad answer")).to_have_count(2, timeout=TURN_MS)
    assert [*await grave(page, "dark"), *await grave(page, "light")] == []
    await page.set_viewport_size({"width": 390, "height": 844})
    await expect(files.last).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") == 390
    await page.set_viewport_size({"width": 1440, "height": 900})


async def test_one_branch_of_a_comparison_is_stopped_and_the_others_go_on(
    world: World, page: Page
) -> None:
    # The first step of each branch, and the main agent's own beside them.
    held = [world.model.stall(TURN_MS / 1000, kinds={"research"}) for _ in range(4)]
    thread = await open_thread(page, await mention(page, COMPARISON))
    for side in ("Heat pumps", "Battery storage", "Wind power"):
        branch = thread.get_by_role("listitem").filter(has_text=side).first
        await expect(branch).to_contain_text("In progress", timeout=TURN_MS)
    await thread.get_by_role("button", name="More options").click()
    await page.get_by_role("menuitem", name="Stop “Battery storage”").click()
    stopped = thread.get_by_role("listitem").filter(has_text="Battery storage")
    await expect(stopped).to_contain_text("stopped this part", timeout=TURN_MS)
    for each in held:
        each.set()
    await expect(thread).to_contain_text("Done in", timeout=TURN_MS)
    await expect(thread).to_contain_text("This work was stopped by Ann Arbor.")
    for side in ("Heat pumps", "Wind power"):
        branch = thread.locator("article").filter(has_text="Done in").get_by_role("listitem")
        await expect(branch.filter(has_text=side).first).to_contain_text("Done")


async def test_a_question_is_answered_with_a_button_in_a_form_and_in_words(
    world: World, page: Page
) -> None:
    for question in ("Which town?", "Which river?", "Which bridge?"):
        options = {"question": question, "options": ["The old one", "The new one"]}
        world.model.play(ToolUse(name="ask_user", input=options))
    world.model.play(ReplyText(text="That is all I need."))
    thread = await open_thread(page, await mention(page, "continue with the map"))
    old = thread.get_by_role("button", name="The old one")
    await expect(thread.get_by_text("Which town?")).to_be_visible(timeout=TURN_MS)
    await act_as(page, "Ben Nevis")
    await old.click()
    await expect(thread.get_by_text("You can always write in the thread")).to_be_visible()
    await act_as(page, "Ann Arbor")
    await old.click()
    await expect(thread.get_by_text("answered: The old one")).to_be_visible(timeout=TURN_MS)
    await expect(thread.get_by_text("Which river?")).to_be_visible(timeout=TURN_MS)
    await thread.get_by_role("button", name="Other…").click()
    form = page.get_by_role("dialog")
    await form.get_by_role("textbox").fill("The Danube")
    await form.get_by_role("button", name="Send").click()
    await expect(thread.get_by_text("answered: The Danube")).to_be_visible(timeout=TURN_MS)
    await expect(thread.get_by_text("Which bridge?")).to_be_visible(timeout=TURN_MS)
    await reply(page, "the one at the mill")
    await expect(thread.get_by_text("answered: the one at the mill")).to_be_visible(timeout=TURN_MS)
    await expect(thread.get_by_text("That is all I need.")).to_be_visible(timeout=TURN_MS)
    await expect(thread.get_by_role("button", name="Other…")).to_have_count(0)


async def test_work_is_ended_with_slacks_stop_in_polite_words_and_with_a_cross(
    world: World, page: Page
) -> None:
    for way in ("button", "words", "cross"):
        held = world.model.stall(TURN_MS / 1000, kinds={"research"})
        post = await mention(page, f"Find out what teams say about a {way}")
        await post.hover()
        await post.get_by_role("button", name="Reply in thread").click()
        thread = page.get_by_role("complementary", name="Thread")
        stop = thread.get_by_role("button", name="Stop", exact=True)
        await expect(stop).to_be_visible(timeout=TURN_MS)
        if way == "button":
            await stop.click()
        elif way == "words":
            await reply(page, "can you cancel this please")
        else:
            await thread.locator("article").first.hover()
            await thread.get_by_role("button", name="Add reaction").first.click()
            picker = page.get_by_role("dialog")
            await picker.get_by_role("searchbox").or_(picker.get_by_role("textbox")).fill("x")
            await picker.get_by_role("button", name="x", exact=True).click()
        await expect(thread.get_by_text("Ann Arbor stopped this.")).to_be_visible(timeout=TURN_MS)
        await expect(stop).to_be_hidden()
        held.set()  # where the stop came before the request that is held


@pytest.mark.proves("stop.answer_now")
async def test_a_stop_says_what_was_found_and_its_button_has_an_answer_written_of_that(
    world: World, page: Page
) -> None:
    held = world.model.stall(TURN_MS / 1000, kinds={"delegated"})
    thread = await open_thread(page, await mention(page, f"{REPORT} in summer"))
    writing = thread.get_by_role("listitem").filter(has_text="Writing the report")
    await expect(writing).to_contain_text("In progress", timeout=TURN_MS)
    await thread.get_by_role("button", name="Stop", exact=True).click()
    stopped = thread.locator("article").filter(has_text="Ann Arbor stopped this.")
    await expect(stopped).to_contain_text(FOUND, timeout=TURN_MS)
    await expect(stopped.get_by_role("link").first).to_be_visible()
    held.set()
    await stopped.get_by_role("button", name="Answer with what you have").click()
    await expect(stopped.get_by_role("button", name="Answer with what you have")).to_have_count(0)
    answer = thread.locator("article").last
    await expect(answer.get_by_role("button", name="Bad answer")).to_be_visible(timeout=TURN_MS)
    await expect(answer.get_by_role("link").first).to_be_visible()


async def test_a_mail_waits_for_its_account_and_its_click_and_goes_out_as_it_was_edited(
    world: World, page: Page
) -> None:
    await act_as(page, "Ben Nevis")
    thread = await open_thread(page, await mention(page, "email bob@example.com that says lunch"))
    async with page.context.expect_page() as opened:
        await thread.get_by_role("link", name="Connect Gmail").click(timeout=TURN_MS)
    consent = await opened.value
    await consent.get_by_role("button", name="Allow").click()
    await expect(consent.get_by_role("heading", name="Connected")).to_be_visible()
    await consent.close()  # or the page behind it would be slow, as tabs are that nobody sees
    await expect(thread.get_by_text("Gmail connected by")).to_be_visible(timeout=TURN_MS)
    approve = thread.get_by_role("button", name="Approve", exact=True)
    await expect(approve).to_be_visible(timeout=TURN_MS)
    before = await thread.locator("article").count()
    await reply(page, "who else will get this mail?")  # M B.1: it is answered beside the card
    await expect(thread.locator("article")).to_have_count(before + 2, timeout=TURN_MS)
    await expect(thread.locator("article").last).to_contain_text("bob@example.com")
    await expect(approve).to_have_count(1)
    await reply(page, "yes, go ahead")
    await expect(thread.get_by_text("only a click counts")).to_be_visible(timeout=TURN_MS)
    await expect(approve).to_have_count(1)
    await reply(page, "change the subject to Moved")  # that call alone is another one now
    changed = thread.get_by_text("Changed: Subject “lunch” → “Moved”")
    await expect(changed).to_be_visible(timeout=TURN_MS)
    await expect(approve).to_have_count(1)
    await thread.get_by_role("button", name="Edit…").click()
    form = page.get_by_role("dialog")
    await form.get_by_role("textbox", name="Text").fill("Lunch is at one.")
    await form.get_by_role("button", name="Save").click()
    await expect(thread.get_by_text("Lunch is at one.", exact=True)).to_be_visible(timeout=TURN_MS)
    await approve.click()
    await expect(thread.get_by_text("Approved by")).to_be_visible(timeout=TURN_MS)
    await expect(thread.get_by_text("to bob@example.com was sent")).to_be_visible(timeout=TURN_MS)
    effect = world.outside.composio.effects[-1]
    assert effect.arguments["body"] == "Lunch is at one."
    assert effect.arguments["subject"] == "Moved"
    assert effect.account_user_id == f"{world.slack.team_id}:{world.slack.people['ben']}"


async def test_a_message_is_asked_about_from_its_menu_and_the_answer_is_rated(
    world: World, page: Page
) -> None:
    await act_as(page, "Ben Nevis")
    said = "The lift is out of service until Friday"
    await write(page, said)
    post = page.get_by_role("main").locator("article").filter(has_text=said)
    await expect(post).to_be_visible()
    await act_as(page, "Ann Arbor")
    world.play_simple()
    await post.hover()
    await post.get_by_role("button", name="More actions").click()
    await page.get_by_role("menuitem", name="Ask the agent about this").click()
    form = page.get_by_role("dialog")
    await form.get_by_role("textbox").fill("Until which day?")
    await form.get_by_role("button", name="Send").click()
    thread = await open_thread(page, post)
    answer = thread.locator("article").filter(has_text=SIMPLE_ANSWER)
    await answer.get_by_role("button", name="Bad answer").click(timeout=TURN_MS)
    await expect(thread.get_by_text("Thank you, noted.")).to_be_visible(timeout=TURN_MS)


async def test_home_and_the_command_tell_each_person_what_is_theirs(
    world: World, page: Page
) -> None:
    world.model.stall(TURN_MS / 1000, kinds={"research"})
    post = await mention(page, "Find out what teams say about queues")
    plan = post.get_by_role("button", name=re.compile(r"\d repl"))
    await expect(plan).to_be_visible(timeout=TURN_MS)
    main = page.get_by_role("main")
    told = {
        "status": "Find out what teams say about queues",
        "help": "end my work for you in this channel",
        "connections": "on my Home tab",
        "usage": "This month:",
    }
    for word, said in told.items():
        await write(page, f"/agent {word}")
        line = main.locator("article").filter(has_text="Only visible to you").last
        await expect(line).to_contain_text(said)
    apps = page.get_by_role("navigation", name="Channels")
    await apps.get_by_role("button", name=BOT).click()
    await page.get_by_role("tab", name="Home").click()
    home = page.get_by_role("tabpanel", name="Home")
    await expect(home).to_contain_text("Admin settings")
    await home.get_by_role("button", name="Stop").first.click()
    await expect(home).to_contain_text("Stopped. What was found so far is in the thread.")
    for person, shown in (("Ben Nevis", "Gmail"), ("Gina Guest (guest)", "as a guest")):
        await act_as(page, person)
        await expect(home).to_contain_text(shown)
        await expect(home).not_to_contain_text("whole team")
        await expect(home).not_to_contain_text("what teams say about queues")
    await act_as(page, "Ann Arbor")
    await home.get_by_role("link", name="Find out what teams say about queues").first.click()
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text("Ann Arbor stopped this.")
