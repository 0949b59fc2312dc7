"""Work that was interrupted: results that were lost, and words that came in between."""

from dataclasses import dataclass
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from anthropic.types import ToolResultBlockParam, ToolUseBlock

from bot.sandbox.model.conversation import read_conversation
from tests.bot.sandbox.model.world import CRAWL, EXPERT_TOOLS, MAIN_TOOLS, Agent, World

Json = dict[str, Any]

LOST = "The program was restarted meanwhile: the call may or may not have happened."
PAGES = {
    f"https://site{n}.test/cranes": "# Harbour cranes\n\n"
    f"The tallest of the harbour cranes in town {n} lifted {n}7 tonnes in a shift last spring.\n\n"
    f"Mechanics of town {n} look at the brakes of all harbour cranes every {n + 10} days.\n"
    for n in range(1, 7)
}


@dataclass
class Forgetful(Agent):
    """Loses the result of the first call of one tool; its sub-agents do as well."""

    lost: str = ""

    async def _result(self, use: ToolUseBlock) -> ToolResultBlockParam:
        made = await super()._result(use)
        if use.name != self.lost:
            return made
        self.lost = ""
        return {"type": "tool_result", "tool_use_id": use.id, "content": LOST, "is_error": True}

    async def _delegate(self, arguments: Json) -> str:
        self.world.called.append(("pass_on", arguments))
        expert = Forgetful(client=self.client, world=self.world, tools=EXPERT_TOOLS, lost=self.lost)
        return await expert.ask(arguments["prompt"])


@pytest.mark.parametrize("tool", ["look_for_helpers", "run_many", "grab", "stow", "dig", "peek"])
async def test_a_step_whose_result_was_lost_is_made_again(
    client: AsyncAnthropic, tool: str
) -> None:
    world = World(pages=PAGES)
    agent = Forgetful(client=client, world=world, tools=MAIN_TOOLS, lost=tool)
    answer = await agent.ask("Write a comprehensive report on harbour cranes")
    assert world.names().count(tool) >= 2
    assert "1.html" in answer
    assert len(world.reports) == 1
    assert "tonnes" in world.reports[0]["markdown"]


def test_words_that_come_during_the_work_belong_to_what_was_asked() -> None:
    conversation = read_conversation(
        {
            "tools": [CRAWL],
            "messages": [
                {"role": "user", "content": "Write a report on cranes"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool_use", "id": "a", "name": "grab", "input": {"urls": ["u"]}}
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "a", "content": "a page"},
                        {"type": "text", "text": "While you were working, ben wrote: the old too"},
                    ],
                },
            ],
        }
    )
    [exchange] = conversation.exchanges
    assert exchange.asked.startswith("Write a report on cranes\n\n")
    assert "the old too" in exchange.asked
    assert [call.result for call in exchange.calls] == ["a page"]
