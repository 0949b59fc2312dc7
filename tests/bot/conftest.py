from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.settings import SHARED_ACCOUNTS, CoreSettings
from bot.settings import BotSettings
from tests.bot.desk import Desk, open_desk

SETTINGS = [name.upper() for model in (BotSettings, CoreSettings) for name in model.model_fields]


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with open_desk(Desk) as desk:
        yield desk


@pytest.fixture
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No setting of the machine is seen; the returned directory is where `.env` is looked for."""
    for name in (*SETTINGS, *SHARED_ACCOUNTS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path
