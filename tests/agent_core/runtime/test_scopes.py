"""What a channel has set holds in its turns: tools, sources, model and instructions."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_core.ids import UserId
from agent_core.models import ModelRequest, Reply
from agent_core.runtime.scopes import scope_settings
from agent_core.scoped_settings import SETTINGS
from agent_core.sessions import Database
from agent_core.settings import CoreSettings
from agent_core.testing.models import ScriptedModel, text_reply
from agent_core.testing.tools import FakeToolset
from agent_core.yaml_files import nearest
from tests.agent_core.runtime.threads import look
from tests.attacks.world import play
from tests.runtimes import inbound, scripted_runtime

OFF = "mcp__composio__GMAIL_SEND_EMAIL"
ON = "mcp__local_toolkit__search_web"


@pytest.mark.proves("scopes.effect")
async def test_tools_sources_and_instructions_of_a_channel_hold_in_its_turns(
    tmp_path: Path,
) -> None:
    seen: list[ModelRequest] = []

    def answering(request: ModelRequest) -> Reply:
        seen.append(request)
        return text_reply("Lovely, all of it.")

    model = ScriptedModel([answering] * 2)
    tools = FakeToolset({OFF: look, ON: look})
    wanted = {
        "cite_or_stay_silent": "true",
        "tools": "*, !GMAIL_*",
        "instructions": "answer in <rhyme>",
    }
    async with scripted_runtime(tmp_path, model=model, tools=tools, specs=()) as runtime:
        free = await play(runtime, inbound("Say something nice", thread=1))
        now = datetime.now(UTC)
        await runtime.scopes.change("T1:C1", wanted, UserId("T1:U2"), key="1", now=now)
        bound = await play(runtime, inbound("Say something nice", thread=2))
    assert free.end.answer == "Lovely, all of it."
    assert bound.end.answer.startswith("I found no source for this")
    before, after = seen
    assert {OFF, ON} <= {tool.name for tool in before.tools}
    assert OFF not in {tool.name for tool in after.tools}
    assert ON in {tool.name for tool in after.tools}
    assert "<wish" not in before.system
    assert '<wish of="channel">\nanswer in (rhyme>\n</wish>' in after.system


@pytest.mark.proves("scopes.file_wins")
def test_what_the_file_sets_is_not_set_by_words_nor_is_an_unknown_name(tmp_path: Path) -> None:
    file = tmp_path / "channels.yaml"
    file.write_text("channels:\n  C1:\n    model: small\n", encoding="utf-8")
    core = CoreSettings.model_construct(channel_settings_file=file)
    scopes = scope_settings(Database(f"sqlite:///{tmp_path}/state.sqlite"), core)
    assert scopes.fault("T1:C1", "model", "main") == "in-file"
    assert scopes.fault("T1:C1:1.000001", "model", "main") == "in-file"
    assert scopes.fault("T1:C2", "model", "main") == ""
    assert scopes.fault("T1:C2", "modle", "main") == "unknown"
    assert scopes.fault("T1:C2", "guests", "perhaps") == "wrong"
    assert nearest("modle", SETTINGS) == "model"
