"""What the app shows beside its posts: status, Home, prompts, modals; and axe's rules for all."""

from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Locator, expect
from playwright.async_api import Page as BrowserPage

from bot.sandbox.page import Page
from bot.sandbox.slack import SlackStandIn
from tests.bot.sandbox.page.stage import Stage, listener
from tests.bot.sandbox.slack.echo_bot import web_client

pytest_plugins = ("tests.bot.sandbox.page.staging",)
pytestmark = pytest.mark.asyncio(loop_scope="module")

Body = dict[str, Any]
Json = dict[str, Any]
SERIOUS = ("serious", "critical")


def plain(text: str) -> Body:
    return {"type": "plain_text", "text": text}


def form(*blocks: Body) -> Body:
    return {
        "type": "modal",
        "callback_id": "form",
        "title": plain("New report"),
        "submit": plain("Send"),
        "blocks": list(blocks),
    }


def text_input(block_id: str, label: str) -> Body:
    element = {"type": "plain_text_input", "action_id": f"{block_id}_in"}
    return {"type": "input", "block_id": block_id, "label": plain(label), "element": element}


def open_button() -> Body:
    button = {"type": "button", "action_id": "open", "text": plain("Open form"), "value": "1"}
    return {"type": "actions", "block_id": "row", "elements": [button]}


def dialog(stage: Stage) -> Locator:
    return stage.browser.get_by_role("dialog", name="New report")


async def post_opener(stage: Stage) -> str:
    """A post whose button opens the form; returns its ts."""

    @listener(stage.bot.app.action("open"))
    async def open_form(ack: Any, body: Body) -> None:
        await ack()
        await stage.client.views_open(
            trigger_id=body["trigger_id"],
            view=form(text_input("topic", "Topic"), text_input("depth", "Depth")),
        )

    answer = await stage.client.chat_postMessage(
        channel=stage.channel("general"), text="A form", blocks=[open_button()]
    )
    return answer["ts"]


async def test_the_agents_status_is_shown_and_stop_ends_it(stage: Stage) -> None:
    root = await stage.slack.say("ann", "general", "a long question")
    await stage.open(f"{stage.channel('general')}/{root}")
    await stage.client.assistant_threads_setStatus(
        channel_id=stage.channel("general"), thread_ts=root, status="is thinking…"
    )
    await expect(stage.thread).to_contain_text("universal-agent is thinking…")
    await expect(stage.post(root)).to_contain_text("universal-agent is thinking…")
    await stage.thread.get_by_role("button", name="Stop").click()
    await expect(stage.thread).not_to_contain_text("is thinking…")
    stopped = [d for d in stage.slack.deliveries if d.event_type == "agent_session_stopped"]
    assert len(stopped) == 1


async def test_an_app_that_is_told_of_neither_has_no_stop_and_no_home(
    browser_page: BrowserPage,
) -> None:
    events = ["app_mention"]
    async with SlackStandIn(bot_events=events, home_tab=False) as slack, Page(slack) as site:
        root = await slack.say("ann", "general", "a long question")
        channel = slack.channels["general"]
        await web_client(slack).assistant_threads_setStatus(
            channel_id=channel, thread_ts=root, status="is thinking…"
        )
        await browser_page.goto(f"{site.url}#{channel}/{root}")
        thread = browser_page.get_by_role("complementary", name="Thread")
        await expect(thread).to_contain_text("is thinking…")
        await expect(browser_page.get_by_role("button", name="Stop")).to_have_count(0)
        navigation = browser_page.get_by_role("navigation", name="Channels")
        await navigation.get_by_role("button", name="universal-agent").click()
        await expect(browser_page.get_by_role("textbox", name="Message universal")).to_be_visible()
        await expect(browser_page.get_by_role("tab")).to_have_count(0)


