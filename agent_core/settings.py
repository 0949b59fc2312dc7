"""What the core is configured by. The only reader of the environment in this package."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

ZAI_BASE_URL = "https://api.z.ai/api/anthropic"


class CoreSettings(BaseSettings):
    """Environment variables and `.env`; every field says what it is for."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="ignore", env_ignore_empty=True
    )

    anthropic_api_key: SecretStr = Field(
        default=SecretStr(""), description="Key of the Anthropic API."
    )
    anthropic_auth_token: SecretStr = Field(
        default=SecretStr(""), description="Bearer token of a gateway, in place of a key."
    )
    zai_api_key: SecretStr = Field(
        default=SecretStr(""),
        description="Key of Z.AI; used as the bearer token at Z.AI's address when no other is set.",
    )
    anthropic_base_url: str = Field(default="", description="Address of a gateway.")
    anthropic_version: str = Field(
        default="", description="Version header, for gateways that refuse the newest."
    )
    agent_model: str = Field(default="claude-sonnet-5-5", description="The main model.")
    classifier_model: str = Field(
        default="claude-haiku-5-5", description="The small model that routes messages."
    )
    composio_api_key: SecretStr = Field(
        default=SecretStr(""), description="Key of Composio; without it there are no app tools."
    )
    composio_base_url: str = Field(default="", description="Address of another Composio.")
    logfire_token: SecretStr = Field(
        default=SecretStr(""), description="Write token; without it nothing goes to Logfire."
    )
    logfire_project: str = Field(
        default="", description="`organisation/project`, for links to traces."
    )
    database_url: str = Field(
        default="", description="Postgres URL; empty means SQLite files in the workspaces' root."
    )
    workspaces_root: Path = Field(
        default=Path("AGENT_RUN_WORKSPACES"), description="Where sessions keep their files."
    )
    crawl_allow: str = Field(
        default="",
        description="Hosts (`host` or `host:port`, comma separated) that the crawler may open "
        "although they are not public.",
    )
    crawl_connect: str = Field(
        default="",
        description="`pattern=address:port` entries: allowed hosts that are dialled there.",
    )
    max_steps: Annotated[int, Field(ge=1)] = Field(
        default=40, description="Model calls that one run may make."
    )
    max_minutes: Annotated[float, Field(gt=0)] = Field(
        default=30.0, description="Time that one run may take."
    )
    max_tokens: Annotated[int, Field(ge=1000)] = Field(
        default=3_000_000, description="Tokens that one run may use."
    )

    @field_validator("database_url")
    @classmethod
    def _of_a_database(cls, value: str) -> str:
        try:
            backend = make_url(value).get_backend_name() if value else "sqlite"
        except ArgumentError:
            backend = ""
        if backend not in {"sqlite", "postgresql"}:
            raise ValueError("only sqlite:///… and postgresql://… addresses work")
        return value

    @property
    def bearer(self) -> str:
        """The bearer token to send: empty with a key, Z.AI's as the last resort."""
        if self.anthropic_api_key.get_secret_value():
            return ""
        token = self.anthropic_auth_token.get_secret_value()
        return token or self.zai_api_key.get_secret_value()

    @property
    def model_base_url(self) -> str | None:
        """Where models are called; None for Anthropic's own address."""
        if self.anthropic_base_url:
            return self.anthropic_base_url
        keys = (self.anthropic_api_key, self.anthropic_auth_token)
        only_zai = self.zai_api_key.get_secret_value() and not any(
            key.get_secret_value() for key in keys
        )
        return ZAI_BASE_URL if only_zai else None

    @property
    def state_url(self) -> str:
        """SQLAlchemy URL of sessions and events."""
        return self.database_url or f"sqlite:///{self.workspaces_root.resolve()}/state.sqlite"

    @property
    def durable_url(self) -> str:
        """SQLAlchemy URL of the durable turns' own tables."""
        return self.database_url or f"sqlite:///{self.workspaces_root.resolve()}/turns.sqlite"
