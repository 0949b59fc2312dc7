"""No setting of the machine is seen."""

from pathlib import Path

import pytest

from agent_core.settings import CoreSettings
from bot.settings import BotSettings


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The returned directory is where `.env` is looked for."""
    for name in (*BotSettings.model_fields, *CoreSettings.model_fields):
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path
