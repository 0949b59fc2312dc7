"""A presenter whose session another process took makes no further write, visible or noted."""

import asyncio

import pytest

from agent_core.events import AnyEvent
from agent_core.messages import JsonObject
from agent_core.sessions.leases import LeaseLost
from bot.slack_api.calls import VISIBLE
from tests.bot.presenter.conftest import Stage
from tests.bot.presenter.turns import MemoryState, Turn


class Lease:
    """A guard that lets the first `passes` writes through."""

    def __init__(self, passes: int) -> None:
        self._left = passes
        self.refused = asyncio.Event()

    async def check(self) -> None:
        if self._left == 0:
            self.refused.set()
            raise LeaseLost("another process has it")
        self._left -= 1


class SharedState(MemoryState):
    """The bookmark in a database that both processes use: nobody has another's objects."""

    async def load(self) -> JsonObject | None:
        return dict(self.saved) if self.saved else None


def events(turn: Turn, path: str) -> list[AnyEvent]:
    return [
        turn.started(),
        turn.routed("COMPLEX"),
        turn.asked("Which?", "this", "that"),
        turn.taken("this", "Ann"),
        turn.saved(path),
        turn.finished("The answer."),
    ]


def visible(stage: Stage) -> int:
    return sum(call.method in VISIBLE for call in stage.slack.calls)


@pytest.mark.proves("processes.writes")
@pytest.mark.parametrize("passes", range(0, 34, 2))
async def test_another_process_goes_on_where_the_lease_was_lost(stage: Stage, passes: int) -> None:
    path = stage.write("work_products/report.html", "<p>final</p>")
    turn, state = stage.turn(), SharedState()
    story = events(turn, path)
    losing = stage.presenter(state, guard=Lease(passes).check)
    try:
        for event in story:
            await losing.show(event)
    except LeaseLost:
        seen = visible(stage)
        losing.forget()
        await losing.close()
        assert visible(stage) == seen
    taking_over = stage.presenter(state)
    for event in story:
        await taking_over.show(event)

    assert [text.partition("\n")[0] for text in stage.texts()] == [
        "Asked Ann a question after 2 s",
        f"<@{stage.slack.people['ann']}> Which?",
        "Done in 4 s",
        "The answer.",
        "",
    ]
    assert [file.title for file in stage.slack.files if file.shares] == ["The report"]
    assert stage.slack.calls[-1].args["status"] == "active"


@pytest.mark.proves("processes.writes")
async def test_progress_is_no_longer_edited(stage: Stage) -> None:
    turn, lease = stage.turn(), Lease(4)  # the sign, the note, the post, the note
    presenter = stage.presenter(guard=lease.check)
    for event in (turn.started(), turn.routed("COMPLEX"), turn.call("c1", "run_python")):
        await presenter.show(event)
    async with asyncio.timeout(10):
        await lease.refused.wait()
    await presenter.close()

    assert stage.calls("chat.update") == 0


async def test_a_file_whose_bytes_are_sent_is_not_shared_any_more(stage: Stage) -> None:
    path = stage.write("work_products/report.html", "<p>final</p>")
    turn, state = stage.turn(), SharedState()
    lease = Lease(6)  # the sign; the answer between its notes; the file's two notes
    losing = stage.presenter(state, guard=lease.check)
    await losing.show(turn.started())
    await losing.show(turn.saved(path))
    with pytest.raises(LeaseLost):
        await losing.show(turn.finished("The answer."))

    assert stage.calls("files.getUploadURLExternal") == 1
    assert stage.calls("files.completeUploadExternal") == 0