async def test_home_is_a_tab_of_the_app_and_its_buttons_work(stage: Stage) -> None:
    pressed: list[str] = []

    @listener(stage.bot.app.event("app_home_opened"))
    async def publish(event: Body) -> None:
        if event["tab"] == "home":
            words = {"type": "section", "text": plain("Welcome home")}
            view = {"type": "home", "blocks": [words, open_button()]}
            await stage.client.views_publish(user_id=event["user"], view=view)

    @listener(stage.bot.app.action("open"))
    async def note(ack: Any, body: Body) -> None:
        await ack()
        pressed.append(body["view"]["type"])

    await stage.open()
    await stage.entry("universal-agent").click()
    await stage.main.get_by_role("tab", name="Home").click()
    await expect(stage.main.get_by_text("Welcome home")).to_be_visible()
    await stage.main.get_by_role("button", name="Open form").click()
    await stage.slack.wait_for(lambda _: pressed)
    assert pressed == ["home"]
    await stage.open("home")
    await expect(stage.main.get_by_text("Welcome home")).to_be_visible()
    await stage.main.get_by_role("tab", name="Messages").click()
    await expect(stage.composer).to_be_visible()


async def test_a_suggested_prompt_is_sent_by_one_press(stage: Stage) -> None:
    dm = stage.slack.dm_id("ann")
    await stage.open(dm)
    await stage.client.assistant_threads_setSuggestedPrompts(
        channel_id=dm, title="Try one", prompts=[{"title": "Weather", "message": "How warm is it?"}]
    )
    await stage.main.get_by_role("button", name="Weather").click()
    await expect(stage.main.locator("article").first).to_contain_text("How warm is it?")


async def test_a_modal_holds_the_focus_shows_errors_and_keeps_what_was_entered(
    stage: Stage,
) -> None:
    sent: list[str] = []

    @listener(stage.bot.app.view("form"))
    async def take(ack: Any, body: Body) -> None:
        values = body["view"]["state"]["values"]
        sent.append(values["topic"]["topic_in"]["value"])
        if values["depth"]["depth_in"]["value"] != "deep":
            await ack(response_action="errors", errors={"depth": "Only deep is deep enough."})
        else:
            await ack()

    ts = await post_opener(stage)
    await stage.open()
    await stage.post(ts).get_by_role("button", name="Open form").click()
    await expect(dialog(stage).get_by_label("Topic")).to_be_focused()
    await dialog(stage).get_by_label("Topic").fill("Heat pumps")
    await dialog(stage).get_by_label("Depth").fill("shallow")
    await dialog(stage).get_by_role("button", name="Send").click()
    await expect(dialog(stage).get_by_text("Only deep is deep enough.")).to_be_visible()
    await expect(dialog(stage).get_by_label("Topic")).to_have_value("Heat pumps")
    await dialog(stage).get_by_label("Depth").fill("deep")
    await dialog(stage).get_by_role("button", name="Send").click()
    await expect(dialog(stage)).to_have_count(0)
    assert sent == ["Heat pumps", "Heat pumps"]


async def test_escape_closes_a_modal_and_a_pushed_one_leads_back(stage: Stage) -> None:
    @listener(stage.bot.app.view("form"))
    async def push(ack: Any) -> None:
        await ack(response_action="push", view=form(text_input("more", "More")))

    ts = await post_opener(stage)
    await stage.open()
    opener = stage.post(ts).get_by_role("button", name="Open form")
    await opener.click()
    await dialog(stage).get_by_label("Topic").fill("Kept")
    await dialog(stage).get_by_label("Depth").fill("deep")
    await dialog(stage).get_by_role("button", name="Send").click()
    await expect(dialog(stage).get_by_label("More")).to_be_focused()
    await dialog(stage).get_by_role("button", name="Back to the previous step").click()
    await expect(dialog(stage).get_by_label("Topic")).to_have_value("Kept")
    await stage.browser.keyboard.press("Escape")
    await expect(dialog(stage)).to_have_count(0)
    await expect(opener).to_be_focused()


async def test_a_press_without_an_answer_is_told_inside_the_modal(stage: Stage) -> None:
    ts = await post_opener(stage)
    await stage.open()
    await stage.post(ts).get_by_role("button", name="Open form").click()
    await dialog(stage).get_by_label("Topic").fill("Unheard")
    await dialog(stage).get_by_label("Depth").fill("deep")
    await dialog(stage).get_by_role("button", name="Send").click()
    alert = dialog(stage).get_by_role("alert")
    await expect(alert).to_contain_text("The app did not answer within 3 seconds.")
    await expect(dialog(stage).get_by_label("Topic")).to_have_value("Unheard")


