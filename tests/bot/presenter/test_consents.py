"""Approvals and connections in the thread: asked once, ended once, and links for one alone."""

import json
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from agent_core.errors import ConsentRefused
from agent_core.events import AnyEvent
from agent_core.ids import ConsentId, UserId
from bot.presenter.board import Board
from bot.presenter.presenter import ThreadPresenter
from bot.sandbox.slack import Post
from tests.bot.presenter.conftest import CutState, Stage
from tests.bot.presenter.turns import MemoryState, Turn, action


@dataclass(slots=True)
class NumberedLinks:
    """Gives a new link each time; none while `refusals` are left."""

    given: list[tuple[ConsentId, UserId, str]] = field(
        default_factory=list[tuple[ConsentId, UserId, str]]
    )
    refusals: int = 0

    async def connect_link(self, consent: ConsentId, by: UserId, toolkit: str) -> str:
        if self.refusals:
            self.refusals -= 1
            raise ConsentRefused("There is no link now.", why="no_link")
        self.given.append((consent, by, toolkit))
        return f"https://connect.example/{toolkit}/lk_{len(self.given)}"


async def show(presenter: ThreadPresenter, *events: AnyEvent) -> None:
    for event in events:
        await presenter.show(event)


def begun(turn: Turn) -> list[AnyEvent]:
    return [turn.started(), turn.routed("COMPLEX"), turn.call("c1", "GMAIL_SEND_EMAIL")]


def visible(stage: Stage) -> list[Post]:
    """What the bot wrote into the thread for all to see."""
    posts = stage.slack.thread("general", stage.thread.root_ts)
    return [
        post for post in posts if post.user == stage.slack.bot_user_id and not post.ephemeral_to
    ]


def whispered(stage: Stage) -> list[Post]:
    posts = stage.slack.thread("general", stage.thread.root_ts)
    return [post for post in posts if post.ephemeral_to]


def buttons(post: Post) -> list[str]:
    elements = [each for block in post.blocks for each in block.get("elements", ())]
    return [each["text"]["text"] for each in elements if each["type"] == "button"]


def status(stage: Stage) -> str:
    [*_, last] = [call for call in stage.slack.calls if call.method == "agents.sessions.setStatus"]
    return str(last.args["status"])


