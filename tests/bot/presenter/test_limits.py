"""At, below and above each limit: Slack takes what is made, and refuses what is above."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from agent_core.ids import AgentId
from agent_core.messages import JsonObject
from bot import clicks
from bot.clicks import BranchStop, LiveViewClick
from bot.presenter.answer import (
    ArtifactRefused,
    file_name,
    follow_up_rows,
    read_artifact,
    thread_drafts,
)
from bot.presenter.approval import decision
from bot.presenter.asks import question_drafts
from bot.presenter.board import Board
from bot.presenter.stream import HOLD_S
from bot.presenter.tools import app_name
from bot.render import actions, answer_drafts, fenced, limits, none_live, section, split
from bot.sandbox.slack.blocks import check_message_blocks, check_view
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.wire import texts_in
from bot.threads import ThreadRef
from bot.words import BOT
from tests.bot.presenter.conftest import Stage
from tests.bot.presenter.test_stream import until_streamed
from tests.bot.presenter.turns import Turn
from tests.faulty_slack import FaultySlack

WORDS = BOT.of("en")


def sent(*, is_update: bool = True, **content: object) -> None:
    """A post, or an edit, with this content."""
    MethodCall(content, FaultySlack().backend).content(is_update=is_update)


def table(rows: int = 2, columns: int = 2, cell: str = "x") -> str:
    line = "|" + f" {cell} |" * columns
    return "\n".join([line, "|" + "--|" * columns, *[line] * (rows - 1)])


def series(points: int = 3, heads: Sequence[str] = "a") -> str:
    lines = [f"| {2000 + n} |{' 1 |' * len(heads)}" for n in range(points)]
    return "\n".join([f"| Year | {' | '.join(heads)} |", "|--" * (len(heads) + 1) + "|", *lines])


def answered(markdown: str) -> list[str]:
    """The kinds of all blocks of an answer, each of whose posts Slack takes."""
    drafts = answer_drafts(markdown)
    for draft in drafts:
        sent(text=draft.text, blocks=list(draft.blocks))
    return [block["type"] for draft in drafts for block in draft.blocks]


AROUND = (-1, 0, 1)


ANSWERS: Mapping[str, Callable[[int], str]] = {
    "MARKDOWN_CHARS": lambda n: "x" * n,
    "BLOCK_TEXT_CHARS": lambda n: "word " * (n // 5),
    "TEXT_CHARS": lambda n: "word. " * (n // 6),
    "TABLE_ROWS": lambda n: table(rows=n),
    "DATA_TABLE_ROWS": lambda n: table(rows=n),
    "DATA_TABLE_LEAST_ROWS": lambda n: table(rows=n),
    "TABLE_COLUMNS": lambda n: table(columns=n),
    "TABLE_CHARS": lambda n: table(rows=2, columns=1, cell="x" * (n // 2)),
    "CAPTION_CHARS": lambda n: "\n\n".join([table(columns=1, cell="x" * n)] * 2),
    "DATA_TABLE_PAGE": lambda n: "\n\n".join([table(rows=n + 1)] * 2),
    "DATA_TABLES_PER_POST": lambda n: "\n\n".join([table()] * n),
    "BLOCKS_PER_POST": lambda n: "\n\n".join(["a", table()] * n),
    "CHARTS_PER_POST": lambda n: "\n\n".join([series()] * (n + 1)),
    "CHART_POINTS": lambda n: series(points=n),
    "CHART_SERIES": lambda n: series(heads="abcde"[:n]),
    "CHART_LABEL_CHARS": lambda n: series(heads=["x" * n, "y" * n]),
    "CHART_TITLE_CHARS": lambda n: series(heads=["x" * (n // 2 - 1), "y" * (n // 2 - 2)]),
    "ANSWER_CHARS": lambda n: "word. " * (n // 6),
}


@pytest.mark.parametrize("over", AROUND)
@pytest.mark.parametrize("name", ANSWERS)
def test_slack_takes_every_post_of_an_answer_at_a_limit(name: str, over: int) -> None:
    assert answered(ANSWERS[name](getattr(limits, name) + over))


@pytest.mark.parametrize("over", AROUND)
def test_plain_words_are_posts_that_can_be_edited(over: int) -> None:
    size = limits.TEXT_CHARS + over
    posts = answer_drafts(fenced("x" * size))
    assert sum((post.whole or post.text).count("x") for post in posts) == size
    for post in posts:
        sent(text=post.text, blocks=list(post.blocks))


TURN = Turn(ThreadRef(team="T1", channel="C1", root_ts="1.000001"))


def take(*blocks: JsonObject) -> None:
    check_message_blocks(list(blocks))


def the_x(*blocks: JsonObject) -> int:
    """Slack takes these; how much of what was given is in them."""
    take(*blocks)
    return max(text.count("x") for text in texts_in(blocks))


def asked(size: int) -> int:
    [draft] = question_drafts(TURN.asked("Which?", "x" * size), WORDS)
    return the_x(*draft.blocks)


def forms(size: int) -> int:
    words = "x" * size
    view = clicks.form(LiveViewClick(), words, words, words, [])
    check_view(view, "modal")
    return max(map(len, texts_in(view)))


def follow_ups(count: int) -> int:
    [shown] = follow_up_rows(["Why?"] * count)
    return len(shown["elements"])


def cards(count: int) -> int:
    board = Board()
    for number in range(count):
        board.fold(TURN.call(f"c{number}", "search_web", query=f"q{number}"))
    return len(board.visible_cards())


def options(count: int, value_chars: int = 20) -> int:
    """How many options of so long a value are shown beside a short one."""
    short = BranchStop(agent=AgentId("v"))
    agent = AgentId("v" * (value_chars - len(short.encoded()) + 1))
    stops = [("Stop it", BranchStop(agent=agent))] * count
    shown = clicks.dots_menu([*stops, ("Stop that", short)])
    take(actions(shown))
    return len(shown["options"]) - (count < limits.MENU_OPTIONS)


def read(size: int) -> int:
    """How much of a file of this size is handed out."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "work_products" / "a.csv"
        path.parent.mkdir()
        with path.open("wb") as file:
            file.truncate(size)
        try:
            return len(read_artifact(Path(folder), "work_products/a.csv"))
        except ArtifactRefused:
            return 0


