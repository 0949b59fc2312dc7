"""The state of a turn as its plan tells it."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from typing import Any

import pytest

from agent_core.events import AnyEvent
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, child_run
from agent_core.words import spoken_time
from bot.presenter.board import Board
from bot.render import limits
from bot.threads import ThreadRef
from tests.bot.presenter.turns import START, Turn

IEA, ACME = "https://www.iea.org/storage", "https://acme.test/a"
ONE, TWO = (child_run(ROOT_RUN, ToolCallId(call)) for call in ("t1", "t2"))


@pytest.fixture
def turn() -> Turn:
    return Turn(ThreadRef(team="T1", channel="C1", root_ts="1783536983.783769"))


def board_of(*events: AnyEvent) -> Board:
    board = Board()
    for event in events:
        board.fold(event)
    return board


def told(board: Board) -> list[str]:
    """Each card in a line."""
    return [
        f"{card.state}: {card.title}" + (f" ({card.details})" if card.details else "")
        for card in board.visible_cards()
    ]


def cards(*events: AnyEvent) -> list[str]:
    return told(board_of(*events))


def test_what_the_work_has_to_do_without_stands_in_the_plan_once(turn: Turn) -> None:
    away = "Going on without your apps: I cannot reach it just now"
    steps = [replace(turn.thought(), away=away) for _ in range(2)]
    assert cards(turn.started(), *steps) == [f"done: {away}"]


def test_reading_is_told_by_title_and_publisher_as_soon_as_a_search_has_told_them(
    turn: Turn,
) -> None:
    board = board_of(
        turn.started(),
        turn.call("s", "COMPOSIO_SEARCH_WEB", query="grid storage"),
        turn.read("s", (IEA, "Grid storage in 2026")),
        turn.call("c", "crawl_parallel", urls=[ACME, IEA, "https://c.test"]),
    )
    reading = "Reading “Grid storage in 2026” (iea.org) and 2 more"
    assert told(board) == ["done: Searching the web for “grid storage”", f"running: {reading}"]
    assert board.title() == "Working on it", "what was found is not read"
    board.fold(turn.read("c", (IEA, "Grid storage in 2026"), (ACME, "Acme")))
    assert told(board)[1] == "done: Reading “Grid storage in 2026” (iea.org) and 1 more"
    assert board.visible_cards()[1].sources == {IEA: "Grid storage in 2026", ACME: "Acme"}
    assert board.title() == "Working on it · 2 pages read"


def test_a_page_is_counted_once_and_one_that_could_not_be_read_is_an_error(turn: Turn) -> None:
    board = board_of(
        turn.started(),
        turn.call("c1", "crawl_parallel", urls=[IEA]),
        turn.read("c1", (IEA, "")),
        turn.call("c2", "crawl_parallel", urls=[IEA]),
        turn.read("c2", (IEA, "")),
        turn.call("c3", "crawl_parallel", urls=[ACME]),
        turn.read("c3"),
        turn.finished("Done."),
    )
    assert told(board) == [
        "done: Reading iea.org",
        "failed: Reading acme.test (That did not work; I go on without it)",
    ]
    assert board.title() == "Done in 7 s · 1 page read"


def test_a_call_that_nobody_agreed_to_has_not_failed(turn: Turn) -> None:
    call = "call of ask1"
    begun = [turn.started(), turn.call(call, "GMAIL_SEND_EMAIL"), turn.requested()]
    told = [turn.decided("rejected"), turn.returned(call, is_error=True)]
    why = "Not approved"
    assert cards(*begun, *told) == [f"stopped: Working with Gmail ({why})"]


def test_calls_that_are_told_in_the_same_words_are_one_card(turn: Turn) -> None:
    events = [turn.started(), turn.call("c1", "run_python"), turn.call("c2", "run_python")]
    assert cards(*events) == ["running: Working with the data"]
    failed = turn.returned("c1", is_error=True)
    assert cards(*events, failed, turn.returned("c2")) == ["done: Working with the data"]


def test_a_reader_says_how_far_it_is_and_an_app_nothing_of_its_own(turn: Turn) -> None:
    assert cards(
        turn.started(),
        turn.call("c1", "crawl_parallel", urls=[IEA]),
        turn.progressed("c1", "Reading 3 of 8 pages"),
        turn.call("c2", "GMAIL_SEND_EMAIL"),
        turn.progressed("c2", "step 2: /tmp/x.py"),
        turn.returned("c2"),
    ) == ["running: Reading iea.org (Reading 3 of 8 pages)", "done: Working with Gmail"]


@pytest.mark.proves("effects.told")
def test_a_call_that_nobody_knows_the_end_of_is_marked_and_never_folded(turn: Turn) -> None:
    unsure = "unsure: Working with Gmail (may or may not have happened)"
    events: list[AnyEvent] = [
        turn.started(),
        turn.call("first", "GMAIL_SEND_EMAIL"),
        turn.returned("first", is_error=True, may_have_happened=True),
    ]
    events += [turn.call(f"c{number}", "search_web", query=f"q{number}") for number in range(40)]
    assert unsure in cards(*events)
    events += [turn.returned(f"c{number}") for number in range(40)]
    assert unsure in cards(*events, turn.finished("Done."))


@pytest.mark.proves("plan.board")
def test_a_branch_is_one_card_by_what_it_is_after_with_its_newest_doing_and_its_sources(
    turn: Turn,
) -> None:
    deeper = child_run(ONE, ToolCallId("f"))
    board = board_of(
        turn.started(),
        turn.call("t1", "Task", subagent_type="explorer"),
        turn.branch(ONE, "storage *prices*"),
        turn.branch(TWO, "", task="Who makes B?\n\nThe task: more"),
        turn.call("c1", "run_python", run=ONE),
        turn.call("f", "fork", run=ONE),
        turn.branch(deeper, "Even deeper", parent=ONE),
        turn.call("c2", "crawl_parallel", run=deeper, urls=[IEA]),
        turn.read("c2", (IEA, "Grid storage"), run=deeper),
        turn.branch_ended(deeper),
        turn.branch_ended(TWO, "failed"),
    )
    assert told(board) == [
        "running: Storage *prices* (Reading iea.org)",
        "failed: Who makes B? (That did not work; I go on without it)",
    ]
    assert board.visible_cards()[0].sources == {IEA: "Grid storage"}
    assert [*board.branches] == [ONE]
    board.fold(turn.branch_ended(ONE))
    assert told(board)[0] == "done: Storage *prices* (1 page read)"
    assert cards(turn.branch(ONE, "x", agent="report-creation-expert")) == [
        "running: Writing the report"
    ]


@pytest.mark.proves("branch.told")
def test_what_people_did_to_a_branch_stands_with_it(turn: Turn) -> None:
    board = board_of(
        turn.started(),
        turn.branch(ONE, "Prices"),
        turn.branch(TWO, "Markets"),
        turn.asked("Which one?"),
        turn.commented("also Poland", 1, ONE),
        turn.stopped_branch(3, TWO),
    )
    assert told(board) == [
        "running: Prices",
        "stopped: Markets (Ben stopped this part)",
        "done: Ben: “also Poland” — taken in (Prices)",
    ]
    assert [*board.branches] == [ONE]


@pytest.mark.proves("live.task_changed")
def test_a_changed_task_keeps_its_name_and_the_thread_reads_what_is_new_in_it(turn: Turn) -> None:
    change = turn.changed_task("Find out in short about houses.", ONE)
    board = board_of(
        turn.started(),
        turn.branch(ONE, "prices", task="Find out about houses."),
        change,
        turn.commented(change.text, change.n, ONE),
    )
    changed = "Ben changed the task: “… about houses.” → “… in short about houses.”"
    assert told(board) == ["running: Prices", f"done: {changed} (Prices)"]
    assert board.turn.runs[ONE].title == "prices"


@pytest.mark.proves("inbox.told")
def test_a_message_is_told_once_with_the_parts_that_took_it_in(turn: Turn) -> None:
    board = board_of(
        turn.started(),
        turn.branch(ONE, "Prices"),
        turn.branch(TWO, "Markets"),
        turn.taken("also\nPoland", run=ONE, step=3),
        turn.taken("also\nPoland", run=TWO, step=2),
        turn.taken("also\nPoland", step=2),
        turn.finished("Done."),
    )
    assert told(board)[2] == "done: Ben: “also Poland” — taken in (Prices; Markets)"


@pytest.mark.proves("inbox.told")
def test_a_message_that_a_report_went_without_is_said_to_be_too_late_until_the_next_report(
    turn: Turn,
) -> None:
    board = board_of(turn.started(), turn.saved("r.html"), turn.taken("also Poland"))
    late = "too late for the report; say “continue” to work it in"
    assert told(board) == [f"done: Ben: “also Poland” — {late}"]
    board.fold(turn.saved("r-2.html"))
    assert told(board) == ["done: Ben: “also Poland” — taken in"]


def test_an_answer_to_a_question_is_no_card(turn: Turn) -> None:
    asking = turn.call("c1", "ask_user", question="Which?")
    board = board_of(turn.started(), asking, turn.asked("Which?"), turn.returned("c1"))
    assert board.turn.waits
    board.fold(turn.taken("the second", "Ann"))
    assert not board.turn.waits
    assert told(board) == []


def test_the_clock_never_goes_back_and_stands_still_while_a_person_is_waited_for(
    turn: Turn,
) -> None:
    board, shown = Board(), [-1.0]

    def look(after_s: float = 0.0) -> None:
        said = board.time(START + timedelta(seconds=after_s)).split()
        seconds = {"s": 1, "min": 60, "h": 3_600}
        pairs = pairwise(said)
        shown.append(sum(int(n) * seconds[unit] for n, unit in pairs if unit in seconds))

    for event in (turn.started(), turn.branch(ONE, "Prices"), turn.call("c1", "run_python")):
        board.fold(event)
        look(after_s=20)
    board.fold(turn.requested())
    turn.wait(timedelta(minutes=4))
    for event in (turn.call("x", "run_python", run=ONE), turn.returned("x", ONE)):
        board.fold(event)  # a branch goes on meanwhile
        look(after_s=600)
    waited = shown[-1]
    board.fold(turn.decided())
    look()
    board.fold(turn.call("c2", "search_web", query="q"))
    look()
    assert shown == sorted(shown)
    assert shown[-1] - waited <= 2
    board.fold(turn.finished("Done."))
    assert board.title() == "Done in 5 s", "the looks ran ahead of the events"


@pytest.mark.proves("plan.whole")
def test_a_plan_of_parts_is_whole_before_the_first_part_begins(turn: Turn) -> None:
    planned = [turn.started(), turn.planned("heat *pumps*", "Wind", "")]
    whole = ["running: Heat *pumps*", "running: Wind", "running: What does it cost?"]
    assert cards(*planned) == whole
    begun = [turn.branch(TWO, "Wind"), turn.branch(ONE, "heat *pumps*")]
    board = board_of(*planned, *begun)
    assert told(board) == whole
    assert board.branches == {ONE: "Heat *pumps*", TWO: "Wind"}
    board.fold(turn.branch(RunId("root.late"), "Costs"))
    assert told(board) == [*whole, "running: Costs"]


def test_a_plan_that_asks_first_shows_no_parts(turn: Turn) -> None:
    assert cards(turn.started(), turn.planned("Wind", "Sun", question="Which year?")) == []


@pytest.mark.proves("plan.waits")
def test_what_waits_for_a_person_says_for_whom(turn: Turn) -> None:
    call = "call of ask1"
    board = board_of(
        turn.started(),
        turn.call("c0", "run_python"),
        turn.call(call, "GMAIL_SEND_EMAIL"),
        turn.requested(),
    )
    assert board.title() == "Waiting for Ann"
    assert told(board) == ["running: Working with the data", "waiting: Working with Gmail"]
    assert board.cards[1].waits_for == "Waiting for Ann"
    board.fold(turn.decided())
    assert board.title() == "Working on it"
    assert told(board)[1] == "running: Working with Gmail"


def test_a_run_that_thinks_is_not_told_by_what_it_did_last(turn: Turn) -> None:
    report = turn.branch(ONE, "x", agent="report-creation-expert")
    board = board_of(
        turn.started(),
        report,
        turn.call("c1", "read_local_file", run=ONE),
        turn.returned("c1", ONE),
    )
    assert board.activity == "Reading through the material"
    board.fold(turn.thought(ONE))
    assert board.activity == "Getting the report ready"
    board.fold(turn.headed("3 Rate limits", ONE))
    assert board.activity == "Writing: 3 Rate limits"
    assert told(board) == ["running: Writing the report (Writing: 3 Rate limits)"]


@pytest.mark.proves("model.away")
def test_a_model_that_is_away_is_said_to_be_until_it_answers_or_is_given_up(turn: Turn) -> None:
    half_past = datetime(2026, 11, 24, 15, 30, tzinfo=timezone(timedelta(hours=9)))
    away = [turn.started(), turn.retried(16), turn.retried(32, half_past)]
    words = "My language model cannot be reached; I keep trying until 15:30. “stop” ends it."
    board = board_of(*away)
    assert (board.activity, told(board)) == (words, [f"running: {words}"])
    back = "My language model was away and answers again"
    assert cards(*away, turn.stepped(tool_calls=0)) == [f"done: {back}"]
    gone = "My language model could not be reached"
    assert cards(*away, turn.finished("Sorry.", "failed")) == [f"failed: {gone}"]


def test_older_cards_are_folded_and_running_ones_are_not(turn: Turn) -> None:
    events: list[AnyEvent] = [turn.started(), turn.call("first", "run_python")]
    for number in range(40):
        events += [turn.call(f"c{number}", "search_web", query=f"q{number}")]
        events += [turn.returned(f"c{number}")]
    shown = cards(*events)
    assert len(shown) == limits.PLAN_CARDS
    assert shown[:2] == ["done: 36 earlier steps", "running: Working with the data"]
    assert shown[-1] == "done: Searching the web for “q39”"


def test_single_steps_are_folded_before_branches_and_what_people_added(turn: Turn) -> None:
    events: list[AnyEvent] = [turn.branch(ONE, "Prices"), turn.branch_ended(ONE)]
    events += [turn.branch(TWO, "Markets"), turn.branch_ended(TWO), turn.taken("also Poland")]
    for number in range(9):
        events += [turn.call(f"c{number}", "search_web", query=f"q{number}")]
        events += [turn.returned(f"c{number}")]
    assert [line.removeprefix("done: ") for line in cards(*events)] == [
        "7 earlier steps",
        "Prices",
        "Markets",
        "Ben: “also Poland” — taken in",
        "Searching the web for “q7”",
        "Searching the web for “q8”",
    ]


def test_what_is_done_now_is_told_and_a_silent_model_when_it_takes_long(turn: Turn) -> None:
    started = turn.started()
    assert board_of(started).activity == ""
    assert board_of(started, turn.routed("COMPLEX")).activity == "Thinking it over"
    assert board_of(started, turn.routed("SIMPLE")).activity == ""
    assert board_of(started, turn.thought(), turn.said("I look.")).activity == "Thinking it over"
    assert board_of(started, turn.thought(), turn.said("w " * 99)).activity == "Thinking it over"
    answering = board_of(started, turn.thought(), turn.said("word " * 40))
    assert answering.activity == "Writing the answer"
    assert board_of(started, turn.retried(0.5)).activity == ""
    assert "not answering" in board_of(started, turn.retried(8)).activity
    searching = turn.call("c1", "search_web", query="x")
    assert board_of(started, searching).activity == "Searching the web for “x”"


@pytest.mark.parametrize(
    ("outcome", "title", "card"),
    [
        ("answered", "Done in 2 s", "done: Working with the data"),
        ("limited", "Worked for 2 s", "done: Working with the data"),
        ("stopped", "Worked for 2 s", "stopped: Working with the data (Not finished)"),
        ("failed", "Worked for 2 s", "failed: Working with the data (Not finished)"),
    ],
)
def test_the_closed_plan_says_how_long_it_took_and_how_far_it_came(
    turn: Turn, outcome: Any, title: str, card: str
) -> None:
    board = board_of(turn.started(), turn.call("c1", "run_python"), turn.finished("x", outcome))
    assert [board.title(), *told(board)] == [title, card]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.9, "59 s"), (60, "1 min 0 s"), (3_599, "59 min 59 s"), (7_800, "2 h 10 min")],
)
def test_times_are_spoken(seconds: float, words: str) -> None:
    assert spoken_time(seconds) == words
