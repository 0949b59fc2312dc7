"""The core's settings, and the reader of settings that explains the wrong ones.

The only file of this package that reads the environment. A setting is a pydantic field: its
`description` is the README's table, its `examples` say what to write in place of a wrong value.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    Field,
    JsonValue,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic.fields import FieldInfo
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
    in_quotes,
)

ENV_FILE = ".env"
ENV_ENCODING = "utf-8-sig"  # as editors on Windows write it, and plain UTF-8
ZAI_BASE_URL = "https://api.z.ai/api/anthropic"

Settings = TypeVar("Settings", bound=BaseSettings)


def read_settings(kind: type[Settings]) -> tuple[Settings, Mapping[str, str]]:
    """Read all settings of a class, whatever is wrong with some: that has its default.

    And by its variable's name a sentence: what is wrong, and what would be right.

    Raises:
        SettingsError: the file `.env` cannot be read.
    """
    try:
        return kind(), {}
    except ValidationError as error:
        errors = {str(each["loc"][0]): each for each in reversed(error.errors())}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            "The file .env cannot be read: it must be UTF-8 text that the bot may read."
        ) from error
    defaults: dict[str, Any] = {}
    faults: dict[str, str] = {}
    for name, field in kind.model_fields.items():
        if name in errors:
            defaults[name] = field.default
            faults[name.upper()] = _fault(name, field, errors[name])
    return kind(**defaults), faults


def unset(words: str) -> dict[str, JsonValue]:
    """For `json_schema_extra`: what holds without the setting, if its default does not say it."""
    return {"unset": words}


def _fault(name: str, field: FieldInfo, error: ErrorDetails) -> str:
    """What is wrong with a value; `examples` of a field ends the sentence "Write …"."""
    own = error.get("ctx", {}).get("error")
    problem = str(own) if isinstance(own, ValueError) else f"is {in_quotes(error['input'])}"
    right = (field.examples or [""])[0]
    return f"{name.upper()} {problem}. Write {right}."


_KEY = "the key alone, without quotation marks or spaces"
_ADDRESS = "a whole address such as https://gateway.example/api"
_MODEL = "a model's id, such as claude-sonnet-5-5"

Credential = Annotated[SecretStr, AfterValidator(as_credential), Field(examples=[_KEY])]
WebAddress = Annotated[str, AfterValidator(as_web_address), Field(examples=[_ADDRESS])]
CapUsd = Annotated[
    float | None,
    Field(gt=0, allow_inf_nan=False, examples=["a number of dollars above 0, such as 25"]),
    Field(json_schema_extra=unset("no cap")),
]
KeptDays = Annotated[
    int | None,
    Field(
        ge=1,
        examples=["a whole number of at least 1, such as 90"],
        json_schema_extra=unset("for ever"),
    ),
]
ModelName = Annotated[str, Field(pattern=ONE_WORD, examples=[_MODEL])]


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


SHARED_ACCOUNTS = ("COMPOSIO_USER_ID", "COMPOSIO_ENTITY_ID")


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

    anthropic_api_key: Credential = Field(
        default=SecretStr(""),
        description="Key of the Anthropic API.",
        json_schema_extra=unset("required, or one of the next two"),
    )
    anthropic_auth_token: Credential = Field(
        default=SecretStr(""),
        description="Bearer token of a gateway, in place of a key.",
    )
    zai_api_key: Credential = Field(
        default=SecretStr(""),
        description="Key of Z.AI; used as the bearer token at Z.AI's address when no other is set.",
    )
    anthropic_base_url: WebAddress = Field(
        default="",
        description="Address of a gateway.",
        json_schema_extra=unset("Anthropic's"),
    )
    anthropic_version: str = Field(
        default="",
        pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$",
        description="Version header, for gateways that refuse the newest (2023-06-01 is then "
        "tried by itself).",
        examples=["a date such as 2023-06-01"],
        json_schema_extra=unset("the SDK's"),
    )
    agent_model: ModelName = Field(
        default="claude-sonnet-5-5",
        description="The main model.",
    )
    classifier_model: ModelName = Field(
        default="claude-haiku-5-5",
        description="The small model that routes messages.",
    )
    prices_file: Path | None = Field(
        default=None,
        examples=["the path of a file"],
        description="A TOML file of model prices, of the form of `agent_core/prices.toml`; its "
        "models replace those there.",
    )
    composio_api_key: Credential = Field(
        default=SecretStr(""),
        description="Key of Composio; without it there are no app tools, and the web is searched "
        "as `SEARCH_BACKEND` says.",
    )
    composio_base_url: WebAddress = Field(
        default="",
        description="Address of another Composio.",
        json_schema_extra=unset("Composio's"),
    )
    workspaces_root: Path = Field(
        default=Path("AGENT_RUN_WORKSPACES"),
        description="Where sessions keep their files, and SQLite its two.",
        examples=["a directory"],
    )
    database_url: str = Field(
        default="",
        description="Postgres URL for sessions, events and durable turns; needed where several "
        "processes run.",
        examples=["postgresql://user:password@host/name, or leave it out for SQLite"],
        json_schema_extra=unset("SQLite in the root"),
    )
    crawl_allow: Annotated[str, AfterValidator(as_hosts)] = Field(
        default="",
        description="Hosts (`host`, `host:port` or `*.domain`, comma separated) that the crawler "
        "may open although they are not public.",
        examples=["hosts as host, host:port or *.domain, with commas between them"],
    )
    crawl_connect: Annotated[str, AfterValidator(as_connections)] = Field(
        default="",
        description="`pattern=address:port`, comma separated: allowed hosts that are dialled "
        "there, not looked up.",
        examples=["pattern=address:port, such as wiki.internal=10.0.0.7:8080, with commas between"],
    )
    crawl_browser: str = Field(
        default="",
        description="Chromium for pages whose text is made by scripts; `off` leaves them unread.",
        examples=["the path or name of a Chromium, `off`, or leave it out"],
        json_schema_extra=unset("the one on the PATH, or Playwright's"),
    )
    search_backend: str = Field(
        default="auto",
        description="The web search without Composio's key: search engines by their names in "
        "ddgs, the address of a SearXNG that gives JSON, or `off`.",
        examples=["auto, names such as duckduckgo,brave, an https address, or off"],
    )
    mcp_servers_file: Path | None = Field(
        default=None,
        description="JSON file of further MCP servers (`mcpServers`, as other hosts have it); see "
        "`bot mcp list`.",
        examples=["the path of a JSON file, or leave it out"],
        json_schema_extra=unset("the shipped servers alone"),
    )
    policy_file: Path | None = Field(
        default=None,
        description="YAML file of rules on what the bot may do by itself, asks for or never does; "
        "they come before the shipped ones in `agent_core/consent/policy.yaml`.",
        examples=["the path of a YAML file, or leave it out"],
        json_schema_extra=unset("the shipped rules alone"),
    )
    channel_settings_file: Path | None = Field(
        default=None,
        description="YAML file of settings for the `team` and for `channels` by their ids; what it "
        "sets wins over what people set in words or in Home.",
        examples=["the path of a YAML file, or leave it out"],
        json_schema_extra=unset("what people set"),
    )
    keep_workspaces_days: KeptDays = Field(
        default=None,
        description="Days after its last use for which a thread's files are kept.",
    )
    keep_transcripts_days: KeptDays = Field(
        default=None,
        description="Days for which what was said and done in a thread is kept.",
    )
    keep_reports_days: KeptDays = Field(
        default=None,
        description="Days for which a thread's reports and other work products are kept.",
    )
    connect_links: Annotated[str, AfterValidator(as_link_places)] = Field(
        default="connect.composio.dev,app.composio.dev/link,backend.composio.dev/api/v3/s",
        description="Where links to connect an account live (`host`, `host:port` or `host/path`, "
        "comma separated); they are shown to their person alone.",
        examples=["places as host, host:port or host/path, with commas between them"],
    )
    max_steps: int = Field(
        default=40,
        ge=1,
        description="Model calls that one run may make; a run that reaches a bound answers with "
        "what it has.",
        examples=["a whole number of at least 1, such as 40"],
    )
    max_minutes: float = Field(
        default=30.0,
        gt=0,
        allow_inf_nan=False,
        description="Minutes that one run may take.",
        examples=["a number above 0, such as 30"],
    )
    max_tokens: int = Field(
        default=12_000_000,
        ge=1000,
        description="Tokens that one run may use, with its sub-agents; the first of these gets a "
        "quarter.",
        examples=["a whole number of at least 1000, such as 12000000"],
    )
    cap_turn_usd: CapUsd = Field(
        default=None,
        description="US dollars that one request may spend on models, sub-agents included. At a "
        "cap work ends with what it has, and new requests are refused.",
    )
    cap_person_usd: CapUsd = Field(
        default=None,
        description="US dollars that the requests of one person may spend in a month (UTC).",
    )
    cap_channel_usd: CapUsd = Field(
        default=None,
        description="The same for all requests in one channel.",
    )
    cap_team_usd: CapUsd = Field(
        default=None,
        description="The same for the whole workspace. Of a month's caps 80 % is told to the "
        "admins once.",
    )
    scheduled_at_once: int = Field(
        default=8,
        ge=1,
        description="Scheduled digests that are made at the same time, by all processes together.",
        examples=["a whole number of at least 1, such as 8"],
    )
    logfire_token: Credential = Field(
        default=SecretStr(""),
        description="Write token; without it nothing goes to Logfire "
        "(`OTEL_EXPORTER_OTLP_ENDPOINT` works alone).",
    )
    trace_file: Path | None = Field(
        default=None,
        description="File that gets each span of a trace as a line of JSON, scrubbed, beside "
        "Logfire or a collector or without them; it grows until it is rotated.",
        examples=["a path such as traces.jsonl"],
    )
    trace_content: bool = Field(
        default=False,
        description="Whether traces also hold the words of people and models, cut: the request, "
        "the classifier's `raw_response`, arguments and results of tool calls, texts and thinking.",
        examples=["true or false"],
    )
    logfire_project: str = Field(
        default="",
        pattern=r"^([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)?$",
        description="`organisation/project`, for links to traces in summary.txt.",
        examples=["organisation/project"],
    )

    @field_validator(
        "workspaces_root",
        "mcp_servers_file",
        "policy_file",
        "channel_settings_file",
        "prices_file",
        "trace_file",
    )
    @classmethod
    def _below_home(cls, value: Path | None) -> Path | None:
        try:
            return value and value.expanduser()
        except RuntimeError as error:
            raise ValueError(f"is {in_quotes(value)}, and that home is not known") from error

    @field_validator("database_url")
    @classmethod
    def _of_a_database(cls, value: str) -> str:
        if not value:
            return value
        try:
            backend = make_url(value).get_backend_name()
        except (ArgumentError, ValueError):
            backend = ""
        if backend == "postgres":
            raise ValueError("begins with postgres://, an older form")
        if backend not in {"sqlite", "postgresql"}:
            raise ValueError("is no address of a database that works here")
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
        zai_key = self.zai_api_key.get_secret_value()
        return ZAI_BASE_URL if zai_key and self.bearer == zai_key else None

    @property
    def state_url(self) -> str:
        """SQLAlchemy URL of sessions and events."""
        return self.database_url or f"sqlite:///{self.workspaces_root.resolve()}/state.sqlite"

    @property
    def durable_url(self) -> str:
        """SQLAlchemy URL of the durable turns' own tables."""
        return self.database_url or f"sqlite:///{self.workspaces_root.resolve()}/turns.sqlite"
