"""An answer is streamed while it is written, and stands in the thread once, whatever happens."""

import asyncio
import re
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent_core.events import Route
from agent_core.ids import ROOT_RUN, RunId
from bot.presenter import ThreadPresenter
from bot.presenter.stream import HOLD_S, whole
from bot.render import none_live, to_markdown
from bot.sandbox.slack.records import Post
from tests.bot.presenter.conftest import Stage
from tests.bot.presenter.turns import MemoryState, Turn
from tests.bot.render.slack_links import linked_in_markdown

SENTENCES = [
    f"Sentence {n} says that **all** is `well` in https://evil.test/{n}. " for n in range(9)
]
ANSWER = "".join(SENTENCES)
METHODS = ("chat.startStream", "chat.appendStream", "chat.stopStream", "chat.delete")


def posts(stage: Stage) -> list[Post]:
    return stage.slack.thread("general", stage.thread.root_ts)[1:]


def shown(stage: Stage) -> str:
    return "\n".join(
        block["text"] for post in posts(stage) for block in post.blocks if block.get("text")
    )


async def until_streamed(stage: Stage, text: str) -> None:
    await stage.slack.wait_for(lambda _: text in shown(stage))


async def streaming(
    stage: Stage,
    words: str = ANSWER,
    seen: str = "Sentence 7",
    *,
    route: Route = "SIMPLE",
    state: MemoryState | None = None,
) -> tuple[Turn, ThreadPresenter]:
    """A turn of which these words are streamed, and whoever shows it."""
    turn = stage.turn()
    said = turn.said(words, step=0 if route == "SIMPLE" else 1)
    presenter = await stage.show(turn.started(), turn.routed(route), said, state=state)
    await until_streamed(stage, seen)
    return turn, presenter


async def test_an_answer_grows_sentence_by_sentence_and_ends_as_one_post(stage: Stage) -> None:
    turn = stage.turn()
    presenter = await stage.show(turn.started(), turn.routed("SIMPLE"))
    for sentence in SENTENCES:
        await presenter.show(turn.said(sentence[:20], step=0))
        await presenter.show(turn.said(sentence[20:], step=0))
    await until_streamed(stage, "Sentence 7")
    [post] = posts(stage)
    assert post.stream is not None
    assert linked_in_markdown(shown(stage)) == set()
    [begun] = [call.args for call in stage.slack.calls if call.method == "chat.startStream"]
    assert begun["recipient_user_id"] == stage.slack.people["ann"]
    assert begun["recipient_team_id"] == stage.thread.team
    await presenter.show(turn.finished(ANSWER))
    [final] = posts(stage)
    assert final.ts == post.ts
    assert "https://evil.test/8" in linked_in_markdown(shown(stage))
    assert final.metadata
    assert not final.stream.is_open(0.0) if final.stream else False
    assert {call.error for call in stage.slack.calls if not call.ok} <= {"no_reaction"}


async def test_a_short_answer_that_is_there_at_once_is_not_streamed(stage: Stage) -> None:
    turn = stage.turn()
    await stage.show(turn.started(), turn.said("Paris.", step=0), turn.finished("Paris."))
    assert stage.texts() == ["Paris."]
    assert all(stage.calls(method) == 0 for method in METHODS)


async def test_words_before_a_tool_call_are_taken_back(stage: Stage) -> None:
    said = f"I look it up. {ANSWER}"
    turn, presenter = await streaming(stage, said, "I look it up.", route="COMPLEX")
    await presenter.show(turn.stepped(tool_calls=1))
    assert "look it up" not in shown(stage)
    for event in (turn.call("c1", "run_python"), turn.returned("c1")):
        await presenter.show(event)
    await presenter.show(turn.said(ANSWER, step=2))
    await until_streamed(stage, "Sentence 7")
    await presenter.show(turn.finished(ANSWER))
    assert shown(stage).count("Sentence 3") == 1


async def test_an_attempt_that_is_void_leaves_no_wrong_word(stage: Stage) -> None:
    turn, presenter = await streaming(stage, "It is Lyon. Surely it is. " * 9, "Lyon")
    await presenter.show(turn.retried(1.0))
    await presenter.show(turn.said("It is Paris. Surely it is.", step=0, attempt=2))
    await presenter.show(turn.finished("It is Paris. Surely it is."))
    assert "Lyon" not in shown(stage)
    assert shown(stage).count("Paris") == 1


@pytest.mark.parametrize("ending", ["message_not_in_streaming_state", "msg_too_long"])
async def test_where_slack_ends_a_stream_the_words_go_on_in_the_next(
    stage: Stage, ending: str
) -> None:
    turn, presenter = await streaming(stage, "The first words of it. And", "first words")
    stage.slack.fail("chat.appendStream", error=ending)
    await presenter.show(turn.said(f" then more. {ANSWER}", step=0))
    await until_streamed(stage, "Sentence 7")
    assert stage.calls("chat.startStream") == 2
    whole_answer = f"The first words of it. And then more. {ANSWER}"
    await presenter.show(turn.finished(whole_answer))
    [post] = posts(stage)
    assert re.sub(r"\W+", "", shown(stage)).count("Sentence3") == 1
    assert "first words" in post.text


