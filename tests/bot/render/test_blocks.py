import re
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render import PostDraft, answer_drafts, limits, local_time, split, to_markdown, to_text
from bot.render.escape import all_live
from tests.bot.render.slack_links import leaves

TABLE = "| a | b |\n|---|--:|\n|  | <!channel> |"
BIG = "| n | x |\n|---|---|\n" + "".join(f"| {n} | x |\n" for n in range(150))
SOURCES = ("https://www.iea.org/x", "", "https://c.example/y")


def kinds(markdown: str) -> list[list[str]]:
    """Of each post the kinds of its blocks."""
    return [[block["type"] for block in draft.blocks] for draft in answer_drafts(markdown)]


@pytest.mark.parametrize(
    ("markdown", "drafts"),
    [
        ("**Yes.**", [PostDraft(text="Yes.", blocks=({"type": "markdown", "text": "**Yes.**"},))]),
        ("  \n", []),
    ],
)
def test_an_answer_is_markdown_and_says_the_same_in_text(
    markdown: str, drafts: list[PostDraft]
) -> None:
    assert answer_drafts(markdown) == drafts


def test_a_table_becomes_slacks_table_between_its_words() -> None:
    (draft,) = answer_drafts(f"Before.\n\n{TABLE}\n\nAfter.")

    assert [block["type"] for block in draft.blocks] == ["markdown", "table", "markdown"]
    assert draft.blocks[1]["rows"] == [
        [{"type": "raw_text", "text": "a"}, {"type": "raw_text", "text": "b"}],
        [{"type": "raw_text", "text": "-"}, {"type": "raw_text", "text": "<\u2060!channel>"}],
    ]
    assert "Before." in draft.text
    assert "&lt;\u2060!channel&gt;" in draft.text


def test_two_tables_or_a_longer_one_are_data_tables() -> None:
    assert kinds(f"{TABLE}\n\nand\n\n{TABLE}") == [["data_table", "markdown", "data_table"]]
    assert kinds(BIG) == [["data_table"]]
    assert answer_drafts(BIG)[0].blocks[0]["caption"] == "n · x"


@pytest.mark.parametrize(
    ("rows", "columns", "cell", "kind"),
    [
        (99, 3, "x", "table"), (100, 3, "x", "data_table"), (200, 3, "x", "data_table"),
        (201, 3, "x", "markdown"), (9, 20, "x", "table"), (9, 21, "x", "markdown"),
        (9, 3, "x" * 300, "table"), (9, 3, "x" * 400, "markdown"),
    ],
)  # fmt: skip
def test_a_table_is_native_up_to_slacks_limits_and_code_above(
    rows: int, columns: int, cell: str, kind: str
) -> None:
    lines = ["| x " * columns + "|", "|---" * columns + "|", *[f"| {cell} " * columns + "|"] * rows]
    assert {each for post in kinds("\n".join(lines)) for each in post} == {kind}


YEARS = "|Year|Sun (GW)|\n|---|--:|\n|2021|1,200|\n|2022|1,450.5 [1]|\n|2023|\u22122 000|"


def test_below_a_small_series_over_time_stands_its_chart() -> None:
    (draft,) = answer_drafts(YEARS, sources=SOURCES)
    table, chart, below = draft.blocks
    assert table["type"] == "table"
    [line] = chart["chart"]["series"]
    assert [(point["label"], point["value"]) for point in line["data"]] == [
        ("2021", 1200), ("2022", 1450.5), ("2023", -2000),
    ]  # fmt: skip
    assert chart["chart"]["axis_config"]["y_label"] == "GW"
    assert draft.without_charts.blocks == (table, below)


@pytest.mark.parametrize(
    ("rows", "is_drawn"),
    [
        (("Q3 2024 | €1", "Q4 2024 | €2", "Q1 2025 | €3"), True),
        (("Jan | 1 % | 2%", "Feb | 2 % | 1 %", "May | 3 % | 7 %"), True),
        (("2021 | 1", "2022 | 2"), False), (("2023 | 1", "2022 | 2", "2021 | 3"), False),
        (("1 | 1", "2 | 2", "3 | 3"), False), (("Spain | 1", "France | 2", "Italy | 3"), False),
        (("2021 | 1 | 5 %", "2022 | 2 | 5 %", "2023 | 3 | 5 %"), False),
        (("2021 | 1", "2022 | n/a", "2023 | 3"), False),
        (("2021 | 1.200", "2022 | 2", "2023 | 3"), False),
        (tuple(f"{year} | 1" for year in range(2000, 2013)), False),
    ],
)  # fmt: skip
def test_only_figures_of_one_unit_at_dates_in_order_are_drawn(
    rows: tuple[str, ...], is_drawn: bool
) -> None:
    head = "| ".join("abcde"[: rows[0].count("|") + 1])
    lines = [head, "|".join(["---"] * (rows[0].count("|") + 1)), *rows]
    assert ("data_visualization" in kinds("\n".join(lines))[0]) is is_drawn


def line_of(draft: PostDraft) -> str:
    """The line of sources below an answer."""
    [line] = draft.blocks[-1]["elements"]
    return line["text"].removeprefix("Sources: ")


