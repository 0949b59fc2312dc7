"""What the core is configured by, and how a setting that is not right is explained.

The only reader of the environment in this package.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

from dotenv import dotenv_values
from pydantic import AfterValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from agent_core.errors import SettingsError
from agent_core.setting_values import (
    ONE_WORD,
    as_connections,
    as_credential,
    as_hosts,
    as_link_places,
    as_web_address,
    shown,
)

ENV_FILE = ".env"
ENV_ENCODING = "utf-8-sig"  # as editors on Windows write it, and plain UTF-8
ZAI_BASE_URL = "https://api.z.ai/api/anthropic"

Settings = TypeVar("Settings", bound=BaseSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What people are told of a setting beside its description."""

    right: str = ""
    """What to write, as the end of the sentence "Write …"."""
    unset: str = ""
    """What holds when it is not set, where the default value does not say it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsReading(Generic[Settings]):
    """Settings as far as they could be read: a wrong one has its default and a fault."""

    settings: Settings
    faults: Mapping[str, str]
    """By the variable's name a whole sentence: what is wrong with it, and what would be right."""


def read_settings(kind: type[Settings]) -> SettingsReading[Settings]:
    """Read them all, whatever is wrong with some.

    Raises:
        SettingsError: the file `.env` cannot be read.
    """
    try:
        return SettingsReading(settings=kind(), faults={})
    except ValidationError as error:
        wrong = {str(fault["loc"][0]): fault for fault in reversed(error.errors())}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            "The file .env cannot be read: it must be UTF-8 text that the bot may read."
        ) from error
    defaults: dict[str, Any] = {name: kind.model_fields[name].default for name in wrong}
    names = [name for name in kind.model_fields if name in wrong]
    return SettingsReading(
        settings=kind(**defaults),
        faults={name.upper(): _sentence(kind, name, wrong[name]) for name in names},
    )


def about(kind: type[BaseSettings], name: str) -> About:
    """What a field says of itself beside its description."""
    notes = reversed(kind.model_fields[name].metadata)  # the outermost one comes last
    return next((note for note in notes if isinstance(note, About)), About())


def _sentence(kind: type[BaseSettings], name: str, fault: ErrorDetails) -> str:
    own = fault.get("ctx", {}).get("error")
    problem = str(own) if isinstance(own, ValueError) else f"is {shown(fault['input'])}"
    return f"{name.upper()} {problem}. Write {about(kind, name).right}."


_KEY = About(right="the key alone, without quotation marks or spaces")
_ADDRESS = "a whole address such as https://gateway.example/api"

Credential = Annotated[SecretStr, AfterValidator(as_credential), _KEY]
ModelName = Annotated[
    str, Field(pattern=ONE_WORD), About(right="a model's id, such as claude-sonnet-5-5")
]


class FaultSettings(BaseSettings):
    """For crash tests alone; of the environment, so that no file `.env` can leave it set."""

    fault_at: str = ""
    """A place of `agent_core.fault_points` at which the process dies."""


class ClockSettings(BaseSettings):
    """For tests and the sandbox alone; of the environment, as `FaultSettings` is."""

    clock_file: str = ""
    """A file whose number of seconds is added to the machine's time (`agent_core.clock`)."""

    @property
    def shift_file(self) -> Path | None:
        """The file; None for the machine's own time."""
        return Path(self.clock_file) if self.clock_file else None


def named_variables() -> Mapping[str, str]:
    """What a file of servers may refer to by name: the environment, and `.env` beneath it."""
    stored = dotenv_values(ENV_FILE, encoding=ENV_ENCODING, interpolate=False)
    return {name: value for name, value in stored.items() if value} | dict(os.environ)


SHARED_ACCOUNTS = ("COMPOSIO_USER_ID", "COMPOSIO_ENTITY_ID", "DEFAULT_USER_ID")


def names_a_trace_collector() -> bool:
    """Whether OpenTelemetry's own variables say where spans go."""
    return any(name.startswith("OTEL_EXPORTER_") for name in named_variables())


def shared_accounts() -> list[str]:
    """Variables that would have everybody act with one account at Composio."""
    variables = named_variables()
    return [name for name in SHARED_ACCOUNTS if variables.get(name)]