@pytest.mark.parametrize(
    "error", ["missing_scope", "channel_type_not_supported", "unknown_method", "fatal_error"]
)
async def test_where_slack_streams_nothing_the_answer_is_simply_posted(
    stage: Stage, error: str
) -> None:
    stage.slack.fail("chat.startStream", error=error, times=9)
    for name in ("turn1", "turn2"):
        turn = stage.turn(name)
        presenter = await stage.show(turn.started(), turn.routed("SIMPLE"))
        await presenter.show(turn.said(ANSWER, step=0))
        await stage.slack.wait_for(lambda _: stage.calls("chat.startStream") > 0)
        await presenter.show(turn.finished(ANSWER))
    assert len(posts(stage)) == 2
    if error != "fatal_error":
        assert stage.calls("chat.startStream") == 1


@pytest.mark.parametrize("method", ["chat.stopStream", "chat.update", "chat.delete"])
@pytest.mark.parametrize("error", ["message_not_found", "fatal_error"])
async def test_no_trouble_at_the_end_costs_the_answer(
    stage: Stage, method: str, error: str
) -> None:
    turn, presenter = await streaming(stage)
    stage.slack.fail(method, error=error)
    await presenter.show(turn.finished(ANSWER))
    assert shown(stage).count("https://evil.test/8)") == 1
    assert shown(stage).count("Sentence 7") == 1


async def test_a_stream_that_cannot_be_stopped_leaves_no_other_running(stage: Stage) -> None:
    state = MemoryState()
    turn, dying = await streaming(stage, "The first words of it. And", "first words", state=state)
    stage.slack.fail("chat.appendStream", error="msg_too_long")
    await dying.show(turn.said(f" then more. {ANSWER}", step=0))
    await until_streamed(stage, "Sentence 7")
    await dying.close()
    stage.slack.fail("chat.stopStream", error="streaming_mode_mismatch")
    whole_answer = f"The first words of it. And then more. {ANSWER}"
    await stage.show(turn.started(), turn.finished(whole_answer), state=state)
    [post] = posts(stage)
    assert post.text.count("Sentence 7") == 1
    ends = [call.args["ts"] for call in stage.slack.calls if call.method == "chat.stopStream"]
    assert len(set(ends)) == 2


async def test_a_turn_that_goes_elsewhere_slows_no_other_stream(stage: Stage) -> None:
    for number in range(3):
        turn = stage.turn(f"turn{number}")
        presenter = await stage.show(turn.started(), turn.routed("SIMPLE"))
        await presenter.show(turn.said(ANSWER, step=0))
        await stage.slack.wait_for(lambda _, now=number: stage.calls("chat.startStream") > now)
        await presenter.close()
    assert stage.api.streams.interval_s == 1.0


KEY = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,ABCDEF\n\n" + "MIIEp. AKCA\n" * 1_000
WITH_KEY = (
    f"Here it is. Look: -----BEGIN RSA PRIVATE KEY-----\n{KEY}-----END RSA PRIVATE KEY-----\n"
    "That is all of it. Bye"
)


@pytest.mark.parametrize("pieces", [1, 3, 40])
async def test_no_piece_of_a_secret_is_shown_however_the_words_are_cut(
    stage: Stage, pieces: int
) -> None:
    turn, size = stage.turn(), len(WITH_KEY) // pieces
    presenter = await stage.show(turn.started(), turn.routed("SIMPLE"))
    for at in range(0, len(WITH_KEY), size):
        await presenter.show(turn.said(WITH_KEY[at : at + size], step=0))
        await stage.api.identify()  # what is streamed gets its turn meanwhile
    await until_streamed(stage, "That is all")
    await presenter.show(turn.finished(f"{WITH_KEY}."))
    assert "That is all" in shown(stage)
    assert [call.method for call in stage.slack.calls if "MIIEp" in str(call.args)] == []


@pytest.mark.parametrize("writer", [ROOT_RUN, RunId("report1")])
async def test_a_turn_with_a_file_is_not_streamed(stage: Stage, writer: RunId) -> None:
    turn, path = stage.turn(), stage.write("work_products/report.html", "<p>Report</p>")
    saved = replace(turn.saved(path), run=writer)
    presenter = await stage.show(turn.started(), turn.routed("COMPLEX"), saved, turn.said(ANSWER))
    await stage.clock.sleep(HOLD_S)
    await presenter.show(turn.finished(ANSWER))
    assert stage.calls("chat.startStream") == 0


async def test_a_turn_that_is_taken_back_leaves_nothing(stage: Stage) -> None:
    turn, presenter = await streaming(stage)
    await presenter.show(turn.finished("", "stopped"))
    assert posts(stage) == []


