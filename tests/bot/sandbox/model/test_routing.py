"""The small decisions: SIMPLE or COMPLEX, hand over or answer."""

import pytest
from anthropic import AsyncAnthropic
from anthropic.types import ToolParam

from bot.sandbox.model import ModelStandIn
from bot.sandbox.model.routing import query_in
from tests.bot.sandbox.model.world import ESCAPE

SIMPLE = [
    "What is the capital of France?",
    "Explain recursion",
    "Who wrote Hamlet?",
    "How do I send an email in Python?",
    "Hello!",
    "Write a haiku about coding",
    "Was ist die Hauptstadt von Frankreich?",
]
COMPLEX = [
    "Write a comprehensive report on keeping chat bots reliable",
    "continue: add a section on retries",
    "continue",
    "yes",
    "go ahead",
    "Search the web for heat pumps",
    "What is the latest news on battery storage?",
    "What's the current time in Tokyo?",
    "What is the weather in Oslo today?",
    "Send an email to Ana with the figures",
    "Read https://example.test/a and tell me what it says",
    "Look at the attached file",
    "Look it up and then post it in #general",
    "Who won the race in 2025?",
    "Schreibe einen ausführlichen Bericht über Wärmepumpen",
    "Rédige un rapport détaillé sur les pompes à chaleur",
    "Escribe un informe sobre baterías",
]
TEMPLATES = [
    "Query: {query}",
    "Classify the query as 'SIMPLE' or 'COMPLEX'.\n\nQuery: {query}\n\nRespond with ONLY one word.",
    "<query>{query}</query>\nSIMPLE or COMPLEX?",
    "{query}",
    'The conversation so far:\nuser: write a report\nassistant: done\n\nQuery: "{query}"',
]


async def classify(client: AsyncAnthropic, prompt: str, system: str) -> str:
    message = await client.messages.create(
        model="claude-haiku-5-5",
        max_tokens=5,
        system=system,
        messages=[{"role": "user", "content": prompt}],
    )
    (block,) = message.content
    assert block.type == "text"
    return block.text


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize(("route", "queries"), [("SIMPLE", SIMPLE), ("COMPLEX", COMPLEX)])
async def test_a_query_is_routed_by_its_text_in_any_template(
    client: AsyncAnthropic, route: str, queries: list[str], template: str
) -> None:
    system = "Answer with one word, SIMPLE or COMPLEX."
    answers = {
        query: await classify(client, template.format(query=query), system) for query in queries
    }
    assert answers == dict.fromkeys(queries, route)


async def test_the_classification_may_stand_whole_in_the_user_text(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    prompt = TEMPLATES[1].format(query="Search the news about cats")
    assert await classify(client, prompt, "You route.") == "COMPLEX"
    assert model.calls[-1].kind == "classify"


def test_a_query_of_several_lines_is_read_whole() -> None:
    assert query_in("Query: one\ntwo\n\nAnswer with one word:") == "one\ntwo"


@pytest.mark.timeout(20)
async def test_a_long_text_is_routed_at_once(client: AsyncAnthropic) -> None:
    prompt = "Query: " + "word \n" * 30_000
    assert await classify(client, prompt, "SIMPLE or COMPLEX?") == "COMPLEX"


async def test_the_escape_tool_is_called_with_a_reason_when_tools_are_needed(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    message = await client.messages.create(
        model="claude-sonnet-5-5",
        max_tokens=500,
        tools=[ESCAPE],
        messages=[
            {"role": "user", "content": "What is a heat pump?"},
            {"role": "assistant", "content": "A machine."},
            {"role": "user", "content": "What is the latest news on them?"},
        ],
    )
    use = message.content[-1]
    assert use.type == "tool_use"
    assert use.name == "not_me"
    assert "tools" in str(use.input)
    assert model.calls[-1].kind == "escape"


@pytest.mark.parametrize(
    "description",
    [
        "Hand this question over to the full agent, which has tools: web search, files, apps. "
        "Call it instead of answering when the answer needs tools, current data or an action.",
        "Escalate: use this when you cannot answer without searching.",
    ],
)
async def test_the_escape_tool_is_known_by_its_description(
    client: AsyncAnthropic, description: str
) -> None:
    tool: ToolParam = {
        "name": "x",
        "description": description,
        "input_schema": {
            "type": "object",
            "properties": {"why": {"type": "string"}},
            "required": ["why"],
        },
    }
    message = await client.messages.create(
        model="claude-sonnet-5-5",
        max_tokens=500,
        tools=[tool],
        messages=[{"role": "user", "content": "Search for cats"}],
    )
    assert message.stop_reason == "tool_use"
