"""The state of a turn as its progress posts tell it, and the files that a person gets."""

from datetime import timedelta
from typing import Any

import pytest

from agent_core.events import AnyEvent
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, child_run
from agent_core.prompts.language import spoken_time
from bot.presenter.board import Board
from bot.render import limits
from bot.threads import ThreadRef
from tests.bot.presenter.turns import Turn

UNSURE = "? Gmail send email (may or may not have happened)"


@pytest.fixture
def turn() -> Turn:
    return Turn(ThreadRef(team="T1", channel="C1", root_ts="1783536983.783769"))


def board_of(*events: AnyEvent) -> Board:
    board = Board()
    for event in events:
        board.fold(event)
    return board


def lines(*events: AnyEvent) -> list[str]:
    """What stands below the head."""
    return board_of(*events).progress().splitlines()[1:]


def test_the_head_counts_time_and_calls_and_a_call_says_how_far_it_is(turn: Turn) -> None:
    called = [turn.started(), turn.call("c1", "run_python"), turn.call("c2", "run_python")]
    board = board_of(*called)
    assert board.progress().splitlines()[0] == "*Working on it* · 2 s · 2 tool calls"
    assert board.progress(since_last_s=60).startswith("*Working on it* · 1 min 2 s")
    events = (turn.progressed("c1", "3 of 8"), turn.returned("c2", is_error=True))
    assert lines(*called, *events) == [
        "▸ Working with the data (3 of 8)",
        "✗ Working with the data",
    ]


@pytest.mark.proves("effects.told")
def test_a_call_that_nobody_knows_the_end_of_is_marked_counted_and_never_folded(turn: Turn) -> None:
    events: list[AnyEvent] = [
        turn.started(),
        turn.call("first", "GMAIL_SEND_EMAIL"),
        turn.returned("first", is_error=True, may_have_happened=True),
    ]
    board = board_of(*events, turn.finished("Done."))
    assert board.closed() == "Done in 3 s · 1 tool call · 1 step may or may not have happened"
    for number in range(40):
        events += [turn.call(f"c{number}", "run_python"), turn.returned(f"c{number}")]
    assert UNSURE in lines(*events)


def test_a_message_that_was_taken_in_stands_among_the_steps_and_rings_nobody(turn: Turn) -> None:
    hostile = turn.taken("<!channel> *now* " + "x" * 500, author_name="<@U1> @here", ts="8.000008")
    told = lines(
        turn.started(),
        turn.call("c1", "run_python"),
        turn.returned("c1"),
        turn.taken("also\ninclude Poland"),
        turn.call("c2", "run_python"),
        hostile,
    )
    assert told[:3] == [
        "✓ Working with the data",
        "+ Took in Ben's message: “also include Poland” (from step 1 on)",
        "▸ Working with the data",
    ]
    assert not any(part in told[3] for part in ("<", "@here", "*now*"))
    assert len(told[3]) < 180


@pytest.mark.proves("inbox.told")
def test_the_closing_line_tells_which_agents_took_a_message_in_and_from_where_on(
    turn: Turn,
) -> None:
    first, second = (child_run(ROOT_RUN, ToolCallId(call)) for call in ("t1", "t2"))
    board = board_of(
        turn.started(),
        turn.call("t1", "Task", subagent_type="report-creation-expert"),
        turn.began(first, "report-creation-expert"),
        turn.began(second, "data-analyst"),
        turn.taken("also Poland", run=first, step=3),
        turn.taken("also Poland", run=second, step=2),
        turn.taken("also Poland", step=2),
    )
    said = (
        "+ Took in Ben's message: “also Poland” "
        "(report expert, from step 3 on; data analyst, from step 2 on)"
    )
    assert [line.strip() for line in board.progress().splitlines()].count(said) == 1
    board.fold(turn.finished("Done."))
    assert board.closed().splitlines() == ["Done in 7 s · 1 tool call", said]


@pytest.mark.proves("inbox.told")
def test_a_message_that_a_report_went_without_is_said_to_be_too_late_until_the_next_report(
    turn: Turn,
) -> None:
    board = board_of(turn.started(), turn.saved("r.html"), turn.taken("also Poland"))
    late = "“also Poland” (from step 1 on; too late for the report: “continue” works it in)"
    assert board.closed().splitlines()[1] == f"+ Took in Ben's message: {late}"
    board.fold(turn.saved("r-2.html"))
    assert board.closed().endswith("“also Poland” (from step 1 on)")


def test_what_was_done_before_a_question_is_folded_after_it(turn: Turn) -> None:
    board = board_of(
        turn.started(),
        turn.call("c1", "run_python"),
        turn.returned("c1"),
        turn.call("c2", "list_local_files"),
        turn.returned("c2"),
        turn.asked("Which?"),
        turn.taken("the second", "Ann"),
        turn.call("c3", "run_python"),
    )
    assert board.progress().splitlines() == [
        "*Working on it* · 6 s · 3 tool calls",
        "✓ 2 earlier steps",
        "+ Ann answered: “the second”",
        "▸ Working with the data",
    ]


def test_the_time_that_a_person_took_is_not_the_bots(turn: Turn) -> None:
    board = board_of(turn.started(), turn.call("c1", "run_python"), turn.asked("Which?"))
    assert board.asked == ["Asked Ann a question after 2 s · 1 tool call"]
    turn.wait(timedelta(days=3))
    board.fold(turn.taken("this", "Ann"))
    board.fold(turn.finished("Done."))
    assert board.closed() == "Done in 3 s · 1 tool call"


