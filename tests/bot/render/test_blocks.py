from datetime import datetime, timedelta, timezone

import pytest

from bot.render import Draft, answer_drafts, limits, local_time

TABLE = "| a | b |\n|---|--:|\n|  | <!channel> |"


@pytest.mark.parametrize(("markdown", "posts"), [("**Yes.**", ["*Yes.*"]), ("  \n", [])])
def test_an_answer_is_text_alone(markdown: str, posts: list[str]) -> None:
    assert answer_drafts(markdown) == [Draft(text=text) for text in posts]


def test_a_small_table_becomes_slacks_table_between_its_words() -> None:
    (draft,) = answer_drafts(f"Before.\n\n{TABLE}\n\nAfter.")

    assert [block["type"] for block in draft.blocks] == ["section", "table", "section"]
    assert draft.blocks[1]["rows"] == [
        [{"type": "raw_text", "text": "a"}, {"type": "raw_text", "text": "b"}],
        [{"type": "raw_text", "text": "-"}, {"type": "raw_text", "text": "<\u2060!channel>"}],
    ]
    assert "Before." in draft.text
    assert "&lt;!channel&gt;" in draft.text


@pytest.mark.parametrize(
    ("markdown", "fences"),
    [
        (f"{TABLE}\n\nand\n\n{TABLE}", 4),
        ("| n | x |\n|---|---|\n" + "".join(f"| {n} | x |\n" for n in range(150)), 2),
    ],
)
def test_two_tables_or_a_big_one_are_aligned_code(markdown: str, fences: int) -> None:
    for draft in answer_drafts(markdown):
        assert (draft.blocks, draft.text.count("```")) == ((), fences)


def test_the_texts_of_a_post_with_a_table_respect_the_limits() -> None:
    (draft,) = answer_drafts("word " * 700 + f"\n\n{TABLE}")
    sections = [block["text"]["text"] for block in draft.blocks if block["type"] == "section"]

    assert len(draft.text) <= limits.TEXT_CHARS
    assert max(len(text) for text in sections) <= limits.SECTION_CHARS
    assert sum(len(text) for text in sections) <= limits.BLOCK_TEXT_CHARS
    assert len(draft.blocks) <= limits.BLOCKS_PER_POST


def test_a_moment_is_shown_in_the_readers_zone_and_in_utc_where_that_is_not_known() -> None:
    moment = datetime(2026, 11, 21, 23, 30, tzinfo=timezone(timedelta(hours=-2)))

    shown = local_time(moment)
    assert shown == "<!date^1795311000^{date_short_pretty}, {time}|2026-11-22 01:30 UTC>"
    assert int(moment.timestamp()) == 1795311000
