"""The toolkit's settings; the only reader of the environment in this package."""

from pathlib import Path

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Where sessions live, which non-public hosts may be opened, and how Composio is reached."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True, env_ignore_empty=True)

    workspaces_root: Path = Path("AGENT_RUN_WORKSPACES")
    """The directory that holds every session's directory and the blacklist."""
    crawl_allow: str = ""
    """`host`, `host:port` or `*.domain`, comma separated: let through although not public."""
    crawl_connect: str = ""
    """`pattern=address:port`, comma separated: where a host that `crawl_allow` lists is dialled."""
    crawl_browser: str = ""
    """Path or name of the Chromium for pages that need one; empty: it is looked for; `off`."""
    search_backend: str = "auto"
    """Of the search without Composio: ddgs's backends, a SearXNG's address, or `off`."""
    composio_api_key: SecretStr = SecretStr("")
    """Composio's key; without it the tools that reach Composio are not offered."""
    composio_base_url: str = "https://backend.composio.dev"
    """Composio's address, http or https."""
