"""Tool servers that are away: the model and the person hear of it, and when they are back, not."""

from pathlib import Path

import pytest

from agent_core.mcp import HttpServer, HubLimits, McpHub
from agent_core.testing.models import ScriptedModel
from tests.agent_core.mcp.http_world import Answer, World
from tests.agent_core.runtime.threads import begin, end_of, told
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
            for number in (1, 2, 3):
                if number == 1:
                    world.app.rule = lambda _: Answer(status=503)
                if number == 3:
                    world.app.rule = lambda _: None
                turn = await begin(runtime, inbound("continue", number=number))
                answers.append((await end_of(runtime, turn)).answer)
        await hub.close()
    assert answers == [f"{NOTICE}\n\nFirst.", "Second.", "Third."]
    first, second, third = model.requests
    for request in (first, second):
        assert "cannot be had just now" in told(request)
        assert "- far: The tool server far could not be started: HTTP 503" in told(request)
        assert not any(tool.name.startswith("mcp__far__") for tool in request.tools)
    assert "cannot be had just now" not in told(third)
    assert any(tool.name.startswith("mcp__far__") for tool in third.tools)


@pytest.mark.proves("hub.away")
async def test_the_notice_is_in_the_language_of_the_thread(tmp_path: Path) -> None:
    model = ScriptedModel(["Fertig."])
    hub = McpHub([HttpServer(name="far", url="http://127.0.0.1:9/mcp")])
    async with scripted_runtime(tmp_path, model=model, tools=hub, away=hub.away) as runtime:
        message = inbound("Bitte schreibe mir einen Bericht über die Preise von Wohnungen in Ulm")
        answer = (await end_of(runtime, await begin(runtime, message))).answer
    await hub.close()
    assert answer.startswith("Das ging gerade nicht: Far.")
