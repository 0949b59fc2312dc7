"""A bot that stops and comes back to the same team, or begins without Composio."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from agent_core.events import StepStarted, TextDelta
from bot.sandbox.model import ReplyText, ToolUse
from bot.sandbox.slack import Post
from tests.browser import chromium_path
from tests.e2e.bot_process import bot_process, bot_texts, mention
from tests.e2e.world import CHANNEL, FIRST_WORDS, TURN_S, bot_in, bot_in_a_world, outside_world

SCRIPTED = frozenset({"scripted"})
WRITE_NOTE = ToolUse(
    name="mcp__local_toolkit__write_local_file",
    input={"path": "notes/once.txt", "content": "written by the tool"},
)
LAST_WORDS = "The note is written, and it says what it should say."
NOBODY_LISTENS = "http://127.0.0.1:9"
REPORT = "Write a comprehensive report on keeping chat bots reliable"
LAST_SENTENCE = "is ready."
PRINT = f"""#!/bin/sh
case "$*" in *--print-to-pdf*) ;; *) exit 1;; esac
test -e {{go}} || exec sleep 60
exec {chromium_path()} --no-sandbox "$@"
"""
LONG_S = 300.0
SHORT_S = 3.0


@pytest.mark.proves("thread.continue", "workspace.per_thread")
async def test_continue_after_a_restart_has_the_same_workspace_and_history(tmp_path: Path) -> None:
    async with outside_world(tmp_path) as outside:
        async with bot_in(outside) as world:
            world.model.play(ReplyText(text="I counted nine bridges."))
            root = await world.ask("continue counting the bridges")
            workspace = await world.workspace(root)
        async with bot_in(outside) as world:
            world.model.play(ReplyText(text="Nine, and a ferry."))
            reply = await world.slack.say("ann", "general", "continue", thread_ts=root)
            await world.answered(reply)
            assert world.answers(root) == ["I counted nine bridges.", "Nine, and a ferry."]
            assert await world.workspace(root) == workspace
            said = str(world.requests_with("I counted nine bridges.")[-1]["messages"])
            assert "continue counting the bridges" in said


@pytest.mark.process("a browser prints the report, and only a process can be killed")
@pytest.mark.proves("report.print_late")
async def test_an_answer_is_there_before_its_pdf_which_a_later_process_brings(
    tmp_path: Path,
) -> None:
    chromium = tmp_path / "chromium"
    chromium.write_text(PRINT.format(go=tmp_path / "go"))
    chromium.chmod(0o700)
    async with outside_world(tmp_path / "world") as outside:

        def endings(posts: Sequence[Post]) -> list[list[str]]:
            return [[file.name[-4:] for file in post.files] for post in posts if post.files]

        environment = {
            **outside.composio.environment,
            "WORKSPACES_ROOT": str(outside.root),
            "CRAWL_BROWSER": str(chromium),
        }
        async with bot_process(outside, environment=environment) as bot:
            root = await mention(outside, REPORT)
            await outside.slack.wait_for(
                lambda slack: endings(slack.thread(CHANNEL, root)), timeout_s=TURN_S
            )
            assert endings(outside.slack.thread(CHANNEL, root)) == [["html"]]
            assert LAST_SENTENCE in bot_texts(outside, root)[-1]
            bot.kill()
        (tmp_path / "go").touch()
        async with bot_in(outside, chromium=str(chromium)) as world:
            await world.answered(root)
            assert endings(world.slack.thread(CHANNEL, root)) == [["html"], [".pdf", ".png"]]
            world.play_simple()
            await world.answered(await world.mention("Which day is it?", thread_ts=root))
            assert len(endings(world.slack.thread(CHANNEL, root))) == 2


@pytest.mark.proves("shutdown.resumed")
async def test_a_bot_stopped_in_the_middle_of_a_turn_finishes_it_at_the_next_start(
    tmp_path: Path,
) -> None:
    async with outside_world(tmp_path) as outside:
        outside.model.play(WRITE_NOTE)
        outside.model.play(ReplyText(text=LAST_WORDS), times=2)
        outside.model.stall(0.0, kinds=SCRIPTED)
        outside.model.stall(LONG_S, after_events=FIRST_WORDS, kinds=SCRIPTED)
        async with bot_in(outside) as world:
            root = await world.mention("continue with the note")
            await world.until(root, TextDelta)
            note = await world.workspace(root) / "notes" / "once.txt"
            assert note.read_text(encoding="utf-8") == "written by the tool"
            note.write_text("changed by a person", encoding="utf-8")
        assert world.answers(root) == []
        async with bot_in(outside) as world:
            await world.answered(root)
            await world.nothing_more_happens()
            assert world.answers(root) == [LAST_WORDS]
            [progress] = world.progress(root)
            assert progress.startswith("Done in")
            assert note.read_text(encoding="utf-8") == "changed by a person"


@pytest.mark.proves("shutdown.resumed")
async def test_a_bot_stopped_while_a_sub_agent_works_finishes_the_report(tmp_path: Path) -> None:
    async with outside_world(tmp_path) as outside:
        outside.model.stall(SHORT_S, kinds={"delegated"})
        async with bot_in(outside) as world:
            root = await world.mention("Write a comprehensive report on keeping chat bots reliable")
            await world.until(root, StepStarted, is_child=True)
        assert world.answers(root) == []
        async with bot_in(outside) as world:
            turn = await world.answered(root)
            assert turn.outcome == "answered"
            assert len(world.answers(root)) == 1
            [progress] = world.progress(root)
            assert progress.startswith("Done in")
            [file] = outside.slack.files
            assert file.name.endswith(".html")
            [report] = (await world.workspace(root)).glob("work_products/*")
            assert report.name == file.name


async def test_an_unreachable_composio_does_not_silence_the_bot(tmp_path: Path) -> None:
    async with bot_in_a_world(tmp_path, composio_url=NOBODY_LISTENS) as world:
        root = await world.ask("Find out what teams say about retries in chat bots")
        [answer] = world.answers(root)
        assert "reference" not in answer
