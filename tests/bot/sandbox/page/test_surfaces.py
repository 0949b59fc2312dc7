"""What an agent shows and asks beside its words: plans, charts, inputs, files, shortcuts, Home."""

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
