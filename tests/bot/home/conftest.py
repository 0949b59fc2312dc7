from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.testing.accounts import FakeAccounts
from tests.bot.home.world import Around, around


@pytest.fixture
def accounts() -> FakeAccounts:
    return FakeAccounts()


@pytest.fixture
async def place(tmp_path: Path, accounts: FakeAccounts) -> AsyncIterator[Around]:
    async with around(tmp_path, accounts=accounts) as place:
        yield place