@pytest.mark.parametrize("knows_ts", [True, False])
async def test_after_a_crash_the_streamed_post_becomes_the_answer(
    stage: Stage, knows_ts: bool
) -> None:
    state = MemoryState()
    turn, dying = await streaming(stage, state=state)
    [post] = posts(stage)
    await dying.close()
    survivor = MemoryState()
    survivor.saved = {**(state.saved or {}), **({} if knows_ts else {"streams": {}, "done": []})}
    more, finished = turn.said("More.", step=0), turn.finished(ANSWER)
    await stage.show(turn.started(), more, finished, state=survivor)
    [final] = posts(stage)
    assert final.ts == post.ts
    assert shown(stage).count("https://evil.test/8)") == 1


PIECES = st.lists(
    st.sampled_from([
        "A sentence. ", "more words ", "**bold** ", "**", "`code` ", "`", "\n", "\n\n", "- item\n",
        "1. one\n", "  - inner\n", "# Title\n", "> quote\n", "```python\n", "```\n", "x = 1\n\n",
        "| a | b |\n", "|---|---|\n", "[a page](https://a.test/x_y) ", "[1] ", "<@U1> ", "é👩‍👩‍👧 ",
        "[", "](", "https://evil.test. ", "\\", "word " * 300,
    ]),
    max_size=40,
)  # fmt: skip


@settings(max_examples=200)
@given(PIECES)
def test_what_is_cut_off_a_growing_text_is_whole_and_loses_no_character(pieces: list[str]) -> None:
    given_text, text, streamed = "".join(pieces), "", ""
    for piece in pieces:
        text += piece
        end, gap = whole(text)
        streamed, text = streamed + text[:end], text[end:]
        assert gap.isspace()
    assert streamed + text == given_text
    assert linked_in_markdown(to_markdown(streamed, none_live)) == set()


REST = "We looked at all the numbers. " * 100


@pytest.mark.parametrize(
    "sign",
    [
        ":)", "5 * 3 is 15.", "5*3 is 15.", "a) is it", "It is > 20 %.", "user_id", "~ 20", "a <b",
        "[see", "`run` is it.", "an `odd sign", "**bold", "1 < 2", "(see", "C:\\*", "***",
    ],
)  # fmt: skip
def test_no_everyday_sign_keeps_the_words_back(sign: str) -> None:
    text = f"{sign} And so on. {REST}"
    assert len(text) - whole(text)[0] < 50


@pytest.mark.parametrize(
    "open_sign", ["[a. b", "**a. b", "`a. b", "[a. b](https://c.test/x", "*a _b. c"]
)
def test_no_sentence_is_cut_inside_of_what_has_an_end_of_its_own(open_sign: str) -> None:
    assert whole(f"It is so. {open_sign}. d")[0] == len("It is so. ")


def test_a_long_text_is_looked_at_once() -> None:
    """With a look back from each sentence this takes minutes."""
    text = "[see " + "ab **cd**. " * 40_000
    assert len(text) - whole(text)[0] < 50


async def test_many_streams_share_what_slack_allows(stage: Stage) -> None:
    streams, ann = stage.api.streams, stage.slack.people["ann"]
    begun = [await streams.start(stage.thread, ann, "a") for _ in range(20)]
    assert sum(ts is not None for ts in begun) == 15
    assert streams.interval_s > 10
    await stage.clock.sleep(61.0)
    assert await streams.start(replace(stage.thread), ann, "a")
    assert not [call for call in stage.slack.calls if call.status == 429]
    await asyncio.sleep(0)


SCRAPS = st.sampled_from(
    [
        *"`*_~|#>-+<&![]()\\\n", "```", "\n\n", "\n- ", "\n1. ", "| a | b |\n|--|--|\n| c | d |\n",
        "[a](https://b.test)", "![i](x)", "<!channel>", "<@U1>", "@here", "[1]", "https://c.test/x",
        "<b>", "&lt;", "## ", "A sentence. ", "word " * 300, "x" * 5_000,
        "\u202e", "👩‍👩‍👧", ":smile:",
    ]
)  # fmt: skip
MARKDOWN = st.lists(st.one_of(SCRAPS, st.text(max_size=40)), max_size=12)


@settings(max_examples=15)
@given(pieces=MARKDOWN)
@example(pieces=["```"])
async def test_slack_takes_every_call_whatever_is_written(stage: Stage, pieces: list[str]) -> None:
    turn = stage.turn(f"turn{len(stage.presenters)}")
    presenter = await stage.show(turn.started(), turn.routed("SIMPLE"))
    for piece in filter(None, pieces):
        await presenter.show(turn.said(piece, step=0))
        await stage.api.identify()  # what is streamed gets its turn meanwhile
    await presenter.show(turn.finished("".join(pieces)))
    assert {call.error for call in stage.slack.calls if not call.ok} <= {"no_reaction"}
