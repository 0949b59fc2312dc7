"""What an agent shows and asks beside its words: plans, charts, inputs, files, shortcuts, Home."""

import json
import re
from typing import Any

import pytest
from playwright.async_api import ViewportSize, expect

from tests.bot.sandbox.page.stage import Body, Stage, actions, button, mrkdwn, plain
from tests.bot.sandbox.slack.echo_bot import listener

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE = ViewportSize(width=390, height=844)
POINTS = [{"label": str(year), "value": year - 2019} for year in range(2020, 2026)]
SERIES = [{"name": name, "data": POINTS} for name in ("Europe", "China")]
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
CHART = {
    "type": "data_visualization",
    "title": "Built",
    "chart": {"type": "line", "series": SERIES},
}


async def test_a_plan_says_each_state_in_words_and_its_menu_reaches_the_app(stage: Stage) -> None:
    told: list[Body] = []

    @listener(stage.bot.app.action("branch.stop"))
    async def take(ack: Any, body: Body) -> None:
        told.append(body["actions"][0]["selected_option"])
        await ack()

    await stage.open()
    menu = {"type": "overflow", "action_id": "branch.stop", "options": options("Stop this branch")}
    post = await stage.show(PLAN, actions(button("live.open", "Open live view"), menu))
    for words in ("Done", "In progress", "Failed", "Not done"):
        await expect(post.get_by_text(words, exact=True)).to_be_visible()
    await expect(post.get_by_text("The page did not open.")).to_be_visible()
    await post.get_by_text("Reading two reports").click()
    await expect(post.get_by_role("link", name=SOURCE["text"])).to_be_visible()
    await post.get_by_role("button", name="More options").press("Enter")
    await stage.browser.get_by_role("menuitem", name="Stop this branch").press("Enter")
    await stage.slack.wait_for(lambda _: told)
    assert told[0]["value"] == "stop this branch"


async def test_a_post_carries_its_files_and_takes_feedback_and_a_shortcut(stage: Stage) -> None:
    told: list[Body] = []

    @listener(stage.bot.app.action("feedback.given"))
    async def judge(ack: Any, body: Body) -> None:
        told.append(body["actions"][0])
        await ack()

    @listener(stage.bot.app.shortcut("ask_about"))
    async def ask(ack: Any, body: Body) -> None:
        told.append(body["message"])
        await ack()

    root = await stage.slack.say("ann", "general", "a report, please")
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    files = [
        await stage.upload("report.html", b"<p>Read</p>"),
        await stage.upload("print.pdf", b"%PDF-1.4"),
        await stage.upload("preview.svg", svg, alt_txt="The first page"),
    ]
    sides = {f"{side}_button": {"text": plain(side), "value": side} for side in SIDES}
    feedback = {"type": "feedback_buttons", "action_id": "feedback.given", **sides}
    await stage.client.files_completeUploadExternal(
        files=files,
        channel_id=stage.channel("general"),
        thread_ts=root,
        blocks=json.dumps(
            [
                {"type": "markdown", "text": "Prices **fell**."},
                {"type": "context_actions", "elements": [feedback]},
            ]
        ),
    )
    await stage.open(f"{stage.channel('general')}/{root}")
    post = stage.thread.locator("article").last
    await expect(post.locator("strong", has_text="fell")).to_be_visible()
    await expect(post.get_by_role("img", name="The first page")).to_be_visible()
    pdf = post.get_by_role("link", name="Open Print")
    await expect(pdf).to_have_attribute("target", "_blank")
    await expect(pdf).to_have_attribute("href", re.compile(r"/files/F\w+$"))
    await post.get_by_role("button", name="positive").click()
    await expect(post.get_by_role("button", name="positive", pressed=True)).to_be_visible()
    await post.hover()
    await post.get_by_role("button", name="More actions").click()
    await stage.browser.get_by_role("menuitem", name="Ask about this").click()
    await stage.slack.wait_for(lambda _: len(told) == 2)
    assert (told[0]["value"], told[1]["text"]) == ("positive", "Prices **fell**.")
    await stage.reply.fill("/ask now")
    await stage.reply.press("Enter")
    await expect(stage.alert).to_contain_text("/ask does not work in threads")


SIDES = ("positive", "negative")


async def test_a_link_to_a_post_leads_to_its_thread(stage: Stage) -> None:
    root = await stage.slack.say("ann", "energy", "how is it going?")
    reply = await stage.slack.say("ben", "energy", "very well", thread_ts=root)
    place = {"channel": stage.channel("energy"), "message_ts": reply}
    link = (await stage.client.chat_getPermalink(**place))["permalink"]
    await stage.open()
    post = await stage.show(actions(button("home.open", "Open", url=link)))
    await post.get_by_role("link", name="Open").click()
    await expect(stage.post(reply, within=stage.thread)).to_contain_text("very well")
    await expect(stage.main.get_by_role("heading", level=1)).to_have_text("energy")


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
