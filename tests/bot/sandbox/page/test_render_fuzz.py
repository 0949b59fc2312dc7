"""Whatever an app sends, the renderer shows something, throws nothing and makes no markup of it."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Error

from bot.sandbox.page.assets import STATIC
from tests.bot.sandbox.page.render_harness import Harness

in_browser = pytest.mark.asyncio(loop_scope="module")
SAMPLES = 150
FORBIDDEN = [
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "eval(",
    "new Function", "srcdoc", "createContextualFragment",
]  # fmt: skip

TYPES = [
    "section", "header", "divider", "context", "actions", "image", "input", "rich_text", "video",
    "file", "call", "markdown", "context_actions", "table", "data_table", "data_visualization",
    "task_card", "plan", "alert", "card", "carousel", "container", "auth_provider", "button",
    "workflow_button", "icon_button", "feedback_buttons", "overflow", "static_select",
    "multi_static_select", "external_select", "users_select", "multi_users_select",
    "conversations_select", "channels_select", "checkboxes", "radio_buttons", "datepicker",
    "timepicker", "datetimepicker", "plain_text_input", "number_input", "email_text_input",
    "url_text_input", "rich_text_input", "file_input", "plain_text", "mrkdwn", "raw_text",
    "raw_number", "rich_text_section", "rich_text_list", "rich_text_quote",
    "rich_text_preformatted", "text", "link", "user", "usergroup", "channel", "broadcast",
    "emoji", "date", "color", "team", "pie", "bar", "area", "line", "url", "icon", "toString",
    "__proto__", "constructor", "hasOwnProperty",
]  # fmt: skip
KEYS = [
    "text", "fields", "accessory", "elements", "element", "label", "hint", "optional",
    "dispatch_action", "image_url", "slack_file", "alt_text", "title", "url", "value", "options",
    "option_groups", "initial_option", "initial_options", "initial_date", "initial_date_time",
    "placeholder", "confirm", "style", "action_id", "block_id", "rows", "column_settings",
    "caption", "page_size", "row_header_column_index", "chart", "segments", "series", "data",
    "axis_config", "categories", "name", "x_label", "y_label", "task_id", "status", "details",
    "output", "sources", "tasks", "level", "hero_image", "icon", "slack_icon", "body", "subtitle",
    "subtext", "actions", "child_blocks", "rich_text_title", "width", "is_collapsible",
    "default_collapsed", "is_connected", "auth_url", "positive_button", "negative_button",
    "user_id", "channel_id", "range", "unicode", "skin_tone", "timestamp", "format", "fallback",
    "indent", "offset", "border", "max_length", "min_length", "multiline", "filter", "include",
    "external_id", "source", "call", "video_url", "thumbnail_url", "description", "multiple",
    "filetypes", "max_files", "deny", "min_query_length", "initial_user", "initial_conversations",
    "visible_to_user_ids", "accessibility_label", "__proto__", "constructor",
]  # fmt: skip
PIECES = [
    *"*_~`<>&:|!@#[](){}\\\"'^\n\t- .1|",
    "```",
    "> ",
    "&lt;",
    "&amp;",
    "<@U1>",
    "<#C1|x>",
    "<!here>",
    "<!date^1^{date}|f>",
    "<https://a.example|l>",
    "https://b.example",
    "javascript:alert(1)",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "![i](data:text/html,x)",
    ":tada:",
    "# ",
    "1. ",
    "- [ ] ",
    "| a | b |\n|--|--|\n",
    "**",
    "~~~",
    "word",
    "\u202e",
    "\ud83d",
    "é漢\U0001f389",
    "\x00",
]
ADDRESSES = ["javascript:alert(1)", "https://a.example", "data:text/html,x", "//b.example"]
TAGS = [
    "A", "ARTICLE", "BLOCKQUOTE", "BR", "BUTTON", "CAPTION", "CODE", "DETAILS", "DIV", "EM",
    "FIGCAPTION", "FIGURE", "H3", "HR", "IMG", "INPUT", "LI", "OL", "P", "PRE", "S", "SECTION",
    "SPAN", "STRONG", "SUMMARY", "TABLE", "TBODY", "TD", "TEXTAREA", "TH", "THEAD", "TIME", "TR",
    "U", "UL", "svg", "path", "circle", "line", "rect", "text", "title",
]  # fmt: skip

SHOW_AND_AUDIT = """([kind, samples, tags]) => {
    const { main } = window.render;
    const addresses = ["href", "src", "action", "formaction", "xlink:href"];
    const isInside = (value) =>
        /^(#|\\/(?!\\/))/.test(value) || value.startsWith(`${location.origin}/`);
    const isColour = (value) => /^--k-bar: #[0-9a-f]{3,6};$/i.test(value);
    const wrong = ({ name, value }) =>
        name.startsWith("on") || name === "srcdoc" || (name === "style" && !isColour(value)) ||
        (addresses.includes(name) && !isInside(value) && !/^(https?:|mailto:)/.test(value));
    const audit = () => [...main.querySelectorAll("*")].flatMap((node) => [
        ...(tags.includes(node.tagName) ? [] : [node.tagName]),
        ...[...node.attributes].filter(wrong).map(({ name, value }) => `${name}=${value}`),
    ]);
    let shown = 0;
    const found = samples.flatMap((sample) => {
        window.render[kind](sample);
        shown += main.querySelectorAll(":not(.unknown, .unknown *)").length;
        return audit().map((fault) => ({ fault, sample }));
    });
    return { found, shown };
}"""


def words(dice: random.Random) -> str:
    return "".join(dice.choice(PIECES) for _ in range(dice.randrange(14)))


def anything(dice: random.Random, depth: int = 0) -> object:
    """A JSON value that looks like Slack's in its keys and types, and in nothing else."""
    roll = dice.random()
    if depth > 3 or roll < 0.3:
        scalars = [
            words(dice),
            dice.choice(ADDRESSES),
            dice.choice(TYPES),
            True,
            False,
            None,
            0,
            -1,
            1e308,
            2.5,
            10**15,
        ]
        return dice.choice(scalars)
    if roll < 0.5:
        return [anything(dice, depth + 1) for _ in range(dice.randrange(4))]
    value = {dice.choice(KEYS): anything(dice, depth + 1) for _ in range(dice.randrange(7))}
    return {"type": dice.choice(TYPES), **value}


def block(dice: random.Random) -> object:
    """As `anything`, but always with a type, and mostly with a few fields that fit."""
    value: dict[str, Any] = {"type": dice.choice(TYPES)}
    for key in dice.sample(KEYS, 8):
        value[key] = anything(dice, 1)
    if dice.random() < 0.7:
        value |= {"text": {"type": dice.choice(("mrkdwn", "plain_text")), "text": words(dice)}}
    return value


def several(dice: random.Random) -> list[object]:
    return [block(dice) for _ in range(3)]


def heap(dice: random.Random) -> list[object]:
    return [anything(dice) for _ in range(3)]


def modal(dice: random.Random) -> object:
    return {"type": "modal", "id": "V1", "blocks": several(dice)}


def post(dice: random.Random) -> object:
    names = ("text", "blocks", "attachments", "files", "subtype", "bot_id", "ts")
    sandbox = {"stream": {"phase": "in_progress"}}
    value = {name: anything(dice) for name in names if dice.random() < 0.7}
    attachment = {dice.choice([*KEYS, "color", "ts", "footer"]): anything(dice) for _ in range(6)}
    return {"ts": "1.1", **value, "attachments": [attachment], "sandbox": sandbox}


@in_browser
@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("blocks", several),
        ("blocks", heap),
        ("post", post),
        ("view", modal),
        ("mrkdwn", words),
        ("markdown", words),
    ],
)
async def test_nonsense_is_shown_and_never_becomes_markup(
    harness: Harness, kind: str, make: Callable[[random.Random], object]
) -> None:
    faults: list[str] = []

    def note(fault: Error) -> None:
        faults.append(str(fault))

    harness.page.on("pageerror", note)
    dice = random.Random(kind)  # noqa: S311
    samples = [make(dice) for _ in range(SAMPLES)]
    report: dict[str, Any] = await harness.page.evaluate(SHOW_AND_AUDIT, [kind, samples, TAGS])
    harness.page.remove_listener("pageerror", note)
    assert report["found"] == []
    assert report["shown"] > SAMPLES
    assert faults == []


@in_browser
@pytest.mark.parametrize("kind", ["mrkdwn", "markdown"])
@pytest.mark.parametrize(
    "piece",
    [
        "*",
        "_a ",
        "`",
        "<",
        "[",
        "> ",
        "- ",
        "~~~\n",
        "| a ",
        ":a",
        "https://",
        "![",
        "**a*",
        "&gt;",
        "#",
        "\\",
        "(",
        "1. ",
        "  - a\n",
    ],
)
async def test_a_long_text_of_one_mark_is_shown_in_time(
    harness: Harness, kind: str, piece: str
) -> None:
    text = piece * (40_000 // len(piece))
    spent_ms = await harness.page.evaluate(
        """([kind, text]) => {
            const before = performance.now();
            window.render[kind](text);
            return performance.now() - before;
        }""",
        [kind, text],
    )
    assert spent_ms < 5000


def test_no_module_of_the_page_turns_text_into_markup_or_code() -> None:
    modules = sorted((STATIC / "render").rglob("*.js"))
    assert modules
    found = {
        (module.name, name)
        for module in modules
        for name in FORBIDDEN
        if name in module.read_text(encoding="utf-8")
    }
    assert found == set()
