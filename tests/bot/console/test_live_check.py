"""The live view from end to end: a browser, the console, and real turns of a scripted model."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ModelRequest
from agent_core.testing.models import Held, ScriptedModel, ScriptLine, call
from agent_core.testing.tools import FakeToolset
from agent_core.tools import OnProgress, ToolContext
from tests.bot.console.test_live_page import ATTACKS, canary
from tests.bot.console.world import console_world
from tests.browser import browser, browser_page, browser_window

__all__ = ["browser", "browser_page", "browser_window", "canary"]

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.process("the page runs in Chromium"),
]

LOOK = "mcp__local_toolkit__search_corpus"
ASK = call("ask_user", {"question": "Since when?", "options": ["2020", "2023"]}, id="ask")


def task(name: str) -> ToolCall:
    """The call that has a branch work."""
    words = {"description": f"About {name}", "prompt": f"Word for word:\nfind out about {name}"}
    return call("Task", {**words, "subagent_type": "explorer"}, id=name)


def by_branch(**scripts: Sequence[ScriptLine]) -> ScriptedModel:
    """A model that goes on with the script of the branch that asks, or with that of the root."""
    lines = {name: iter(script) for name, script in scripts.items()}

    def pick(request: ModelRequest) -> ScriptLine:
        opening = request.messages[0].text
        name = next((name for name in lines if opening.endswith(f" {name}")), "root")
        if name == "one" and "Only Poland" in str(request.messages):
            return "About one, in Poland only."
        return next(lines[name])

    return ScriptedModel([pick] * 20)


async def look(_arguments: JsonObject, _context: ToolContext, _progress: OnProgress) -> str:
    return f"Found: {ATTACKS[0]}"


@pytest.mark.proves("live.page.whole")
async def test_a_person_watches_answers_steers_stops_and_misses_nothing(
    browser_page: Page, canary: tuple[str, list[str]], tmp_path: Path
) -> None:
    at, hits = canary
    evil = "\n\n".join(attack.format(evil=at) for attack in ATTACKS)
    one, two, three = Held(then=call(LOOK, id="x")), Held(then="Never said."), Held(then=evil)
    model = by_branch(
        root=[ASK, [task("one"), task("two"), task("three")], f"All **compared**.\n\n{evil}"],
        one=[one],
        two=[two],
        three=[three],
    )
    async with console_world(tmp_path, model, tools=FakeToolset({LOOK: look})) as world:
        await browser_page.goto(world.link())
        await expect(browser_page.get_by_text("Live", exact=True)).to_be_visible()
        detail = browser_page.get_by_role("main")
        tree = browser_page.get_by_role("tree")

        def branch(name: str, status: str) -> str:
            return f"About {name}, {status}"

        await browser_page.get_by_label("Ask for something new").fill("Compare them all")
        await browser_page.keyboard.press("Enter")
        await detail.get_by_role("button", name="2023").click()
        for name in ("one", "two", "three"):
            await expect(tree.get_by_label(branch(name, "Running"))).to_be_visible()
        await tree.get_by_text("About one", exact=True).click()
        await detail.get_by_label("Comment for this agent").fill("Only Poland")
        await browser_page.keyboard.press("Enter")
        await expect(detail).to_contain_text("ann commented")
        one.release.set()
        await expect(detail).to_contain_text("About one, in Poland only.")
        await expect(tree.get_by_label(branch("one", "Completed"))).to_be_visible()
        await tree.get_by_text("About two", exact=True).click()
        await detail.get_by_role("button", name="Stop").click()
        await browser_page.get_by_role("alertdialog").get_by_role("button", name="Stop").click()
        await expect(tree.get_by_label(branch("two", "Stopped"))).to_be_visible()
        await browser_page.reload()
        await expect(tree.get_by_role("treeitem", name="About")).to_have_count(3)
        await tree.get_by_text("About one", exact=True).click()
        await expect(detail).to_contain_text("Word for word: find out about one")
        await expect(detail).to_contain_text("ann commentedtaken inOnly Poland")
        await expect(detail.locator(".tool")).to_contain_text("Searching the sources")
        three.release.set()
        await expect(tree.get_by_role("treeitem", name="Final answer")).to_be_visible()
        await tree.get_by_text("Compare them all", exact=True).click()
        await expect(detail.locator("strong", has_text="compared")).to_be_visible()
        await expect(detail).to_contain_text("<base href=")
        await tree.get_by_text("About three", exact=True).click()
        await expect(detail).to_contain_text("<base href=")
        await browser_page.goto("about:blank")
    assert hits == []
