"""The call that asks a person is told by its question, and by nothing else."""

from bot.presenter.board import Board
from tests.bot.presenter.conftest import Stage


def test_the_call_that_asks_is_no_line_and_no_tool_call(stage: Stage) -> None:
    turn, board = stage.turn(), Board()
    for event in (turn.started(), turn.call("c1", "ask_user", question="Which?")):
        board.fold(event)
    assert "tool call" not in board.progress()
    assert len(board.progress().splitlines()) == 1

    for event in (turn.returned("c1"), turn.asked("Which?")):
        board.fold(event)
    assert board.waiting() == "Waiting for Ann's answer"


def test_other_calls_beside_the_question_are_counted(stage: Stage) -> None:
    turn, board = stage.turn(), Board()
    for event in (
        turn.started(),
        turn.call("c1", "run_python"),
        turn.call("c2", "ask_user", question="Which?"),
        turn.returned("c1"),
        turn.returned("c2"),
        turn.asked("Which?"),
    ):
        board.fold(event)
    assert board.waiting() == "Waiting for Ann's answer · 1 tool call"
