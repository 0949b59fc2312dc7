"""A server of the Messages API and a model that asks it."""

from collections.abc import AsyncGenerator

import pytest

from agent_core.models.anthropic import AnthropicModel
from tests.agent_core.models.messages_server import (
    MessagesServer,
    serve_messages,
)


@pytest.fixture
async def server() -> AsyncGenerator[MessagesServer]:
    async with serve_messages() as served:
        yield served


@pytest.fixture
async def model(server: MessagesServer) -> AsyncGenerator[AnthropicModel]:
    made = AnthropicModel("claude-sonnet-5-5", api_key="key-1", base_url=server.url)
    yield made
    await made.close()
