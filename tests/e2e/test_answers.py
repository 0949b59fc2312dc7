"""What a person sees of a turn: the sign, one progress post, the answer, then the file."""

import json
import logging
import re

import pytest

from agent_core.masking import MaskingFormatter
from tests.e2e.world import SIMPLE_ANSWER, World

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.proves("thread.mention")
async def test_a_simple_answer_comes_without_a_progress_post(world: World) -> None:
    root = await world.ask_simply("What is a question?")
    [post] = world.bot_posts(root)
    assert post.text == SIMPLE_ANSWER


@pytest.mark.proves("thread.closing_figures")
async def test_complex_work_shows_one_progress_post_that_ends_closed(world: World) -> None:
    root = await world.ask("Find out what teams say about retries in chat bots")
    progress, answer = world.bot_posts(root)
    assert re.match(r"Done in .* pages? read\n✓ ", progress.text)
    assert not re.search(r"\.md|\w_\w", progress.text), "no names of files or tools"
    assert answer.text in world.answers(root)


@pytest.mark.proves("thread.report")
async def test_answer_and_report_are_one_post(world: World) -> None:
    root = await world.ask("Write a comprehensive report on keeping chat bots reliable")
    _, shared = (
        post for post in world.slack.thread("general", root) if post.user == world.slack.bot_user_id
    )
    assert shared.subtype == "file_share"
    assert shared.words in world.answers(root)
    [file] = shared.files
    assert file.name.endswith(".html")
    assert file.content.startswith(b"<!doctype html>")
    [stored] = (await world.workspace(root)).glob("work_products/*.html")
    assert file.content == stored.read_bytes()


@pytest.mark.proves("answer.unfound")
async def test_an_altered_figure_is_marked_in_the_report_and_in_the_thread(world: World) -> None:
    """Its page says 20 minutes."""
    with world.model.planting("20 minutes", "37 minutes"):
        root = await world.ask("Write a comprehensive report on keeping chat bots reliable")
    [answer] = [post for post in world.bot_posts(root) if "37 minutes" in post.words]
    shown = "".join(block["text"] for block in answer.blocks if block["type"] == "markdown")
    marked = shown.partition("37 minutes")[2]
    assert re.search(r"#:~:text=\S+\) \W+not found in the source", marked)
    files = [file for post in world.slack.thread("general", root) for file in post.files]
    page = files[0].content.decode()
    assert re.search(r'37 minutes.*class="unfound" title="not found in the source: 37', page)
    [unfound] = re.findall(r'data-unfound="(\d+)"', page)
    assert int(unfound) == page.count('class="unfound"') > 0
    assert re.search(rf"claims, \d+ found.*, {unfound} not found", shown), "as the report counts"


@pytest.mark.proves("plan.seen")
async def test_a_comparison_is_explored_side_by_side_and_ends_in_one_answer_and_a_report(
    world: World,
) -> None:
    root = await world.ask("Compare heat pumps, battery storage and wind power for a small town")
    shown = [block for post in world.bot_posts(root) for block in post.blocks]
    answer = "\n".join(block["text"] for block in shown if block["type"] == "markdown")
    for said in ("**Heat pumps**", "**Battery storage**", "The report “"):
        assert answer.count(said) == 1
    [table] = [block for block in shown if block["type"] in ("table", "data_table")]
    assert all(
        side in json.dumps(table) for side in ("Heat pumps", "Battery storage", "Wind power")
    )
    facts = [line for line in answer.splitlines() if line.startswith("- ")]
    assert facts
    assert len(facts) == len(set(facts))
    assert any(file.name.endswith(".html") for post in world.slack.thread("general", root)
               for file in post.files)  # fmt: skip
    trace = json.loads((await world.workspace(root) / "trace.json").read_bytes())
    explored = [run for run in trace["runs"] if run["agent"] == "explorer"]
    assert [run["outcome"] for run in explored] == ["answered"] * 3
    last_start = max(run["start_offset_seconds"] for run in explored)
    assert all(run["end_offset_seconds"] > last_start for run in explored)


@pytest.mark.proves("masking.own_keys")
async def test_no_key_of_the_bot_is_in_its_database_its_files_or_its_log(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    outside = world.outside
    environment = {
        **outside.slack.environment,
        **outside.model.environment,
        **outside.composio.environment,
    }
    keys = [each for each in environment.values() if each.startswith(("xoxb-", "xapp-", "ak_"))]
    assert len(keys) == 3
    world.model.fail(status=401, times=1)
    await world.ask("Write a comprehensive report on keeping chat bots reliable")
    await world.ask("Find out what teams say about retries in chat bots")
    read = {path: path.read_bytes() for path in outside.root.rglob("*") if path.is_file()}
    assert {path.suffix for path in read} >= {".sqlite", ".log", ".json", ".html"}
    told = MaskingFormatter("%(message)s")
    read[outside.root / "the log"] = "\n".join(map(told.format, caplog.records)).encode()
    found = [
        (path.name, key[:6]) for path, text in read.items() for key in keys if key.encode() in text
    ]
    assert found == []
