"""Approvals and connections in the thread: asked once, ended once, and links for one alone."""

import json
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import pytest

from agent_core.errors import AskRefused
from agent_core.events import AnyEvent, SentFile
from agent_core.ids import AskId, UserId
from bot.clicks import ConnectionClick, decode
from bot.presenter.tools import app_name, app_names, deed
from bot.sandbox.slack import Post
from bot.words import BOT
from tests.bot.presenter.conftest import Stage
from tests.bot.presenter.turns import MemoryState, Turn, action

FILE = "approval-0123456789ab.txt"


class NumberedLinks:
    """Gives a new link each time; none while `refusals` are left."""

    def __init__(self, refusals: int = 0) -> None:
        self.given: list[tuple[AskId, UserId, str]] = []
        self._refusals = refusals

    async def connect_link(self, ask: AskId, by: UserId, toolkit: str) -> str:
        if self._refusals:
            self._refusals -= 1
            raise AskRefused("no_link")
        self.given.append((ask, by, toolkit))
        return f"https://connect.example/{toolkit}/lk_{len(self.given)}"


def begun(turn: Turn) -> list[AnyEvent]:
    return [turn.started(), turn.routed("COMPLEX"), turn.call("c1", "GMAIL_SEND_EMAIL")]


WORKING = "Working on it\n▸ Working with Gmail"
WAITING = "Waiting for Ann\n▸ Working with Gmail"


def visible(stage: Stage) -> list[Post]:
    """What the bot wrote into the thread for all to see."""
    posts = stage.slack.thread("general", stage.thread.root_ts)
    own = [post for post in posts if post.user == stage.slack.bot_user_id]
    return [post for post in own if not post.ephemeral_to]


def whispered(stage: Stage) -> list[Post]:
    posts = stage.slack.thread("general", stage.thread.root_ts)
    return [post for post in posts if post.ephemeral_to]


def buttons(post: Post) -> list[str]:
    elements = [each for block in post.blocks for each in block.get("elements", ())]
    return [
        label["text"]["text"]
        for each in elements
        for label in each.get("options", [each])
        if each["type"] in {"button", "overflow"}
    ]


async def test_an_approval_waits_and_after_it_the_plan_goes_on_where_it_stands(
    stage: Stage,
) -> None:
    turn, ann = stage.turn(), stage.slack.people["ann"]
    presenter = await stage.show(*begun(turn), turn.requested())
    progress, asked = visible(stage)
    assert progress.text == WAITING
    assert "*To:* bob@example.com" in json.dumps(asked.blocks)
    assert buttons(asked) == ["Approve", "Edit…", "Reject…", "All details"]
    assert stage.status() == "active"
    turn.wait(timedelta(minutes=12))
    await presenter.show(turn.decided(by=f"{stage.thread.team}:{ann}"))
    await stage.slack.wait_for(lambda _: visible(stage)[0].text == WORKING)
    _, asked = visible(stage)
    assert buttons(asked) == []
    assert f"Approved by <@{ann}>" in json.dumps(asked.blocks)
    assert "*To:* bob@example.com" in json.dumps(asked.blocks)
    assert stage.status() == "processing"
    for event in (turn.returned("c1"), turn.finished("Sent.")):
        await presenter.show(event)
    assert visible(stage)[0].text == "Done in 5 s\n✓ Working with Gmail"


async def test_what_would_be_sent_along_stands_above_the_request_once(stage: Stage) -> None:
    turn, path = stage.turn(), stage.write("downloads/plan.txt", "At twelve.")
    sent = SentFile(name="plan.txt", path=path, sha256=sha256(b"At twelve.").hexdigest())
    first = replace(turn.requested(), files=(sent,))
    edited = replace(turn.requested(ask="ask2"), call_id=first.call_id, files=(sent,))
    await stage.show(*begun(turn), first, turn.decided("edited"), edited)
    [file] = stage.slack.files
    assert (file.name, file.content) == ("plan.txt", b"At twelve.")
    [asked] = [post for post in visible(stage) if "Approve" in buttons(post)]
    assert "posted above: plan.txt" in json.dumps(asked.blocks)


