"""A server of the Messages API, a model that asks it, and how tests ask."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from agent_core.errors import ModelError
from agent_core.messages import user_message
from agent_core.models import ModelRequest, Reply
from agent_core.models.anthropic import AnthropicConnection, AnthropicModel
from tests.agent_core.models.messages_server import (
    MessagesServer,
    serve_messages,
    text_block,
    whole,
)

HELLO = ModelRequest(system="Be brief.", messages=(user_message("Hello"),))
FINE = whole(text_block(0, "Fine."))


@pytest.fixture
async def server() -> AsyncGenerator[MessagesServer]:
    async with serve_messages() as served:
        yield served


@pytest.fixture
async def model(server: MessagesServer) -> AsyncGenerator[AnthropicModel]:
    made = AnthropicModel(
        "claude-sonnet-5-5", AnthropicConnection(api_key="key-1", base_url=server.url)
    )
    yield made
    await made.connection.close()


async def ask(model: AnthropicModel, request: ModelRequest = HELLO) -> Reply:
    await model.connection.client()
    async with asyncio.timeout(10), aclosing(model.stream(request)) as items:
        [reply] = [item async for item in items if isinstance(item, Reply)]
    return reply


async def failure_of(model: AnthropicModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await ask(model)
    return caught.value
