"""The prompt cache: what a request reads, what it writes, and what makes it forget."""

from typing import Any

from anthropic import AsyncAnthropic
from anthropic.types import Usage

from bot.sandbox.model import ModelStandIn, Text
from bot.sandbox.model.usage import PromptCache

LONG = "The rules of the house are many. " * 200
MARK = {"type": "ephemeral"}


async def usage_of(
    model: ModelStandIn, client: AsyncAnthropic, system: str, question: str, **mark: Any
) -> Usage:
    model.play(Text(text="ok"))
    block: Any = {"type": "text", "text": system, "cache_control": {**MARK, **mark}}
    message = await client.messages.create(
        model="claude-sonnet-5-5",
        max_tokens=100,
        system=[block],
        messages=[{"role": "user", "content": question}],
    )
    return message.usage


async def test_a_marked_prefix_is_written_once_and_read_afterwards(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    first = await usage_of(model, client, LONG, "one")
    second = await usage_of(model, client, LONG, "two")
    assert (first.cache_read_input_tokens, second.cache_creation_input_tokens) == (0, 0)
    assert first.cache_creation_input_tokens == second.cache_read_input_tokens
    assert (second.cache_read_input_tokens or 0) > 1000
    assert second.input_tokens < 50


async def test_the_hour_is_counted_apart_from_the_five_minutes(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    usage = await usage_of(model, client, LONG, "one", ttl="1h")
    assert usage.cache_creation is not None
    assert usage.cache_creation.ephemeral_1h_input_tokens > 1000
    assert usage.cache_creation.ephemeral_5m_input_tokens == 0


async def test_a_changed_system_reads_nothing(model: ModelStandIn, client: AsyncAnthropic) -> None:
    await usage_of(model, client, LONG, "one")
    changed = await usage_of(model, client, LONG + "One more.", "one")
    assert changed.cache_read_input_tokens == 0


async def test_a_short_prefix_is_silently_not_cached(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    usage = await usage_of(model, client, "Be brief.", "one")
    assert usage.cache_creation_input_tokens == 0


async def test_a_growing_conversation_reads_what_the_last_request_wrote() -> None:
    cache = PromptCache(lambda: 0.0)
    messages = [{"role": "user", "content": LONG}]
    body: dict[str, Any] = {"model": "claude-sonnet-5-5", "cache_control": MARK}
    first = cache.account({**body, "messages": list(messages)})
    messages += [{"role": "assistant", "content": "yes"}, {"role": "user", "content": "more"}]
    second = cache.account({**body, "messages": messages})
    assert second["cache_read_input_tokens"] == first["cache_creation_input_tokens"]
    assert 0 < second["cache_creation_input_tokens"] < 50


async def test_an_entry_is_forgotten_after_its_time() -> None:
    clock = [0.0]
    cache = PromptCache(lambda: clock[0])
    body: dict[str, Any] = {
        "model": "claude-sonnet-5-5",
        "cache_control": MARK,
        "messages": [{"role": "user", "content": LONG}],
    }
    cache.account(body)
    clock[0] = 299.0
    assert cache.account(body)["cache_read_input_tokens"] > 1000
    clock[0] = 600.0
    assert cache.account(body)["cache_read_input_tokens"] == 0


async def test_count_tokens_follows_the_length(client: AsyncAnthropic) -> None:
    async def count(text: str) -> int:
        answer = await client.messages.count_tokens(
            model="claude-sonnet-5-5", messages=[{"role": "user", "content": text}]
        )
        return answer.input_tokens

    assert 900 <= await count("word " * 800) - await count("word") <= 1100
