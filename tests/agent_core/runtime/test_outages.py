"""Tool servers that are away, and processes that died: who hears of it, and who waits for whom."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import update

from agent_core.events import StepStarted
from agent_core.mcp import HubLimits, McpHub
from agent_core.runtime import MAX_TRIES
from agent_core.sessions import Database
from agent_core.sessions.schema import turns
from agent_core.testing.models import Held, ScriptedModel
from tests.agent_core.mcp.http_world import Answer, World
from tests.agent_core.runtime.threads import TIMEOUT_S, at_work, begin, end_of, events_of, told
from tests.runtimes import inbound, scripted_runtime

NOTICE = "I had to do without Far; I could not reach it just now. Asking again later may help."


@pytest.mark.proves("hub.away")
async def test_an_outage_is_told_once_to_the_person_and_to_the_model_until_it_is_over(
    tmp_path: Path,
) -> None:
    model = ScriptedModel(["First.", "Second.", "Third."])
    async with World().open() as world:
        hub = McpHub([world.server()], limits=HubLimits(retry_after_s=0, max_restarts=9))
        async with scripted_runtime(tmp_path, model=model, tools=hub, away=hub.away) as runtime:
            answers: list[str] = []
            steps: list[StepStarted] = []
            for number in (1, 2, 3):
                if number == 1:
                    world.app.rule = lambda _: Answer(status=503)
                if number == 3:
                    world.app.rule = lambda _: None
                turn = await begin(runtime, inbound("continue", number=number))
                answers.append((await end_of(runtime, turn)).answer)
                events = await events_of(runtime, turn)
                steps += [event for event in events if isinstance(event, StepStarted)]
        await hub.close()
    assert answers == [f"{NOTICE}\n\nFirst.", "Second.", "Third."]
    assert steps[1].away == "Going on without Far: I cannot reach it just now"
    first, second, third = model.requests
    for request in (first, second):
        assert "cannot be had just now" in told(request)
        assert "- far: The tool server far could not be started: HTTP 503" in told(request)
        assert not any(tool.name.startswith("mcp__far__") for tool in request.tools)
    assert "cannot be had just now" not in told(third)
    assert any(tool.name.startswith("mcp__far__") for tool in third.tools)


@pytest.mark.proves("crashes.poison")
async def test_new_turns_wait_for_one_that_another_death_would_set_aside(tmp_path: Path) -> None:
    """Else a process that dies of something else would count as one that died of it."""
    before, again = Held(then="unheard"), Held(then="All is counted.")
    async with at_work(before.reached, tmp_path, model=ScriptedModel([before])) as (_, suspect):
        pass
    database = Database(f"sqlite:///{tmp_path}/state.sqlite")
    died_twice = update(turns).values(tries=MAX_TRIES - 1, tried_from=1_000)
    await database.execute(died_twice)
    await database.close()
    model = ScriptedModel([again, "Here I am."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        async with asyncio.timeout(TIMEOUT_S):
            await again.reached.wait()
        other = await begin(runtime, inbound("And you?", thread=2))
        assert (await runtime.turn(other)).status == "queued"
        again.release.set()
        assert (await end_of(runtime, suspect)).answer == "All is counted."
        assert (await end_of(runtime, other)).answer == "Here I am."
