from datetime import datetime, timedelta, timezone

from bot.render import Draft, answer_drafts, limits, local_time

TABLE = "| a | b |\n|---|--:|\n| 1 | <!channel> |"


def test_an_answer_is_text_alone() -> None:
    assert answer_drafts("**Yes.**") == [Draft(text="*Yes.*")]


def test_nothing_gives_no_post() -> None:
    assert answer_drafts("  \n") == []


def test_a_small_table_becomes_slacks_table_between_its_words() -> None:
    (draft,) = answer_drafts(f"Before.\n\n{TABLE}\n\nAfter.")

    assert [block["type"] for block in draft.blocks] == ["section", "table", "section"]
    assert draft.blocks[1]["rows"] == [
        [{"type": "raw_text", "text": "a"}, {"type": "raw_text", "text": "b"}],
        [{"type": "raw_text", "text": "1"}, {"type": "raw_text", "text": "<\u2060!channel>"}],
    ]
    assert "Before." in draft.text
    assert "&lt;!channel&gt;" in draft.text


def test_two_tables_are_aligned_code() -> None:
    (draft,) = answer_drafts(f"{TABLE}\n\nand\n\n{TABLE}")

    assert draft.blocks == ()
    assert draft.text.count("```") == 4


def test_a_big_table_is_aligned_code() -> None:
    rows = "\n".join(f"| {number} | x |" for number in range(150))
    drafts = answer_drafts(f"| n | x |\n|---|---|\n{rows}")

    assert all(draft.blocks == () and draft.text.count("```") == 2 for draft in drafts)


def test_the_texts_of_a_post_with_a_table_respect_the_limits() -> None:
    (draft,) = answer_drafts("word " * 700 + f"\n\n{TABLE}")
    sections = [block["text"]["text"] for block in draft.blocks if block["type"] == "section"]

    assert len(draft.text) <= limits.TEXT_CHARS
    assert max(len(text) for text in sections) <= limits.SECTION_CHARS
    assert sum(len(text) for text in sections) <= limits.BLOCK_TEXT_CHARS
    assert len(draft.blocks) <= limits.BLOCKS_PER_POST


def test_an_empty_cell_is_not_sent_empty() -> None:
    (draft,) = answer_drafts("| a | b |\n|---|---|\n| 1 |  |")

    assert draft.blocks[0]["rows"][1][1] == {"type": "raw_text", "text": "-"}


def test_a_moment_is_shown_in_the_readers_zone_and_in_utc_where_that_is_not_known() -> None:
    moment = datetime(2026, 11, 21, 23, 30, tzinfo=timezone(timedelta(hours=-2)))

    shown = local_time(moment)
    assert shown == "<!date^1795311000^{date_short_pretty}, {time}|2026-11-22 01:30 UTC>"
    assert int(moment.timestamp()) == 1795311000
