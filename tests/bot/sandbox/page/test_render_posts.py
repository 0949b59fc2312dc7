"""Posts and views whole: text or blocks, attachments, files, streams; forms and their values."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.bot.sandbox.page.render_harness import Harness

pytestmark = pytest.mark.asyncio(loop_scope="module")

Json = dict[str, Any]
OPTIONS: list[Json] = [
    {"text": {"type": "plain_text", "text": name}, "value": name.lower()} for name in ("Api", "Web")
]


def post(**more: object) -> Json:
    return {"ts": "1.5", "bot_id": "B1", "text": "", "sandbox": {"channel": "C1"}, **more}


def typed(text: str) -> Json:
    leaf = {"type": "text", "text": text}
    section = {"type": "rich_text_section", "elements": [leaf]}
    return {
        "ts": "1.5",
        "user": "U1",
        "text": text,
        "blocks": [{"type": "rich_text", "elements": [section]}],
    }


def field(block_id: str, element: Json, **more: object) -> Json:
    label = {"type": "plain_text", "text": block_id.title()}
    return {"type": "input", "block_id": block_id, "label": label, "element": element, **more}


def form(*blocks: Json) -> Json:
    return {"type": "modal", "id": "V1", "blocks": list(blocks)}


async def test_blocks_take_the_place_of_the_text(harness: Harness) -> None:
    divider = {"type": "section", "text": {"type": "plain_text", "text": "from blocks"}}
    await harness.show("post", post(text="from text", blocks=[divider]))
    assert await harness.main.inner_text() == "from blocks"
    await harness.show("post", post(text="*from* text"))
    assert await harness.main.inner_text() == "from text"


async def test_what_a_person_typed_is_formatted_as_the_composer_would(harness: Harness) -> None:
    await harness.show("post", typed("*bold* and `code` :tada:"))
    await expect(harness.main.locator("strong")).to_have_text("bold")
    assert await harness.main.inner_text() == "bold and code 🎉"
    await harness.show("post", typed("*bold*") | {"bot_id": "B1"})
    assert await harness.main.inner_text() == "*bold*"


@pytest.mark.parametrize(
    ("text", "is_large"),
    [(":tada: :wave:", True), ("🎉🎉", True), (":tada: x", False), (":nope:", False)],
)
async def test_a_few_emoji_alone_are_large(harness: Harness, text: str, is_large: bool) -> None:
    await harness.show("post", post(text=text))
    await expect(harness.main.locator(".k-jumbo")).to_have_count(int(is_large))


async def test_attachments_show_every_field_and_unknown_ones_as_json(harness: Harness) -> None:
    attachment = {
        "color": "danger",
        "pretext": "_before_",
        "author_name": "Ann",
        "title": "Title",
        "title_link": "https://a.example",
        "text": "*text*",
        "fields": [{"title": "Key", "value": "`v`", "short": True}],
        "footer": "foot",
        "ts": 1_789_986_600,
        "surprise": {"deep": 1},
        "blocks": [{"type": "section", "text": {"type": "plain_text", "text": "block"}}],
    }
    await harness.show("post", post(attachments=[attachment, "nonsense"]))
    for part in ("before", "Ann", "Title", "text", "Key", "block", "foot | today at 12:30 PM"):
        await expect(harness.main).to_contain_text(part)
    boxes = harness.main.locator("figure.unknown")
    await expect(boxes.first).to_contain_text("Unknown attachment field: surprise")
    await expect(boxes.last.locator("figcaption")).to_contain_text("attachment")
    await expect(harness.main.get_by_role("link", name="Title")).to_be_visible()


async def test_an_attachment_without_content_shows_its_fallback(harness: Harness) -> None:
    await harness.show("post", post(attachments=[{"fallback": "in words"}]))
    assert await harness.main.inner_text() == "in words"


async def test_files_are_opened_downloaded_or_seen(harness: Harness) -> None:
    def file(file_id: str, name: str, mimetype: str, address: str) -> Json:
        return {
            "id": file_id,
            "name": name,
            "mimetype": mimetype,
            "url_private": address,
            "size": 2048,
        }

    files = [
        file("F1", "report.html", "text/html", "/files/F1/report.html"),
        file("F2", "a.log", "text/plain", "/files/F2/a.log"),
        file("F3", "icon.svg", "image/svg+xml", "/static/icon.svg"),
        file("F4", "far.bin", "application/octet-stream", "https://a.example/far.bin"),
        {"id": "F5", "mode": "tombstone"},
        7,
    ]
    await harness.show("post", post(files=files))
    await harness.main.get_by_role("button", name="Open report.html").click()
    await harness.main.get_by_role("button", name="Open icon.svg").click()
    assert await harness.said() == [{"file": "F1"}, {"file": "F3"}]
    download = harness.main.get_by_role("link", name="Download a.log")
    await expect(download).to_have_attribute("href", "/files/F2/a.log?download=1")
    await expect(harness.main.get_by_role("link", name="Open far.bin elsewhere")).to_have_attribute(
        "rel", "noopener noreferrer"
    )
    await expect(harness.main.get_by_text("This file was deleted.")).to_be_visible()
    await expect(harness.main.get_by_text("Malformed file")).to_be_visible()
    await expect(harness.main.get_by_text("2.0 KB").first).to_be_visible()


async def test_a_running_stream_says_that_it_is_still_writing(harness: Harness) -> None:
    blocks = [{"type": "markdown", "text": "**so far**"}]
    for phase, count in (("in_progress", 1), ("completed", 0)):
        stream = {"phase": phase, "parts": blocks, "tasks": []}
        sandbox = {"channel": "C1", "stream": stream}
        await harness.show("post", post(text="so far", blocks=blocks, sandbox=sandbox))
        assert (await harness.main.inner_text()).strip() == "so far"
        await expect(harness.main.get_by_role("img", name="Still writing")).to_have_count(count)


@pytest.mark.parametrize(
    ("mode", "words"),
    [("timeline", ["one", "two", "then"]), ("plan", ["Looking", "1 of 2", "one", "two", "then"])],
)
async def test_a_stream_without_blocks_is_shown_from_its_parts(
    harness: Harness, mode: str, words: list[str]
) -> None:
    stream = {
        "phase": "in_progress",
        "task_display_mode": mode,
        "plan_title": "Looking",
        "tasks": [
            {"id": "1", "title": "one", "status": "complete"},
            {"id": "2", "title": "two", "status": "pending"},
        ],
        "parts": [
            {"type": "task", "id": "1"},
            {"type": "plan"},
            {"type": "task", "id": "2"},
            {"type": "markdown", "text": "then"},
            {"type": "confetti"},
        ],
    }
    await harness.show("post", post(sandbox={"channel": "C1", "stream": stream}))
    await expect(harness.main.locator("figure.unknown")).to_contain_text("Unknown block: confetti")
    shown = [line for line in (await harness.main.inner_text()).splitlines() if line]
    assert shown[: len(words)] == words


async def test_a_form_gives_its_values_by_action_id(harness: Harness) -> None:
    await harness.show(
        "view",
        form(
            field("name", {"type": "plain_text_input", "action_id": "name_in"}),
            field("note", {"type": "plain_text_input", "action_id": "note_in", "multiline": True}),
            field("size", {"type": "number_input", "action_id": "size_in", "initial_value": "3"}),
            field("kind", {"type": "static_select", "action_id": "kind_in", "options": OPTIONS}),
            field(
                "who",
                {"type": "multi_users_select", "action_id": "who_in", "initial_users": ["U2"]},
            ),
            field("ticks", {"type": "checkboxes", "action_id": "ticks_in", "options": OPTIONS}),
            field("day", {"type": "datepicker", "action_id": "day_in"}),
            field("text", {"type": "rich_text_input", "action_id": "text_in"}),
        ),
    )
    await harness.main.get_by_label("Name").fill("Ann")
    await harness.main.get_by_role("combobox", name="Kind").click()
    await harness.page.get_by_role("option", name="Web").click()
    await harness.main.get_by_role("checkbox", name="Api").check()
    await harness.main.get_by_label("Day").fill("2026-11-22")
    assert await values(harness) == {
        "name_in": "Ann",
        "note_in": None,
        "size_in": "3",
        "kind_in": "web",
        "who_in": ["U2"],
        "ticks_in": ["api"],
        "day_in": "2026-11-22",
        "text_in": None,
    }


async def values(harness: Harness) -> Json:
    found: Json = await harness.page.evaluate("window.render.views.values(window.render.main)")
    return found


async def test_a_form_knows_what_is_missing_or_wrong(harness: Harness) -> None:
    await harness.show(
        "view",
        form(
            field("name", {"type": "plain_text_input", "action_id": "n"}),
            field("more", {"type": "plain_text_input", "action_id": "m"}, optional=True),
            field("word", {"type": "plain_text_input", "action_id": "w", "min_length": 3}),
            field("mail", {"type": "email_text_input", "action_id": "e"}, optional=True),
            field("size", {"type": "number_input", "action_id": "s", "max_value": "5"}),
        ),
    )
    await harness.main.get_by_label("Word").fill("ab")
    await harness.main.get_by_label("Mail").fill("nobody")
    await harness.main.get_by_label("Size").fill("9")
    found: Json = await harness.page.evaluate("window.render.views.problems(window.render.main)")
    assert sorted(found) == ["mail", "name", "size", "word"]
    assert found["name"] == "Please complete this required field."
    assert found["word"] == "Enter at least 3 characters."


async def test_errors_stand_at_their_fields_until_they_are_gone(harness: Harness) -> None:
    await harness.show(
        "view",
        form(
            field("name", {"type": "plain_text_input", "action_id": "n"}),
            field("kind", {"type": "static_select", "action_id": "k", "options": OPTIONS}),
        ),
    )
    await show_errors(harness, {"kind": "Choose one."})
    kind = harness.main.get_by_role("combobox", name="Kind")
    await expect(kind).to_be_focused()
    await expect(kind).to_have_attribute("aria-invalid", "true")
    await expect(kind).to_have_accessible_description("Choose one.")
    await expect(harness.main.get_by_role("alert")).to_have_text("Choose one.")
    await show_errors(harness, {})
    await expect(harness.main.get_by_role("alert")).to_have_count(0)
    await expect(kind).not_to_have_attribute("aria-invalid", "true")


async def show_errors(harness: Harness, errors: Json) -> None:
    await harness.page.evaluate(
        "(e) => window.render.views.showErrors(window.render.main, e)", errors
    )


async def test_what_was_entered_survives_a_new_drawing_of_the_view(harness: Harness) -> None:
    blocks = [
        field("name", {"type": "plain_text_input", "action_id": "n"}),
        field("kind", {"type": "static_select", "action_id": "k", "options": OPTIONS}),
        field("ticks", {"type": "checkboxes", "action_id": "t", "options": OPTIONS}),
    ]
    await harness.show("view", form(*blocks))
    await harness.main.get_by_label("Name").fill("Ann")
    await harness.main.get_by_role("combobox").click()
    await harness.page.get_by_role("option", name="Web").click()
    await harness.main.get_by_role("checkbox", name="Api").check()
    changed = [*blocks[:2], field("other", blocks[2]["element"])]
    await harness.page.evaluate(
        """(view) => {
            const { main, ctx, views } = window.render;
            const fresh = views.view(view, ctx);
            views.carryOver(main.firstElementChild, fresh);
            main.replaceChildren(fresh);
        }""",
        form(*changed),
    )
    assert await values(harness) == {"n": "Ann", "k": "web", "t": []}
    await expect(harness.main.get_by_role("combobox")).to_have_value("Web")


async def test_a_view_of_an_unknown_kind_is_shown_as_json(harness: Harness) -> None:
    await harness.show("view", {"type": "workflow_step", "id": "V1"})
    await expect(harness.main.locator("figure.unknown")).to_contain_text(
        "Unknown view: workflow_step"
    )
