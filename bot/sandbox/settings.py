"""The sandbox's settings, and the environment of the bot in it."""

import os
from collections.abc import Mapping

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

_HIDDEN = (
    "ALLOWED_TEAMS",
    "ALLOWED_CHANNELS",
    "ALLOWED_USERS",
    "DATABASE_URL",
    "CRAWL_ALLOW",
    "CRAWL_CONNECT",
    "CLOCK_FILE",
    "LOGFIRE_TOKEN",
)
"""Variables of a real installation that the sandbox's bot must not see."""


class SandboxSettings(BaseSettings):
    """Keys of real services. A service with a key replaces its stand-in."""

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
        """The variables for a real model; empty where the stand-in is used."""
        if not (self.anthropic_api_key or self.anthropic_auth_token or self.zai_api_key):
            return {}
        return self._given("anthropic", "zai", "agent", "classifier")

    @property
    def composio_keys(self) -> dict[str, str]:
        """The variables for the real Composio; empty where the stand-in is used.

        `off` as the key is a bot without Composio.
        """
        if self.composio_api_key == "off":
            return {"COMPOSIO_API_KEY": "", "COMPOSIO_BASE_URL": ""}
        return self._given("composio") if self.composio_api_key else {}

    def _given(self, *services: str) -> dict[str, str]:
        """The set fields of some services, by the names of their variables."""
        fields: dict[str, str] = self.model_dump(exclude_defaults=True)
        return {name.upper(): value for name, value in fields.items() if name.startswith(services)}


def child_environment(given: Mapping[str, str]) -> dict[str, str]:
    """This process's environment for the bot, with `given` in its place."""
    inherited = {name: value for name, value in os.environ.items() if name not in _HIDDEN}
    return {**inherited, **given}
