"""A presenter that dies, or loses its turn, and another one that begins again: nothing twice."""

import asyncio
from collections.abc import Callable

import pytest

from agent_core.events import AnyEvent
from agent_core.sessions import LeaseLost
from bot.slack_api import SlackError
from bot.slack_api.calls import TABLE
from tests.bot.presenter.conftest import CutState, Stage
from tests.bot.presenter.turns import MemoryState, Turn

NOTICE = "_I could not answer in the thread, so here is the answer._"


class Lease:
    """A guard that lets writes through until it is lost, or `passes` of them."""

    def __init__(self, passes: int = -1) -> None:
        self._left = passes
        self.is_lost: Callable[[], bool] = lambda: self._left == 0
        self.refused = asyncio.Event()

    async def check(self) -> None:
        if self.is_lost():
            self.refused.set()
            raise LeaseLost("another process has it")
        self._left -= 1


def answered(stage: Stage, turn: Turn) -> list[AnyEvent]:
    path = stage.write("work_products/report.html", "<p>final</p>")
    working = [turn.started(), turn.call("c1", "run_python"), turn.returned("c1")]
    return [*working, turn.saved(path), turn.finished("The answer.")]


def printed_late(stage: Stage, turn: Turn) -> list[AnyEvent]:
    stage.write("work_products/report.pdf", "%PDF")
    return answered(stage, turn)


def asked(stage: Stage, turn: Turn) -> list[AnyEvent]:
    path = stage.write("work_products/report.html", "<p>final</p>")
    return [
        turn.started(),
        turn.call("c1", "run_python"),
        turn.asked("Which?", "this", "that"),
        turn.taken("this", "Ann"),
        turn.saved(path),
        turn.finished("The answer."),
    ]


def approved(_: Stage, turn: Turn) -> list[AnyEvent]:
    started = [turn.started(), turn.routed("COMPLEX"), turn.call("c1", "GMAIL_SEND_EMAIL")]
    return [*started, turn.requested(), turn.decided(), turn.finished("The answer.")]


STORIES: dict[str, tuple[Callable[[Stage, Turn], list[AnyEvent]], list[str]]] = {
    "an answer": (answered, ["Done in 4 s", "The answer."]),
    "a PDF that is late": (printed_late, ["Done in 4 s", "The answer.", ""]),
    "a question": (asked, ["Done in 4 s", "<@ann> Which?", "The answer."]),
    "an approval": (
        approved,
        [
            "Done in 4 s",
            "<@ann> asked for this. I will do it only once it is approved:",
            "The answer.",
        ],
    ),
}


def heads(stage: Stage) -> list[str]:
    ann = f"<@{stage.slack.people['ann']}>"
    return [text.partition("\n")[0].replace(ann, "<@ann>") for text in stage.texts()]


@pytest.mark.proves("posts.crash", "uploads.once", "waits.deploy", "report.print_late")
@pytest.mark.parametrize("saves", range(18))
@pytest.mark.parametrize("story", STORIES)
async def test_a_crash_at_any_save_leaves_no_duplicate_and_no_gap(
    stage: Stage, story: str, saves: int
) -> None:
    events, told = STORIES[story]
    await stage.show_twice(saves, events(stage, stage.turn()))
    assert heads(stage) == told
    shared = [file.title for file in stage.slack.files if file.shares]
    reports = {"an approval": 0, "a PDF that is late": 2}.get(story, 1)
    assert shared == ["The report"] * reports
    assert stage.status() == "active"


@pytest.mark.proves("posts.left_open")
async def test_progress_whose_ts_got_lost_in_a_crash_is_closed_all_the_same(stage: Stage) -> None:
    turn, dying, survivor = stage.turn(), CutState(1), MemoryState()
    started, finished = turn.started(), turn.finished("The answer.")
    with pytest.raises(ConnectionAbortedError):
        await stage.show(started, turn.call("c1", "run_python"), state=dying)
    await stage.presenters[-1].close()
    survivor.saved = dying.saved
    await stage.show(started, finished, state=survivor)
    assert heads(stage) == ["Done in 1 s", "The answer."]