@pytest.mark.proves("citations.numbered")
def test_marks_are_numbered_as_they_are_first_cited_and_their_sources_stand_below() -> None:
    text = "Costs fell [3], twice [1, 3]; nobody knows [2] or [9].\n\n| a |\n|---|\n| 5 [3] |"
    about = {SOURCES[0]: ("IEA", "15 Sep 2026"), SOURCES[2]: ("The *C* | Times", "")}
    (draft,) = answer_drafts(text, sources=SOURCES, about=about)
    markdown, table, _ = draft.blocks
    first, second = f"[\\[1\\]]({SOURCES[2]})", f"[\\[2\\]]({SOURCES[0]})"
    assert markdown["text"] == f"Costs fell {first}, twice {second}{first}; nobody knows or."
    assert f"Costs fell <{SOURCES[2]}|[1]>" in draft.text
    assert [leaf["text"] for leaf in leaves(table)] == ["a", "5 ", "[1]"]
    line = (
        f"1 <{SOURCES[2]}|The *\u200bC* \u00a6 Times> (c.\u2060example)"
        f" · 2 <{SOURCES[0]}|IEA>, 15 Sep 2026"
    )
    assert line_of(draft) == line
    assert draft.text.endswith(f"Sources: {line}")


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("It fell ([A page (2026)](https://a.test/x)).", "It fell {mark}."),
        ("It fell ([1](https://a.test/x), [A page](https://a.test/x)).", "It fell {mark}."),
        ("It fell. [1][1] [1], [^1]", "It fell. {mark}"),
        ("The [page](https://a.test/x) says so.", "The page {mark} says so."),
        ("- **It ([p](https://a.test/x))** fell", "- **It {mark}** fell"),
    ],
)
@pytest.mark.proves("citations.numbered")
def test_a_page_is_cited_by_a_mark_without_parentheses_or_doubles(
    markdown: str, shown: str
) -> None:
    (draft,) = answer_drafts(markdown, sources=["https://a.test/x"])
    assert draft.blocks[0]["text"] == shown.format(mark=r"[\[1\]](https://a.test/x)")
    assert line_of(draft) == "1 <https://a.test/x|a.test>"


def test_brackets_without_any_source_stay_as_they_were_written() -> None:
    (draft,) = answer_drafts("The list is [1, 2], and a[1][1] is not cited.")
    assert draft.text == "The list is [1, 2], and a[1][1] is not cited."


@pytest.mark.proves("posts.no_live_address")
def test_a_source_that_may_not_be_live_is_a_plain_mark_and_a_plain_name() -> None:
    text = "Costs fell [1], says [c](https://c.example/x)."
    (draft,) = answer_drafts(text, lambda _: False, sources=SOURCES)
    assert draft.blocks[0]["text"] == "Costs fell [1], says c [2]."
    assert line_of(draft) == "1 iea.\u2060org · 2 c.\u2060example"


def test_a_line_of_sources_that_is_too_long_is_a_post_of_its_own() -> None:
    urls = [f"https://{n}.test/{'x' * 800}" for n in range(30)]
    text = " ".join(f"[{n}]" for n in range(1, 31))
    *_, last = answer_drafts(text, sources=urls)
    assert len(last.blocks) > 1
    assert all(len(block["elements"][0]["text"]) <= limits.SECTION_CHARS for block in last.blocks)


def test_a_post_ends_between_pieces_and_never_inside_of_one() -> None:
    item = f"- {'word ' * 150}[a page](https://a.test/x) `code of it`\n"
    fence = "```python\n" + "value = 1\n" * 300 + "```"
    drafts = answer_drafts(f"# Title\n\n{item * 30}\n{fence}\n\n{TABLE}")
    texts = [block["text"] for draft in drafts for block in draft.blocks if "text" in block]
    assert len(drafts) > 3
    assert sum(text.count("\n- ") + text.startswith("- ") for text in texts) == 30
    assert [text.count("```") for text in texts if "```" in text] == [2]
    assert all(text.endswith(("`", "```")) for text in texts)


def test_a_moment_is_shown_in_the_readers_zone_and_in_utc_where_that_is_not_known() -> None:
    moment = datetime(2026, 11, 21, 23, 30, tzinfo=timezone(timedelta(hours=-2)))

    shown = local_time(moment)
    assert shown == "<!date^1795311000^{date_short_pretty}, {time}|2026-11-22 01:30 UTC>"
    assert int(moment.timestamp()) == 1795311000


FENCE = re.compile(r"^```.*$", re.MULTILINE)

words = st.text(st.characters(codec="utf-8", exclude_characters="`<>&:\n\r"), max_size=90)
pieces = st.one_of(
    words,
    words.map(lambda text: f"```\n{text}\n```"),
    words.map(lambda text: f"```python\n{text} {text}\n{text}\n```"),
    words.map(lambda text: f"<https://a.test/{len(text)}|a label> &amp; &lt;{text}"),
    st.sampled_from(["👩‍👩‍👧‍👦" * 30, "🇩🇪🇫🇷" * 40, "é" * 70, "a" * 200, ":tada:" * 30]),
)
texts = st.lists(pieces, max_size=12).map("\n\n".join)


