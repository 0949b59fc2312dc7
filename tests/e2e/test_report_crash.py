"""A bot that is killed when its report is on the disk and nobody has heard of it yet."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.sandbox.model import ReplyText, ToolUse
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.records import Post
from tests.bench.crash_world import Outside, lives_in, outside_world

REACH_S = 45.0
REPORT_WRITTEN = "tool_call.after:3"
"""Before it the page is read and the corpus is saved."""
CHANNEL = "general"
ANSWER = "The report is ready."


@pytest.mark.proves("crashes.lost", "uploads.once")
@pytest.mark.process("only a process can be killed")
async def test_a_report_written_at_the_moment_of_a_kill_arrives_once_and_leaves_no_doubt(
    tmp_path: Path,
) -> None:
    async with outside_world(tmp_path) as outside, lives_in(outside) as lives:
        await play_a_report(outside)
        await lives.begin(REPORT_WRITTEN)
        asked = f"{outside.slack.mention} continue with the report"
        root = await outside.slack.say("ann", CHANNEL, asked)
        assert await lives.dies(within_s=REACH_S)
        [written] = reports_on_disk(tmp_path)
        assert outside.slack.files == []
        outside.model.play(ReplyText(text="It is written."))
        outside.model.play(ReplyText(text=ANSWER))
        await lives.begin()
        said = await outside.slack.wait_for(lambda slack: at_rest(slack, root), timeout_s=REACH_S)
        assert [file.name for file in outside.slack.files] == [written]
        assert reports_on_disk(tmp_path) == [written]
        assert ANSWER in [post.words for post in said]
        assert "may or may not" not in str([post.words for post in said])


async def play_a_report(outside: Outside) -> None:
    """The main agent delegates, and the sub-agent reads a page and writes on it."""
    page, *_ = await outside.web.ready()
    toolkit = "mcp__local_toolkit__"
    for tool, arguments in (
        (
            "Task",
            {
                "description": "Report",
                "prompt": f"Write a report on {page.url}.",
                "subagent_type": "report-creation-expert",
            },
        ),
        (f"{toolkit}crawl_parallel", {"urls": [page.url]}),
        (f"{toolkit}save_corpus", {"articles": [page.url]}),
        (f"{toolkit}write_report", {"title": "The page", "markdown": "There is a page. [1]"}),
    ):
        outside.model.play(ToolUse(name=tool, input=arguments))


def reports_on_disk(root: Path) -> list[str]:
    """The names of all pages that sessions hold for the person."""
    return [page.name for page in root.glob("session_*/work_products/*.html")]


def at_rest(slack: SlackStandIn, root: str) -> Sequence[Post]:
    """What the bot said in a thread, once the files are there and no more work; else nothing."""
    said = [post for post in slack.thread(CHANNEL, root) if post.user == slack.bot_user_id]
    is_at_work = any(session.status == "processing" for session in slack.state.sessions.values())
    return said if any(post.files for post in said) and not is_at_work else []
