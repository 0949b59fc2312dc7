"""A teammate among people, and what the app shows, in a real browser: posts, streams, Home."""

import re
from dataclasses import replace
from typing import Any

import pytest
from playwright.async_api import ViewportSize, expect

from bot.sandbox.page import SandboxPage
from tests.bot.sandbox.page.stage import Body, Stage, actions, button, field, form, mrkdwn, plain
from tests.bot.sandbox.slack.echo_bot import listener

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE = ViewportSize(width=390, height=844)
REPORT = b"<!doctype html><p id=words>Still here</p><script>words.textContent='ran'</script>"
TABLE = [["Source", "Claims"], ["NREL", "12"]]
CHART = {
    "type": "data_visualization",
    "title": "Claims",
    "chart": {
        "type": "line",
        "series": [{"name": "All", "data": [{"label": "NREL", "value": 12}]}],
    },
}


SOURCE = {"type": "url", "url": "https://a.test/iea", "text": "IEA: batteries in the grid"}


def rich(text: str) -> Body:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "elements": [section]}


def task(id_: str, title: str, status: str, **more: object) -> Body:
    return {"type": "task_card", "task_id": id_, "title": title, "status": status, **more}


def options(*words: str) -> list[Body]:
    return [{"text": plain(word), "value": word.lower()} for word in words]


PLAN = {
    "type": "plan",
    "title": "Batteries in the grid",
    "tasks": [
        task("1", "Reading two reports", "complete", output=rich("12 claims"), sources=[SOURCE]),
        task("2", "Comparing the prices of every year since 2020", "in_progress"),
        task("3", "Safety", "error", output=rich("The page did not open.")),
        task("4", "Writing", "pending"),
    ],
}


async def a_form_that_opens(stage: Stage) -> Body:
    """A row with a button that opens the form."""

    @listener(stage.bot.app.action("open"))
    async def open_form(ack: Any, body: Body) -> None:
        await ack()
        places = field("place", "Place", type="conversations_select")
        view = form(field("topic", "Topic"), field("depth", "Depth"), {**places, "optional": True})
        await stage.client.views_open(trigger_id=body["trigger_id"], view=view)

    return actions(button("open", "Open form"))


async def upload_report(stage: Stage) -> str:
    """A question with a report below it; returns the root's ts."""
    root = await stage.slack.say("ann", "general", "a report, please")
    file = await stage.upload("report.html", REPORT)
    await stage.client.files_completeUploadExternal(
        files=[{**file, "title": "The report"}], channel_id=stage.channel("general"), thread_ts=root
    )
    return root


async def test_tables_and_charts_are_drawn_and_the_unknown_is_labelled_json(stage: Stage) -> None:
    await stage.open()
    rows = [[{"type": "raw_text", "text": cell} for cell in row] for row in TABLE]
    post = await stage.show({"type": "table", "rows": rows})
    await expect(post.get_by_role("columnheader", name="Claims")).to_be_visible()
    await expect(post.get_by_role("cell", name="12")).to_be_visible()
    post = await stage.show(CHART)
    await expect(post.get_by_role("img", name=re.compile("^Claims: line chart"))).to_be_visible()
    await stage.slack.say("robot", "general", "a block of tomorrow")
    future = replace(stage.slack.posts("general")[-1], blocks=({"type": "poem", "lines": 3},))
    stage.slack.state.keep(future)
    await expect(stage.main.get_by_text("Unknown block: poem")).to_be_visible()
    await expect(stage.main.get_by_label("JSON")).to_contain_text('"lines": 3')
    rows = [[{"type": "raw_text", "text": word}] for word in ("Name", "a", "b", "c")]
    table = {"type": "data_table", "caption": "Letters", "rows": rows, "page_size": 2}
    post = await stage.show(table)
    await expect(post.get_by_role("cell")).to_have_count(2)
    await post.get_by_role("button", name="Show all 3 rows").click()
    await expect(post.get_by_role("cell", name="c")).to_be_visible()


