"""Everything that the renderer can show passes axe's rules of accessibility, light and dark."""

from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe

from tests.bot.sandbox.page.render_harness import Harness

pytestmark = pytest.mark.asyncio(loop_scope="module")

Json = dict[str, Any]
SEVERE = ("serious", "critical")


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def rich(*leaves: Json) -> Json:
    section = {"type": "rich_text_section", "elements": list(leaves)}
    return {"type": "rich_text", "elements": [section]}


OPTIONS: list[Json] = [{"text": plain(name), "value": name} for name in ("Api", "Web")]
BUTTON: Json = {"type": "button", "text": plain("Go"), "style": "primary", "action_id": "go"}
FEEDBACK: Json = {
    "type": "feedback_buttons",
    "action_id": "f",
    "positive_button": {"text": plain("Good"), "value": "y"},
    "negative_button": {"text": plain("Bad"), "value": "n"},
}
TASKS: list[Json] = [
    {
        "type": "task_card",
        "task_id": status,
        "title": status,
        "status": status,
        "details": rich({"type": "text", "text": "why"}),
        "sources": [{"type": "url", "url": "https://a.example", "text": "log"}],
    }
    for status in ("pending", "in_progress", "complete", "error")
]
CELLS: list[Json] = [{"type": "raw_text", "text": "a"}, {"type": "raw_number", "value": 1}]
SERIES: list[Json] = [
    {"name": "p", "data": [{"label": "a", "value": 1}, {"label": "b", "value": 2}]}
]


def every_element() -> list[Json]:
    kinds = ["static_select", "multi_static_select", "overflow", "checkboxes", "radio_buttons"]
    with_options = [{"type": kind, "options": OPTIONS} for kind in kinds]
    plain_kinds = ["users_select", "datepicker", "timepicker", "datetimepicker"]
    danger = {**BUTTON, "style": "danger", "text": plain("Stop")}
    bare = [*with_options, *({"type": kind} for kind in plain_kinds)]
    named = [{**element, "action_id": f"e{at}"} for at, element in enumerate(bare)]
    return [BUTTON, danger, {**BUTTON, "style": None, "action_id": "x"}, *named]


def every_input() -> list[Json]:
    kinds = ["plain_text_input", "number_input", "email_text_input", "url_text_input", "file_input"]
    elements: list[Json] = [{"type": kind, "action_id": kind} for kind in [*kinds, "datepicker"]]
    elements += [{"type": "static_select", "options": OPTIONS, "initial_option": OPTIONS[0]}]
    elements += [{"type": "checkboxes", "options": OPTIONS}]
    return [
        {
            "type": "input",
            "block_id": f"i{at}",
            "label": plain(f"Field {at}"),
            "hint": plain("A hint"),
            "optional": at % 2 == 0,
            "element": element,
        }
        for at, element in enumerate(elements)
    ]


def every_block() -> list[Json]:
    card: Json = {"type": "card", "title": mrkdwn("T"), "subtext": mrkdwn("s"), "actions": [BUTTON]}
    section: Json = {"type": "section", "text": mrkdwn("*a* <@U1> <@U2> <#C1> `c` <!here> ```p```")}
    levels = ("default", "info", "warning", "error", "success")
    markdown = "# H\n- [x] a\n- b\n\n> q\n\n|a|b|\n|-|-|\n|1|[l](https://a.example)|"
    return [
        section,
        {"type": "header", "text": plain("Title")},
        {"type": "context", "elements": [mrkdwn("small <https://a.example|link>")]},
        {"type": "actions", "elements": every_element()},
        {"type": "context_actions", "elements": [FEEDBACK]},
        *({"type": "alert", "level": level, "text": mrkdwn("words")} for level in levels),
        {"type": "markdown", "text": markdown},
        {"type": "plan", "title": "Plan", "tasks": TASKS},
        {"type": "table", "rows": [CELLS, CELLS]},
        {"type": "data_table", "caption": "C", "rows": [CELLS] * 12},
        {"type": "data_visualization", "title": "V", "chart": {"type": "bar", "series": SERIES}},
        {"type": "image", "image_url": "/static/icon.svg", "alt_text": "i", "title": plain("I")},
        card,
        {"type": "carousel", "elements": [card, card, card, card]},
        {
            "type": "container",
            "title": plain("C"),
            "is_collapsible": True,
            "child_blocks": [section],
        },
        {"type": "file", "external_id": "X", "source": "remote"},
        {"type": "unheard_of", "data": {"a": 1}},
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["blocks", "view", "post"])
async def test_everything_passes_the_rules_of_accessibility(
    harness: Harness, kind: str, theme: str
) -> None:
    await harness.page.evaluate("(t) => { document.documentElement.dataset.theme = t }", theme)
    html = {
        "id": "F1",
        "name": "r.html",
        "mimetype": "text/html",
        "url_private": "/files/F1/r.html",
    }
    fields = [{"title": "K", "value": "v", "short": True}]
    attachment = {"color": "good", "title": "T", "text": "x", "footer": "f", "fields": fields}
    values: dict[str, object] = {
        "blocks": every_block(),
        "view": {"type": "modal", "id": "V", "blocks": every_input()},
        "post": {
            "ts": "1",
            "bot_id": "B",
            "text": "t",
            "files": [html],
            "attachments": [attachment],
        },
    }
    await harness.show(kind, values[kind])
    if kind == "view":
        errors = {"i0": "Something is wrong here."}
        script = "(e) => window.render.views.showErrors(window.render.main, e)"
        await harness.page.evaluate(script, errors)
        await harness.main.get_by_role("combobox").click()
    axe: Any = Axe()  # its annotations are partial
    report = await axe.run(harness.page, context="main")
    violations: list[Json] = report.response["violations"]
    severe = [rule for rule in violations if rule["impact"] in SEVERE]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in severe] == []