def test_a_question_ends_with_the_next_step_and_the_call_that_asks_is_none(turn: Turn) -> None:
    asking = turn.call("c1", "ask_user", question="Which?")
    assert lines(turn.started(), asking) == []
    board = board_of(turn.started(), asking, turn.asked("Which?"), turn.returned("c1"))
    assert board.waits
    board.fold(turn.thought())
    assert not board.waits
    assert board.asked == ["Asked Ann a question after 1 s"]


def test_pages_that_were_not_read_are_not_counted(turn: Turn) -> None:
    board = board_of(
        turn.started(),
        turn.call("c1", "crawl_parallel", urls=["u"] * 4),
        turn.call("c2", "crawl_parallel", urls=["u"] * 4),
        turn.returned("c1", tool="crawl_parallel", preview='{"success":true,"successful":3'),
        turn.returned("c2", tool="crawl_parallel", is_error=True),
        turn.finished("Done."),
    )
    assert board.closed() == "Done in 5 s · 2 tool calls · 3 pages read"


def test_parallel_sub_agents_keep_their_own_steps(turn: Turn) -> None:
    one, two = (child_run(ROOT_RUN, ToolCallId(call)) for call in ("t1", "t2"))
    told = lines(
        turn.started(),
        turn.call("t1", "Task", subagent_type="alpha"),
        turn.call("t2", "Task", subagent_type="beta"),
        turn.call("x", "search_web", two, query="b"),
        turn.call("x", "search_web", one, query="a"),
        turn.returned("x", two),
    )
    assert told == [
        "▸ Asking the alpha",
        "      ▸ Searching the web for “a”",
        "▸ Asking the beta",
        "      ✓ Searching the web for “b”",
    ]


@pytest.mark.proves("plan.board")
def test_branches_stand_by_what_each_is_after_with_their_steps_below(turn: Turn) -> None:
    parts = [RunId("root.part1"), RunId("root.part2")]
    events: list[AnyEvent] = [
        turn.started(),
        turn.branch(parts[0], "Who *makes* A?\n\nThe task: more"),
        turn.branch(parts[1], "Who makes B?"),
        turn.call("c1", "run_python", run=parts[0]),
        turn.call("f", "fork"),
        turn.branch(RunId("root.f"), "And C?"),
        turn.returned("f", tool="fork"),
        turn.branch_ended(parts[1]),
    ]
    assert lines(*events) == [
        "▸ Looking into: Who *\u200bmakes* A?",
        "      ▸ Working with the data",
        "✓ Looking into: Who makes B?",
        "▸ Looking into: And C?",
    ]


@pytest.mark.proves("branch.told")
def test_what_people_did_to_a_branch_stands_below_it(turn: Turn) -> None:
    one, two = (child_run(ROOT_RUN, ToolCallId(call)) for call in ("t1", "t2"))
    told = lines(
        turn.started(),
        turn.call("t1", "Task", subagent_type="alpha"),
        turn.began(one, "alpha"),
        turn.call("t2", "Task", subagent_type="beta"),
        turn.asked("Which one?"),
        turn.commented("also Poland", 1, one),
        turn.commented("and Malta", 2, one),
        turn.stopped_branch(3, two),
    )
    assert told == [
        "▸ Asking the alpha",
        "      + Took in Ben's message: “also Poland” (alpha, from step 1 on)",
        "      + Took in Ben's message: “and Malta” (alpha, from step 1 on)",
        "▸ Asking the beta",
        "      + Ben stopped this part",
    ]


def test_older_steps_are_folded_and_running_ones_are_not(turn: Turn) -> None:
    events: list[AnyEvent] = [turn.started(), turn.call("first", "run_python")]
    for number in range(40):
        events += [turn.call(f"c{number}", "search_web", query=f"q{number}")]
        events += [turn.returned(f"c{number}")]
    told = lines(*events)
    assert len(told) <= limits.PROGRESS_LINES
    assert told[:2] == ["✓ 30 earlier steps", "▸ Working with the data"]
    assert told[-1] == "✓ Searching the web for “q39”"


def test_many_calls_at_once_stay_a_short_post(turn: Turn) -> None:
    calls = [turn.call(f"c{number}", "search_web", query="q" * 500) for number in range(60)]
    told = lines(turn.started(), *calls)
    assert len(told) <= limits.PROGRESS_LINES
    assert told[-1] == "… and 49 more"
    assert sum(map(len, told)) < limits.TEXT_CHARS


def test_the_time_between_calls_is_named_and_a_busy_model_when_it_takes_long(turn: Turn) -> None:
    started = turn.started()
    assert lines(started, turn.thought()) == ["_Thinking about the next step_"]
    assert lines(started, turn.retried(0.5)) == []
    assert "The model is busy" in lines(started, turn.retried(8))[0]


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        ("answered", "Done in 1 s"),
        ("limited", "Stopped at a limit after 1 s"),
        ("stopped", "Stopped after 1 s"),
        ("failed", "Failed after 1 s"),
    ],
)
def test_the_closing_line_says_how_it_ended(turn: Turn, outcome: Any, line: str) -> None:
    assert board_of(turn.started(), turn.finished("x", outcome)).closed() == line


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.9, "59 s"), (60, "1 min 0 s"), (3_599, "59 min 59 s"), (7_800, "2 h 10 min")],
)
def test_times_are_spoken(seconds: float, words: str) -> None:
    assert spoken_time(seconds) == words