def _solid(text: str) -> str:
    """What must survive: everything but white space and fence lines."""
    return re.sub(r"\s+", "", FENCE.sub("", text))


@given(texts, st.integers(40, 400))
def test_parts_keep_to_the_limit_lose_nothing_and_close_the_fences_that_they_open(
    text: str, limit: int
) -> None:
    parts = split(text, limit)
    assert all(len(part) <= limit for part in parts)
    assert _solid("\n".join(parts)) == _solid(text)
    assert all(len(FENCE.findall(part)) % 2 == 0 for part in parts)


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=20), max_size=80), st.integers(40, 90))
def test_no_word_that_fits_is_cut(typed: list[str], limit: int) -> None:
    parts = split(" ".join(typed), limit)

    assert [word for part in parts for word in part.split()] == typed


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("Hello there.", 100, ["Hello there."]),
        ("a" * 30 + "\n\n" + "b" * 30, 50, ["a" * 30, "b" * 30]),
        (
            "One two three four five. Six seven eight nine ten.",
            40,
            ["One two three four five.", "Six seven eight nine ten."],
        ),
        ("a" * 34 + "&amp;bbb", 40, ["a" * 34, "&amp;bbb"]),
    ],
)
def test_the_best_break_is_taken(text: str, limit: int, parts: list[str]) -> None:
    """Between paragraphs, sentences, words; never inside of an entity."""
    assert split(text, limit) == parts


def test_a_cut_fence_is_opened_again_with_its_language() -> None:
    code = "\n".join(f"line {number}" for number in range(10))

    parts = split(f"```python\n{code}\n```", 60)

    assert all(part.startswith("```python\n") and part.endswith("\n```") for part in parts)
    assert len(parts) > 1


def test_the_indentation_of_code_survives_a_cut() -> None:
    parts = split("```\nif a:\n" + "    do()\n" * 9 + "```", 60)

    assert [line for part in parts for line in part.splitlines()].count("    do()") == 9


def test_a_link_with_spaces_in_its_label_is_not_broken() -> None:
    link = "<https://a.test/page|a label of several words>"

    assert any(link in part for part in split(f"{'w ' * 20}{link} and more words here", 60))


def test_a_joined_emoji_is_not_torn() -> None:
    family = "👩‍👩‍👧‍👦"

    assert all(set(part.split(family)) == {""} for part in split(family * 30, 45))


@pytest.mark.parametrize(
    ("markdown", "shown", "text"),
    [
        ("plain words", "plain words", "plain words"),
        ("__bold__, *leaning*, ~~gone~~", "**bold**, *leaning*, ~~gone~~", "bold, leaning, gone"),
        ("***both***", "***both***", "both"),
        ("`code <b>`", "`code <b>`", "`code &lt;b&gt;`"),
        ("# Title", "# Title", "Title"),
        ("one\ntwo\n\nthree", "one\ntwo\n\nthree", "one\ntwo\n\nthree"),
        ("**over\ntwo lines**", "**over\ntwo lines**", "over\ntwo lines"),
        ("> one\n>\n> two", "> one\n>\n> two", "> one\n>\n> two"),
        ("- a\n  - b\n- c", "- a\n  - b\n- c", "• a\n  • b\n• c"),
        ("3. c\n4. d", "3. c\n4. d", "3. c\n4. d"),
        ("1. a\n   - b\n\n   more", "1. a\n   - b\n\n   more", "1. a\n   • b\n\n   more"),
        ("```python\nx < 1\n```", "```python\nx < 1\n```", "```\nx &lt; 1\n```"),
        ("- a\n  ```\n  x\n  ```", "- a\n\n  ```\n  x\n  ```", "• a\n\n  ```\n  x\n  ```"),
        ("---", "---", "---"),
        ("a & b < c", "a &amp; b &lt; c", "a &amp; b &lt; c"),
        ("snake_case_name and 2 * 3 * 4", *["snake_case_name and 2 * 3 * 4"] * 2),
        ("", "", ""),
        ("un**believ**able", "un**believ**able", "unbelievable"),
        (r"\*not bold\*", r"\*not bold\*", "*\u200bnot bold*\u200b"),
        (r"**5\*3\*2** or 2 \* 3", r"**5\*3\*2** or 2 * 3", "5*\u200b3*\u200b2 or 2 * 3"),
        ("a`b`c", "a`b`c", "a`b`c"),
        ("[x](https://a.test)", "[x](https://a.test) (a.test)", "<https://a.test|x> (a.test)"),
        ("| Tea |\n|---|\n| *2* |", *["```\nTea\n---\n2\n```"] * 2),
    ],
)
def test_markdown_is_written_anew_and_said_in_plain_text(
    markdown: str, shown: str, text: str
) -> None:
    assert to_markdown(markdown, all_live) == shown
    assert to_text(markdown) == text


def test_a_fence_cannot_be_closed_from_inside() -> None:
    assert to_markdown("````\na\n```\nb\n````", all_live).count("```") == 2


def test_a_deeply_nested_text_is_rendered() -> None:
    assert "deep" in to_text("> " * 60 + "deep")