async def test_an_approval_is_a_post_of_its_own_and_the_turn_rests(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await show(presenter, *begun(turn), turn.requested())
    progress, asked = visible(stage)
    assert progress.text == "Waiting for Ann's decision · 1 tool call"
    assert "recipient_email: bob@example.com" in json.dumps(asked.blocks)
    assert buttons(asked) == ["Approve", "Reject…"]
    assert status(stage) == "active"
    await presenter.close()


async def test_after_the_decision_the_buttons_are_gone_and_progress_goes_on_below(
    stage: Stage,
) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    ann = f"{stage.thread.team}:{stage.slack.people['ann']}"
    await show(presenter, *begun(turn), turn.requested(), turn.decided(by=ann))
    first, asked, going_on = visible(stage)
    assert first.text == "Asked Ann for an approval after 3 s · 1 tool call"
    assert buttons(asked) == []
    assert f"Approved by <@{stage.slack.people['ann']}>" in json.dumps(asked.blocks)
    assert "recipient_email: bob@example.com" in json.dumps(asked.blocks)
    assert going_on.text.startswith("*Working on it*")
    assert status(stage) == "processing"
    await presenter.close()


async def test_an_approval_that_no_longer_fits_is_not_shown_as_one(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    events = [*begun(turn), turn.requested(), turn.decided(), turn.decided("void", by=None)]
    await show(presenter, *events)
    asked = visible(stage)[1]
    assert "no approval fits it" in asked.text
    assert "Approved by" not in json.dumps(asked.blocks)
    await presenter.close()


async def test_a_rejection_shows_its_reason(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    no = turn.decided("rejected", reason="Use the other address")
    await show(presenter, *begun(turn), turn.requested(), no)
    assert "“Use the other address”" in visible(stage)[1].text
    await presenter.close()


async def test_time_in_which_a_person_decides_is_not_work(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await show(presenter, *begun(turn), turn.requested())
    turn.wait(timedelta(minutes=12))
    await show(presenter, turn.decided(), turn.returned("c1"), turn.finished("Sent."))
    assert visible(stage)[2].text == "Done in 5 s · 1 tool call"


async def test_two_approvals_of_one_step_are_one_wait(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await show(
        presenter,
        *begun(turn),
        turn.requested(consent="a"),
        turn.requested(consent="b"),
        turn.decided(consent="b"),
    )
    assert len(visible(stage)) == 3
    assert [buttons(post) for post in visible(stage)[1:]] == [["Approve", "Reject…"], []]
    assert visible(stage)[0].text.startswith("Waiting for Ann's decision")
    await show(presenter, turn.decided("rejected", consent="a"))
    assert len(visible(stage)) == 4
    assert buttons(visible(stage)[1]) == []
    await presenter.close()


@pytest.mark.parametrize("saves", range(1, 13))
async def test_a_crash_at_any_note_leaves_each_post_once(stage: Stage, saves: int) -> None:
    turn, cut = stage.turn(), CutState(saves)
    events = [*begun(turn), turn.requested(), turn.decided(), turn.finished("Sent.")]
    presenter = stage.presenter(cut)
    with pytest.raises(ConnectionAbortedError):
        await show(presenter, *events)
    await presenter.close()
    state = MemoryState()
    state.saved = cut.saved
    await show(stage.presenter(state), *events)
    asked = [post for post in visible(stage) if "Approved by" in post.text]
    assert len(asked) == 1
    assert buttons(asked[0]) == []
    assert [post.text for post in visible(stage)].count("Sent.") == 1


async def test_a_request_that_waited_over_a_restart_is_ended_by_the_next_process(
    stage: Stage,
) -> None:
    turn, state = stage.turn(), MemoryState()
    events = [*begun(turn), turn.requested()]
    presenter = stage.presenter(state)
    await show(presenter, *events)
    await presenter.close()
    again = stage.presenter(state)
    await show(again, *events, turn.decided("expired", by=None))
    asked = visible(stage)[1]
    assert "Nobody decided in time" in asked.text
    assert buttons(asked) == []
    await again.close()


async def test_what_does_not_fit_is_attached_before_anybody_can_approve(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    body = "word " * 10_000
    await show(presenter, *begun(turn), turn.requested(action(body=body)))
    _, with_file, asked = visible(stage)
    [file] = with_file.files
    assert file.name == "approval-0123456789ab.json"
    assert json.loads(file.content)["actions"][0]["arguments"] == {"body": body}
    assert "approval-0123456789ab.json" in json.dumps(asked.blocks)
    assert "Approve" in buttons(asked)
    await presenter.close()


async def test_a_file_that_slack_refuses_leaves_only_the_rejection(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    stage.slack.fail("files.getUploadURLExternal", error="file_uploads_disabled", times=9)
    await show(presenter, *begun(turn), turn.requested(action(body="word " * 10_000)))
    assert buttons(visible(stage)[-1]) == ["Reject…"]
    await presenter.close()


async def test_blocks_that_slack_refuses_are_asked_with_less_and_a_file(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await show(presenter, *begun(turn))
    stage.slack.fail("chat.postMessage", error="invalid_blocks")
    await show(presenter, turn.requested())
    asked = visible(stage)[-1]
    assert visible(stage)[-2].files[0].name == "approval-0123456789ab.json"
    assert buttons(asked) == ["Approve", "Reject…"]
    await presenter.close()


async def test_slack_being_away_does_not_cost_the_approval(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await show(presenter, *begun(turn))
    stage.slack.fail("chat.postMessage", status=503, times=2)
    await show(presenter, turn.requested())
    assert [buttons(post) for post in visible(stage)].count(["Approve", "Reject…"]) == 1
    await presenter.close()


async def test_a_closed_thread_gets_its_approval_in_the_direct_conversation(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await show(presenter, *begun(turn))
    stage.slack.fail("chat.postMessage", error="is_archived")
    await show(presenter, turn.requested(), turn.decided("rejected"))
    _, asked = stage.slack.posts(stage.slack.dm_id("ann"))
    assert "Rejected by" in asked.text
    assert buttons(asked) == []
    await presenter.close()


async def test_a_connection_is_waited_for_in_sight_of_all_and_its_link_seen_by_one(
    stage: Stage,
) -> None:
    links = NumberedLinks()
    state = MemoryState()
    presenter, turn = stage.presenter(state, links=links), stage.turn()
    await show(presenter, *begun(turn), turn.auth_required("gmail"))
    progress, waiting = visible(stage)
    [whisper] = whispered(stage)
    assert progress.text == "Waiting for Ann to connect Gmail · 1 tool call"
    assert buttons(waiting) == ["Show my link", "Skip"]
    assert buttons(whisper) == ["Connect Gmail", "I have connected it"]
    assert whisper.ephemeral_to == stage.slack.people["ann"]
    assert links.given == [("consent1", turn.asker, "gmail")]
    seen_by_all = [json.dumps([post.text, list(post.blocks)]) for post in visible(stage)]
    assert "lk_1" not in " ".join([*seen_by_all, json.dumps(state.saved)])
    await show(presenter, turn.auth_ended("gmail"))
    ann = stage.slack.people["ann"]
    assert [post.text for post in visible(stage)][:2] == [
        "Asked Ann to connect Gmail after 3 s · 1 tool call",
        f"Gmail connected by <@{ann}>",
    ]
    await presenter.close()


async def test_without_a_link_the_wait_is_shown_all_the_same(stage: Stage) -> None:
    presenter, turn = stage.presenter(links=NumberedLinks(refusals=1)), stage.turn()
    await show(presenter, *begun(turn), turn.auth_required("gmail"))
    assert whispered(stage) == []
    assert buttons(visible(stage)[1]) == ["Show my link", "Skip"]
    await presenter.close()


async def test_an_app_that_gives_no_link_does_not_cost_the_others(stage: Stage) -> None:
    presenter, turn = stage.presenter(links=NumberedLinks(refusals=1)), stage.turn()
    await show(presenter, *begun(turn), turn.auth_required("gmail", "github"))
    assert buttons(whispered(stage)[0]) == ["Connect GitHub", "I have connected it"]
    await presenter.close()


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Warte darauf, dass Ann Gmail und Slack verbindet"),
        ("fr", "En attente de la connexion de Gmail et Slack par Ann"),
        ("es", "Esperando que Ann conecte Gmail y Slack"),
    ],
)
def test_the_progress_line_says_it_in_the_language_of_the_thread(
    stage: Stage, language: Any, said: str
) -> None:
    turn, board = stage.turn(), Board()
    board.fold(turn.started())
    board.language = language
    board.fold(turn.auth_required("gmail", "slack"))
    assert board.waiting() == said