@pytest.mark.parametrize(
    ("path", "is_taken"),
    [
        ("", True),
        ("downloads/gone.txt", True),
        ("downloads/changed.txt", True),
        ("../secret.txt", True),
        ("downloads/plan.txt", False),
    ],
)
async def test_what_cannot_be_looked_at_cannot_be_approved(
    stage: Stage, path: str, is_taken: bool
) -> None:
    stage.write("downloads/plan.txt", "At twelve.")
    stage.write("downloads/changed.txt", "At two.")
    (stage.workspace.parent / "secret.txt").write_text("At twelve.")
    if not is_taken:
        stage.slack.fail("files.getUploadURLExternal", error="file_uploads_disabled", times=9)
    sent = SentFile(name="plan.txt", path=path, sha256=sha256(b"At twelve.").hexdigest())
    turn = stage.turn()
    await stage.show(*begun(turn), replace(turn.requested(), files=(sent,)))
    asked = visible(stage)[-1]
    assert "Reject…" in buttons(asked)
    assert not {"Approve", "Approve for this thread"} & set(buttons(asked))
    assert "so it cannot be approved: plan.txt" in json.dumps(asked.blocks)
    assert stage.slack.files == []


async def test_an_edited_request_says_so_and_what_changed_stands_below(stage: Stage) -> None:
    turn, state = stage.turn(), MemoryState()
    first = turn.requested()
    edited = turn.decided("edited")
    changed = action(recipient_email="eve@example.com", body="Hello")
    new = replace(turn.requested(changed, ask="ask2"), call_id=first.call_id, before=first.actions)
    approved = replace(turn.decided(ask="ask2"), call_id=first.call_id)
    for _ in range(2):
        await stage.show(*begun(turn), first, edited, new, state=state)
    progress, before, asked = visible(stage)
    assert progress.text == WAITING
    assert buttons(before) == []
    assert "Changed by <@" in str(before.blocks)
    assert "Changed: To “bob@example.com” → “eve@example.com”" in str(asked.blocks)
    assert "Approve" in buttons(asked)
    await stage.show(*begun(turn), first, edited, new, approved, state=state)
    assert buttons(visible(stage)[2]) == []
    assert "Approved by" in str(visible(stage)[2].blocks)


async def test_two_approvals_of_one_step_are_one_wait(stage: Stage) -> None:
    turn = stage.turn()
    asked = [turn.requested(ask="a"), turn.requested(ask="b")]
    presenter = await stage.show(*begun(turn), *asked, turn.decided(ask="b"))
    progress, *posts = visible(stage)
    assert [buttons(post) for post in posts] == [["Approve", "Edit…", "Reject…", "All details"], []]
    assert progress.text == WAITING
    await presenter.show(turn.decided("rejected", ask="a"))
    assert len(visible(stage)) == 3
    assert buttons(visible(stage)[1]) == []


@pytest.mark.parametrize(
    ("error", "left"), [("", ["Approve", "Reject…"]), ("file_uploads_disabled", ["Reject…"])]
)
async def test_what_is_too_long_is_approved_by_its_file_alone(
    stage: Stage, error: str, left: list[str]
) -> None:
    turn = stage.turn()
    if error:
        stage.slack.fail("files.getUploadURLExternal", error=error, times=9)
    await stage.show(*begun(turn), turn.requested(action(body="word " * 10_000)))
    *_, before, asked = visible(stage)
    assert [file.name for file in before.files] == ([] if error else [FILE])
    assert buttons(asked) == left
    assert ("nobody can approve it" in str(asked.blocks)) == bool(error)


