"""Work that was interrupted: results that were lost, and words that came in between."""

from dataclasses import dataclass
from typing import Any, cast

import pytest
from anthropic import AsyncAnthropic
from anthropic.types import Message, MessageParam, ToolResultBlockParam, ToolUseBlock

from bot.sandbox.model.conversation import Conversation, read_conversation
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


REPORT = "Write a report on harbour cranes"
HISTORY: list[Json] = [
    {"role": "user", "content": REPORT},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "a", "name": "grab", "input": {"urls": ["u"]}}],
    },
]
RESULT: Json = {"type": "tool_result", "tool_use_id": "a", "content": "a page"}


def passed_on(words: str) -> str:
    """What a program says around the words that came in between."""
    return (
        f"While you were working, Ben Ode wrote in the thread:\n\n{words}\n\nTake it into account "
        "from here on: change what it changes, add what it adds, and otherwise go on. Tools act "
        "for Ben Ode from now on."
    )


def read(*messages: Json) -> Conversation:
    return read_conversation({"tools": [CRAWL], "messages": [*HISTORY, *messages]})


def user(*blocks: str | Json) -> Json:
    texts = [{"type": "text", "text": each} if isinstance(each, str) else each for each in blocks]
    return {"role": "user", "content": texts}


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (passed_on("the old too"), "the old too"),
        (passed_on("the old too\n\nand: the new"), "the old too\n\nand: the new"),
        ("While you were working, ben wrote: the old too", "the old too"),
        ("While you were busy, ben said: take it into account", "take it into account"),
    ],
)
def test_of_what_comes_during_the_work_only_the_persons_words_are_asked(
    note: str, words: str
) -> None:
    [exchange] = read(user(RESULT, note)).exchanges
    assert exchange.asked == f"{REPORT}\n\n{words}"
    assert exchange.interjected == (words,)
    assert [call.result for call in exchange.calls] == ["a page"]


def test_each_of_several_words_between_is_read_for_itself() -> None:
    [exchange] = read(user(RESULT, passed_on("the old too"), passed_on("and the new"))).exchanges
    assert exchange.interjected == ("the old too", "and the new")


def test_words_that_come_after_the_answer_are_a_request_of_their_own() -> None:
    answered: Json = {"role": "assistant", "content": "Here it is."}
    first, second = read(user(RESULT), answered, user(passed_on("the old too"))).exchanges
    assert (first.asked, second.asked) == (REPORT, "the old too")
    [only] = read(user(RESULT), answered, user(passed_on("Done."))).exchanges
    assert only.asked == REPORT


@pytest.mark.parametrize(
    "words",
    ["done", "Ok!", "fertig", "approve", "Approved.", "yes, looks good", "ja, passt",
     "I\u2019m done", "I've connected it", "Thanks, done 👍",
     "<earlier_posts>\nAna: hi\n</earlier_posts>\n\nok"],
)  # fmt: skip
def test_a_word_that_only_says_yes_adds_nothing(words: str) -> None:
    [exchange] = read(user(RESULT, passed_on(words))).exchanges
    assert exchange.asked == REPORT


@pytest.mark.parametrize("words", ["yes, and the old too", "done with cranes, take ships", "No"])
def test_a_yes_with_more_behind_it_is_kept(words: str) -> None:
    [exchange] = read(user(RESULT, passed_on(words))).exchanges
    assert exchange.asked == f"{REPORT}\n\n{words}"


def test_a_first_question_about_the_work_is_left_as_it_is() -> None:
    text = "What did Ben do while you were working on the cranes?"
    [exchange] = read_conversation({"messages": [{"role": "user", "content": text}]}).exchanges
    assert exchange.asked == text


@dataclass
class Interrupted(Agent):
    """Somebody writes beside every result, and once more after the answer."""

    note: str = ""

    async def ask(self, text: str, max_steps: int = 25) -> str:
        answer = await super().ask(text, max_steps)
        return await super().ask(self.note, max_steps) if self.note else answer

    async def _reply(self) -> Message:
        last = self.messages[-1]
        if self.note and "tool_result" in str(last):
            blocks = [*cast(list[Any], last["content"]), {"type": "text", "text": self.note}]
            self.messages[-1] = cast(MessageParam, {"role": "user", "content": blocks})
        return await super()._reply()


async def test_a_yes_during_the_work_changes_neither_searches_nor_report_nor_answer(
    client: AsyncAnthropic,
) -> None:
    worlds = World(pages=PAGES), World(pages=PAGES)
    answers = [
        await Interrupted(client=client, world=world, tools=MAIN_TOOLS, note=note).ask(REPORT)
        for world, note in zip(worlds, ("", passed_on("done")), strict=True)
    ]
    assert worlds[0].called == worlds[1].called
    assert len(worlds[1].reports) == 1
    assert answers[0] == answers[1]