async def violations(stage: Stage) -> list[str]:
    """What axe finds on the page as it is; without motion, so that no colour is halfway."""
    await stage.browser.emulate_media(reduced_motion="reduce")
    axe: Any = Axe()  # its annotations are partial
    results = await axe.run(stage.browser)
    found: list[Json] = results.response["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]


async def fill_scene(stage: Stage) -> tuple[str, str]:
    """Posts of every kind that the shell marks; returns a root and the post with the opener."""
    root = await stage.slack.say("ann", "general", stage.slack.typed("@ben a question #energy"))
    await stage.slack.say("ben", "general", "an answer", thread_ts=root)
    await stage.slack.say("ben", "general", "for all", thread_ts=root, reply_broadcast=True)
    await stage.slack.react("ann", "general", root, "eyes")
    await stage.slack.edit("ann", "general", root, "a better question")
    gone = await stage.slack.say("ben", "general", "gone soon")
    await stage.slack.say("ann", "general", "too late", thread_ts=gone)
    await stage.slack.delete("general", gone)
    await stage.client.chat_postEphemeral(
        channel=stage.channel("general"), user=stage.slack.people["ann"], text="psst"
    )
    await stage.client.assistant_threads_setStatus(
        channel_id=stage.channel("general"), thread_ts=root, status="is thinking…"
    )
    with pytest.raises(Exception, match="not_in_channel"):
        await stage.client.chat_postMessage(channel=stage.channel("random"), text="refused")
    opener = await post_opener(stage)
    await stage.slack.say("ben", "energy", "unread")
    return root, opener


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing_serious_with_all_panes_and_a_modal(
    stage: Stage, theme: str
) -> None:
    root, opener = await fill_scene(stage)
    await stage.browser.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    await stage.open(f"{stage.channel('general')}/{root}")
    await stage.browser.get_by_role("button", name="API calls", exact=True).click()
    await expect(stage.calls.get_by_text("not_in_channel")).to_be_visible()
    await stage.post(opener).hover()
    assert await violations(stage) == []
    await stage.post(opener).get_by_role("button", name="Open form").click()
    await expect(dialog(stage)).to_be_visible()
    await expect(dialog(stage).get_by_label("Topic")).to_be_focused()
    assert await violations(stage) == []


async def test_axe_finds_nothing_serious_on_a_phone(stage: Stage) -> None:
    root, opener = await fill_scene(stage)
    await stage.browser.set_viewport_size({"width": 390, "height": 844})
    await stage.open()
    assert await violations(stage) == []
    await stage.post(opener).get_by_role("button", name="Open form").click()
    await expect(dialog(stage).get_by_label("Topic")).to_be_focused()
    assert await violations(stage) == []
    await stage.browser.keyboard.press("Escape")
    await stage.browser.get_by_role("button", name="API calls", exact=True).click()
    assert await violations(stage) == []
    await stage.calls.get_by_role("button", name="Back").click()
    await stage.post(root).get_by_role("button", name="2 replies").click()
    await expect(stage.thread).to_be_visible()
    assert await violations(stage) == []
    await stage.thread.get_by_role("button", name="Back").click()
    await stage.main.get_by_role("button", name="Back to channels").click()
    await expect(stage.nav).to_be_visible()
    assert await violations(stage) == []


async def test_a_menu_begins_with_the_channel_that_was_open_where_it_asks_for_that(
    stage: Stage,
) -> None:
    submitted: list[Body] = []

    @listener(stage.bot.app.view("form"))
    async def take(ack: Any, body: Body) -> None:
        submitted.append(body["view"]["state"]["values"]["where"])
        await ack()

    await stage.open(stage.channel("energy"))
    element = {
        "type": "conversations_select",
        "action_id": "place",
        "default_to_current_conversation": True,
    }
    block = {"type": "input", "block_id": "where", "label": plain("Where"), "element": element}
    trigger = stage.slack.workspace.triggers.issue(stage.slack.people["ann"])
    await stage.client.views_open(trigger_id=trigger, view=form(block))
    await expect(dialog(stage).get_by_role("combobox")).to_have_value("#energy")
    await dialog(stage).get_by_role("button", name="Send").click()
    await expect(dialog(stage)).to_be_hidden()
    assert submitted[0]["place"]["selected_conversation"] == stage.channel("energy")
