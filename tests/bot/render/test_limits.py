"""What is made at, below and above a limit is taken by Slack, and Slack refuses what is above."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from agent_core.messages import JsonObject
from bot.render import answer_drafts, button, limits, menu, modal, plain_text, section, split
from bot.sandbox.slack.arguments import Arguments, Content, read_content
from bot.sandbox.slack.blocks import check_message_blocks, check_view
from bot.sandbox.slack.clock import SystemClock
from bot.sandbox.slack.team import Ids
from bot.sandbox.slack.wire import ApiError

Blocks = Sequence[JsonObject]


def sent(*, is_update: bool = True, **content: object) -> Content:
    """A post, or an edit, with this content."""
    return read_content(Arguments(content), Ids(SystemClock()), is_update=is_update)


def table(rows: int = 2, columns: int = 2, cell: str = "x") -> str:
    line = "|" + f" {cell} |" * columns
    return "\n".join([line, "|" + "--|" * columns, *[line] * (rows - 1)])


def answered(markdown: str) -> list[str]:
    """The kinds of all blocks of an answer, each of whose posts Slack takes."""
    drafts = answer_drafts(markdown)
    for draft in drafts:
        sent(text=draft.text, blocks=draft.blocks)
    return [block["type"] for draft in drafts for block in draft.blocks]


def labelled(size: int) -> Blocks:
    return [{"type": "actions", "elements": [button("a", "x" * size, "")]}]


def options(count: int, value: str = "v") -> Blocks:
    choices = [("Stop it", value)] * count
    return [{"type": "actions", "elements": [menu("a", choices)]}]


AROUND = (-1, 0, 1)


ANSWERS: list[tuple[int, Callable[[int], str]]] = [
    (limits.MARKDOWN_CHARS, lambda n: "x" * n),
    (limits.BLOCK_TEXT_CHARS, lambda n: "word " * (n // 5)),
    (limits.TEXT_CHARS, lambda n: "word. " * (n // 6)),
    (limits.TABLE_ROWS, lambda n: table(rows=n)),
    (limits.DATA_TABLE_ROWS, lambda n: table(rows=n)),
    (limits.DATA_TABLE_LEAST_ROWS, lambda n: table(rows=n)),
    (limits.TABLE_COLUMNS, lambda n: table(columns=n)),
    (limits.TABLE_CHARS, lambda n: table(rows=2, columns=1, cell="x" * (n // 2))),
    (limits.CAPTION_CHARS, lambda n: "\n\n".join([table(columns=1, cell="x" * n)] * 2)),
    (limits.DATA_TABLE_PAGE, lambda n: "\n\n".join([table(rows=n + 1)] * 2)),
    (limits.DATA_TABLES_PER_POST, lambda n: "\n\n".join([table()] * n)),
    (limits.BLOCKS_PER_POST, lambda n: "\n\n".join(["a", table()] * n)),
    (limits.ANSWER_CHARS, lambda n: "word. " * (n // 6)),
]


@pytest.mark.parametrize("over", AROUND)
@pytest.mark.parametrize(("limit", "made"), ANSWERS)
def test_slack_takes_every_post_of_an_answer_at_a_limit(
    limit: int, made: Callable[[int], str], over: int
) -> None:
    assert answered(made(limit + over))


@pytest.mark.parametrize("over", AROUND)
def test_plain_words_are_posts_that_can_be_edited(over: int) -> None:
    size = limits.TEXT_CHARS + over
    posts = answer_drafts("x" * size, is_plain=True)
    assert sum((post.whole or post.text).count("x") for post in posts) == size
    for post in posts:
        sent(text=post.text, blocks=post.blocks)


MADE: list[tuple[int, Callable[[int], Blocks]]] = [
    (limits.SECTION_CHARS, lambda n: [*map(section, split("x" * n, limits.SECTION_CHARS))]),
    (limits.LABEL_CHARS, labelled),
    (limits.MENU_OPTIONS, options),
    (limits.OPTION_VALUE_CHARS, lambda n: options(1, "v" * n) if n <= 150 else []),
]


@pytest.mark.parametrize("over", AROUND)
@pytest.mark.parametrize(("limit", "made"), MADE)
def test_slack_takes_every_block_at_a_limit(
    limit: int, made: Callable[[int], Blocks], over: int
) -> None:
    check_message_blocks(list(made(limit + over)))


@pytest.mark.parametrize("over", AROUND)
def test_slack_takes_a_form_at_the_limits_of_its_title(over: int) -> None:
    words = "x" * (limits.TITLE_CHARS + over)
    check_view(modal("m", words, words, words, blocks=[]), "modal")


def rows(count: int) -> list[list[JsonObject]]:
    return [[{"type": "raw_text", "text": "x"}]] * count


def data_table(count: int, text: str = "x", **more: object) -> JsonObject:
    body = [*rows(count - 1), [{"type": "raw_text", "text": text}]]
    return {"type": "data_table", "caption": "c", "rows": body, **more}


def row_of(kind: str, columns: int) -> JsonObject:
    return {"type": kind, "caption": "c", "rows": [rows(1)[0] * columns] * 2}


def chart(title: int = 1, series: int = 1, points: int = 1, name: int = 1) -> JsonObject:
    line = {"name": "n", "data": [{"label": "l" * name, "value": 1}] * points}
    shown = {"type": "line", "series": [line] * series}
    return {"type": "data_visualization", "title": "t" * title, "chart": shown}


def refused(take: Callable[[], object]) -> bool:
    try:
        take()
    except ApiError:
        return True
    return False


SLACKS: Mapping[str, tuple[int, int, Callable[[int], object]]] = {
    "text of an edit": (limits.TEXT_CHARS, 4_000, lambda n: sent(text="x" * n)),
    "blocks": (
        limits.BLOCKS_PER_POST, 50, lambda n: check_message_blocks([{"type": "divider"}] * n),
    ),
    "blocks of a view": (
        limits.BLOCKS_PER_VIEW,
        100,
        lambda n: check_view({"type": "home", "blocks": [{"type": "divider"}] * n}, "home"),
    ),
    "section": (limits.SECTION_CHARS, 3_000, lambda n: check_message_blocks([section("x" * n)])),
    "markdown": (
        limits.MARKDOWN_CHARS,
        12_000,
        lambda n: check_message_blocks([{"type": "markdown", "text": "x" * n}]),
    ),
    "all texts": (
        limits.BLOCK_TEXT_CHARS,
        13_200,
        lambda n: check_message_blocks(
            [section("x" * each) for each in (*[2_000] * 5, n // 2 - 5_000, n - n // 2 - 5_000)]
        ),
    ),
    "rows of a table": (
        limits.TABLE_ROWS, 100, lambda n: check_message_blocks([{"type": "table", "rows": rows(n)}])
    ),
    "rows of a data table": (
        limits.DATA_TABLE_ROWS, 201, lambda n: check_message_blocks([data_table(n)]),
    ),
    "columns of a table": (
        limits.TABLE_COLUMNS, 20, lambda n: check_message_blocks([row_of("table", n)]),
    ),
    "columns of a data table": (
        limits.TABLE_COLUMNS, 20, lambda n: check_message_blocks([row_of("data_table", n)]),
    ),
    "text of a table": (
        limits.TABLE_CHARS, 10_000, lambda n: check_message_blocks([data_table(2, "x" * (n - 1))]),
    ),
    "page of a data table": (
        limits.DATA_TABLE_PAGE, 100, lambda n: check_message_blocks([data_table(2, page_size=n)]),
    ),
    "label": (
        limits.LABEL_CHARS,
        75,
        lambda n: check_message_blocks(
            [{"type": "actions", "elements": [
                {"type": "button", "action_id": "a", "text": plain_text("x" * n, n)}]}]
        ),
    ),
    "title of a form": (
        limits.TITLE_CHARS,
        24,
        lambda n: check_view(
            {"type": "modal", "title": plain_text("x" * n, n), "blocks": []}, "modal"
        ),
    ),
    "options of a menu": (
        limits.MENU_OPTIONS,
        5,
        lambda n: check_message_blocks(
            [{"type": "actions", "elements": [{
                "type": "overflow", "action_id": "a",
                "options": [{"text": plain_text("x"), "value": "v"}] * n}]}]
        ),
    ),
    "value of an option": (
        limits.OPTION_VALUE_CHARS,
        150,
        lambda n: check_message_blocks(
            [{"type": "actions", "elements": [{
                "type": "overflow", "action_id": "a",
                "options": [{"text": plain_text("x"), "value": "v" * n}]}]}]
        ),
    ),
    "cards of a plan": (
        limits.PLAN_CARDS,
        50,
        lambda n: check_message_blocks(
            [{"type": "plan", "title": "p", "tasks": [
                {"task_id": f"{i}", "title": "t"} for i in range(n)]}]
        ),
    ),
    "title of a chart": (50, 50, lambda n: check_message_blocks([chart(title=n)])),
    "series of a chart": (12, 12, lambda n: check_message_blocks([chart(series=n)])),
    "points of a chart": (20, 20, lambda n: check_message_blocks([chart(points=n)])),
    "label in a chart": (20, 20, lambda n: check_message_blocks([chart(name=n)])),
}  # fmt: skip
"""Our limit, Slack's own, and what is sent with so many."""


@pytest.mark.parametrize("name", SLACKS)
def test_slack_takes_what_is_at_its_limit_and_nothing_above(name: str) -> None:
    ours, slacks, take = SLACKS[name]
    assert ours <= slacks
    for size in (ours - 1, ours, slacks):
        take(size)
    assert refused(lambda: take(slacks + 1))


def test_a_data_table_has_a_row_below_its_head() -> None:
    check_message_blocks([data_table(limits.DATA_TABLE_LEAST_ROWS)])
    assert refused(lambda: check_message_blocks([data_table(limits.DATA_TABLE_LEAST_ROWS - 1)]))


@pytest.mark.parametrize("kind", ["table", "data_visualization"])
def test_slack_takes_so_many_of_a_kind(kind: str) -> None:
    one = {"type": "table", "rows": rows(1)} if kind == "table" else chart()
    most = 1 if kind == "table" else 2
    check_message_blocks([one] * most)
    assert refused(lambda: check_message_blocks([one] * (most + 1)))
