"""What the small model reads of a message about settings, and who pays for the call."""

from agent_core.classifier import read_setting
from agent_core.messages import Payer
from agent_core.scoped_settings import Held
from agent_core.testing.models import ScriptedModel, call
from tests.runtimes import inbound

HELD: Held = {"instructions": []}


async def test_a_scope_that_nobody_can_set_is_no_setting_and_the_asker_pays_for_the_call() -> None:
    payer: Payer = inbound("").payer
    for scope, is_read in (("channel", True), ("file", False), ("default", False)):
        form = {"is_about_settings": True, "scope": scope, "changes": {"model": "small"}}
        model = ScriptedModel([call("read_setting", form)])
        draft = await read_setting(model, "use the small model", HELD, payer)
        assert draft.is_about_settings is is_read
        assert model.requests[0].payer == payer
