"""An office whose apps are all connected, and somebody who asks in it."""

import pytest
from anthropic import AsyncAnthropic

from tests.bot.sandbox.model.errands.office import (
    ALL,
    PAGES,
    Clerk,
    Office,
    clerk,
)


@pytest.fixture
def office() -> Office:
    return Office(pages=dict(PAGES), connected=dict(ALL))


@pytest.fixture
def agent(client: AsyncAnthropic, office: Office) -> Clerk:
    return clerk(client, office)