SHOWN: Mapping[str, Callable[[int], int]] = {
    "SECTION_CHARS": lambda n: the_x(*map(section, split("x" * n, limits.SECTION_CHARS))),
    "LABEL_CHARS": lambda n: the_x(actions(clicks.button("x" * n, LiveViewClick()))),
    "TITLE_CHARS": forms,
    "MENU_OPTIONS": options,
    "OPTION_VALUE_CHARS": lambda n: n * options(1, n),
    "OPTION_CHARS": asked,
    "COMMENT_CHARS": lambda n: decision(
        TURN.decided("rejected", reason="x" * n), WORDS
    ).count("x"),
    "PROGRESS_WORD_CHARS": lambda n: app_name("x" * n).lower().count("x"),
    "PLAN_CARDS": cards,
    "FOLLOW_UPS": follow_ups,
    "ANSWER_POSTS": lambda n: len(
        thread_drafts("\n\n".join(["x" * limits.MARKDOWN_CHARS] * n), WORDS, none_live)[0]
    ),
    "FILE_NAME_BYTES": lambda n: len(file_name("é" + "x" * (n - 2)).encode()),
    "FILE_BYTES": read,
}  # fmt: skip
"""How much is shown, or handed out, of so much."""


@pytest.mark.parametrize("name", SHOWN)
def test_all_is_shown_up_to_a_limit_and_no_more_above_it(name: str) -> None:
    limit, shown = getattr(limits, name), SHOWN[name]
    assert [shown(limit - 1), shown(limit)] == [limit - 1, limit]
    assert shown(limit + 1) <= limit


