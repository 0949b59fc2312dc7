"""What the sandbox takes from the environment, and the environment it gives to the bot."""

import os
from collections.abc import Mapping

from pydantic import Field
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

    anthropic_api_key: str = Field(default="", repr=False)
    anthropic_auth_token: str = Field(default="", repr=False)
    zai_api_key: str = Field(default="", repr=False)
    anthropic_base_url: str = ""
    anthropic_version: str = ""
    agent_model: str = ""
    classifier_model: str = ""
    composio_api_key: str = Field(default="", repr=False)
    composio_base_url: str = ""

    @property
    def model_keys(self) -> dict[str, str]:
        """What reaches a real model; empty when the stand-in is to be used."""
        has_key = self.anthropic_api_key or self.anthropic_auth_token or self.zai_api_key
        return self._given("anthropic", "zai", "agent", "classifier") if has_key else {}

    @property
    def composio_keys(self) -> dict[str, str]:
        """What reaches the real Composio; empty when the stand-in is to be used."""
        return self._given("composio") if self.composio_api_key else {}

    def _given(self, *services: str) -> dict[str, str]:
        """The fields that are set, by the names of their variables."""
        given: dict[str, str] = self.model_dump(exclude_defaults=True)
        return {name.upper(): value for name, value in given.items() if name.startswith(services)}


def child_environment(given: Mapping[str, str]) -> dict[str, str]:
    """This process's environment for the bot, with what is `given` in place of its own."""
    inherited = {name: value for name, value in os.environ.items() if name not in _OURS}
    return {**inherited, **given}
