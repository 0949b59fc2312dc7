"""The page as a whole passes axe's rules of accessibility, at every width and with every pane."""

from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import ViewportSize, expect

from tests.bot.sandbox.page.stage import Stage

pytest_plugins = ("tests.bot.sandbox.page.staging",)
pytestmark = pytest.mark.asyncio(loop_scope="module")

LINKED = "Read <https://a.example/x|the log> and then https://b.example/y before you go on."
OPTIONS = [{"text": {"type": "plain_text", "text": name}, "value": name} for name in ("A", "B")]
MODAL: dict[str, Any] = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "A form"},
    "submit": {"type": "plain_text", "text": "Send"},
    "blocks": [
        {
            "type": "input",
            "block_id": f"b{at}",
            "optional": True,
            "label": {"type": "plain_text", "text": f"Field {at}"},
            "element": {"action_id": f"a{at}", **element},
        }
        for at, element in enumerate(
            (
                {"type": "static_select", "options": OPTIONS, "initial_option": OPTIONS[0]},
                {"type": "external_select"},
                {"type": "multi_users_select"},
                {"type": "conversations_select", "default_to_current_conversation": True},
            )
        )
    ],
}
PHONE = ViewportSize(width=390, height=800)
LAPTOP = ViewportSize(width=1280, height=800)


async def violations(stage: Stage) -> list[tuple[str, list[str]]]:
    axe: Any = Axe()  # its annotations are partial
    report = await axe.run(stage.browser)
    found = report.response["violations"]
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found]


async def thread_with_a_file(stage: Stage) -> str:
    root = await stage.slack.say("ben", "general", LINKED)
    note = ("notes.md", b"# Notes\n\nSome words.", None)
    await stage.slack.say("ben", "general", "here", thread_ts=root, files=[note])
    return f"{stage.channel('general')}/{root}"


async def open_file(stage: Stage) -> None:
    await stage.thread.get_by_role("button", name="Open notes.md").click()
    text = stage.browser.locator("aside[aria-label='File'] pre")
    await expect(text).to_contain_text("Some words")


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
async def test_a_channel_passes(stage: Stage, size: ViewportSize) -> None:
    await stage.browser.set_viewport_size(size)
    await stage.slack.say("ben", "general", LINKED)
    blocks = [{"type": "markdown", "text": "Some words, then [a link](https://a.example) in them."}]
    await stage.client.chat_postMessage(channel=stage.channel("general"), text="x", blocks=blocks)
    await stage.open(stage.channel("general"))
    await expect(stage.main.locator("article")).to_have_count(2)
    assert await violations(stage) == []


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
async def test_a_file_beside_its_thread_passes(stage: Stage, size: ViewportSize) -> None:
    await stage.browser.set_viewport_size(size)
    await stage.open(await thread_with_a_file(stage))
    assert await violations(stage) == []
    await open_file(stage)
    assert await violations(stage) == []
    heading = stage.browser.get_by_role("heading", level=1)
    await expect(heading).to_have_count(1)
    await expect(heading).to_have_text("#general")
    await stage.browser.set_viewport_size({"width": 1920, "height": 900})
    await expect(heading).to_have_count(1)
    await expect(heading).to_have_text("general")
    await expect(stage.main).to_be_visible()


async def test_the_list_of_channels_on_a_phone_passes(stage: Stage) -> None:
    await stage.browser.set_viewport_size(PHONE)
    await stage.open(stage.channel("general"))
    await stage.browser.get_by_role("button", name="Back to channels").click()
    await expect(stage.nav).to_be_visible()
    assert await violations(stage) == []
