"""What the sandbox takes from the environment, and the environment it gives to the bot."""

import os
from collections.abc import Mapping

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

_OURS = (
    "ALLOWED_TEAMS",
    "ALLOWED_CHANNELS",
    "ALLOWED_USERS",
    "DATABASE_URL",
    "CRAWL_ALLOW",
    "CRAWL_CONNECT",
    "CLOCK_FILE",
    "LOGFIRE_TOKEN",
)
"""What a real installation may have set and the sandbox's bot must not see."""


class SandboxSettings(BaseSettings):
    """Keys of real services. One that is set is used in place of its stand-in."""

    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore")

    anthropic_api_key: SecretStr = Field(default=SecretStr(""))
    anthropic_auth_token: SecretStr = Field(default=SecretStr(""))
    zai_api_key: SecretStr = Field(default=SecretStr(""))
    anthropic_base_url: str = ""
    anthropic_version: str = ""
    agent_model: str = ""
    classifier_model: str = ""
    composio_api_key: SecretStr = Field(default=SecretStr(""))
    composio_base_url: str = ""

    @property
    def model_keys(self) -> dict[str, str]:
        """What reaches a real model; empty when the stand-in is to be used."""
        keys = self._named("anthropic_api_key", "anthropic_auth_token", "zai_api_key")
        choices = self._named(
            "anthropic_base_url", "anthropic_version", "agent_model", "classifier_model"
        )
        given = {name: value for name, value in choices.items() if value}
        return keys | given if any(keys.values()) else {}

    @property
    def composio_keys(self) -> dict[str, str]:
        """What reaches the real Composio; empty when the stand-in is to be used."""
        keys = self._named("composio_api_key", "composio_base_url")
        return keys if keys["COMPOSIO_API_KEY"] else {}

    def _named(self, *fields: str) -> dict[str, str]:
        """Fields by the names of their variables, secrets laid open."""
        values = {name: getattr(self, name) for name in fields}
        return {
            name.upper(): value.get_secret_value() if isinstance(value, SecretStr) else value
            for name, value in values.items()
        }


def child_environment(given: Mapping[str, str]) -> dict[str, str]:
    """This process's environment for the bot, with what is `given` in place of its own."""
    inherited = {name: value for name, value in os.environ.items() if name not in _OURS}
    return {**inherited, **given}
