"""The refusal of a call as a test wants to see it."""

from collections.abc import Awaitable
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError


async def answer_of(call: Awaitable[Any]) -> Any:
    """The SDK's response object of a call that is refused."""
    with pytest.raises(SlackApiError) as refusal:
        await call
    error: Any = refusal.value
    return error.response


async def refusal_of(call: Awaitable[Any]) -> dict[str, Any]:
    """The body of the error answer that the call gets."""
    return (await answer_of(call)).data


async def error_of(call: Awaitable[Any]) -> str:
    return (await refusal_of(call))["error"]
