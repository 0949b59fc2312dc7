"""What the Slack side is configured by. The only reader of the environment in this package."""

from typing import Annotated

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

SLACK_API_URL = "https://slack.com/api/"

IdList = Annotated[frozenset[str] | None, NoDecode]


class BotSettings(BaseSettings):
    """Environment variables and `.env`; every field says what it is for."""

    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore")

    slack_bot_token: SecretStr = Field(
        default=SecretStr(""), description="Bot token (`xoxb-…`) of the installed app."
    )
    slack_app_token: SecretStr = Field(
        default=SecretStr(""),
        description="App-level token (`xapp-…`) with the scope `connections:write`.",
    )
    slack_api_url: str = Field(default=SLACK_API_URL, description="Address of Slack's Web API.")
    allowed_teams: IdList = Field(
        default=None,
        description="Team ids whose members may use the bot, comma separated; unset means the "
        "token's own team, empty means nobody.",
    )
    allowed_channels: IdList = Field(
        default=None, description="Channel ids it works in; unset means all, empty means none."
    )
    allowed_users: IdList = Field(
        default=None, description="User ids it works for; unset means all members, empty nobody."
    )

    @field_validator("allowed_teams", "allowed_channels", "allowed_users", mode="before")
    @classmethod
    def _ids(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return frozenset(value.translate(_NOT_IN_IDS).replace(",", " ").split())

    @field_validator("slack_api_url")
    @classmethod
    def _with_slash(cls, value: str) -> str:
        return (value or SLACK_API_URL).rstrip("/") + "/"


_NOT_IN_IDS = str.maketrans("", "", "[]\"'")