async def test_a_suggested_prompt_is_sent_by_one_press(stage: Stage) -> None:
    await stage.open(stage.slack.dm_id("ann"))
    prompt = {"title": "Weather", "message": "How warm is it?"}
    dm = stage.slack.dm_id("ann")
    await stage.client.assistant_threads_setSuggestedPrompts(channel_id=dm, prompts=[prompt])
    await stage.main.get_by_role("button", name="Weather").click()
    await expect(stage.main.locator("article").first).to_contain_text("How warm is it?")


async def test_nothing_foreign_runs_or_becomes_markup(stage: Stage) -> None:
    evil = '"><img src=x onerror="window.ran=1"><script>window.ran=1</script>'
    await stage.open()
    say = stage.client.chat_postMessage
    await say(channel=stage.channel("general"), text=f"{evil} <javascript:alert(1)|x> `{evil}`")
    post = await stage.show(
        {"type": "header", "text": plain(evil[:150])},
        {"type": "section", "text": mrkdwn(f"*{evil}*")},
        {"type": "markdown", "text": f"{evil}\n\n[x](javascript:window.ran=1)\n\n{evil}"},
        {"type": "table", "rows": [[{"type": "raw_text", "text": evil}]]},
        actions(button("x", evil[:75], url="https://a.test")),
        text=evil,
    )
    await stage.slack.say(
        "ben", "general", evil, files=[(f"{evil[:40]}.html", evil.encode(), "text/html")]
    )
    await expect(stage.main.locator("article")).to_have_count(3)
    await expect(post).to_contain_text("<script>window.ran=1</script>")
    await expect(
        stage.main.locator("article :is(script, img, [onerror], a[href^=javascript])")
    ).to_have_count(0)
    assert await stage.browser.evaluate("window.ran") is None


async def test_axe_finds_nothing_serious_in_all_panes_a_modal_and_on_a_phone(stage: Stage) -> None:
    root = await upload_report(stage)
    await stage.slack.react("ann", "general", root, "eyes")
    await stage.slack.edit("ann", "general", root, stage.slack.typed("@ben a question #energy"))
    row = await a_form_that_opens(stage)
    await stage.open(f"{stage.channel('general')}/{root}")
    await stage.show(CHART)
    opener = await stage.show(row)
    await stage.browser.get_by_role("button", name="API calls", exact=True).click()
    await opener.hover()
    assert await stage.violations() == []
    await opener.get_by_role("button", name="Open form").click()
    await expect(stage.dialog.get_by_label("Topic")).to_be_focused()
    assert await stage.violations() == []
    await stage.browser.keyboard.press("Escape")
    await stage.browser.set_viewport_size(PHONE)
    await expect(stage.main).to_be_hidden()
    assert await stage.violations() == []
    await stage.calls.get_by_role("button", name="Back").click()
    await stage.thread.get_by_role("button", name="Open The report").click()
    await expect(stage.thread).to_be_hidden()
    assert await stage.violations() == []
    await stage.file.get_by_role("button", name="Back").click()
    await stage.thread.get_by_role("button", name="Back").click()
    await stage.main.get_by_role("button", name="Back to channels").click()
    await expect(stage.entry("general")).to_be_focused()
    assert await stage.violations() == []
    assert await stage.browser.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


async def test_axe_finds_nothing_serious_in_what_an_agent_shows_and_a_phone_has_room_for_it(
    stage: Stage,
) -> None:
    @listener(stage.bot.app.event("app_home_opened"))
    async def publish(event: Body) -> None:
        menu = {"type": "static_select", "action_id": "m", "options": options("Short")}
        rows: list[Body] = [
            {"type": "section", "text": mrkdwn("*Digests*"), "accessory": menu},
            actions(button("home.stop", "Stop")),
        ]
        await stage.client.views_publish(
            user_id=event["user"], view={"type": "home", "blocks": rows}
        )

    await stage.browser.set_viewport_size(PHONE)
    await stage.open(stage.channel("general"))
    await stage.show(PLAN, CHART)
    root = await stage.slack.say("ann", "general", "go")
    await stage.client.assistant_threads_setStatus(
        channel_id=stage.channel("general"),
        thread_ts=root,
        status="is reading…",
        loading_messages=["Comparing the prices of every year since 2020 in all countries"],
    )
    await expect(stage.post(root).get_by_role("button", name="Stop")).to_be_in_viewport(ratio=1)
    await expect(stage.main.get_by_text("Comparing the prices of every year")).to_have_count(2)
    assert await stage.violations() == []
    assert await stage.browser.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    await stage.open("home")
    await expect(stage.main.get_by_role("button", name="Stop")).to_be_visible()
    assert await stage.violations() == []


