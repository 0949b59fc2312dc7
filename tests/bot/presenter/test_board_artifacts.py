"""Which files a person gets at the end of a turn."""

from datetime import UTC, datetime

from agent_core.events import ArtifactSaved
from agent_core.ids import RunId, SessionId, TurnId
from bot.presenter.board import Board


def saved(path: str, *, run: str = "root.a", mimetype: str = "text/html") -> ArtifactSaved:
    return ArtifactSaved(
        session=SessionId("T1:C1:1.000001"),
        turn=TurnId("turn:1"),
        run=RunId(run),
        step=1,
        attempt=1,
        n=1000,
        at=datetime(2026, 11, 21, tzinfo=UTC),
        path=path,
        title="T",
        mimetype=mimetype,
        size_bytes=1,
    )


def paths(*events: ArtifactSaved) -> list[str]:
    board = Board()
    for event in events:
        board.fold(event)
    return [artifact.path for artifact in board.final_artifacts]


def test_a_draft_that_was_written_again_is_not_handed_out() -> None:
    assert paths(saved("eels.html"), saved("eels_v2.html")) == ["eels_v2.html"]


def test_reports_of_two_subagents_are_both_handed_out() -> None:
    assert paths(saved("a.html"), saved("b.html", run="root.b")) == ["a.html", "b.html"]


def test_other_files_of_a_run_are_handed_out_beside_its_report() -> None:
    table = saved("eels.csv", mimetype="text/csv")
    assert paths(table, saved("eels.html")) == ["eels.csv", "eels.html"]