async def test_blocks_that_slack_refuses_are_asked_with_less_and_a_file(stage: Stage) -> None:
    turn = stage.turn()
    presenter = await stage.show(*begun(turn))
    stage.slack.fail("chat.postMessage", error="invalid_blocks")
    await presenter.show(turn.requested())
    *_, before, asked = visible(stage)
    assert before.files[0].name == FILE
    assert buttons(asked) == ["Approve", "Reject…"]


async def test_a_closed_thread_gets_its_approval_in_the_direct_conversation(stage: Stage) -> None:
    turn = stage.turn()
    presenter = await stage.show(*begun(turn))
    stage.slack.fail("chat.postMessage", error="is_archived")
    for event in (turn.requested(), turn.decided("rejected")):
        await presenter.show(event)
    _, asked = stage.slack.posts(stage.slack.dm_id("ann"))
    assert "Rejected by" in asked.text
    assert buttons(asked) == []


async def test_a_connection_is_waited_for_in_sight_of_all_and_its_link_seen_by_one(
    stage: Stage,
) -> None:
    links, state, turn = NumberedLinks(), MemoryState(), stage.turn()
    events = [*begun(turn), turn.auth_required("gmail", "googlecalendar")]
    presenter = await stage.show(*events, state=state, link=links.connect_link)
    progress, waiting = visible(stage)
    [whisper] = whispered(stage)
    ann = stage.slack.people["ann"]
    apps = "Gmail and Google Calendar"
    assert progress.text == WAITING
    assert waiting.text.startswith(f"Waiting for <@{ann}> to connect {apps}, until <!date^")
    row = [decode(each["action_id"], each["value"]) for each in waiting.blocks[-1]["elements"]]
    ask, apps_asked = AskId("ask1"), ("gmail", "googlecalendar")
    assert row == [
        ConnectionClick(kind="consent.link", ask=ask, apps=apps_asked),
        ConnectionClick(kind="consent.skip", ask=ask, apps=apps_asked),
    ]
    assert buttons(waiting) == ["Show my link", "Skip"]
    opening = ["Connect Gmail", "Connect Google Calendar"]
    assert buttons(whisper) == [*opening, "I have connected it"]
    elements = whisper.blocks[-1]["elements"]
    assert [bool(each.get("url")) for each in elements] == [True, True, False]
    assert whisper.ephemeral_to == ann
    assert links.given[0] == ("ask1", turn.asker, "gmail")
    seen_by_all = [json.dumps([post.text, list(post.blocks)]) for post in visible(stage)]
    assert "lk_1" not in " ".join([*seen_by_all, whisper.text, json.dumps(state.saved)])
    await presenter.show(turn.decided("connected"))
    await stage.slack.wait_for(lambda _: visible(stage)[0].text == WORKING)
    assert visible(stage)[1].text == f"{apps} connected by <@{ann}>"


async def test_an_app_that_gives_no_link_does_not_cost_the_wait(stage: Stage) -> None:
    turn = stage.turn()
    links = NumberedLinks(refusals=1)
    await stage.show(*begun(turn), turn.auth_required("gmail"), link=links.connect_link)
    assert whispered(stage) == []
    assert buttons(visible(stage)[1]) == ["Show my link", "Skip"]


def test_apps_and_deeds_are_spelled_as_people_do() -> None:
    assert app_name("GMAIL") == "Gmail"
    assert app_name("some_new-app") == "Some New App"
    assert "<" not in app_name("<!channel>")
    assert app_names(("gmail", "slack", "github"), BOT.of("en")) == "Gmail, Slack and GitHub"
    assert deed("GMAIL_SEND_EMAIL", "gmail") == "Send email"
    assert deed("GOOGLECALENDAR_CREATE_EVENT", "googlecalendar") == "Create event"
    assert deed("ONE_DRIVE_UPLOAD_FILE", "one_drive") == "Upload file"
    assert deed("mcp__local_toolkit__write_file", "") == "Write file"