async def sources(stage: Stage, count: int = 1, size: int = 0) -> list[JsonObject]:
    """The links of a card whose pages were so many, with addresses of this size."""
    turn = stage.turn()
    urls = [f"https://a.test/{n}".ljust(size, "x") for n in range(count)]
    pages = [(url, "A page") for url in urls]
    await stage.show(
        turn.started(), turn.call("c", "crawl_parallel", urls=urls), turn.read("c", *pages)
    )
    await stage.slack.wait_for(lambda _: "page" in "".join(stage.texts()))
    [post] = stage.slack.thread("general", stage.thread.root_ts)[1:]
    return post.blocks[0]["tasks"][0].get("sources", [])


async def linked(stage: Stage, count: int) -> int:
    return len(await sources(stage, count))


async def address(stage: Stage, size: int) -> int:
    return sum(len(each["url"]) for each in await sources(stage, size=size))


async def file_title(stage: Stage, size: int) -> int:
    turn, path = stage.turn(), stage.write("work_products/a.csv", "a;b")
    await stage.show(turn.started(), turn.saved(path, "x" * size), turn.finished("Here."))
    [file] = stage.slack.files
    return len(file.title)


async def posted_files(stage: Stage, count: int, size_bytes: int = 1) -> int:
    """How many files of so many are posted with an answer."""
    turn = stage.turn()
    saved = [
        turn.saved(
            stage.write(f"work_products/{n}.csv", "a;b"),
            f"File {n}",
            mimetype="text/csv",
            size_bytes=size_bytes,
        )
        for n in range(count)
    ]
    await stage.show(turn.started(), *saved, turn.finished("Here."))
    return len(stage.slack.files)


async def posted_bytes(stage: Stage, size: int) -> int:
    return size * await posted_files(stage, 1, size)


async def named_files(stage: Stage, count: int) -> int:
    """How many sentences name files of which none can be posted."""
    await posted_files(stage, count, limits.POST_BYTES + 1)
    return sum("I could not attach" in text for text in stage.texts())


IN_A_THREAD: Mapping[str, Callable[[Stage, int], Awaitable[int]]] = {
    "CARD_SOURCES": linked,
    "SOURCE_URL_CHARS": address,
    "FILE_TITLE_CHARS": file_title,
    "POST_FILES": posted_files,
    "POST_BYTES": posted_bytes,
    "NAMED_FILES": named_files,
}


@pytest.mark.parametrize("over", AROUND)
@pytest.mark.parametrize("name", IN_A_THREAD)
async def test_all_is_posted_up_to_a_limit_and_no_more_above_it(
    stage: Stage, name: str, over: int
) -> None:
    limit = getattr(limits, name)
    posted = await IN_A_THREAD[name](stage, limit + over)
    assert posted == limit + over if over <= 0 else posted <= limit


STREAMS = ("STREAM_BYTES", "STREAM_S")


@pytest.mark.parametrize("over", AROUND)
@pytest.mark.parametrize("name", STREAMS)
async def test_a_stream_is_followed_by_the_next_where_it_is_full_or_old(
    stage: Stage, name: str, over: int
) -> None:
    turn, begun_s = stage.turn(), stage.clock.seconds() + HOLD_S
    presenter = await stage.show(turn.started(), turn.routed("SIMPLE"))
    first = f"Once. {'x' * 4_000} "
    await presenter.show(turn.said(f"{first.strip()}.\n\nN", step=0))
    await until_streamed(stage, "x.")
    rest = "y" * (limits.STREAM_BYTES + over - len(first) - 5)
    if name == "STREAM_S":
        while stage.api.streams.interval_s not in stage.clock.slept:
            await stage.api.identify()
        passed = over - 0.1  # what else sleeps moves this clock on, too
        stage.clock.advance(begun_s + limits.STREAM_S + passed - stage.clock.seconds())
        rest = "yy"
    await presenter.show(turn.said(f"{rest[1:]}.\n\nThe end of it", step=0))
    await until_streamed(stage, "y.")
    assert stage.calls("chat.startStream") == 1 + (over > 0)


def test_every_limit_has_a_case() -> None:
    """Whoever adds one adds its case, by its name; a view's blocks are counted in Slack's table."""
    cases = {*ANSWERS, *SHOWN, *IN_A_THREAD, *STREAMS, "BLOCKS_PER_VIEW"}
    assert {name for name in vars(limits) if name.isupper()} == cases
