"""The environment variables that the description names, and what they are for here."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_core.settings import CoreSettings


@pytest.mark.proves("settings.composio_api_key", "settings.logfire_token", "settings.zai_api_key")
@pytest.mark.parametrize("name", ["COMPOSIO_API_KEY", "ZAI_API_KEY", "LOGFIRE_TOKEN"])
def test_a_described_key_is_read_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, "hush")
    read: SecretStr = getattr(CoreSettings(), name.lower())
    assert read.get_secret_value() == "hush"


@pytest.mark.proves("settings.composio_api_key")
@pytest.mark.parametrize("name", ["COMPOSIO_API_KEY", "LOGFIRE_TOKEN"])
def test_without_it_the_settings_are_still_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(name, raising=False)
    read: SecretStr = getattr(CoreSettings(), name.lower())
    assert read.get_secret_value() == ""


@pytest.mark.proves("settings.no_user_id")
@pytest.mark.parametrize("name", ["USER_ID", "DEFAULT_USER_ID"])
def test_no_setting_names_a_user_for_everybody(name: str) -> None:
    assert name.lower() not in CoreSettings.model_fields
