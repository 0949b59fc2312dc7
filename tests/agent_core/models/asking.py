"""How tests ask the Anthropic model."""

import asyncio
from contextlib import aclosing

import pytest

from agent_core.errors import (
    ModelError,
)
from agent_core.messages import user_message
from agent_core.models import ModelRequest, Reply
from agent_core.models.anthropic import AnthropicModel
from tests.agent_core.models.messages_server import (
    text_block,
    whole,
)

HELLO = ModelRequest(system="Be brief.", messages=(user_message("Hello"),))


FINE = whole(text_block(0, "Fine."))


async def ask(model: AnthropicModel, request: ModelRequest = HELLO) -> Reply:
    await model.warm_up()
    async with asyncio.timeout(10), aclosing(model.stream(request)) as items:
        replies = [item async for item in items if isinstance(item, Reply)]
    assert len(replies) == 1
    return replies[0]


async def failure_of(model: AnthropicModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await ask(model)
    return caught.value
