"""The Slack side's settings, and the whole configuration of a bot: these and the core's.

The only file of this package that reads the environment; `agent_core.settings` has the reader.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from agent_core.setting_values import (
    MAX_PORT,
    ONE_WORD,
    as_credential,
    in_quotes,
)
from agent_core.settings import (
    ENV_ENCODING,
    ENV_FILE,
    CoreSettings,
    WebAddress,
    read_settings,
    unset,
)

SLACK_API_URL = "https://slack.com/api/"
CONSOLE_HOST = "127.0.0.1"

HOW_TO_GET: Mapping[str, str] = {
    "SLACK_BOT_TOKEN": "create the app from manifest.yml at https://api.slack.com/apps, "
    "install it, and copy the “Bot User OAuth Token” (xoxb-…) from “OAuth & Permissions”",
    "SLACK_APP_TOKEN": "“Basic Information” of the same app, “App-Level Tokens”: generate one "
    "with the scope connections:write (xapp-…)",
    "ANTHROPIC_API_KEY": "https://platform.claude.com/settings/keys (or set ANTHROPIC_AUTH_TOKEN "
    "for a gateway, or ZAI_API_KEY for Z.AI)",
    "COMPOSIO_API_KEY": "https://platform.composio.dev, “Settings” of the project, “API Keys”",
}
"""Where what must be set comes from."""

MODEL_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ZAI_API_KEY")
"""Any one of them is enough."""

MIN_SECRET = 8
"""Characters. What is shorter is no key, and leaving it out of texts would spoil them."""
MIN_CONSOLE_SECRET = 16
MIN_DISTINCT = 8
"""Different characters: a random secret of 16 hexadecimal digits has about ten."""

_NOT_IN_IDS = str.maketrans("", "", "[]\"'")


def _token_of(kind: str, *prefixes: str) -> AfterValidator:
    """A check that a token begins as Slack's tokens of this kind do."""

    def check(value: SecretStr) -> SecretStr:
        token = as_credential(value).get_secret_value()
        if token and not token.startswith(prefixes):
            raise ValueError(f"is no {kind} token: those begin with {prefixes[0]}")
        return value

    return AfterValidator(check)


def _ids_of(letters: str) -> AfterValidator:
    """A check that all are Slack's ids, and not names or ids of something else."""

    def check(ids: frozenset[str] | None) -> frozenset[str] | None:
        for entry in sorted(ids or ()):
            if not re.fullmatch(rf"[{letters}][A-Z0-9_]*", entry):
                raise ValueError(f"has {in_quotes(entry)}, which is no such id")
        return ids

    return AfterValidator(check)


def _as_strong_secret(value: SecretStr) -> SecretStr:
    secret = as_credential(value).get_secret_value()
    if 0 < len(secret) < MIN_CONSOLE_SECRET:
        raise ValueError("is too short to keep anybody out")
    if secret and len(set(secret)) < MIN_DISTINCT:
        raise ValueError("repeats too few characters to keep anybody out")
    return value


def _as_site(url: str) -> str:
    parts = urlsplit(url)
    if parts.path.strip("/") or parts.query or parts.fragment or parts.username:
        raise ValueError("is more than a scheme, a host and a port")
    return url.rstrip("/")


def _as_api_url(url: str) -> str:
    return (url or SLACK_API_URL).rstrip("/") + "/"


def _as_console_host(host: str) -> str:
    return host or CONSOLE_HOST  # an empty one would be every address of the machine


def _split(value: object) -> object:
    if not isinstance(value, str):
        return value
    return frozenset(value.translate(_NOT_IN_IDS).replace(",", " ").split())


Count = Annotated[int, Field(ge=0, examples=["a whole number, such as 20"])]
IdList = Annotated[frozenset[str] | None, NoDecode, BeforeValidator(_split)]


