"""Search, report, files and large results, however Composio answers a session's wishes."""

import json
from pathlib import Path
from typing import Literal

import pytest

from agent_core.events import ToolCallFinished
from bot.sandbox.model import ReplyText, ToolUse
from tests.e2e.world import batch, bot_in, outside_world

pytestmark = pytest.mark.process("a whole bot with its toolkit works in a world of its own")

Preload = Literal["granted", "ignored"]
SEARCH = "COMPOSIO_SEARCH_WEB"
LOCAL = "mcp__local_toolkit__"
REMOTE = "/mnt/files/.composio/output/multi_execute_1.json"
FETCH = f'workbench_download(remote_path="{REMOTE}")'
NOTE = "work_products/note.md"
WAYS = pytest.mark.parametrize("preload", ["granted", "ignored"])


@WAYS
@pytest.mark.proves("composio.both_ways", "trace.session_info.url")
async def test_a_report_is_researched_and_its_searches_are_recorded(
    tmp_path: Path, preload: Preload
) -> None:
    async with outside_world(tmp_path) as outside:
        outside.composio.preload = preload
        async with bot_in(outside) as world:
            root = await world.mention("Write a detailed report on battery storage")
            await world.answered(root, timeout_s=90)
            workspace = await world.workspace(root)
        called = {call.tool for call in outside.composio.calls}
        sessions = list(outside.composio.sessions)
    by_name = {SEARCH, "COMPOSIO_SEARCH_NEWS"}
    assert called == (by_name if preload == "granted" else {"COMPOSIO_MULTI_EXECUTE_TOOL"})
    assert list((workspace / "work_products").glob("*.html"))
    records = [
        json.loads(path.read_bytes()) for path in (workspace / "search_results").glob("COMPOSIO_*")
    ]
    assert SEARCH in {record["tool"] for record in records}
    info = json.loads((workspace / "trace.json").read_bytes())["session_info"]
    assert info["url"] == f"{outside.composio.base_url}/v3/mcp/{sessions[0]}"


@WAYS
@pytest.mark.proves("composio.both_ways", "access.search_in_batch")
async def test_the_expert_searches_and_moves_files_and_reaches_nothing_else(
    tmp_path: Path, preload: Preload
) -> None:
    is_listed = preload == "granted"
    query = {"query": "idempotency"}
    direct = ToolUse(name=f"mcp__composio__{SEARCH}", input=query)
    remote = {"local_path": NOTE, "remote_path": "/home/user/note.md"}
    delegation = {"description": "d", "prompt": "p", "subagent_type": "report-creation-expert"}
    steps = [
        ToolUse(name="Task", input=delegation),
        direct if is_listed else batch(SEARCH, query),
        batch("GMAIL_FETCH_EMAILS", query),
        ToolUse(name=f"{LOCAL}write_local_file", input={"path": NOTE, "content": "# N"}),
        ToolUse(name=f"{LOCAL}workbench_upload", input=remote),
        ToolUse(name=f"{LOCAL}upload_to_composio", input={"path": NOTE}),
        ReplyText(text="Searched and moved."),
        ReplyText(text="That is all."),
    ]
    async with outside_world(tmp_path) as outside:
        outside.composio.preload = preload
        outside.composio.connect(f"{outside.slack.team_id}:{outside.slack.user_id('ann')}", "gmail")
        async with bot_in(outside) as world:
            for step in steps:
                world.model.play(step)
            root = await world.ask("continue with the research")
            events = await world.events(root)
            found = list((await world.workspace(root)).glob(f"search_results/{SEARCH}_*"))
        executed = [each.slug for each in outside.composio.executions]
        stored = [file.data for file in outside.composio.storage.announced.values()]
    ended = [event for event in events if isinstance(event, ToolCallFinished)]
    assert [event.is_error for event in ended] == [False, True, False, False, False, False]
    assert "GMAIL_FETCH_EMAILS" not in executed
    assert len(found) == 1
    assert b"# N" in stored


@WAYS
@pytest.mark.proves("large.fetched", "large.told", "large.activity")
async def test_a_result_above_5_mb_is_fetched_from_the_workbench(
    tmp_path: Path, preload: Preload
) -> None:
    async with outside_world(tmp_path) as outside:
        outside.composio.preload = preload
        async with bot_in(outside) as world:
            world.model.play(batch(SEARCH, *[{"query": "leviathan"}] * 3))
            fetch = {"remote_path": REMOTE, "local_path": "downloads/large.json"}
            world.model.play(ToolUse(name=f"{LOCAL}workbench_download", input=fetch))
            world.model.play(ReplyText(text="It is here."))
            root = await world.ask("continue to both leviathans")
            workspace = await world.workspace(root)
            told = json.dumps(world.requests_with("both leviathans")[-1]["messages"])
            results = [e for e in await world.events(root) if isinstance(e, ToolCallFinished)]
    assert world.answers(root) == ["It is here."]
    assert [(event.is_error, event.size_bytes < 100_000) for event in results] == [
        (False, True)
    ] * 2
    assert json.dumps(json.dumps(FETCH))[3:-3] in told
    landed = workspace / "downloads/large.json"
    assert landed.stat().st_size > 5_000_000
    whole = json.loads(landed.read_bytes())
    assert [each["response"]["successful"] for each in whole] == [True] * 3
    [record] = [
        json.loads(path.read_bytes()) for path in (workspace / "workbench_activity").iterdir()
    ]
    assert record["input"]["code"] == REMOTE
    assert str(landed) in record["output"]["stdout"]