class CoreSettings(BaseSettings):
    """Environment variables and `.env`; every field says what it is for."""

    model_config = SettingsConfigDict(
        env_file=ENV_FILE,
        env_file_encoding=ENV_ENCODING,
        extra="ignore",
        env_ignore_empty=True,
    )

    anthropic_api_key: Annotated[
        Credential, About(right=_KEY.right, unset="required, or one of the next two")
    ] = Field(default=SecretStr(""), description="Key of the Anthropic API.")
    anthropic_auth_token: Credential = Field(
        default=SecretStr(""), description="Bearer token of a gateway, in place of a key."
    )
    zai_api_key: Credential = Field(
        default=SecretStr(""),
        description="Key of Z.AI; used as the bearer token at Z.AI's address when no other is set.",
    )
    anthropic_base_url: Annotated[
        str, AfterValidator(as_web_address), About(right=_ADDRESS, unset="Anthropic's")
    ] = Field(default="", description="Address of a gateway.")
    anthropic_version: Annotated[
        str,
        Field(pattern=r"^(\d{4}-\d{2}-\d{2})?$"),
        About(right="a date such as 2023-06-01", unset="the SDK's"),
    ] = Field(
        default="",
        description="Version header, for gateways that refuse the newest (2023-06-01 is then "
        "tried by itself).",
    )
    agent_model: ModelName = Field(default="claude-sonnet-5-5", description="The main model.")
    classifier_model: ModelName = Field(
        default="claude-haiku-5-5", description="The small model that routes messages."
    )
    composio_api_key: Credential = Field(
        default=SecretStr(""),
        description="Key of Composio; without it there is no search and there are no app tools.",
    )
    composio_base_url: Annotated[
        str, AfterValidator(as_web_address), About(right=_ADDRESS, unset="Composio's")
    ] = Field(default="", description="Address of another Composio.")
    workspaces_root: Annotated[Path, About(right="a directory")] = Field(
        default=Path("AGENT_RUN_WORKSPACES"),
        description="Where sessions keep their files, and SQLite its two.",
    )
    database_url: Annotated[
        str,
        About(
            right="postgresql://user:password@host/name, or leave it out for SQLite",
            unset="SQLite in the root",
        ),
    ] = Field(
        default="",
        description="Postgres URL for sessions, events and durable turns; needed where several "
        "processes run.",
    )
    crawl_allow: Annotated[
        str,
        AfterValidator(as_hosts),
        About(right="hosts as host, host:port or *.domain, with commas between them"),
    ] = Field(
        default="",
        description="Hosts (`host`, `host:port` or `*.domain`, comma separated) that the crawler "
        "may open although they are not public.",
    )
    crawl_connect: Annotated[
        str,
        AfterValidator(as_connections),
        About(
            right="pattern=address:port, such as wiki.internal=10.0.0.7:8080, with commas between"
        ),
    ] = Field(
        default="",
        description="`pattern=address:port`, comma separated: allowed hosts that are dialled "
        "there, not looked up.",
    )
    crawl_browser: Annotated[
        str,
        About(
            right="the path or name of a Chromium, `off`, or leave it out",
            unset="the one on the PATH, or Playwright's",
        ),
    ] = Field(
        default="",
        description="Chromium for pages whose text is made by scripts; `off` leaves them unread.",
    )
    mcp_servers_file: Annotated[
        Path | None,
        About(
            right="the path of a JSON file, or leave it out",
            unset="the shipped servers alone",
        ),
    ] = Field(
        default=None,
        description="JSON file of further MCP servers (`mcpServers`, as other hosts have it); see "
        "`bot mcp list`.",
    )
    policy_file: Annotated[
        Path | None,
        About(right="the path of a YAML file, or leave it out", unset="the shipped rules alone"),
    ] = Field(
        default=None,
        description="YAML file of rules on what the bot may do by itself, asks for or never does; "
        "they come before the shipped ones in `agent_core/consent/policy.yaml`.",
    )
    connect_links: Annotated[
        str,
        AfterValidator(as_link_places),
        About(right="places as host, host:port or host/path, with commas between them"),
    ] = Field(
        default="connect.composio.dev,app.composio.dev/link,backend.composio.dev/api/v3/s",
        description="Where links to connect an account live (`host`, `host:port` or `host/path`, "
        "comma separated); they are shown to their person alone.",
    )
    max_steps: Annotated[
        int, Field(ge=1), About(right="a whole number of at least 1, such as 40")
    ] = Field(
        default=40,
        description="Model calls that one run may make; a run that reaches a bound answers with "
        "what it has.",
    )
    max_minutes: Annotated[
        float, Field(gt=0, allow_inf_nan=False), About(right="a number above 0, such as 30")
    ] = Field(default=30.0, description="Minutes that one run may take.")
    max_tokens: Annotated[
        int, Field(ge=1000), About(right="a whole number of at least 1000, such as 12000000")
    ] = Field(
        default=12_000_000,
        description="Tokens that one run may use, with its sub-agents; the first of these gets a "
        "quarter.",
    )
    scheduled_at_once: Annotated[
        int, Field(ge=1), About(right="a whole number of at least 1, such as 8")
    ] = Field(
        default=8,
        description="Scheduled digests that are made at the same time, by all processes together.",
    )
    logfire_token: Credential = Field(
        default=SecretStr(""),
        description="Write token; without it nothing goes to Logfire "
        "(`OTEL_EXPORTER_OTLP_ENDPOINT` works alone).",
    )
    trace_content: Annotated[bool, About(right="true or false")] = Field(
        default=False,
        description="Whether traces also hold the classifier's words (`raw_response`) and the "
        "arguments of tool calls (`input_preview`), which repeat what people wrote.",
    )
    logfire_project: Annotated[
        str, Field(pattern=r"^([\w.-]+/[\w.-]+)?$"), About(right="organisation/project")
    ] = Field(
        default="",
        description="`organisation/project`, for links to traces in summary.txt.",
    )

    @field_validator("workspaces_root", "mcp_servers_file", "policy_file")
    @classmethod
    def _below_home(cls, value: Path | None) -> Path | None:
        try:
            return value and value.expanduser()
        except RuntimeError as error:
            raise ValueError(f"is {shown(value)}, and that home is not known") from error

    @field_validator("database_url")
    @classmethod
    def _of_a_database(cls, value: str) -> str:
        try:
            backend = make_url(value).get_backend_name() if value else "sqlite"
        except (ArgumentError, ValueError):
            backend = ""
        if backend not in {"sqlite", "postgresql"}:
            is_old = backend == "postgres"
            raise ValueError(
                "begins with postgres://, an older form"
                if is_old
                else "is no address of a database that works here"
            )
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
