"""Pages that were asked for and could not be had are named in the answer."""

import json
from pathlib import Path

import pytest

from agent_core.events import TurnFinished
from agent_core.messages import JsonObject
from agent_core.testing.models import ScriptedModel, call
from agent_core.testing.runtimes import inbound, scripted_runtime
from agent_core.testing.tools import FakeToolset
from agent_core.tools import Progress, ToolContext

CRAWL = "mcp__local_toolkit__crawl_parallel"
NOTHING_READ = "I could not read any of the pages that I tried."


def crawls(*successes: int) -> FakeToolset:
    left = list(successes)

    async def crawl(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
        if (count := left.pop(0)) < 0:
            raise OSError("the crawler is away")
        return json.dumps({"success": count > 0, "successful": count, "failed": 4 - count})

    return FakeToolset({CRAWL: crawl})


async def answer(root: Path, tools: FakeToolset, calls: int, ask: str = "continue with it") -> str:
    model = ScriptedModel([*[call(CRAWL)] * calls, "That is it."])
    async with scripted_runtime(root, model=model, tools=tools) as runtime:
        turn = await runtime.handle(inbound(ask))
        assert turn is not None
        events = [event async for _, event in runtime.events(turn)]
    last = events[-1]
    assert isinstance(last, TurnFinished)
    return last.answer


@pytest.mark.parametrize("successes", [(0,), (0, 0), (-1,), (0, -1)])
async def test_when_every_page_failed_the_answer_begins_with_it(
    tmp_path: Path, successes: tuple[int, ...]
) -> None:
    said = await answer(tmp_path, crawls(*successes), len(successes))
    assert said == f"{NOTHING_READ}\n\nThat is it."


@pytest.mark.parametrize("successes", [(), (4,), (0, 1), (1, 0)])
async def test_when_a_page_was_read_or_none_was_wanted_it_is_not_said(
    tmp_path: Path, successes: tuple[int, ...]
) -> None:
    assert await answer(tmp_path, crawls(*successes), len(successes)) == "That is it."


async def test_it_is_said_in_the_askers_language(tmp_path: Path) -> None:
    said = await answer(tmp_path, crawls(0), 1, "weiter mit der Frage und den Seiten")
    assert said.startswith("Von den Seiten, die ich versucht habe, konnte ich keine lesen.")