OWN_PORT = 22_000  # below the ports that systems give away: it is still free after a pause


async def test_what_is_refused_is_said_and_nothing_is_lost(stage: Stage) -> None:
    asked: list[str] = []

    @listener(stage.bot.app.command("/ask"))
    async def ask(ack: Any, command: dict[str, Any]) -> None:
        asked.append(command["text"])
        await ack("On it.")

    await stage.open()
    for text, sentence in (("x" * 40_001, "at most 40,000"), ("/nothing x", "/nothing is not")):
        await stage.composer.fill(text)
        await stage.composer.press("Enter")
        await expect(stage.alert).to_contain_text(sentence)
        await expect(stage.composer).to_have_value(text)
        await stage.alert.get_by_role("button", name="Dismiss").click()
    await stage.composer.fill("/ask why?")
    await stage.composer.press("Enter")
    await expect(stage.main.locator("article")).to_contain_text("On it.")
    assert asked == ["why?"]


async def test_a_lost_connection_is_said_and_mended(stage: Stage) -> None:
    async with SandboxPage(stage.slack, port=OWN_PORT) as stage.site:
        await stage.open()
        await stage.composer.fill("unsent")
        port = int(stage.site.url.rsplit(":", 1)[1].rstrip("/"))
    await expect(stage.browser.get_by_text("The connection to the sandbox is lost")).to_be_visible()
    await stage.composer.press("Enter")
    await expect(stage.alert).to_contain_text("The sandbox could not be reached.")
    async with SandboxPage(stage.slack, port=port):
        missed = await stage.slack.say("ben", "general", "while you were away")
        await expect(stage.post(missed)).to_be_visible()
        await expect(stage.browser.get_by_text("Live · 1 bot socket open")).to_be_visible()
        await expect(stage.composer).to_have_value("unsent")
        await stage.browser.goto("about:blank")


async def test_the_keyboard_goes_everywhere_and_the_focus_comes_back(stage: Stage) -> None:
    root = await stage.slack.say("ben", "general", "a root")
    await stage.slack.say("cleo", "general", "a reply", thread_ts=root)
    await stage.open()
    press = stage.browser.keyboard.press
    await stage.main.get_by_role("log").focus()
    await press("ArrowUp")
    await expect(stage.post(root)).to_be_focused()
    summary = stage.post(root).get_by_role("button", name="1 reply")
    await summary.focus()
    await press("Enter")
    await expect(stage.reply).to_be_focused()
    for target in (stage.entry("general"), stage.composer, stage.reply):
        await press("F6")
        await expect(target).to_be_focused()
    toggle = stage.browser.get_by_role("button", name="API calls", exact=True)
    await toggle.focus()
    await press("Enter")
    await expect(stage.calls).to_be_visible()
    await press("Escape")
    await expect(toggle).to_be_focused()
    await press("Escape")
    await expect(summary).to_be_focused()
    await press("Control+k")
    await stage.browser.keyboard.type("ener")
    await press("Enter")
    await expect(stage.entry("energy")).to_have_attribute("aria-current", "page")
    await expect(stage.composer).to_be_focused()


async def test_a_channel_says_what_to_ask_or_why_one_cannot(stage: Stage) -> None:
    await stage.open(stage.channel("archived"))
    await expect(stage.main.get_by_text("This channel is archived.")).to_be_visible()
    await expect(stage.composer).to_be_hidden()
    await stage.entry("random").click()
    await stage.main.get_by_role("button", name="Add it").click()
    await expect(stage.main.get_by_text("is not in this channel.")).to_be_hidden()
    await stage.entry("general").click()
    await stage.main.get_by_role("button", name="Use this").click()
    await expect(stage.composer).to_have_value(re.compile(r"^@universal-agent Write a compre"))
