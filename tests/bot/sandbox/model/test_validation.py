"""Each rule of the Messages API: breaking it is a 400 that names it, keeping it is not."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from anthropic import AsyncAnthropic, BadRequestError
from anthropic.types import Message

from bot.sandbox.model import ModelStandIn, Text, ToolUse

Json = dict[str, Any]
NEW, OLD, HAIKU = "claude-sonnet-5-5", "claude-sonnet-4-5", "claude-haiku-5-5"
USE: Json = {"type": "tool_use", "id": "toolu_1", "name": "seek", "input": {}}
RESULT: Json = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "found"}
SEEK: Json = {"name": "seek", "description": "x", "input_schema": {"type": "object"}}
FOUR = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}


def user(*blocks: Json | str) -> Json:
    return {"role": "user", "content": [_block(b) for b in blocks] if blocks else "hello"}


def assistant(*blocks: Json | str) -> Json:
    return {"role": "assistant", "content": [_block(b) for b in blocks]}


def _block(block: Json | str) -> Json:
    return {"type": "text", "text": block} if isinstance(block, str) else block


def request(*messages: Json, **fields: Any) -> Json:
    return {"model": NEW, "max_tokens": 100, "messages": list(messages) or [user()], **fields}


PAIRED = (user(), assistant(USE), user(RESULT))

REFUSED: dict[str, tuple[Json, str]] = {
    "unanswered use": (request(user(), assistant(USE), user("go on")), "without `tool_result`"),
    "unanswered last use": (request(user(), assistant(USE), model=OLD), "without `tool_result`"),
    "answer after text": (
        request(user(), assistant(USE), user("first", RESULT)),
        "without `tool_result`",
    ),
    "text after the last use": (
        request(user(), assistant(USE, "and now"), user(RESULT)),
        "without `tool_result`",
    ),
    "answer one message late": (
        request(user(), assistant(USE), user("wait"), assistant("ok"), user(RESULT)),
        "without `tool_result`",
    ),
    "orphan result": (request(user(), assistant("hi"), user(RESULT)), "unexpected `tool_use_id`"),
    "result in the first message": (request(user(RESULT)), "unexpected `tool_use_id`"),
    "two results": (request(user(), assistant(USE), user(RESULT, RESULT)), "single result"),
    "same id twice": (request(*PAIRED, assistant(USE), user(RESULT)), "ids must be unique"),
    "no messages": (request() | {"messages": []}, "at least one message"),
    "assistant first": (request(assistant("hi"), user()), "first message"),
    "unknown role": (request({"role": "tool", "content": "x"}), "messages.0.role"),
    "empty content": (request(user(), assistant("a"), user() | {"content": []}), "non-empty"),
    "empty string": (request({"role": "user", "content": ""}), "non-empty content"),
    "empty text": (request(user("")), "text content blocks must be non-empty"),
    "blank text": (request(user(" \n")), "non-whitespace text"),
    "tool use in a user message": (request(user(USE)), "tool_use"),
    "unknown block": (request(user({"type": "hologram"})), "hologram"),
    "input is no object": (
        request(user(), assistant(USE | {"input": "x"}), user(RESULT)),
        "valid dictionary",
    ),
    "system message first": (request({"role": "system", "content": "x"}, user()), "role 'system'"),
    "prefill": (request(user(), assistant("The answer is")), "assistant message prefill"),
    "forced tool": (
        request(tools=[SEEK], tool_choice={"type": "tool", "name": "seek"}),
        'type "tool" and "any"',
    ),
    "forced any": (request(tools=[SEEK], tool_choice={"type": "any"}), 'type "tool" and "any"'),
    "choice without tools": (request(tool_choice={"type": "auto"}), "while providing tools"),
    "disabled thinking": (request(thinking={"type": "disabled"}), '"thinking.type.disabled"'),
    "enabled thinking": (
        request(thinking={"type": "enabled", "budget_tokens": 1024}),
        '"thinking.type.enabled"',
    ),
    "between tools at max effort": (
        request(thinking={"type": "between_tools"}, output_config={"effort": "max"}),
        "between_tools",
    ),
    "temperature": (request(temperature=1.0), "temperature"),
    "top_p": (request(top_p=1), "top_p"),
    "unknown field": (request(mood="good"), "mood: Extra inputs"),
    "no model": (request(model=""), "model"),
    "no max_tokens": ({"model": NEW, "messages": [user()]}, "max_tokens: Field required"),
    "max_tokens of nothing": (request(max_tokens=-1), "max_tokens"),
    "bad tool name": (request(tools=[SEEK | {"name": "a b"}]), "custom.name"),
    "long tool name": (request(tools=[SEEK | {"name": "a" * 129}]), "custom.name"),
    "same tool twice": (request(tools=[SEEK, SEEK]), "unique"),
    "tool without schema": (request(tools=[{"name": "seek"}]), "input_schema"),
    "schema of an array": (
        request(tools=[SEEK | {"input_schema": {"type": "array"}}]),
        "Input should be 'object'",
    ),
    "required is a string": (
        request(tools=[SEEK | {"input_schema": {"type": "object", "required": "a"}}]),
        "draft 2020-12",
    ),
    "all tools deferred": (request(tools=[SEEK | {"defer_loading": True}]), "defer_loading"),
    "five breakpoints": (request(user(*[FOUR] * 5)), "Found 5"),
    "four and the automatic one": (
        request(user(*[FOUR] * 4), cache_control={"type": "ephemeral"}),
        "Found 5",
    ),
    "short cache before long": (
        request(
            user(FOUR | {"cache_control": {"type": "ephemeral", "ttl": "1h"}}),
            system=[FOUR],
        ),
        "ttl='1h'",
    ),
    "empty system block": (request(system=[{"type": "text", "text": ""}]), "non-empty"),
}

ACCEPTED: dict[str, Json] = {
    "a pair": request(*PAIRED),
    "text before a use and after a result": request(
        user(), assistant("one moment", USE), user(RESULT, "hurry")
    ),
    "two uses answered in any order": request(
        user(),
        assistant(USE, USE | {"id": "toolu_2"}),
        user(RESULT | {"tool_use_id": "toolu_2"}, RESULT),
    ),
    "results split over neighbouring user messages": request(
        user(),
        assistant(USE, USE | {"id": "toolu_2"}),
        user(RESULT),
        user(RESULT | {"tool_use_id": "toolu_2"}),
    ),
    "neighbours of one role": request(user(), user("more"), assistant("a"), user("b")),
    "an error result without content": request(
        user(), assistant(USE), user({**RESULT, "content": "", "is_error": True})
    ),
    "prefill on an older model": request(user(), assistant("The answer is"), model=OLD),
    "forced tool on an older model": request(model=OLD, tools=[SEEK], tool_choice={"type": "any"}),
    "no thinking on haiku": request(model=HAIKU, thinking={"type": "disabled"}),
    "adaptive thinking": request(thinking={"type": "adaptive", "display": "summarized"}),
    "four breakpoints": request(user(*[FOUR] * 4)),
    "a system message after a user turn": request(user(), {"role": "system", "content": "x"}),
}


async def send(client: AsyncAnthropic, body: Json) -> Message:
    return await client.post("/v1/messages", body=body, cast_to=Message)


@pytest.mark.parametrize(("body", "words"), REFUSED.values(), ids=REFUSED.keys())
async def test_a_broken_rule_is_refused(
    model: ModelStandIn, client: AsyncAnthropic, body: Json, words: str
) -> None:
    with pytest.raises(BadRequestError) as refusal:
        await send(client, body)
    assert refusal.value.type == "invalid_request_error"
    assert words in str(refusal.value)
    assert [(call.kind, call.status) for call in model.calls] == [("rejected", 400)]


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED.keys())
async def test_a_request_within_the_rules_is_served(
    model: ModelStandIn, client: AsyncAnthropic, body: Json
) -> None:
    model.play(Text(text="fine"))
    assert (await send(client, body)).stop_reason == "end_turn"


async def test_count_tokens_checks_the_same_rules(client: AsyncAnthropic) -> None:
    body = request(user(), assistant(USE))
    del body["max_tokens"]
    with pytest.raises(BadRequestError, match=r"prefill|without `tool_result`"):
        await client.post("/v1/messages/count_tokens", body=body, cast_to=object)


async def test_sampling_parameters_pass_under_the_older_version(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    model.play(Text(text="fine"))
    older = client.with_options(default_headers={"anthropic-version": "2023-06-01"})
    assert (await send(older, request(temperature=0.5))).stop_reason == "end_turn"


async def test_an_unknown_version_is_refused() -> None:
    async with (
        ModelStandIn(api_versions=("2023-06-01",)) as model,
        AsyncAnthropic(base_url=model.base_url, api_key="x") as client,
    ):
        with pytest.raises(BadRequestError, match="anthropic-version"):
            await send(client, request())


async def test_a_request_without_a_key_is_401(model: ModelStandIn) -> None:
    async with httpx2.AsyncClient() as http:
        answer = await http.post(f"{model.base_url}/v1/messages", json=request())
    assert answer.status_code == 401
    assert answer.json()["error"]["type"] == "authentication_error"


async def test_a_body_that_is_no_json_is_refused(model: ModelStandIn) -> None:
    headers = {"authorization": "Bearer x", "anthropic-version": "2026-10-21"}
    async with httpx2.AsyncClient(headers=headers) as http:
        answer = await http.post(f"{model.base_url}/v1/messages", content=b"{nonsense")
    assert answer.status_code == 400


Edit = Callable[[list[Json]], None]


def change_thinking(messages: list[Json]) -> None:
    messages[1]["content"][0]["thinking"] = "something else"


def change_question(messages: list[Json]) -> None:
    messages[0]["content"] = "another question"


def drop_thinking(messages: list[Json]) -> None:
    del messages[1]["content"][0]


def move_cache_mark(messages: list[Json]) -> None:
    messages[0]["content"] = [{**FOUR, "text": "question"}]


async def resend(model: ModelStandIn, client: AsyncAnthropic, edit: Edit | None) -> Message:
    model.play(Text(text="one moment"), ToolUse(name="seek", input={}))
    model.play(Text(text="done"))
    fields = {"tools": [SEEK], "thinking": {"type": "adaptive", "display": "summarized"}}
    first = await send(client, request({"role": "user", "content": "question"}, **fields))
    content = [block.model_dump(exclude_none=True) for block in first.content]
    use = first.content[-1]
    assert use.type == "tool_use"
    messages = [
        {"role": "user", "content": "question"},
        {"role": "assistant", "content": content},
        user({**RESULT, "tool_use_id": use.id}),
    ]
    if edit:
        edit(messages)
    return await send(client, request(*messages, **fields))


async def test_thinking_that_comes_back_unchanged_is_accepted(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    assert (await resend(model, client, None)).stop_reason == "end_turn"


async def test_changed_thinking_is_refused(model: ModelStandIn, client: AsyncAnthropic) -> None:
    with pytest.raises(BadRequestError, match="cannot be modified"):
        await resend(model, client, change_thinking)


async def test_an_edited_prefix_passes_where_thinking_is_not_bound(
    model: ModelStandIn, client: AsyncAnthropic
) -> None:
    assert (await resend(model, client, change_question)).stop_reason == "end_turn"


@pytest.mark.parametrize("edit", [None, drop_thinking, move_cache_mark])
async def test_bound_thinking_allows_an_honest_history(edit: Edit | None) -> None:
    async with (
        ModelStandIn(bind_thinking=True) as model,
        AsyncAnthropic(base_url=model.base_url, api_key="x") as client,
    ):
        assert (await resend(model, client, edit)).stop_reason == "end_turn"


async def test_bound_thinking_after_an_edited_prefix_is_refused() -> None:
    async with (
        ModelStandIn(bind_thinking=True) as model,
        AsyncAnthropic(base_url=model.base_url, api_key="x") as client,
    ):
        with pytest.raises(BadRequestError, match="bound to a different conversation"):
            await resend(model, client, change_question)