class BotSettings(BaseSettings):
    """Environment variables and `.env`; every field says what it is for."""

    model_config = SettingsConfigDict(
        env_file=ENV_FILE,
        env_file_encoding=ENV_ENCODING,
        extra="ignore",
    )

    slack_bot_token: Annotated[SecretStr, _token_of("bot", "xoxb-", "xoxe.xoxb-")] = Field(
        default=SecretStr(""),
        description="Bot token (`xoxb-…`) of the installed app.",
        examples=["the “Bot User OAuth Token” of “OAuth & Permissions”"],
        json_schema_extra=unset("required"),
    )
    slack_app_token: Annotated[SecretStr, _token_of("app-level", "xapp-")] = Field(
        default=SecretStr(""),
        description="App-level token (`xapp-…`) with the scope `connections:write`.",
        examples=["an app-level token of “Basic Information” with the scope connections:write"],
        json_schema_extra=unset("required"),
    )
    slack_api_url: Annotated[WebAddress, AfterValidator(_as_api_url)] = Field(
        default=SLACK_API_URL,
        description="Address of Slack's Web API.",
        examples=[f"an address such as {SLACK_API_URL}, or leave it out"],
    )
    slack_settle_s: float = Field(
        default=10.0,
        ge=0,
        allow_inf_nan=False,
        description="Seconds that a request of a bot that died may still be on its way to Slack; "
        "then the thread is read back, so that nothing is posted twice.",
        examples=["a number of seconds, such as 10"],
    )
    digests_per_team: Count = Field(
        default=200,
        description="Scheduled digests that the workspace may have.",
    )
    digests_per_channel: Count = Field(
        default=20,
        description="Scheduled digests that one channel may have.",
    )
    digests_per_person: Count = Field(
        default=20,
        description="Scheduled digests that one person may have ordered.",
    )
    allowed_teams: Annotated[IdList, _ids_of("TE")] = Field(
        default=None,
        description="Team ids whose members may use the bot, comma separated; empty means nobody.",
        examples=["team ids such as T0123ABCD, with commas between them"],
        json_schema_extra=unset("the token's own team"),
    )
    allowed_channels: Annotated[IdList, _ids_of("CGD")] = Field(
        default=None,
        description="Channel ids it works in; empty means none.",
        examples=[
            "channel ids such as C0123ABCD (at the end of a channel's details), with commas "
            "between them"
        ],
        json_schema_extra=unset("all"),
    )
    allowed_users: Annotated[IdList, _ids_of("UW")] = Field(
        default=None,
        description="User ids it works for; empty means nobody.",
        examples=[
            "user ids such as U0123ABCD (“Copy member ID” in a profile), with commas between them"
        ],
        json_schema_extra=unset("all full members"),
    )
    follow_ups: Literal["meant", "two_party", "mention"] = Field(
        default="meant",
        description="Which replies in a thread are answered without a mention: those that are "
        "`meant` for the bot, only those in threads between one person and it (`two_party`), or "
        "none (`mention`). A channel may have its own.",
        examples=["meant, two_party or mention"],
        json_schema_extra=unset("meant"),
    )
    approvers: Annotated[IdList, _ids_of("UW")] = Field(
        default=None,
        description="User ids that may approve what the bot wants to do for others, beside the "
        "person who asked.",
        examples=["user ids such as U0123ABCD, with commas between them"],
        json_schema_extra=unset("nobody else"),
    )
    console_host: Annotated[str, AfterValidator(_as_console_host)] = Field(
        default=CONSOLE_HOST,
        pattern=ONE_WORD,
        description="Address of this machine on which `/healthz` and the live view are served; "
        "one that others reach needs CONSOLE_SECRET where there is a DATABASE_URL.",
        examples=["an address of this machine, such as 127.0.0.1"],
    )
    console_port: int = Field(
        default=8898,
        ge=0,
        le=MAX_PORT,
        description="Port of `/healthz` and the live view; 0 takes any that is free, which the "
        "log names. A port that is taken is no hindrance.",
        examples=["a port such as 8898, or 0 for any that is free"],
        json_schema_extra=unset("8898"),
    )
    console_secret: Annotated[SecretStr, AfterValidator(_as_strong_secret)] = Field(
        default=SecretStr(""),
        description="Signs the links and cookies of the live view; the same for all processes "
        "of one bot.",
        examples=[
            "at least 16 characters, 8 of them different, such as `openssl rand -hex 32` prints"
        ],
        json_schema_extra=unset("a new one at each start"),
    )
    metrics_token: Annotated[SecretStr, AfterValidator(_as_strong_secret)] = Field(
        default=SecretStr(""),
        description="What a Prometheus server on another machine shows as `Bearer` to read "
        "`/metrics`; without it only this machine reads them.",
        examples=[
            "at least 16 characters, 8 of them different, such as `openssl rand -hex 32` prints"
        ],
    )
    console_url: Annotated[WebAddress, AfterValidator(_as_site)] = Field(
        default="",
        description="Address by which people reach the live view; without it posts have no “Open "
        "live view”.",
        examples=["an address such as https://live.example.org, without a path"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """All that the environment and `.env` say, as far as it can be used."""

    bot: BotSettings
    core: CoreSettings
    faults: Mapping[str, str]
    """By name a sentence on each setting that is wrong; its value here is the default."""

    @property
    def missing(self) -> Mapping[str, str]:
        """By name, how to get each setting without which the bot cannot start."""
        core = self.core
        values = {
            "SLACK_BOT_TOKEN": self.bot.slack_bot_token.get_secret_value(),
            "SLACK_APP_TOKEN": self.bot.slack_app_token.get_secret_value(),
            MODEL_KEYS[0]: core.anthropic_api_key.get_secret_value() or core.bearer,
        }
        wrong = {MODEL_KEYS[0] if name in MODEL_KEYS else name for name in self.faults}
        lacking = [name for name, value in values.items() if not value and name not in wrong]
        return {name: HOW_TO_GET[name] for name in lacking}

    @property
    def shut(self) -> list[str]:
        """The lists that let nobody in."""
        lists = ("allowed_teams", "allowed_channels", "allowed_users")
        return [name.upper() for name in lists if getattr(self.bot, name) == frozenset()]

    @property
    def secrets(self) -> list[str]:
        """Every value that must not be shown, also the one in an address."""
        secrets: list[str] = []
        for value in (*vars(self.bot).values(), *vars(self.core).values()):
            if isinstance(value, SecretStr):
                secrets.append(value.get_secret_value())
            elif isinstance(value, str):
                secrets.append(urlsplit(value).password or "")
        return [secret for secret in secrets if len(secret) >= MIN_SECRET]


def read_configuration() -> Configuration:
    """Read all settings, whatever is wrong with some.

    Raises SettingsError where the file `.env` cannot be read.
    """
    bot, bot_faults = read_settings(BotSettings)
    core, core_faults = read_settings(CoreSettings)
    faults = {**bot_faults, **core_faults}
    host = bot.console_host
    has_secret = bool(bot.console_secret.get_secret_value())
    if core.database_url and not is_loopback(host) and not has_secret:
        # One process makes its own; links of one of several would be refused by the others.
        # setdefault: a secret that is wrong has its sentence.
        faults.setdefault(
            "CONSOLE_SECRET",
            f"CONSOLE_SECRET is not set, but CONSOLE_HOST is {in_quotes(host)}, "
            "which others can reach, and DATABASE_URL lets several processes be one bot. Set it to "
            f"what `openssl rand -hex 32` prints, or set CONSOLE_HOST to {CONSOLE_HOST}.",
        )
    return Configuration(bot=bot, core=core, faults=faults)


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach it."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
