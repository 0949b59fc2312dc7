"""Blocks as Slack shows them, and what is shown in the place of one that nobody knows."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.bot.sandbox.page.render_harness import Harness

pytestmark = pytest.mark.asyncio(loop_scope="module")

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def rich(text: str) -> Json:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "elements": [section]}


def raw(text: str) -> Json:
    return {"type": "raw_text", "text": text}


def task(task_id: str, status: str, **more: object) -> Json:
    return {"type": "task_card", "task_id": task_id, "title": task_id, "status": status, **more}


def chart(kind: str, **more: object) -> Json:
    return {"type": "data_visualization", "title": "Load", "chart": {"type": kind, **more}}


def series(**values: list[float]) -> list[Json]:
    return [
        {"name": name, "data": [{"label": str(at), "value": v} for at, v in enumerate(given)]}
        for name, given in values.items()
    ]


async def test_a_section_has_text_fields_and_an_accessory(harness: Harness) -> None:
    button = {"type": "button", "text": plain("Go"), "action_id": "go"}
    await harness.blocks(
        {"type": "section", "text": mrkdwn("*a*"), "fields": [plain("*b*")], "accessory": button}
    )
    await expect(harness.main.locator("strong")).to_have_text("a")
    await expect(harness.main.locator(".k-fields")).to_have_text("*b*")
    await expect(harness.main.get_by_role("button", name="Go")).to_be_visible()


async def test_headers_dividers_and_contexts(harness: Harness) -> None:
    image = {"type": "image", "image_url": "/static/icon.svg", "alt_text": "mark"}
    await harness.blocks(
        {"type": "header", "text": plain("Title :tada:")},
        {"type": "divider"},
        {"type": "context", "elements": [image, mrkdwn("_by_ ops"), plain("now")]},
    )
    await expect(harness.main.get_by_role("heading")).to_have_text("Title 🎉")
    await expect(harness.main.get_by_role("separator")).to_have_count(1)
    await expect(harness.main.get_by_role("img", name="mark")).to_be_visible()
    await expect(harness.main.locator(".k-context")).to_have_text("by opsnow")


async def test_an_image_that_cannot_be_loaded_says_what_it_would_show(harness: Harness) -> None:
    await harness.blocks(
        {"type": "image", "image_url": "https://nowhere.example/x.png", "alt_text": "A chart"},
        {"type": "image", "slack_file": {"id": "F1"}, "alt_text": "A file"},
        {"type": "image", "image_url": "javascript:alert(1)", "alt_text": "Bad"},
    )
    await expect(harness.main.get_by_role("link", name="A chart")).to_have_attribute(
        "href", "https://nowhere.example/x.png"
    )
    await expect(harness.main.locator(".k-no-image")).to_have_text(["A chart", "A file", "Bad"])


async def test_a_plan_lists_its_tasks_with_their_states(harness: Harness) -> None:
    source = {"type": "url", "url": "https://a.example", "text": "Log"}
    done = task(
        "Read", "complete", details=rich("pod 1"), output=rich("3 errors"), sources=[source]
    )
    tasks = [done, task("Write", "in_progress"), task("Ask", "pending"), task("Send", "error")]
    await harness.blocks({"type": "plan", "title": "Investigating", "tasks": tasks})
    items = harness.main.get_by_role("listitem")
    states = harness.main.get_by_role("img")
    await expect(harness.main.locator("summary").first).to_have_text("Investigating1 of 4")
    assert [await state.get_attribute("aria-label") for state in await states.all()] == [
        "Done",
        "In progress",
        "Waiting",
        "Failed",
    ]
    await expect(items.first.get_by_text("3 errors")).to_be_hidden()
    await items.first.get_by_text("Read").click()
    await expect(items.first.get_by_text("3 errors")).to_be_visible()
    await expect(items.first.get_by_role("link", name="Log")).to_be_visible()


async def test_task_cards_in_a_row_are_one_timeline(harness: Harness) -> None:
    await harness.blocks(
        task("one", "complete"),
        task("two", "pending"),
        {"type": "markdown", "text": "between"},
        task("three", "pending"),
    )
    timelines = harness.main.get_by_role("list", name="Progress")
    await expect(timelines).to_have_count(2)
    await expect(timelines.first.get_by_role("listitem")).to_have_text(["one", "two"])


async def test_an_opened_task_stays_open_when_the_stream_goes_on(harness: Harness) -> None:
    card = task("kept", "in_progress", details=rich("details"))
    post = {"ts": "9.1", "channel": "C1", "bot_id": "B1", "blocks": [card]}
    await harness.show("post", post)
    await harness.main.get_by_text("kept").click()
    await expect(harness.main.get_by_text("details")).to_be_visible()
    await harness.show("post", {**post, "blocks": [card | {"status": "complete"}]})
    await expect(harness.main.get_by_text("details")).to_be_visible()
    await harness.show("post", {**post, "ts": "9.2"})
    await expect(harness.main.get_by_text("details")).to_be_hidden()


async def test_a_table_has_a_head_and_aligned_cells_of_every_kind(harness: Harness) -> None:
    rows = [
        [raw("Name"), raw("Count")],
        [rich("api"), {"type": "raw_number", "value": 1200}],
        [raw("*web*"), {"type": "mystery"}],
    ]
    settings = [{"align": "center", "is_wrapped": True}]
    await harness.blocks({"type": "table", "rows": rows, "column_settings": settings})
    await expect(harness.main.get_by_role("columnheader")).to_have_text(["Name", "Count"])
    cells = harness.main.get_by_role("cell")
    await expect(cells.nth(0)).to_have_class("k-center")
    await expect(cells.nth(1)).to_have_text("1,200")
    await expect(cells.nth(1)).to_have_class("k-right k-no-wrap")
    await expect(cells.nth(2)).to_have_text("*web*")
    await expect(cells.nth(3)).to_contain_text("Unknown cell: mystery")


async def test_a_data_table_is_paged_sorted_and_searched(harness: Harness) -> None:
    body = [
        [
            raw(f"svc-{at}"),
            {"type": "raw_number", "value": at * 7 % 12, "text": f"{at * 7 % 12} ms"},
        ]
        for at in range(12)
    ]
    await harness.blocks(
        {"type": "data_table", "caption": "Speed", "rows": [[raw("N"), raw("T")], *body]}
    )
    table = harness.main.get_by_role("table", name="Speed")
    heads = table.get_by_role("rowheader")
    await expect(heads).to_have_text([f"svc-{at}" for at in range(5)])
    await expect(harness.main.get_by_role("status")).to_have_text("1 to 5 of 12")
    await harness.main.get_by_role("button", name="Next page").click()
    await expect(heads.first).to_have_text("svc-5")
    for first, direction in (("0 ms", "ascending"), ("11 ms", "descending")):
        await table.get_by_role("button", name="T").click()
        await expect(table.get_by_role("columnheader", name="T")).to_have_attribute(
            "aria-sort", direction
        )
        await expect(table.get_by_role("cell").first).to_have_text(first)
    await harness.main.get_by_role("searchbox").fill("svc-11")
    await expect(heads).to_have_text(["svc-11"])
    await expect(harness.main.get_by_role("status")).to_have_text("1 to 1 of 1")


@pytest.mark.parametrize(
    ("block", "marks"),
    [
        (chart("pie", segments=[{"label": "a", "value": 3}, {"label": "b", "value": 1}]), 2),
        (chart("bar", series=series(p=[1, 2, 3], q=[3, -2, 1])), 6),
        (chart("line", series=series(p=[1, 2, 3]), axis_config={"categories": ["0", "1", "2"]}), 1),
        (chart("area", series=series(p=[1, 2, 3])), 1),
    ],
)
async def test_a_chart_is_drawn_named_and_told_in_figures(
    harness: Harness, block: Json, marks: int
) -> None:
    await harness.blocks(block)
    kind = block["chart"]["type"]
    drawn = harness.main.get_by_role("img", name=f"Load: {kind} chart")
    await expect(drawn).to_be_visible()
    shape = {"pie": ".k-slice", "bar": ".k-bar", "line": ".k-line", "area": ".k-area"}[kind]
    await expect(drawn.locator(shape)).to_have_count(marks)
    await harness.main.get_by_text("Show the figures").click()
    await expect(harness.main.get_by_role("table")).to_contain_text("3")
    await expect(harness.main.locator("[d*=NaN], [y*=NaN], [height*=NaN]")).to_have_count(0)


async def test_a_pie_tells_its_shares(harness: Harness) -> None:
    await harness.blocks(
        chart("pie", segments=[{"label": "api", "value": 3}, {"label": "web", "value": 1}])
    )
    await expect(harness.main.get_by_role("listitem")).to_have_text(["api 75%", "web 25%"])


async def test_cards_and_carousels(harness: Harness) -> None:
    button = {"type": "button", "text": plain("Open"), "action_id": "open"}
    card = {
        "type": "card",
        "slack_icon": {"type": "icon", "name": "rocket"},
        "title": mrkdwn("*Release*"),
        "subtitle": mrkdwn("today"),
        "body": mrkdwn("All green"),
        "subtext": mrkdwn("ci"),
        "actions": [button],
    }
    await harness.blocks(card, {"type": "carousel", "elements": [card, card]})
    assert await harness.main.locator(".k-card").first.inner_text() == (
        "🚀\nRelease\ntoday\nAll green\nci\nOpen"
    )
    await expect(
        harness.main.get_by_role("list", name="2 cards").get_by_role("listitem")
    ).to_have_count(2)


async def test_a_container_holds_blocks_and_may_be_folded(harness: Harness) -> None:
    inner: list[Json] = [{"type": "section", "text": plain("inside")}, {"type": "widget"}]
    folded = {"is_collapsible": True, "default_collapsed": True}
    await harness.blocks(
        {"type": "container", "title": plain("Open"), "child_blocks": inner},
        {"type": "container", "rich_text_title": rich("Shut"), "child_blocks": inner, **folded},
    )
    inside = harness.main.get_by_text("inside")
    await expect(inside.first).to_be_visible()
    await expect(inside.last).to_be_hidden()
    await harness.main.get_by_text("Shut").click()
    await expect(inside.last).to_be_visible()
    await expect(harness.main.get_by_text("Unknown block: widget").first).to_be_visible()


async def test_alerts_videos_remote_files_calls_and_providers(harness: Harness) -> None:
    video = {
        "type": "video",
        "title": plain("Demo"),
        "title_url": "https://v.example",
        "video_url": "https://v.example/embed",
        "thumbnail_url": "/static/icon.svg",
        "alt_text": "A still",
        "author_name": "Ann",
    }
    await harness.blocks(
        {"type": "alert", "level": "error", "text": mrkdwn("It *failed*")},
        video,
        {"type": "file", "external_id": "X1", "source": "remote"},
        {"type": "call", "call_id": "R1"},
        {"type": "auth_provider", "value": "gh", "name": plain("GitHub"), "is_connected": False},
    )
    await expect(harness.main.get_by_role("note", name="It failed")).to_be_visible()
    await expect(harness.main.get_by_role("link", name="Demo")).to_have_attribute(
        "href", "https://v.example/"
    )
    await expect(harness.main.locator("iframe, video")).to_have_count(0)
    await expect(harness.main.locator(".k-small-card")).to_have_text(
        ["Remote fileX1", "CallR1", "GitHubNot connectedConnect"]
    )
    await harness.main.get_by_role("button", name="Connect").click()
    (said,) = await harness.said()
    assert said["action"]["action_id"] == "auth_provider_connect_gh"


@pytest.mark.parametrize(
    ("block", "label"),
    [
        ({"type": "hologram", "block_id": "b", "depth": 3}, "Unknown block: hologram"),
        ({"block_id": "no_type"}, "Unknown block: without a type"),
        ("a string", "Unknown block: without a type"),
        ([{"type": "task_card"}], "Unknown block: without a type"),
        ({"type": "toString"}, "Unknown block: toString"),
        ({"type": "header"}, "Malformed block: header (text is missing)"),
        ({"type": "header", "text": "x"}, "Malformed block: header (text is no object)"),
        ({"type": "section"}, "Malformed block: section (text is missing)"),
        ({"type": "table", "rows": [1]}, "Malformed block: table (a row is no list)"),
        (task("t", "done"), "Malformed block: task_card (status is none of"),
        (chart("donut"), "Malformed block: data_visualization (type is none of"),
        (
            {"type": "actions", "elements": [{"type": "slider", "action_id": "s"}]},
            "Unknown element: slider",
        ),
        (
            {"type": "section", "text": plain("x"), "accessory": {"type": "button"}},
            "Malformed element: button (text is missing)",
        ),
        (
            {"type": "rich_text", "elements": [{"type": "rich_text_poem"}]},
            "Unknown element: rich_text_poem",
        ),
        ({"type": "plan", "title": "p", "tasks": [7]}, "Malformed task (it is no object)"),
        ({"type": "carousel", "elements": [{"type": "poster"}]}, "Unknown card: poster"),
        ({"type": "carousel", "elements": ["x"]}, "Malformed card (it is no object)"),
        ({"type": "context", "elements": [{"type": "button"}]}, "Unknown element: button"),
    ],
)
async def test_what_is_unknown_or_malformed_is_shown_as_labelled_json(
    harness: Harness, block: object, label: str
) -> None:
    await harness.blocks(block, {"type": "section", "text": plain("after")})
    box = harness.main.locator("figure.unknown")
    await expect(box).to_have_count(1)
    await expect(box.locator("figcaption")).to_contain_text(label)
    assert len(await box.locator("pre").inner_text()) > 0
    await expect(harness.main.get_by_text("after")).to_be_visible()


async def test_blocks_nested_beyond_reason_end_in_a_box(harness: Harness) -> None:
    deep = """() => {
        let block = { type: "divider" };
        for (let n = 0; n < 20000; n += 1) {
            const title = { type: "plain_text", text: "t" };
            block = { type: "container", title, child_blocks: [block] };
        }
        window.render.blocks([block]);
    }"""
    await harness.page.evaluate(deep)
    await expect(harness.main.locator("figure.unknown")).to_have_count(1)