@pytest.mark.proves("posts.crash")
@pytest.mark.parametrize("saves", range(9))
async def test_a_crash_does_not_double_what_the_asker_is_told_directly(
    stage: Stage, saves: int
) -> None:
    turn = stage.turn()
    await stage.slack.remove_from_channel("general", "bot")
    await stage.show_twice(saves, [turn.started(), turn.finished("The answer.")])
    assert stage.direct_texts() == [NOTICE, "The answer."]


async def test_what_began_directly_goes_on_there_when_the_thread_opens_again(stage: Stage) -> None:
    turn = stage.turn()
    stage.slack.fail("chat.postMessage", error="is_archived")
    await stage.show_twice(4, [turn.started(), turn.finished("The answer.")])
    assert stage.texts() == []
    assert stage.direct_texts() == [NOTICE, "The answer."]


@pytest.mark.proves("waits.deploy")
async def test_a_restart_while_it_waits_is_not_to_be_seen(stage: Stage) -> None:
    state, events = MemoryState(), asked(stage, stage.turn())
    await stage.show(*events[:3], state=state)
    calls = len(stage.slack.calls)
    await stage.show(*events[:3], state=state)
    assert len(stage.slack.calls) == calls
    await stage.show(*events, state=state)
    assert heads(stage) == STORIES["a question"][1]


@pytest.mark.proves("posts.read_back")
@pytest.mark.parametrize("is_question", [False, True])
async def test_a_post_whose_receipt_got_lost_is_read_back(stage: Stage, is_question: bool) -> None:
    turn = stage.turn()
    stage.slack.fail("chat.postMessage", drop_after_accept=True)
    said = turn.asked("Which?") if is_question else turn.finished("Once.")
    await stage.show(turn.started(), said)
    assert len(stage.texts()) == 1


@pytest.mark.parametrize("is_question", [False, True])
async def test_what_slack_cannot_take_now_is_posted_when_shown_again(
    stage: Stage, is_question: bool
) -> None:
    turn = stage.turn()
    presenter = await stage.show(turn.started())
    stage.slack.fail("chat.postMessage", status=500, times=7)
    said = turn.asked("At last?") if is_question else turn.finished("At last.")
    with pytest.raises(SlackError):
        await presenter.show(said)
    await presenter.show(said)
    assert ["At last" in text for text in stage.texts()] == [True]


@pytest.mark.proves("processes.writes")
@pytest.mark.parametrize("passes", range(0, 34, 2))
async def test_another_process_goes_on_where_the_lease_was_lost(stage: Stage, passes: int) -> None:
    state, events = MemoryState(), asked(stage, stage.turn())
    losing = stage.presenter(state, guard=Lease(passes).check)
    try:
        for event in events:
            await losing.show(event)
    except LeaseLost:
        await losing.close()
        assert sum(TABLE.methods[call.method].is_visible for call in stage.slack.calls) <= passes
    await stage.show(*events, state=state)
    assert heads(stage) == STORIES["a question"][1]
    assert [file.title for file in stage.slack.files if file.shares] == ["The report"]
    assert stage.status() == "active"


@pytest.mark.proves("processes.writes")
async def test_progress_is_no_longer_edited_without_the_lease(stage: Stage) -> None:
    turn, lease = stage.turn(), Lease()
    presenter = stage.presenter(guard=lease.check)
    await presenter.show(turn.started())
    await presenter.show(turn.call("c1", "run_python"))
    lease.is_lost = lambda: True
    await presenter.show(turn.call("c2", "search_web", query="x"))
    async with asyncio.timeout(10):
        await lease.refused.wait()
    assert stage.calls("chat.update") == 0


async def test_a_file_whose_bytes_are_sent_is_not_shared_without_the_lease(stage: Stage) -> None:
    started, _, _, saved, finished = answered(stage, stage.turn())
    lease = Lease()
    lease.is_lost = lambda: bool(stage.calls("files.getUploadURLExternal"))
    losing = stage.presenter(MemoryState(), guard=lease.check)
    await losing.show(started)
    await losing.show(saved)
    with pytest.raises(LeaseLost):
        await losing.show(finished)
    assert stage.calls("files.getUploadURLExternal") == 1
    assert stage.calls("files.completeUploadExternal") == 0
